//! Looking back and returning, and games that go back by themselves.

use bevy_steering2d_core::{
    Arrived, NeighborView, Neighbors, PathCompleted, Separation, SteeringGroups, SteeringSchedule,
};

use super::*;
use crate::recorder::record;

fn wanderers(app: &mut App) -> usize {
    let mut wanderers = app.world_mut().query_filtered::<(), With<Wander>>();
    wanderers.iter(app.world()).count()
}

#[test]
fn a_rewind_before_or_between_the_ticks_of_a_frame_runs_none_of_the_others() {
    for schedule in [PreUpdate.intern(), FixedPostUpdate.intern()] {
        let mut app = app();
        let agent = spawn_wanderer(&mut app);
        app.insert_resource(TimeUpdateStrategy::ManualDuration(5 * TICK));
        run(&mut app, 5);
        let tick = latest(&app) - 7;
        let go_back = move |world: &mut World| rewind(world, tick).unwrap();
        app.add_systems(schedule, go_back.run_if(run_once));
        run(&mut app, 3);
        let clock = |app: &App| app.world().resource::<SteeringClock>().tick;
        assert_eq!(recorder(&app).shown(), Some(tick), "{schedule:?}");
        assert_eq!(clock(&app), tick);
        assert_eq!(recorder(&app).forked(), None);
        back_to_present(app.world_mut()).unwrap();
        assert_eq!(clock(&app), latest(&app));
        let way = trail(&app, agent);
        assert_eq!(Some(&place(&app, agent)), way.last());
        resume(&mut app);
        run(&mut app, 2);
        assert!(latest(&app) > tick + 7, "time goes on");
    }
}

#[test]
fn a_rewind_at_the_beginning_of_the_schedule_keeps_the_later_ticks() {
    let mut app = app();
    spawn_wanderer(&mut app);
    run(&mut app, 20);
    let (last, count) = (latest(&app), recorder(&app).ticks().unwrap().count());
    rewind(app.world_mut(), last - 5).unwrap();
    // As the rest of the schedule does.
    app.world_mut().run_system_cached(record).unwrap();
    assert_eq!(latest(&app), last);
    assert_eq!(recorder(&app).ticks().unwrap().count(), count);
    assert_eq!(recorder(&app).shown(), Some(last - 5));
}

#[test]
fn a_tick_in_which_the_recording_is_cleared_is_its_first() {
    let mut app = app();
    spawn_wanderer(&mut app);
    run(&mut app, 10);
    let clear = |mut recorder: ResMut<SteeringRecorder>| {
        recorder.clear();
        assert!(recorder.is_in_tick());
    };
    app.add_systems(SteeringSchedule::Steer, clear.run_if(run_once));
    run(&mut app, 3);
    assert_eq!(recorder(&app).ticks().unwrap().count(), 3);
}

#[test]
fn what_was_done_in_a_pause_is_there_again_after_looking_back() {
    let mut app = app();
    let agent = spawn_wanderer(&mut app);
    run(&mut app, 30);
    app.world_mut().resource_mut::<Time<Virtual>>().pause();
    spawn_wanderer(&mut app);
    let mut agent_mut = app.world_mut().entity_mut(agent);
    *agent_mut.get_mut::<Wander>().unwrap() = Wander::default().with_weight(0.3);
    let weight = |app: &App| {
        let wander = app.world().get::<Wander>(agent).unwrap();
        wander.influence().weight
    };
    let last = latest(&app);
    for tick in [last - 5, last] {
        rewind(app.world_mut(), tick).unwrap();
        run(&mut app, 3);
        assert_eq!(recorder(&app).shown(), Some(tick));
        assert_eq!((wanderers(&mut app), weight(&app)), (1, 1.0));
        back_to_present(app.world_mut()).unwrap();
        assert_eq!(recorder(&app).shown(), None);
        assert_eq!((wanderers(&mut app), weight(&app)), (2, 0.3));
    }
}

