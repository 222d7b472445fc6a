//! Avoidance and headway adjust what other behaviors request, as long as they act.

use bevy::ecs::entity_disabling::Disabled;
use bevy::prelude::*;
use bevy_steering2d::prelude::*;
use bevy_steering2d::{Intent, ReciprocalAvoidanceMemory};

use super::{closest, seen, walker};
use crate::common::*;

#[test]
fn the_weight_of_an_adjustment_does_not_matter() {
    let meeting = |weight: f32| {
        let mut app = point_mass_app(HERTZ);
        for (from, y) in [(-8.0, 0.1), (8.0, -0.1)] {
            let (from, to) = (Vec2::new(from, y), Vec2::new(-from, -y));
            let walker = walker(&mut app, from, to);
            let mut avoidance = app.world_mut().get_mut::<ReciprocalAvoidance>(walker);
            avoidance.as_mut().unwrap().influence.weight = weight;
        }
        run_ticks(&mut app, 600);
        states(&mut app)
    };
    // Powers of two, which round nothing.
    let expected = meeting(1.0);
    assert_eq!(meeting(0.125), expected);
    assert_eq!(meeting(4.0), expected);
}

#[test]
fn pedestrians_do_all_for_one_whose_avoidance_ends() {
    let ends: [fn(&mut EntityWorldMut); 7] = [
        |agent| agent.get_mut::<ReciprocalAvoidance>().unwrap().horizon = 0.0,
        |agent| {
            agent.remove::<ReciprocalAvoidance>();
        },
        |agent| {
            agent
                .get_mut::<ReciprocalAvoidance>()
                .unwrap()
                .influence
                .enabled = false;
        },
        |agent| {
            agent.insert(SteeringDisabled);
        },
        |agent| {
            agent
                .get_mut::<ReciprocalAvoidance>()
                .unwrap()
                .influence
                .weight = 0.0;
        },
        |agent| {
            let influence = &mut agent.get_mut::<ReciprocalAvoidance>().unwrap().influence;
            influence.when = When::only::<IsStuck>();
            agent.insert(IsStuck);
        },
        |agent| {
            let groups = &mut agent.get_mut::<ReciprocalAvoidance>().unwrap().groups;
            *groups = SteeringGroups(2);
        },
    ];
    for (case, end) in ends.into_iter().enumerate() {
        let mut app = point_mass_app(HERTZ);
        let far = Vec2::new(9.0, 0.0);
        let both = [walker(&mut app, -far, far), walker(&mut app, far, -far)];
        run_ticks(&mut app, 30);
        end(&mut app.world_mut().entity_mut(both[0]));
        let gap = closest(&mut app, &both, 12);
        assert!(gap > 0.0, "case {case}: {gap} m");
        assert!(
            position(&app, both[1]).x < -4.0,
            "case {case}: it gets past"
        );
    }
}

#[test]
fn avoidance_that_acts_again_has_forgotten_what_it_chose_before() {
    let mut app = point_mass_app(HERTZ);
    let agent = walker(&mut app, Vec2::ZERO, Vec2::new(90.0, 0.0));
    app.update();
    let mut entity = app.world_mut().entity_mut(agent);
    entity
        .get_mut::<ReciprocalAvoidance>()
        .unwrap()
        .influence
        .enabled = false;
    *entity.get_mut::<ReciprocalAvoidanceMemory>().unwrap() = ReciprocalAvoidanceMemory {
        chosen: Vec2::NEG_X,
        hemmed_in: 1.0,
        waits: true,
        beside: Some(Vec2::Y),
    };
    // The path is followed before the avoidance is found to be disabled.
    run_ticks(&mut app, 2);
    let memory = app.world().get::<ReciprocalAvoidanceMemory>(agent).unwrap();
    assert!(
        memory.chosen.x > 1.0
            && memory.hemmed_in == 0.0
            && !memory.waits
            && memory.beside.is_none(),
        "{memory:?}"
    );
}

