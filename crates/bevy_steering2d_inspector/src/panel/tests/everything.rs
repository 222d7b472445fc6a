//! An agent with everything that the panel shows.

use std::any::TypeId;

use bevy::ecs::reflect::ReflectComponent;
use bevy_steering2d_core::{
    FaceTarget, IsStuck, SensesColliders, SpeedLimit, SteeringAppExt, SteeringGroups,
    StuckDetection, TargetInSight, ThinkEvery, Wheeled,
};
use egui::collapsing_header::CollapsingState;

use super::choices::Present;
use super::*;
use crate::vehicle::{COMPANIONS, tuning};

/// An agent with conditions, a predictor and wheels, and its behavior entity, both with every behavior.
fn agent_with_everything(test: &mut TestApp) -> [Entity; 2] {
    test.app.add_predictor::<Present>();
    let conditions = (Alone::default(), TargetInSight::default(), IsStuck);
    let facing = (FaceTarget::default(), SpeedLimit::default());
    let others = (
        SteeringGroups::default(),
        SensesColliders::default(),
        StuckDetection::default(),
        ThinkEvery::default(),
    );
    let body = (PointMass::default(), Wheeled::default());
    let agent = (body, conditions, Present::default(), facing, others);
    let agent = test.world().spawn(agent).id();
    let helper = (SteersFor(agent), Alone::default(), Present::default());
    let helper = test.world().spawn(helper).id();
    let types = test.world().resource::<AppTypeRegistry>().clone();
    let registry = test.world().resource::<BehaviorRegistry>().clone();
    for info in registry.iter() {
        let types = types.read();
        let component = types.get_type_data::<ReflectComponent>(info.type_id);
        let default = types.get_type_data::<ReflectDefault>(info.type_id);
        let (component, default) = component.zip(default).expect("reflected");
        for entity in [agent, helper] {
            let mut entity = test.app.world_mut().entity_mut(entity);
            component.insert(&mut entity, default.default().as_partial_reflect(), &types);
        }
    }
    [agent, helper]
}

/// The parameters of entities, without the velocity, which a tick changes.
fn parameters(test: &TestApp, entities: [Entity; 2]) -> Vec<String> {
    let world = test.app.world();
    let types = world.resource::<AppTypeRegistry>().read();
    let behaviors = world.resource::<BehaviorRegistry>().iter();
    let behaviors = behaviors.map(|info| info.type_id);
    let others = COMPANIONS
        .into_iter()
        .filter(|id| *id != TypeId::of::<PointMass>());
    let all = behaviors.chain(others).chain(tuning(&types));
    let values = all.flat_map(|id| {
        let component = types.get_type_data::<ReflectComponent>(id);
        let component = component.expect("reflected").clone();
        entities.map(|entity| format!("{:?}", component.reflect(world.entity(entity))))
    });
    values.collect()
}

#[test]
fn every_tab_shows_an_agent_with_everything_and_changes_nothing() {
    let mut test = TestApp::new();
    // Rows that are out of sight have no widgets.
    test.size = egui::vec2(420.0, 60_000.0);
    let entities = agent_with_everything(&mut test);
    test.select(entities[0]);
    let registry = test.world().resource::<BehaviorRegistry>().clone();
    for info in registry.iter() {
        for entity in entities {
            let row = egui::Id::new(("steering row", entity, info.type_id));
            let mut open = CollapsingState::load_with_default_open(&test.context, row, false);
            open.set_open(true);
            open.store(&test.context);
        }
    }
    let before = parameters(&test, entities);
    for tab in Tab::ALL.into_iter().chain([Tab::Behaviors]) {
        test.world().resource_mut::<SteeringInspector>().tab = tab;
        test.frame(Vec::new());
        test.frame(Vec::new());
        let after = parameters(&test, entities);
        for (before, after) in before.iter().zip(after) {
            assert_eq!(*before, after, "{tab:?}");
        }
    }
    for info in registry.iter() {
        for part in ["on", "priority"] {
            let widget = format!("{} {part}", info.name);
            let shown = test.widgets.iter().filter(|(name, _)| *name == widget);
            assert_eq!(shown.count(), 2, "{widget} on both entities");
        }
    }
}