#[test]
fn what_ran_without_a_recording_is_there_again_after_looking_back() {
    let mut app = app();
    let agent = spawn_wanderer(&mut app);
    run(&mut app, 30);
    let (last, place_then) = (latest(&app), place(&app, agent));
    app.world_mut().resource_mut::<SteeringRecorder>().recording = false;
    run(&mut app, 20);
    let end = place(&app, agent);
    for tick in [last - 5, last] {
        rewind(app.world_mut(), tick).unwrap();
        assert_ne!(place(&app, agent), end);
        back_to_present(app.world_mut()).unwrap();
        assert_eq!(place(&app, agent), end);
    }

    // The world goes on from the latest recorded tick: there is no way back.
    rewind(app.world_mut(), last).unwrap();
    assert_eq!(place(&app, agent), place_then);
    resume(&mut app);
    run(&mut app, 3);
    let now = place(&app, agent);
    back_to_present(app.world_mut()).unwrap();
    assert_eq!(place(&app, agent), now);
    assert_eq!((latest(&app), recorder(&app).forked()), (last, None));
}

#[test]
fn going_on_from_the_latest_tick_keeps_the_abandoned_ones() {
    let mut app = app();
    let agent = spawn_wanderer(&mut app);
    run(&mut app, 40);
    let fork = latest(&app) - 20;
    rewind(app.world_mut(), fork).unwrap();
    resume(&mut app);
    run(&mut app, 10);
    let last = latest(&app);
    rewind(app.world_mut(), last).unwrap();
    resume(&mut app);
    run(&mut app, 5);
    assert!(latest(&app) > last);
    assert_eq!(recorder(&app).forked(), Some(fork + 1));
    assert_eq!(recorder(&app).abandoned(agent).count(), 20);
}

/// The agents in the neighbor index, with their places.
fn neighbors(app: &App) -> Vec<(Entity, Vec2)> {
    let everywhere = NeighborView::at(Vec2::ZERO, 100.0, SteeringGroups::ALL);
    let seen = app.world().resource::<Neighbors>().in_view(everywhere);
    let mut seen: Vec<_> = seen.map(|it| (it.entity, it.position)).collect();
    seen.sort_by_key(|(entity, _)| *entity);
    seen
}

#[test]
fn the_neighbors_of_a_rewound_tick_are_those_of_that_tick() {
    let mut app = app();
    let agents = [-1.0, 1.0].map(|side| {
        let body = PointMass {
            velocity: Vec2::new(-side, 0.0),
            ..default()
        };
        let agent = (
            body,
            Transform::from_xyz(3.0 * side, 0.0, 0.0),
            Separation::new(4.0),
        );
        app.world_mut().spawn(agent).id()
    });
    run(&mut app, 20);
    let (tick, then) = (latest(&app), neighbors(&app));
    assert_eq!(then.len(), 2);
    run(&mut app, 50);
    let end = neighbors(&app);
    assert_ne!(end, then);
    rewind(app.world_mut(), tick).unwrap();
    assert_eq!(neighbors(&app), then);
    back_to_present(app.world_mut()).unwrap();
    assert_eq!(neighbors(&app), end);

    // The next ticks are not changed by it.
    rewind(app.world_mut(), tick).unwrap();
    resume(&mut app);
    run(&mut app, 51);
    let trail: Vec<Vec2> = recorder(&app).trail(agents[0], tick + 1).collect();
    let before: Vec<Vec2> = recorder(&app).abandoned(agents[0]).collect();
    assert_eq!(before.len(), 50);
    assert_eq!(trail[..50], before[..], "the same world again");
}

#[test]
fn events_of_ticks_that_run_again_are_noted_once() {
    let mut app = app();
    let body = (PointMass::default(), Transform::default());
    let agent = (body, Arrive::new(Vec2::X));
    let agent = app.world_mut().spawn(agent).id();
    let arrivals = |app: &App| -> Vec<u32> {
        let moments = recorder(app).moments(agent).into_iter();
        let arrivals = moments.filter(|it| it.what == "arrived");
        arrivals.map(|it| it.tick).collect()
    };
    let before = (0..300).find_map(|_| {
        let before = SteeringSnapshot::take(app.world_mut());
        run(&mut app, 1);
        (!arrivals(&app).is_empty()).then_some(before)
    });
    let before = before.unwrap();
    run(&mut app, 20);
    for _ in 0..2 {
        before.restore(app.world_mut());
        run(&mut app, 20);
        assert_eq!(arrivals(&app), [before.tick() + 1]);
        assert_eq!(latest(&app), before.tick() + 20);
    }
}

