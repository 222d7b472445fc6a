//! History: samples of the shown agent over the last seconds, for the plots.

use std::collections::VecDeque;

use bevy::prelude::*;
use bevy_steering2d_core::{BehaviorId, Kinematics, SteeringClock, SteeringForce};
use bevy_steering2d_debug::SteeringSelection;
use bevy_steering2d_recorder::SteeringRecorder;

/// The recorded duration, s.
pub(crate) const DURATION: f64 = 10.0;

/// The measurements of one tick.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Sample {
    /// Time since the recording started, s.
    pub(crate) time: f64,
    /// Speed, m/s.
    pub(crate) speed: f32,
    /// Magnitude of the total force, N.
    pub(crate) force: f32,
    /// Magnitude of each behavior's accepted force, N; summed over instances of a behavior.
    pub(crate) shares: Vec<(BehaviorId, f32)>,
}

/// The samples of one agent, oldest first.
#[derive(Resource, Debug, Default)]
pub(crate) struct History {
    agent: Option<Entity>,
    /// The tick of the newest sample.
    tick: u32,
    time: f64,
    samples: VecDeque<Sample>,
}

impl History {
    pub(crate) fn samples(&self) -> impl DoubleEndedIterator<Item = &Sample> + Clone {
        self.samples.iter()
    }

    /// Time of the newest sample, s.
    pub(crate) fn now(&self) -> f64 {
        self.time
    }

    /// The behaviors in the recorded samples, in order of registration.
    pub(crate) fn behaviors(&self) -> Vec<BehaviorId> {
        let all = self.samples.iter().flat_map(|sample| &sample.shares);
        let mut ids: Vec<_> = all.map(|(id, _)| *id).collect();
        ids.sort_unstable();
        ids.dedup();
        ids
    }

    /// The samples of an agent up to a tick, from what is recorded.
    fn recorded(recorder: Option<&SteeringRecorder>, agent: Entity, tick: u32) -> Self {
        let mut history = Self {
            agent: Some(agent),
            tick,
            ..Self::default()
        };
        let Some(recorder) = recorder else {
            return history;
        };
        let (mut duration, mut next) = (0.0, tick);
        let latest = recorder.snapshots(0..=tick).rev();
        // Recording may have been off for a while.
        let latest = latest.take_while(|it| {
            let is_next = it.tick() == next;
            next = it.tick().saturating_sub(1);
            duration += f64::from(it.delta());
            is_next && duration <= DURATION
        });
        let mut latest: Vec<_> = latest.collect();
        latest.reverse();
        let entities = recorder.entities_of(agent);
        for snapshot in latest {
            let of = |entity: &Entity| {
                let body = snapshot.get::<Kinematics>(*entity)?;
                Some((body, snapshot.get::<SteeringForce>(*entity)?))
            };
            if let Some((body, force)) = entities.iter().find_map(of) {
                history.push(snapshot.delta(), body.speed(), force);
            }
        }
        history
    }

    /// Makes this the history of an agent up to a tick, unless it is. `None` forgets everything.
    fn watch(&mut self, agent: Option<Entity>, tick: u32, recorder: Option<&SteeringRecorder>) {
        let Some(agent) = agent else {
            *self = Self::default();
            return;
        };
        if self.agent != Some(agent) || self.tick != tick {
            *self = Self::recorded(recorder, agent, tick);
        }
    }

    pub(crate) fn push(&mut self, delta: f32, speed: f32, force: &SteeringForce) {
        self.time += f64::from(delta);
        let mut shares: Vec<(BehaviorId, f32)> = Vec::new();
        for entry in force.ledger() {
            let accepted = entry.accepted().length();
            match shares.iter_mut().find(|(id, _)| *id == entry.behavior) {
                Some((_, sum)) => *sum += accepted,
                None => shares.push((entry.behavior, accepted)),
            }
        }
        self.samples.push_back(Sample {
            time: self.time,
            speed,
            force: force.total.length(),
            shares,
        });
        let oldest = self.time - DURATION;
        while self.samples.front().is_some_and(|it| it.time < oldest) {
            self.samples.pop_front();
        }
    }
}

/// Records a sample of the primary selected agent in each tick.
pub(crate) fn record(
    selection: Res<SteeringSelection>,
    clock: Res<SteeringClock>,
    agents: Query<(&Kinematics, &SteeringForce)>,
    recorder: Option<Res<SteeringRecorder>>,
    mut history: ResMut<History>,
) {
    let is_paused = clock.delta == 0.0;
    if is_paused {
        return;
    }
    let shown = selection.primary();
    // Also after the world has gone on from an earlier tick.
    history.watch(shown, clock.tick.saturating_sub(1), recorder.as_deref());
    history.tick = clock.tick;
    if let Some((body, force)) = shown.and_then(|agent| agents.get(agent).ok()) {
        history.push(clock.delta, body.speed(), force);
    }
}

