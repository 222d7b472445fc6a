//! Any value of any memory is harmless: from a faulty save, an inspector or a game.

use bevy::ecs::reflect::{AppTypeRegistry, ReflectComponent};
use bevy::prelude::*;
use bevy::reflect::{PartialReflect, ReflectMut};
use bevy_steering2d::prelude::*;

use crate::common::*;
use crate::paths::zigzag;

/// Overwrites every number in a value.
fn poison(value: &mut dyn PartialReflect, number: f32) {
    if let Some(value) = value.try_downcast_mut::<f32>() {
        *value = number;
    } else if let Some(value) = value.try_downcast_mut::<u32>() {
        *value = u32::MAX;
    } else if let Some(value) = value.try_downcast_mut::<usize>() {
        *value = usize::MAX;
    } else if let Some(value) = value.try_downcast_mut::<bool>() {
        *value = true;
    } else {
        match value.reflect_mut() {
            ReflectMut::Struct(fields) => {
                (0..fields.field_len())
                    .for_each(|at| poison(fields.field_at_mut(at).unwrap(), number));
            }
            ReflectMut::TupleStruct(fields) => {
                (0..fields.field_len())
                    .for_each(|at| poison(fields.field_mut(at).unwrap(), number));
            }
            ReflectMut::Enum(fields) => {
                (0..fields.field_len())
                    .for_each(|at| poison(fields.field_at_mut(at).unwrap(), number));
            }
            ReflectMut::List(items) => {
                (0..items.len()).for_each(|at| poison(items.get_mut(at).unwrap(), number));
            }
            _ => {}
        }
    }
}

/// The registered memories.
fn memories(app: &App) -> Vec<(String, ReflectComponent)> {
    let types = app.world().resource::<AppTypeRegistry>().read();
    let memories = types.iter().filter_map(|it| {
        let name = it.type_info().type_path_table().short_path();
        let component = it.data::<ReflectComponent>()?.clone();
        let holds_state = name.ends_with("Memory") || name == "TargetWatch";
        holds_state.then(|| (name.to_owned(), component))
    });
    memories.collect()
}

fn agent_with_every_behavior(app: &mut App, backend: Backend, at: Vec2) -> Entity {
    let body = Body::at(at.x, at.y).moving(1.0, 0.5);
    let agent = backend.spawn(app, body, (zigzag(), StuckDetection::default()));
    insert_every_behavior(app.world_mut(), agent);
    let mut agent = app.world_mut().entity_mut(agent);
    agent.insert(Leadership(at.x));
    agent.id()
}

#[test]
fn any_value_of_any_memory_is_harmless() {
    let numbers = [f32::NAN, f32::INFINITY, f32::MIN, f32::MAX, -1.0];
    for backend in BACKENDS {
        for number in numbers {
            let mut app = backend.app(HERTZ);
            let agents = [Vec2::ZERO, Vec2::new(2.0, 1.0), Vec2::new(-1.0, 3.0)]
                .map(|at| agent_with_every_behavior(&mut app, backend, at));
            let styles = [
                PathStyle::default(),
                PathFollowing::default().with_corridor(1.0, 0.5).style,
                PathStyle::default(),
            ];
            for (agent, style) in agents.into_iter().zip(styles) {
                let mut agent = app.world_mut().entity_mut(agent);
                agent.get_mut::<PathFollowing>().unwrap().style = style;
            }
            run_ticks(&mut app, 30);
            let memories = memories(&app);
            assert!(memories.len() > 7, "{}", memories.len());
            for (name, memory) in &memories {
                for agent in agents {
                    let mut agent = app.world_mut().entity_mut(agent);
                    if let Some(mut memory) = memory.reflect_mut(&mut agent) {
                        poison(memory.as_partial_reflect_mut(), number);
                    }
                }
                run_ticks(&mut app, 20);
                let case = format!("{backend:?}, {name} of {number}");
                assert_all_finite(&mut app, None, &case);
                for agent in agents {
                    let agent = app.world().entity(agent);
                    let Some(memory) = memory.reflect(agent) else {
                        continue;
                    };
                    let text = format!("{memory:?}");
                    assert!(
                        !text.contains("NaN") && !text.contains("inf"),
                        "{case}: {text}"
                    );
                }
            }
        }
    }
}

#[test]
fn progress_beyond_the_path_joins_it_anew() {
    for backend in BACKENDS {
        let mut app = backend.app(HERTZ);
        let agent = (PathFollowing::default(), zigzag());
        let agent = backend.spawn(&mut app, Body::at(0.0, 0.0), agent);
        run_ticks(&mut app, 30);
        let mut progress = app
            .world_mut()
            .get_mut::<PathFollowingMemory>(agent)
            .unwrap();
        progress.waypoint = 99;
        run_ticks(&mut app, 1);
        assert!(get::<PathFollowingMemory>(&app, agent).waypoint < 4);
        assert!(total(&app, agent) != Vec2::ZERO);
    }
}