#[test]
fn an_event_between_ticks_leaves_the_recorded_ones() {
    let mut app = app();
    let agent = spawn_wanderer(&mut app);
    run(&mut app, 10);
    let ticks = recorder(&app).ticks();
    app.world_mut().trigger(Arrived {
        entity: agent,
        target: Vec2::X.into(),
        source: agent,
    });
    assert_eq!(recorder(&app).ticks(), ticks);
    let moments = recorder(&app).moments(agent);
    let arrived = moments.iter().find(|it| it.what == "arrived");
    assert_eq!(arrived.map(|it| it.tick), Some(latest(&app)));
}

#[test]
fn events_stay_as_long_as_their_ticks() {
    let mut app = app();
    let agent = spawn_wanderer(&mut app);
    run(&mut app, 10);
    let tick = latest(&app);
    let before = recorder(&app).bytes();
    app.world_mut().trigger(PathCompleted {
        entity: agent,
        path: None,
        source: agent,
    });
    for _ in 0..12_000 {
        app.world_mut().trigger(Arrived {
            entity: agent,
            target: Vec2::X.into(),
            source: agent,
        });
    }
    run(&mut app, 10);
    assert!(history(&app, agent).contains(&(tick, "path completed")));
    let more = recorder(&app).bytes() - before;
    assert!(more > 12_000 * size_of::<Moment>(), "{more} bytes");
}

#[test]
fn an_event_while_an_earlier_tick_is_shown_is_forgotten_with_that_tick() {
    let mut app = app();
    let agent = spawn_wanderer(&mut app);
    run(&mut app, 40);
    let arrive = |app: &mut App| {
        app.world_mut().trigger(Arrived {
            entity: agent,
            target: Vec2::X.into(),
            source: agent,
        });
    };
    arrive(&mut app);
    let early = *recorder(&app).ticks().unwrap().start() + 5;
    rewind(app.world_mut(), early).unwrap();
    arrive(&mut app);
    back_to_present(app.world_mut()).unwrap();
    let arrivals = |app: &App| -> Vec<u32> {
        let events = history(app, agent).into_iter();
        let arrivals = events.filter(|(_, what)| *what == "arrived");
        arrivals.map(|(tick, _)| tick).collect()
    };
    let last = latest(&app);
    assert_eq!(arrivals(&app), [early, last]);
    let half = recorder(&app).bytes() / 2;
    app.world_mut()
        .resource_mut::<SteeringRecorder>()
        .set_budget(half);
    assert!(*recorder(&app).ticks().unwrap().start() > early);
    assert_eq!(arrivals(&app), [last]);
}

fn trail(app: &App, agent: Entity) -> Vec<Vec2> {
    recorder(app).trail(agent, 0).collect()
}

/// The tick of each moment of an agent, and what happened.
fn history(app: &App, agent: Entity) -> Vec<(u32, &'static str)> {
    let moments = recorder(app).moments(agent).into_iter();
    moments.map(|it| (it.tick, it.what)).collect()
}