#[test]
fn avoidance_outweighs_several_behaviors_that_agree() {
    let mut app = point_mass_app(HERTZ);
    let stands = Backend::PointMass.spawn(&mut app, Body::at(0.0, 0.0), seen());
    let avoids = (ReciprocalAvoidance::default(), Combine::WEIGHTED_SUM);
    let agent = Backend::PointMass.spawn(&mut app, Body::at(-8.0, 0.0), avoids);
    for _ in 0..4 {
        let seek = Seek::new(Vec2::new(90.0, 0.0));
        app.world_mut().spawn((SteersFor(agent), seek));
    }
    let gap = closest(&mut app, &[agent, stands], 6);
    assert!(gap > 0.0, "{gap} m");
    assert!(position(&app, agent).x > 2.0, "it gets past");
}

#[test]
fn avoidance_that_the_combiner_may_cut_is_warned_of() {
    let mut app = point_mass_app(HERTZ);
    let pedestrian = walker(&mut app, Vec2::new(0.0, 9.0), Vec2::new(9.0, 9.0));
    let unit = (Seek::new(Vec2::X), ReciprocalAvoidance::default());
    let unit = Backend::PointMass.spawn(&mut app, Body::at(0.0, 0.0), unit);
    app.update();
    assert_warned_once(&app, unit, "ReciprocalAvoidance", "the default combiner");
    for combine in [Combine::PRIORITIZED, Combine::WEIGHTED_SUM] {
        app.world_mut().entity_mut(pedestrian).insert(combine);
        app.update();
    }
    assert_eq!(warnings(&app).len(), 2, "and as soon as it is another one");
}

#[test]
fn headway_that_the_combiner_may_cut_is_warned_of() {
    let mut app = point_mass_app(HERTZ);
    let unit = (Seek::new(Vec2::X), Headway::default());
    let kept = (unit, Combine::WEIGHTED_SUM);
    Backend::PointMass.spawn(&mut app, Body::at(0.0, 9.0), kept);
    let cut = Backend::PointMass.spawn(&mut app, Body::at(0.0, 0.0), unit);
    app.update();
    assert_warned_once(&app, cut, "Headway", "the default combiner");
}

#[test]
fn headway_of_others_that_the_combiner_may_cut_is_warned_of() {
    let mut app = point_mass_app(HERTZ);
    for combine in [Combine::PRIORITIZED, Combine::WEIGHTED_SUM] {
        let agent = (Seek::new(Vec2::X), combine);
        let agent = Backend::PointMass.spawn(&mut app, Body::at(0.0, 0.0), agent);
        let alone = (SteersFor(agent), Headway::default());
        app.world_mut().spawn(alone);
        let group = (alone, BehaviorGroup::default(), combine);
        app.world_mut().spawn(group);
    }
    app.update();
    let cut = warnings(&app);
    assert_eq!(cut.len(), 2, "{cut:?}");
    assert!(cut.iter().all(|it| it.field == "Headway"), "{cut:?}");
}

#[test]
fn avoidance_on_a_behavior_entity_is_warned_of() {
    let mut app = point_mass_app(HERTZ);
    let agent = Backend::PointMass.spawn(&mut app, Body::at(0.0, 0.0), Seek::new(Vec2::X));
    app.world_mut()
        .spawn((SteersFor(agent), ReciprocalAvoidance::default()));
    app.update();
    assert_warned_once(&app, agent, "ReciprocalAvoidance", "on a behavior entity");
}

#[test]
fn avoidance_adjusts_what_groups_request_in_the_same_tick() {
    for in_members in [false, true] {
        let mut app = point_mass_app(HERTZ);
        let both = [-1.0, 1.0].map(|side| {
            let pace = Body::at(8.0 * side, 0.0).moving(-1.3 * side, 0.0);
            let avoids = (ReciprocalAvoidance::default(), Combine::WEIGHTED_SUM);
            let agent = Backend::PointMass.spawn(&mut app, pace, avoids);
            let group = (SteersFor(agent), BehaviorGroup::default());
            let group = app.world_mut().spawn(group).id();
            let seek = Seek::new(Vec2::new(-90.0 * side, 0.0));
            if in_members {
                app.world_mut().spawn((SteersFor(group), seek));
            } else {
                app.world_mut().entity_mut(group).insert(seek);
            }
            agent
        });
        let gap = closest(&mut app, &both, 6);
        assert!(gap > 0.0, "in members: {in_members}, {gap} m");
        assert!(position(&app, both[0]).x > 5.0);
    }
}

