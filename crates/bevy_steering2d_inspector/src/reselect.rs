//! Selects agents again that were despawned, when an earlier tick is shown in which they are back.

use bevy::prelude::*;
use bevy_steering2d_core::Vehicle;
use bevy_steering2d_debug::SteeringSelection;
use bevy_steering2d_recorder::{Rewound, SteeringRecorder};

pub(crate) fn plugin(app: &mut App) {
    app.init_resource::<Despawned>()
        .add_observer(remember)
        .add_observer(select_again);
}

/// The agents that were selected when they were despawned.
#[derive(Resource, Debug, Default)]
struct Despawned {
    /// The place of each in the selection, and its first entity, in the order in which they were despawned.
    agents: Vec<(usize, Entity)>,
    /// The selection that was left. Once the user has chosen another one, they do not come back.
    left: Vec<Entity>,
}

impl Despawned {
    /// The selection with those that are back, in their places; the others stay despawned.
    fn take_back(&mut self, entity_now: impl Fn(Entity) -> Option<Entity>) -> Vec<Entity> {
        let mut selected = self.left.clone();
        // In reverse order of despawning, because each place is an index into the selection as it was then.
        for (place, agent) in std::mem::take(&mut self.agents).into_iter().rev() {
            match entity_now(agent) {
                Some(entity) => selected.insert(place.min(selected.len()), entity),
                None => self.agents.push((place, agent)),
            }
        }
        self.agents.reverse();
        self.left.clone_from(&selected);
        selected
    }
}

/// Remembers a selected agent that is despawned. `Despawn` comes before the `Remove` that deselects it.
fn remember(
    despawn: On<Despawn, Vehicle>,
    selection: Res<SteeringSelection>,
    recorder: Option<Res<SteeringRecorder>>,
    mut despawned: ResMut<Despawned>,
) {
    let agent = despawn.entity;
    let Some(place) = selection.iter().position(|it| it == agent) else {
        return;
    };
    if !selection.iter().eq(despawned.left.iter().copied()) {
        despawned.agents.clear();
    }
    let first = recorder.map_or(agent, |it| it.first_entity_of(agent));
    despawned.agents.push((place, first));
    despawned.left = selection.iter().filter(|it| *it != agent).collect();
}

/// Selects the agents that are back in the shown tick, unless the user has chosen others since.
fn select_again(
    rewound: On<Rewound>,
    recorder: Option<Res<SteeringRecorder>>,
    mut selection: ResMut<SteeringSelection>,
    mut despawned: ResMut<Despawned>,
) {
    let Some(recorder) = recorder.filter(|_| !despawned.agents.is_empty()) else {
        return;
    };
    if selection.iter().eq(despawned.left.iter().copied()) {
        let spawned = rewound.restored.spawned.iter().map(|(_, now)| *now);
        let entity_now = |agent: Entity| {
            let mut spawned = spawned.clone();
            spawned.find(|now| recorder.first_entity_of(*now) == agent)
        };
        selection.set(despawned.take_back(entity_now));
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use bevy::time::TimeUpdateStrategy;
    use bevy_steering2d_core::{PointMass, SteeringCorePlugin, Wander};
    use bevy_steering2d_debug::SteeringDebugPlugin;
    use bevy_steering2d_recorder::{SteeringRecorderPlugin, back_to_present, rewind};

    use super::*;

    const TICK: Duration = Duration::from_millis(20);

    /// Three agents after 20 ticks.
    fn app() -> (App, [Entity; 3]) {
        let mut app = App::new();
        app.add_plugins((
            MinimalPlugins,
            SteeringCorePlugin::new(Update),
            SteeringRecorderPlugin::default(),
            SteeringDebugPlugin::default(),
            plugin,
        ))
        .insert_resource(TimeUpdateStrategy::ManualDuration(TICK));
        app.finish();
        app.cleanup();
        let agent = (PointMass::default(), Wander::default());
        let agents = [(); 3].map(|()| app.world_mut().spawn(agent).id());
        run(&mut app);
        (app, agents)
    }

    fn run(app: &mut App) {
        for _ in 0..20 {
            app.update();
        }
    }

    fn latest(app: &App) -> u32 {
        let recorder = app.world().resource::<SteeringRecorder>();
        *recorder.ticks().unwrap().end()
    }

    fn select(app: &mut App, agents: &[Entity]) {
        let mut selection = app.world_mut().resource_mut::<SteeringSelection>();
        selection.set(agents.iter().copied());
    }

    /// The first entities of the selected agents.
    fn selected(app: &App) -> Vec<Entity> {
        let recorder = app.world().resource::<SteeringRecorder>();
        let selection = app.world().resource::<SteeringSelection>();
        let first = selection.iter().map(|it| recorder.first_entity_of(it));
        first.collect()
    }

    #[test]
    fn selected_agents_that_are_spawned_again_are_selected_in_their_order() {
        let (mut app, [a, b, c]) = app();
        let last = latest(&app);
        select(&mut app, &[b, a, c]);
        app.world_mut().despawn(b);
        app.world_mut().despawn(c);
        run(&mut app);
        assert_eq!(selected(&app), [a]);
        for ago in [0, 5, 3] {
            rewind(app.world_mut(), last - ago).unwrap();
            assert_eq!(selected(&app), [b, a, c]);
        }
        back_to_present(app.world_mut()).unwrap();
        assert_eq!(selected(&app), [a]);

        // From the entities of a world that went on as well.
        rewind(app.world_mut(), last).unwrap();
        app.world_mut().resource_mut::<Time<Virtual>>().unpause();
        run(&mut app);
        rewind(app.world_mut(), last - 5).unwrap();
        assert_eq!(selected(&app), [b, a, c]);
        let agents = app.world().resource::<SteeringSelection>().iter();
        let vehicles = agents.filter(|it| app.world().get::<Vehicle>(*it).is_some());
        assert_eq!(vehicles.count(), 3, "they exist");
    }

    #[test]
    fn an_agent_stays_selected_when_the_present_is_shown_again() {
        let (mut app, _) = app();
        let before = latest(&app);
        let agent = (PointMass::default(), Wander::default());
        let late = app.world_mut().spawn(agent).id();
        select(&mut app, &[late]);
        run(&mut app);
        for _ in 0..3 {
            rewind(app.world_mut(), before).unwrap();
            assert!(selected(&app).is_empty());
            back_to_present(app.world_mut()).unwrap();
            assert_eq!(selected(&app), [late]);
        }
    }

    #[test]
    fn an_agent_chosen_since_stays_the_only_selected_one() {
        let (mut app, [a, b, _]) = app();
        let last = latest(&app);
        select(&mut app, &[a]);
        app.world_mut().despawn(a);
        select(&mut app, &[b]);
        run(&mut app);
        rewind(app.world_mut(), last).unwrap();
        assert_eq!(selected(&app), [b]);
    }
}