#[test]
fn an_agent_that_is_spawned_again_keeps_its_trail_and_its_events() {
    let mut app = app();
    let body = (PointMass::default(), Transform::default());
    let agent = (body, Arrive::new(Vec2::X));
    let agent = app.world_mut().spawn(agent).id();
    run(&mut app, 300);
    let last = latest(&app);
    let (way, events) = (trail(&app, agent), history(&app, agent));
    assert_eq!(events.len(), 1, "{events:?}");
    app.world_mut().despawn(agent);
    run(&mut app, 10);
    for ago in [0, 7, 3] {
        rewind(app.world_mut(), last - ago).unwrap();
        let again = only_agent(&mut app);
        assert_ne!(again, agent);
        assert_eq!(recorder(&app).entities_of(again), [agent, again]);
        assert_eq!(recorder(&app).first_entity_of(again), agent);
        assert_eq!(trail(&app, again), way);
        assert_eq!(history(&app, again), events);
    }

    // The ticks from now on have the other entity.
    let second = only_agent(&mut app);
    resume(&mut app);
    run(&mut app, 10);
    let kept = way.len() - 3;
    let (way_on, left) = (trail(&app, second), &way[kept..]);
    assert!(way_on.len() > kept);
    assert_eq!(way_on[..kept], way[..kept]);
    let abandoned: Vec<Vec2> = recorder(&app).abandoned(second).collect();
    assert_eq!(abandoned, left);
    rewind(app.world_mut(), last - 20).unwrap();
    let third = only_agent(&mut app);
    let entities = recorder(&app).entities_of(third);
    assert_eq!((entities.len(), entities[0]), (3, agent));
    assert!([second, third].iter().all(|it| entities.contains(it)));
    assert_eq!(trail(&app, third), way_on);
    assert_eq!(history(&app, third), events);
}

#[test]
fn an_agent_that_returns_with_the_present_keeps_its_trail() {
    let mut app = app();
    run(&mut app, 20);
    let first = *recorder(&app).ticks().unwrap().start();
    let agent = spawn_wanderer(&mut app);
    run(&mut app, 20);
    let way = trail(&app, agent);
    assert!(way.len() >= 19);
    for _ in 0..3 {
        rewind(app.world_mut(), first).unwrap();
        assert_eq!(wanderers(&mut app), 0);
        back_to_present(app.world_mut()).unwrap();
        let again = only_agent(&mut app);
        assert_eq!(recorder(&app).entities_of(again), [agent, again]);
        assert_eq!(trail(&app, again), way);
    }
}

#[test]
fn agents_that_are_spawned_again_while_they_touch_have_no_new_contact() {
    let mut app = app();
    // Radii of 0.5 m.
    let agents = [0.0, 0.8].map(|x| {
        let place = Transform::from_xyz(x, 0.0, 0.0);
        let agent = (PointMass::default(), place, TargetSpeed::new(0.0));
        app.world_mut().spawn(agent).id()
    });
    run(&mut app, 20);
    let (last, contacts) = (latest(&app), history(&app, agents[0]));
    for agent in agents {
        app.world_mut().despawn(agent);
    }
    run(&mut app, 5);
    rewind(app.world_mut(), last).unwrap();
    resume(&mut app);
    run(&mut app, 10);
    assert!(latest(&app) > last + 5);
    assert_eq!(history(&app, agents[0]), contacts);
}

#[test]
fn entities_that_no_tick_has_any_more_are_forgotten() {
    const AGENTS: usize = 600;
    const ROUNDS: usize = 12;
    let mut app = app();
    let first = spawn_wanderer(&mut app);
    for _ in 1..AGENTS {
        spawn_wanderer(&mut app);
    }
    run(&mut app, 2);
    let tick = latest(&app);
    let mut agents = app.world_mut().query_filtered::<Entity, With<Wander>>();
    for _ in 0..ROUNDS {
        let present: Vec<Entity> = agents.iter(app.world()).collect();
        for agent in present {
            app.world_mut().despawn(agent);
        }
        run(&mut app, 1);
        rewind(app.world_mut(), tick).unwrap();
        resume(&mut app);
        run(&mut app, 2);
    }
    let entities = recorder(&app).entities_of(first);
    assert!((2..ROUNDS).contains(&entities.len()), "{}", entities.len());
    let now = *entities
        .iter()
        .find(|it| app.world().get::<Wander>(**it).is_some())
        .unwrap();
    assert_eq!(recorder(&app).first_entity_of(now), first);
    assert_eq!(trail(&app, now), trail(&app, first));
}