#[test]
fn avoidance_on_a_behavior_entity_does_nothing_and_says_so() {
    let walk = |doubled: bool| {
        let mut app = point_mass_app(HERTZ);
        Backend::PointMass.spawn(&mut app, Body::at(6.0, 0.1), seen());
        let walker = walker(&mut app, Vec2::ZERO, Vec2::new(90.0, 0.0));
        if doubled {
            let cautious = ReciprocalAvoidance {
                margin: 2.0,
                ..default()
            };
            app.world_mut().spawn((SteersFor(walker), cautious));
        }
        run_seconds(&mut app, 5.0);
        let warned = warnings(&app)
            .iter()
            .any(|it| it.message.contains("insert it on the agent itself"));
        assert_eq!(warned, doubled);
        position(&app, walker)
    };
    assert_eq!(walk(true), walk(false));
}

#[test]
fn a_pedestrian_that_was_disabled_begins_anew() {
    let mut app = point_mass_app(HERTZ);
    let walker = walker(&mut app, Vec2::ZERO, Vec2::new(90.0, 0.0));
    let hemmed_in = ReciprocalAvoidanceMemory {
        chosen: Vec2::Y,
        hemmed_in: 1.0,
        waits: true,
        beside: Some(Vec2::Y),
    };
    let wanted = Intent {
        velocity: Vec2::Y,
        ..default()
    };
    let end: [fn(&mut EntityWorldMut); 3] = [
        |agent| {
            agent.insert(SteeringDisabled);
        },
        |agent| {
            agent.insert(Disabled);
        },
        |agent| {
            agent.remove::<ReciprocalAvoidance>();
        },
    ];
    for end in end {
        let mut agent = app.world_mut().entity_mut(walker);
        agent.insert((hemmed_in, wanted));
        end(&mut agent);
        let memory = agent.get::<ReciprocalAvoidanceMemory>();
        assert_eq!(memory, Some(&ReciprocalAvoidanceMemory::default()));
        assert_eq!(agent.get::<Intent>(), Some(&Intent::default()));
    }
}

#[test]
fn a_pedestrian_that_is_steered_again_tells_nothing_before_its_next_update() {
    let mut app = point_mass_app(HERTZ);
    let walker = walker(&mut app, Vec2::ZERO, Vec2::new(90.0, 0.0));
    let rare = ThinkEvery(30);
    app.world_mut().entity_mut(walker).insert(rare);
    run_seconds(&mut app, 4.0);
    let told = |app: &App| get::<Intent>(app, walker).velocity.x;
    assert!(told(&app) > 1.0);
    app.world_mut().entity_mut(walker).insert(SteeringDisabled);
    app.update();
    app.world_mut()
        .entity_mut(walker)
        .remove::<SteeringDisabled>();
    let mut silent = 0;
    for _ in 0..30 {
        app.update();
        silent += u32::from(told(&app) == 0.0);
    }
    assert!((1..30).contains(&silent), "for {silent} ticks");
    assert!(told(&app) > 1.0);
}

#[test]
fn a_pedestrian_that_only_keeps_its_headway_has_not_arrived() {
    let waits = |to: f32| {
        let mut app = point_mass_app(HERTZ);
        Backend::PointMass.spawn(&mut app, Body::at(1.02, 0.0), seen());
        let arrive = Arrive::new(Vec2::new(to, 0.0));
        let walks = (Pedestrian::default(), Headway::default(), arrive);
        let walker = Backend::PointMass.spawn(&mut app, Body::at(0.0, 0.0), walks);
        run_seconds(&mut app, 0.1);
        let told = get::<Intent>(&app, walker);
        assert!(told.velocity.length() < 0.1, "{told:?}");
        told.waits
    };
    assert!(waits(0.0) && !waits(8.0));
}

