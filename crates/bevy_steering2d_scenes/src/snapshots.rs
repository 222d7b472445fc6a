//! What scenes add to snapshots, so that looking back shows them as they were.

use std::marker::PhantomData;

use bevy::ecs::component::Mutable;
use bevy::ecs::entity::EntityHashMap;
use bevy::prelude::*;
use bevy_rapier2d::prelude::*;
use bevy_steering2d::prelude::*;
use bevy_steering2d::{SnapshotAppExt, SnapshotKind, SnapshotPart};

use crate::look::Look;
use crate::props::Rock;

/// Adds what bodies, obstacles and walls have beside steering. Those that are spawned again are then
/// visible, solid and named, as agents are.
///
/// Must be called before the steering plugins are added: the first call for a type counts, and the Rapier
/// plugin adds these types for agents only.
pub(crate) fn add_body_types(app: &mut App) {
    use SnapshotKind::Parameter;
    type Bodies = With<Kinematics>;
    /// A rock is no obstacle while it is a collider.
    type Placed = Or<(With<Kinematics>, With<Obstacle>, With<Wall>, With<Rock>)>;

    app.add_snapshot_component_where::<RigidBody, Bodies>(Parameter)
        .add_snapshot_component_where::<Collider, Bodies>(Parameter)
        .add_snapshot_component_where::<Sensor, Bodies>(Parameter)
        .add_snapshot_component_where::<CollisionGroups, Bodies>(Parameter)
        .add_snapshot_component_where::<Friction, Bodies>(Parameter)
        .add_snapshot_component_where::<Look, Placed>(Parameter)
        .add_snapshot_component_where::<Name, Placed>(Parameter)
        .add_snapshot_component::<Rock>(Parameter);
}

/// Adds the state of a scene to snapshots.
pub(crate) trait SceneSnapshotExt {
    /// Adds a component. References to entities are mapped by its
    /// [`map_entities`](Component::map_entities).
    fn add_scene_component<C>(&mut self) -> &mut Self
    where
        C: Component<Mutability = Mutable> + Clone;

    /// Adds a resource. References to entities are mapped by its
    /// [`map_entities`](Component::map_entities). Restoring it does not count as a change.
    fn add_scene_resource<R>(&mut self) -> &mut Self
    where
        R: Resource<Mutability = Mutable> + Clone;
}

impl SceneSnapshotExt for App {
    fn add_scene_component<C>(&mut self) -> &mut Self
    where
        C: Component<Mutability = Mutable> + Clone,
    {
        self.add_snapshot_component::<C>(SnapshotKind::Parameter)
    }

    fn add_scene_resource<R>(&mut self) -> &mut Self
    where
        R: Resource<Mutability = Mutable> + Clone,
    {
        self.add_snapshot_part(SceneResource::<R>(PhantomData))
    }
}

/// A resource of a scene in snapshots. Unlike
/// [`add_snapshot_resource`](SnapshotAppExt::add_snapshot_resource), it is restored past change detection.
struct SceneResource<R>(PhantomData<R>);

impl<R: Resource<Mutability = Mutable> + Clone> SnapshotPart for SceneResource<R> {
    type Copy = Option<R>;

    fn take(&mut self, world: &mut World) -> Option<R> {
        world.get_resource::<R>().cloned()
    }

    fn restore(&mut self, world: &mut World, copy: &Option<R>, spawned: &EntityHashMap<Entity>) {
        // `None`: the scene was not started yet, so its systems do not run. The resource stays.
        let Some(mut value) = copy.clone() else {
            return;
        };
        R::map_entities(&mut value, &mut spawned.clone());
        match world.get_resource_mut::<R>() {
            // Not as a change: what systems do about a change is restored as well.
            Some(mut present) => *present.bypass_change_detection() = value,
            None => world.insert_resource(value),
        }
    }

    fn bytes(_: &Option<R>) -> usize {
        size_of::<R>()
    }

    fn is_empty(copy: &Option<R>) -> bool {
        copy.is_none()
    }
}

#[cfg(test)]
mod tests {
    use bevy_steering2d::SteeringSnapshot;

    use super::*;
    use crate::headless;
    use crate::input::Presses;
    use crate::scenes::SCENES;

    /// How each agent looks, and its name, by id.
    fn looks(app: &mut App) -> Vec<(SteeringId, Option<Look>, Option<Name>)> {
        let world = app.world_mut();
        let mut agents =
            world.query_filtered::<(&SteeringId, Option<&Look>, Option<&Name>), With<Vehicle>>();
        let agents = agents.iter(world);
        let mut looks: Vec<_> = agents
            .map(|(id, look, name)| (*id, look.cloned(), name.cloned()))
            .collect();
        looks.sort_by_key(|(id, ..)| *id);
        looks
    }

    #[test]
    fn snapshots_bring_back_looks_and_chosen_keys() {
        // The thousands would take too long.
        for scene in SCENES.iter().filter(|it| it.name != "thousands") {
            let mut app = headless::app(scene, 7);
            headless::advance(&mut app, 20);
            let (chosen, seen) = ((scene.chosen)(app.world()), looks(&mut app));
            let snapshot = SteeringSnapshot::take(app.world_mut());
            for key in scene.keys {
                app.world_mut().resource_mut::<Presses>().press(key.key);
                headless::advance(&mut app, 2);
            }
            snapshot.restore(app.world_mut());
            assert_eq!((scene.chosen)(app.world()), chosen, "{}", scene.name);
            assert_eq!(looks(&mut app), seen, "{}", scene.name);
            headless::advance(&mut app, 20);
        }
    }
}