/// Makes the history that of the selected agent, up to the tick which the world shows.
pub(crate) fn look_back(world: &mut World) {
    // A rewind restores it as well.
    let clock = world.get_resource::<SteeringClock>();
    let tick = clock.map_or(0, |clock| clock.tick);
    let agent = world.resource::<SteeringSelection>().primary();
    world.resource_scope(|world, mut history: Mut<History>| {
        history.watch(agent, tick, world.get_resource());
    });
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use bevy::time::TimeUpdateStrategy;
    use bevy_steering2d_core::{
        PointMass, SteeringCorePlugin, SteeringDisabled, SteeringSchedule, Wander,
    };
    use bevy_steering2d_recorder::{SteeringRecorderPlugin, back_to_present, rewind};

    use super::*;

    #[test]
    fn history_drops_old_samples_and_other_agents() {
        let mut history = History::default();
        let mut world = World::new();
        let [a, b] = [world.spawn_empty().id(), world.spawn_empty().id()];
        history.watch(Some(a), 0, None);
        for _ in 0..200 {
            history.push(0.1, 1.0, &SteeringForce::default());
        }
        let count = history.samples().count();
        assert!((100..=102).contains(&count), "{count}");
        assert!((history.now() - 20.0).abs() < 1e-3);
        history.watch(Some(a), 0, None);
        assert_eq!(history.samples().count(), count);
        history.watch(Some(b), 0, None);
        assert_eq!(history.samples().count(), 0);
    }

    fn speeds(app: &App) -> Vec<f32> {
        let history = app.world().resource::<History>();
        history.samples().map(|it| it.speed).collect()
    }

    /// A selected agent that is recorded.
    fn recorded_agent() -> (App, Entity) {
        let tick = Duration::from_millis(20);
        let mut app = App::new();
        app.add_plugins((
            MinimalPlugins,
            SteeringCorePlugin::default(),
            SteeringRecorderPlugin::default(),
        ))
        .insert_resource(Time::<Fixed>::from_duration(tick))
        .insert_resource(TimeUpdateStrategy::ManualDuration(tick))
        .init_resource::<History>()
        .add_systems(SteeringSchedule::Move, record);
        app.finish();
        app.cleanup();
        app.update();
        let agent = (PointMass::default(), Wander::default());
        let agent = app.world_mut().spawn(agent).id();
        app.init_resource::<SteeringSelection>();
        select(&mut app, agent);
        (app, agent)
    }

    fn run(app: &mut App, ticks: u32) {
        for _ in 0..ticks {
            app.update();
        }
    }

    fn select(app: &mut App, agent: Entity) {
        let mut selection = app.world_mut().resource_mut::<SteeringSelection>();
        selection.set([agent]);
    }

    fn latest(app: &App) -> u32 {
        let recorder = app.world().resource::<SteeringRecorder>();
        *recorder.ticks().unwrap().end()
    }

    #[test]
    fn the_history_of_a_rewound_agent_ends_at_the_shown_tick_and_goes_on_from_there() {
        let (mut app, _) = recorded_agent();
        run(&mut app, 100);
        let all = speeds(&app);
        assert_eq!(all.len(), 100);
        look_back(app.world_mut());
        assert_eq!(speeds(&app), all, "the present");

        let last = latest(&app);
        rewind(app.world_mut(), last - 40).unwrap();
        look_back(app.world_mut());
        assert_eq!(speeds(&app), all[..60]);
        app.world_mut().resource_mut::<Time<Virtual>>().unpause();
        run(&mut app, 11);
        assert_eq!(
            speeds(&app),
            all[..speeds(&app).len()],
            "the same world again"
        );
        assert!(speeds(&app).len() >= 70);
    }

    #[test]
    fn the_history_of_a_present_that_is_not_recorded_is_not_that_of_the_tick_shown_before() {
        let (mut app, _) = recorded_agent();
        run(&mut app, 30);
        let last = latest(&app);
        app.world_mut().resource_mut::<SteeringRecorder>().recording = false;
        run(&mut app, 30);
        let all = speeds(&app);
        look_back(app.world_mut());
        assert_eq!(speeds(&app), all, "the present");
        rewind(app.world_mut(), last - 10).unwrap();
        look_back(app.world_mut());
        assert_eq!(speeds(&app), all[..20]);
        back_to_present(app.world_mut()).unwrap();
        look_back(app.world_mut());
        assert!(speeds(&app).is_empty());
    }

    #[test]
    fn the_history_of_a_disabled_agent_is_the_one_that_is_recorded() {
        let (mut app, agent) = recorded_agent();
        run(&mut app, 20);
        app.world_mut().entity_mut(agent).insert(SteeringDisabled);
        run(&mut app, 20);
        app.world_mut()
            .entity_mut(agent)
            .remove::<SteeringDisabled>();
        run(&mut app, 20);
        let live = app.world().resource::<History>();
        let recorder = app.world().get_resource::<SteeringRecorder>();
        let recorded = History::recorded(recorder, agent, latest(&app));
        assert_eq!(live.samples().count(), 60);
        assert!(live.samples().eq(recorded.samples()));
    }

    #[test]
    fn the_history_of_an_agent_that_is_spawned_again_is_that_of_before() {
        let (mut app, agent) = recorded_agent();
        run(&mut app, 50);
        let (all, last) = (speeds(&app), latest(&app));
        app.world_mut().despawn(agent);
        app.update();
        rewind(app.world_mut(), last - 10).unwrap();
        let mut agents = app.world_mut().query_filtered::<Entity, With<Wander>>();
        let again = agents.single(app.world()).unwrap();
        select(&mut app, again);
        look_back(app.world_mut());
        assert_eq!(speeds(&app), all[..40]);
    }
}