#[test]
fn headway_on_a_behavior_entity_sees_what_the_others_request() {
    let end = |on_agent: bool, avoids: bool| {
        let mut app = point_mass_app(HERTZ);
        Backend::PointMass.spawn(&mut app, Body::at(6.0, 0.0).moving(0.5, 0.0), seen());
        let walks = (Vehicle::default(), Combine::WEIGHTED_SUM);
        let agent = Backend::PointMass.spawn(&mut app, Body::at(0.0, 0.0), walks);
        let seek = Seek::new(Vec2::new(90.0, 0.0));
        app.world_mut().spawn((SteersFor(agent), seek));
        if avoids {
            let avoidance = ReciprocalAvoidance::default();
            app.world_mut().entity_mut(agent).insert(avoidance);
        }
        if on_agent {
            app.world_mut().entity_mut(agent).insert(Headway::default());
        } else {
            app.world_mut()
                .spawn((SteersFor(agent), Headway::default()));
        }
        run_seconds(&mut app, 3.0);
        position(&app, agent)
    };
    for avoids in [false, true] {
        let (apart, together) = (end(false, avoids), end(true, avoids));
        assert_near(apart, together, 1e-3, "where it is");
        assert!(together.x < 10.0, "it is held up: {together}");
    }
}

/// Where an agent is after 3 s that has these headways, each on a behavior entity, behind one that is slower.
fn behind_a_slower_one(headways: &[Headway]) -> Vec2 {
    let mut app = point_mass_app(HERTZ);
    Backend::PointMass.spawn(&mut app, Body::at(4.0, 0.0).moving(0.5, 0.0), seen());
    let walks = (Seek::new(Vec2::new(90.0, 0.0)), Combine::WEIGHTED_SUM);
    let agent = Backend::PointMass.spawn(&mut app, Body::at(0.0, 0.0), walks);
    for &headway in headways {
        app.world_mut().spawn((SteersFor(agent), headway));
    }
    run_seconds(&mut app, 3.0);
    position(&app, agent)
}

#[test]
fn several_headways_of_an_agent_act_like_the_strictest() {
    let usual = Headway::default();
    let strict = Headway {
        time_gap: 3.0,
        single_file_time_gap: 3.0,
        ..usual
    };
    let of_usual = behind_a_slower_one(&[usual]);
    let of_strict = behind_a_slower_one(&[strict]);
    assert!(of_strict.x < of_usual.x - 0.5, "{of_strict}, {of_usual}");
    for headways in [[usual, strict], [strict, usual]] {
        assert_near(behind_a_slower_one(&headways), of_strict, 1e-3, "both");
    }
    let four = behind_a_slower_one(&[usual; 4]);
    assert_near(four, of_usual, 1e-3, "four of one kind");
}

/// An adjustment that keeps its agent below half a meter per second.
#[derive(Component, Reflect, Clone, Copy, Default)]
#[reflect(Component, Default)]
struct Stroll {
    influence: Influence,
}

impl Behavior for Stroll {
    type Memory = ();
    type World = ();

    fn influence(&self) -> &Influence {
        &self.influence
    }

    fn influence_mut(&mut self) -> &mut Influence {
        &mut self.influence
    }
}

impl Adjust for Stroll {
    const IS_PREFERENCE: bool = true;

    fn adjust(&self, me: &Agent, requests: &Requests, _: (), _: &()) -> Vec2 {
        let slow = requests.velocity(me).clamp_length_max(0.5);
        self.influence.unweighted(me.track(slow) - requests.force)
    }
}

#[test]
fn an_adjustment_sees_what_others_on_behavior_entities_have_added() {
    let end = |on_agent: bool| {
        let mut app = point_mass_app(HERTZ);
        app.add_adjustment::<Stroll>();
        Backend::PointMass.spawn(&mut app, Body::at(2.0, 0.0), seen());
        let walks = (Seek::new(Vec2::new(90.0, 0.0)), Combine::WEIGHTED_SUM);
        let strolls = (walks, Stroll::default());
        let agent = Backend::PointMass.spawn(&mut app, Body::at(0.0, 0.0), strolls);
        if on_agent {
            app.world_mut().entity_mut(agent).insert(Headway::default());
        } else {
            app.world_mut()
                .spawn((SteersFor(agent), Headway::default()));
        }
        let mut slowest = f32::INFINITY;
        for _ in 0..180 {
            app.update();
            slowest = slowest.min(velocity(&app, agent).x);
        }
        (position(&app, agent), slowest)
    };
    let ((apart, slowest), (together, _)) = (end(false), end(true));
    assert_near(apart, together, 1e-3, "where it is");
    assert!(slowest >= 0.0, "it walks backward with {slowest} m/s");
}
