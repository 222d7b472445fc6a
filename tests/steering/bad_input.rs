//! Nonsense in, nothing out: no panic, no NaN, one warning that names entity and field, and not a
//! bit of difference for anybody else.

use bevy::ecs::schedule::ScheduleLabel;
use bevy::prelude::*;
use bevy_rapier2d::prelude::{ColliderMassProperties, Velocity};
use bevy_steering2d::prelude::*;
use bevy_steering2d::{AssignedBehavior, BehaviorRegistry, SteeringSchedule};

use crate::common::*;

const FAR: Vec2 = Vec2::new(40.0, 30.0);
const NOT_POSITIVE: [f32; 4] = [0.0, -1.0, f32::NAN, f32::INFINITY];
const NOT_POSITIVE_OR_INFINITE: [f32; 3] = [0.0, -1.0, f32::NAN];
const NEGATIVE: [f32; 3] = [-1.0, f32::NAN, f32::INFINITY];
const NOT_A_FRACTION: [f32; 4] = [-0.1, 1.1, f32::NAN, f32::INFINITY];
const NOWHERE: [Vec2; 3] = [Vec2::NAN, Vec2::INFINITY, Vec2::new(f32::NEG_INFINITY, 0.0)];

/// One agent's mistake: what it spawns with, and the field that the warning must name.
struct Mistake {
    field: &'static str,
    value: String,
    make: Box<dyn Fn(&mut EntityWorldMut)>,
}

/// One mistake per value, put into a component by `with`.
fn mistakes<V, B>(
    list: &mut Vec<Mistake>,
    field: &'static str,
    values: impl IntoIterator<Item = V>,
    with: fn(V) -> B,
) where
    V: Copy + std::fmt::Debug + 'static,
    B: Bundle,
{
    list.extend(values.into_iter().map(|value| Mistake {
        field,
        value: format!("{value:?}"),
        make: Box::new(move |agent| {
            agent.insert(with(value));
        }),
    }));
}

fn limits(max_speed: f32, max_force: f32, response_time: f32) -> (Vehicle, Seek) {
    let vehicle = Vehicle {
        max_speed,
        max_force,
        response_time,
        radius: None,
    };
    (vehicle, Seek::new(FAR))
}

/// Every field of vehicle and behaviors, out of its range.
fn every_mistake() -> Vec<Mistake> {
    let list = &mut Vec::new();
    mistakes(list, "Vehicle.max_speed", NOT_POSITIVE, |x| {
        limits(x, 20.0, 0.25)
    });
    mistakes(list, "Vehicle.max_force", NOT_POSITIVE, |x| {
        limits(5.0, x, 0.25)
    });
    mistakes(list, "Vehicle.response_time", NOT_POSITIVE, |x| {
        limits(5.0, 20.0, x)
    });
    mistakes(list, "Vehicle.radius", NEGATIVE, |radius| {
        let (vehicle, seek) = limits(5.0, 20.0, 0.25);
        let radius = Some(radius);
        (Vehicle { radius, ..vehicle }, seek)
    });

    mistakes(list, "Influence.weight", NEGATIVE, |x| {
        Seek::new(FAR).with_weight(x)
    });
    mistakes(
        list,
        "Influence.probability",
        [0.0, -0.5, 1.5, f32::NAN, f32::INFINITY],
        |x| Seek::new(FAR).with_probability(x),
    );

    mistakes(list, "Seek.target", NOWHERE, Seek::new);
    mistakes(list, "Flee.target", NOWHERE, Flee::new);
    mistakes(list, "Arrive.target", NOWHERE, Arrive::new);
    mistakes(list, "Pursuit.quarry", NOWHERE, Pursuit::new);
    mistakes(list, "Evade.pursuer", NOWHERE, Evade::new);

    mistakes(list, "Flee.panic_distance", NOT_POSITIVE_OR_INFINITE, |x| {
        Flee::new(Vec2::ONE).within(x)
    });
    mistakes(list, "Flee.falloff", NOT_A_FRACTION, |falloff| Flee {
        falloff,
        ..default()
    });
    mistakes(
        list,
        "Evade.panic_distance",
        NOT_POSITIVE_OR_INFINITE,
        |x| Evade::new(Vec2::ONE).within(x),
    );
    mistakes(list, "Evade.falloff", NOT_A_FRACTION, |falloff| Evade {
        falloff,
        ..default()
    });
    mistakes(list, "Evade.prediction", NEGATIVE, |x| {
        Evade::default().predicting(Prediction::Fixed(x))
    });
    mistakes(list, "Evade.turn_time", NEGATIVE, |turn_time| Evade {
        turn_time,
        ..default()
    });

    mistakes(list, "Pursuit.prediction", NEGATIVE, |x| {
        Pursuit::new(FAR).predicting(Prediction::Fixed(x))
    });
    mistakes(
        list,
        "Pursuit.facing_angle",
        [-0.1, 3.2, f32::NAN, f32::INFINITY],
        |angle| Pursuit {
            facing_angle: angle,
            ..Pursuit::new(FAR)
        },
    );
    mistakes(list, "Pursuit.turn_time", NEGATIVE, |turn_time| Pursuit {
        turn_time,
        ..Pursuit::new(FAR)
    });

    mistakes(list, "Arrive.tolerance", NOT_POSITIVE, |tolerance| Arrive {
        tolerance,
        ..Arrive::new(FAR)
    });
    mistakes(
        list,
        "Arrive.braking.slowing_radius",
        NOT_POSITIVE,
        |slowing_radius| Arrive::new(FAR).braking(Braking::Ramp { slowing_radius }),
    );

    mistakes(list, "Wander.style.radius", NOT_POSITIVE, |x| {
        circle(x, 2.0, 3.0)
    });
    mistakes(list, "Wander.style.distance", NEGATIVE, |x| {
        circle(1.0, x, 3.0)
    });
    mistakes(list, "Wander.style.jitter", NEGATIVE, |x| {
        circle(1.0, 2.0, x)
    });
    mistakes(list, "Wander.style.radius", NOT_POSITIVE, |x| {
        angle(x, 2.0, 3.0)
    });
    mistakes(list, "Wander.style.distance", NEGATIVE, |x| {
        angle(1.0, x, 3.0)
    });
    mistakes(list, "Wander.style.angle_change", NEGATIVE, |x| {
        angle(1.0, 2.0, x)
    });
    mistakes(list, "Wander.style.every", NOT_POSITIVE, |x| {
        random_target(FAR, x)
    });
    mistakes(list, "Wander.style.area", NOWHERE, |corner| {
        random_target(corner, 1.0)
    });

    group_mistakes(list);
    std::mem::take(list)
}

/// The same of the behaviors that look at neighbors.
fn group_mistakes(list: &mut Vec<Mistake>) {
    mistakes(list, "Separation.radius", NOT_POSITIVE, Separation::within);
    mistakes(list, "Alignment.radius", NOT_POSITIVE, Alignment::within);
    mistakes(list, "Cohesion.radius", NOT_POSITIVE, Cohesion::within);
    mistakes(
        list,
        "Separation.field_of_view",
        NOT_POSITIVE_OR_INFINITE,
        |field_of_view| Separation {
            field_of_view,
            ..default()
        },
    );
    mistakes(
        list,
        "Alignment.field_of_view",
        NOT_POSITIVE_OR_INFINITE,
        |field_of_view| Alignment {
            field_of_view,
            ..default()
        },
    );
    mistakes(
        list,
        "Cohesion.field_of_view",
        NOT_POSITIVE_OR_INFINITE,
        |field_of_view| Cohesion {
            field_of_view,
            ..default()
        },
    );
    mistakes(list, "Separation.max_neighbors", [0], |max_neighbors| {
        Separation {
            max_neighbors,
            ..default()
        }
    });
    mistakes(list, "Alignment.max_neighbors", [0], |max_neighbors| {
        Alignment {
            max_neighbors,
            ..default()
        }
    });
    mistakes(list, "Cohesion.max_neighbors", [0], |max_neighbors| {
        Cohesion {
            max_neighbors,
            ..default()
        }
    });
    mistakes(
        list,
        "CollisionAvoidance.horizon",
        NOT_POSITIVE,
        |horizon| CollisionAvoidance {
            horizon,
            ..default()
        },
    );
    mistakes(list, "CollisionAvoidance.margin", NEGATIVE, |margin| {
        CollisionAvoidance {
            margin,
            ..default()
        }
    });
    mistakes(list, "CollisionAvoidance.radius", NOT_POSITIVE, |radius| {
        CollisionAvoidance {
            radius,
            ..default()
        }
    });
    mistakes(list, "Queuing.look_ahead", NOT_POSITIVE, |look_ahead| {
        Queuing {
            look_ahead,
            ..default()
        }
    });
    mistakes(list, "Queuing.radius", NOT_POSITIVE, |radius| Queuing {
        radius,
        ..default()
    });
    mistakes(list, "LeaderFollowing.radius", NOT_POSITIVE, |radius| {
        LeaderFollowing {
            radius,
            ..default()
        }
    });
    mistakes(
        list,
        "LeaderFollowing.follow_distance",
        NOT_POSITIVE,
        |follow_distance| LeaderFollowing {
            follow_distance,
            ..default()
        },
    );
    mistakes(list, "LeaderFollowing.clearance", NEGATIVE, |clearance| {
        LeaderFollowing {
            clearance,
            ..default()
        }
    });
    mistakes(
        list,
        "ReciprocalAvoidance.max_neighbors",
        [0],
        |max_neighbors| ReciprocalAvoidance {
            max_neighbors,
            ..default()
        },
    );
}

fn circle(radius: f32, distance: f32, jitter: f32) -> Wander {
    Wander::new(WanderStyle::Circle {
        radius,
        distance,
        jitter,
    })
}

fn angle(radius: f32, distance: f32, angle_change: f32) -> Wander {
    Wander::new(WanderStyle::Angle {
        radius,
        distance,
        angle_change,
    })
}

fn random_target(corner: Vec2, every: f32) -> Wander {
    let area = Rect {
        min: Vec2::ZERO,
        max: corner,
    };
    Wander::new(WanderStyle::RandomTarget { area, every })
}

/// Nonsense in the body itself.
fn every_broken_body(backend: Backend) -> Vec<Mistake> {
    let list = &mut Vec::new();
    mistakes(list, "Transform.translation", NOWHERE, |point| {
        (
            Transform::from_translation(point.extend(0.0)),
            Seek::new(FAR),
        )
    });
    if backend == Backend::PointMass {
        mistakes(list, "PointMass.mass", NOT_POSITIVE, |mass| {
            let velocity = Vec2::ZERO;
            (PointMass { velocity, mass }, Seek::new(FAR))
        });
        mistakes(list, "PointMass.velocity", NOWHERE, |velocity| {
            (
                PointMass {
                    velocity,
                    mass: 1.0,
                },
                Seek::new(FAR),
            )
        });
    } else {
        mistakes(list, "Velocity.linear", NOWHERE, |velocity| {
            (Velocity::linear(velocity), Seek::new(FAR))
        });
    }
    std::mem::take(list)
}

// ---- Fifty innocents ----

const INNOCENTS: u32 = 50;
const TICKS: u32 = 90;

/// Fifty agents that do a bit of everything to each other, with ids of their own.
fn spawn_innocents(backend: Backend, app: &mut App) {
    let bodies: Vec<Entity> = (0..INNOCENTS)
        .map(|i| {
            let at = Vec2::from_angle(i as f32) * (2.0 + 0.3 * i as f32);
            backend.spawn(app, Body::at(at.x, at.y), SteeringId(i))
        })
        .collect();
    for (i, &agent) in bodies.iter().enumerate() {
        let other = bodies[(i * 7 + 1) % bodies.len()];
        let mut agent = app.world_mut().entity_mut(agent);
        match i % 5 {
            0 => agent.insert(Wander::default()),
            1 => agent.insert(Pursuit::new(other)),
            2 => agent.insert((Evade::new(other), Wander::default(), Combine::Dithered)),
            3 => agent.insert((
                Arrive::new(FAR),
                Flee::new(Vec2::ZERO),
                Combine::WeightedSum,
            )),
            _ => agent.insert((Seek::new(other), FaceVelocity::default())),
        };
    }
}

fn spawn_culprit(backend: Backend, app: &mut App, mistake: &Mistake) -> Entity {
    let culprit = Body::at(-3.0, 2.0).moving(0.5, 0.0);
    let culprit = backend.spawn(app, culprit, SteeringId(INNOCENTS));
    (mistake.make)(&mut app.world_mut().entity_mut(culprit));
    culprit
}

/// What the fifty do when nobody is wrong.
fn undisturbed(backend: Backend) -> Vec<(SteeringId, Bits)> {
    let mut app = backend.app(HERTZ);
    spawn_innocents(backend, &mut app);
    run_ticks(&mut app, TICKS);
    let states = states(&mut app);
    assert_eq!(states.len(), INNOCENTS as usize);
    states
}

/// One tick of a culprit among the innocents at a time; `judge` sees the end.
fn try_all(
    backend: Backend,
    mistakes: &[Mistake],
    mut judge: impl FnMut(&mut App, Entity, &str, &Mistake),
) {
    let expected = undisturbed(backend);
    for mistake in mistakes {
        let case = format!("{backend:?}, {} = {}", mistake.field, mistake.value);
        let mut app = backend.app(HERTZ);
        spawn_innocents(backend, &mut app);
        let culprit = spawn_culprit(backend, &mut app, mistake);
        run_ticks(&mut app, TICKS);
        assert_warned_once(&app, culprit, mistake.field, &case);
        let mut states = states(&mut app);
        states.retain(|(id, _)| id.0 < INNOCENTS);
        assert!(states == expected, "{case}: changed the others");
        judge(&mut app, culprit, &case, mistake);
    }
}

#[test]
fn a_parameter_out_of_range_silences_its_agent_and_nobody_else() {
    for backend in BACKENDS {
        try_all(backend, &every_mistake(), |app, culprit, case, _| {
            assert_all_finite(app, None, case);
            assert_eq!(total(app, culprit), Vec2::ZERO, "{case}");
            assert_near(velocity(app, culprit), Vec2::new(0.5, 0.0), 1e-6, case);
        });
    }
}

#[test]
fn a_body_out_of_its_mind_stands_still_and_disturbs_nobody() {
    for backend in BACKENDS {
        try_all(
            backend,
            &every_broken_body(backend),
            |app, culprit, case, _| {
                assert_all_finite(app, Some(culprit), case);
                assert_eq!(total(app, culprit), Vec2::ZERO, "{case}");
            },
        );
    }
}

#[test]
fn a_rapier_collider_of_nonsense_mass_disturbs_nobody() {
    let expected = undisturbed(Backend::Rapier);
    for mass in NOT_POSITIVE {
        let case = format!("{mass} kg");
        let mut app = rapier_app(HERTZ);
        spawn_innocents(Backend::Rapier, &mut app);
        let agent = (
            SteeringId(INNOCENTS),
            Seek::new(FAR),
            ColliderMassProperties::Mass(mass),
        );
        let culprit = Backend::Rapier.spawn(&mut app, Body::at(-3.0, 2.0), agent);
        run_ticks(&mut app, TICKS);
        let mut states = states(&mut app);
        states.retain(|(id, _)| id.0 < INNOCENTS);
        assert!(states == expected, "{case}: changed the others");
        assert_all_finite(&mut app, None, &case);
        assert!(total(&app, culprit).is_finite(), "{case}");
    }
}

#[test]
fn a_nonsense_radius_does_not_reach_the_neighbors() {
    for backend in BACKENDS {
        let run = |radius: Option<f32>| {
            let mut app = backend.app(HERTZ);
            let vehicle = Vehicle {
                radius,
                ..default()
            };
            backend.spawn(&mut app, Body::at(0.0, 0.0), (vehicle, SteeringId(0)));
            let passer_by = (
                CollisionAvoidance::default(),
                Queuing::default(),
                ReciprocalAvoidance::default(),
                Flocking::default(),
                SteeringId(1),
            );
            backend.spawn(&mut app, Body::at(-4.0, 0.1).moving(2.0, 0.0), passer_by);
            run_ticks(&mut app, TICKS);
            states(&mut app)
        };
        let expected = run(None);
        for radius in NEGATIVE {
            assert_eq!(run(Some(radius)), expected, "{backend:?}, {radius}");
        }
    }
}

#[test]
fn facing_with_parameters_out_of_range_only_stops_the_turning() {
    let list = &mut Vec::new();
    mistakes(
        list,
        "FaceVelocity.max_turn_rate",
        NOT_POSITIVE_OR_INFINITE,
        |max_turn_rate| {
            let face = FaceVelocity {
                max_turn_rate,
                ..default()
            };
            (face, Seek::new(FAR))
        },
    );
    mistakes(list, "FaceVelocity.smoothing", NEGATIVE, |smoothing| {
        let face = FaceVelocity {
            smoothing,
            ..default()
        };
        (face, Seek::new(FAR))
    });
    for backend in BACKENDS {
        try_all(backend, list, |app, culprit, case, _| {
            assert_all_finite(app, None, case);
            assert_eq!(facing(app, culprit), Vec2::X, "{case}");
            assert!(position(app, culprit).x > -2.0, "{case}: it still seeks");
        });
    }
}

#[test]
fn a_nonsense_vehicle_is_named_once_however_many_behaviors_it_has() {
    let mut app = point_mass_app(HERTZ);
    let (vehicle, seek) = limits(f32::NAN, 20.0, 0.25);
    let agent = (vehicle, seek, Wander::default(), Flee::default());
    let agent = Backend::PointMass.spawn(&mut app, Body::at(0.0, 0.0), agent);
    app.world_mut().spawn((SteersFor(agent), Evade::default()));
    run_ticks(&mut app, TICKS);
    assert_warned_once(&app, agent, "Vehicle.max_speed", "four behaviors");
}

#[test]
fn a_nonsense_vehicle_is_named_even_if_all_its_behaviors_are_lent() {
    let mut app = point_mass_app(HERTZ);
    let (vehicle, seek) = limits(-1.0, 20.0, 0.25);
    let agent = Backend::PointMass.spawn(&mut app, Body::at(0.0, 0.0), vehicle);
    app.world_mut().spawn((SteersFor(agent), seek));
    run_ticks(&mut app, TICKS);
    assert_warned_once(&app, agent, "Vehicle.max_speed", "satellites only");
    assert_eq!(total(&app, agent), Vec2::ZERO);
}

#[test]
fn a_faulty_behavior_does_not_silence_its_neighbors_on_the_same_agent() {
    let mut app = point_mass_app(HERTZ);
    let agent = (Seek::new(FAR), Flee::default().within(-1.0));
    let agent = Backend::PointMass.spawn(&mut app, Body::at(0.0, 0.0), agent);
    run_ticks(&mut app, 1);
    assert_eq!(entry::<Flee>(&app, agent).cut, Cut::Invalid);
    let message = &warnings(&app)[0].message;
    assert!(message.ends_with("Flee counts as none"), "{message}");
    assert_eq!(total(&app, agent), entry::<Seek>(&app, agent).raw);
}

#[test]
fn a_faulty_satellite_is_named_itself() {
    let mut app = point_mass_app(HERTZ);
    let agent = Backend::PointMass.spawn(&mut app, Body::at(0.0, 0.0), Vehicle::default());
    let faulty = (SteersFor(agent), Seek::new(FAR).with_weight(f32::NAN));
    let faulty = app.world_mut().spawn(faulty).id();
    run_ticks(&mut app, TICKS);
    assert_warned_once(&app, faulty, "Influence.weight", "satellite");
}

#[test]
fn a_mended_parameter_works_again_at_once() {
    for backend in BACKENDS {
        let mut app = backend.app(HERTZ);
        let agent = backend.spawn(&mut app, Body::at(0.0, 0.0), Seek::new(Vec2::NAN));
        run_ticks(&mut app, 10);
        app.world_mut().get_mut::<Seek>(agent).unwrap().target = FAR.into();
        run_ticks(&mut app, 1);
        assert!(velocity(&app, agent).x > 0.0, "{backend:?}");
    }
}

#[test]
fn a_whole_army_of_faulty_agents_keeps_the_warnings_short() {
    let mut app = point_mass_app(HERTZ);
    for i in 0..3_000 {
        let faulty = (
            Seek::new(Vec2::NAN),
            Wander::default().with_weight(f32::NAN),
        );
        Backend::PointMass.spawn(&mut app, Body::at(i as f32, 0.0), faulty);
    }
    run_ticks(&mut app, 10);
    assert_eq!(warnings(&app).len(), 64);
    assert_all_finite(&mut app, None, "army");
}

#[test]
fn an_enormous_weight_is_no_reason_for_nonsense() {
    for mode in [
        Combine::WeightedSum,
        Combine::Average,
        Combine::Prioritized,
        Combine::Dithered,
    ] {
        let mut app = point_mass_app(HERTZ);
        let agent = (Seek::new(FAR).with_weight(1e15), Wander::default(), mode);
        let agent = Backend::PointMass.spawn(&mut app, Body::at(0.0, 0.0), agent);
        run_ticks(&mut app, 1);
        let force = total(&app, agent);
        assert!((force.length() - 20.0).abs() < 1e-3, "{mode:?}: {force}");
    }
}

// ---- Targets ----

#[test]
fn a_behavior_whose_target_holds_nonsense_does_nothing() {
    for backend in BACKENDS {
        let mut app = backend.app(HERTZ);
        let ghost = Transform::from_xyz(f32::NAN, 0.0, 0.0);
        let ghost = app.world_mut().spawn(ghost).id();
        let agent = (Seek::new(ghost), Evade::new(ghost), Arrive::new(ghost));
        let agent = backend.spawn(&mut app, Body::at(0.0, 0.0), agent);
        run_ticks(&mut app, TICKS);
        assert_eq!(total(&app, agent), Vec2::ZERO, "{backend:?}");
        assert_all_finite_agent(&app, agent);
    }
}

fn assert_all_finite_agent(app: &App, agent: Entity) {
    assert!(position(app, agent).is_finite() && velocity(app, agent).is_finite());
}

/// Runs `agent` (built for a target entity) with its target despawned before or during the run.
fn lose_target<B: Bundle>(with: fn(Entity) -> B) {
    for backend in BACKENDS {
        for lost_after in [0, 10] {
            let case = format!("{backend:?}, after {lost_after} ticks");
            let mut app = backend.app(HERTZ);
            listen::<TargetLost>(&mut app);
            let target = backend.spawn(&mut app, Body::at(3.0, 1.0), ());
            let agent = backend.spawn(&mut app, Body::at(0.0, 0.0), with(target));
            run_ticks(&mut app, lost_after);
            app.world_mut().despawn(target);
            run_ticks(&mut app, TICKS);
            let lost = heard::<TargetLost>(&app);
            assert_eq!(lost.len(), 1, "{case}: {lost:?}");
            assert_eq!((lost[0].entity, lost[0].carrier), (agent, agent), "{case}");
            assert_eq!(lost[0].target, Target::Entity(target), "{case}");
            assert_eq!(total(&app, agent), Vec2::ZERO, "{case}");
            assert_all_finite(&mut app, None, &case);
        }
    }
}

#[test]
fn seek_survives_the_loss_of_its_target() {
    lose_target(Seek::new);
}

#[test]
fn flee_survives_the_loss_of_its_target() {
    lose_target(Flee::new);
}

#[test]
fn arrive_survives_the_loss_of_its_target() {
    lose_target(Arrive::new);
}

#[test]
fn pursuit_survives_the_loss_of_its_quarry() {
    lose_target(Pursuit::new);
}

#[test]
fn evade_survives_the_loss_of_its_pursuer() {
    lose_target(Evade::new);
}

#[test]
fn an_entity_without_a_place_is_a_lost_target() {
    let mut app = point_mass_app(HERTZ);
    listen::<TargetLost>(&mut app);
    let nowhere = app.world_mut().spawn_empty().id();
    let agent = Backend::PointMass.spawn(&mut app, Body::at(0.0, 0.0), Seek::new(nowhere));
    run_ticks(&mut app, TICKS);
    assert_eq!(heard::<TargetLost>(&app).len(), 1);
    assert_eq!(total(&app, agent), Vec2::ZERO);
}

/// An agent aimed at itself is a mistake like any other: it is named, and nothing happens.
fn aim_at_oneself<B: Bundle>(field: &str, with: fn(Entity) -> B) {
    for backend in BACKENDS {
        let case = format!("{backend:?} {field}");
        let mut app = backend.app(HERTZ);
        let agent = backend.spawn(&mut app, Body::at(1.0, 1.0).moving(2.0, 0.0), ());
        app.world_mut().entity_mut(agent).insert(with(agent));
        run_ticks(&mut app, TICKS);
        assert_warned_once(&app, agent, field, &case);
        assert_all_finite(&mut app, None, &case);
        assert_eq!(total(&app, agent), Vec2::ZERO, "{case}");
    }
}

#[test]
fn a_behavior_aimed_at_its_own_agent_does_nothing() {
    aim_at_oneself("Seek", Seek::new);
    aim_at_oneself("Flee", Flee::new);
    aim_at_oneself("Arrive", Arrive::new);
    aim_at_oneself("Pursuit", Pursuit::new);
    aim_at_oneself("Evade", Evade::new);
}

#[test]
fn a_satellite_aimed_at_its_agent_does_nothing() {
    let mut app = point_mass_app(HERTZ);
    let agent = Backend::PointMass.spawn(&mut app, Body::at(1.0, 1.0), Vehicle::default());
    let satellite = (SteersFor(agent), Evade::new(agent));
    let satellite = app.world_mut().spawn(satellite).id();
    run_ticks(&mut app, TICKS);
    assert_warned_once(&app, satellite, "Evade", "satellite");
    assert_eq!(total(&app, agent), Vec2::ZERO);
}

// ---- Entities that lack something ----

#[test]
fn an_agent_without_a_body_is_named_once() {
    for backend in BACKENDS {
        let mut app = backend.app(HERTZ);
        let place = Transform::from_xyz(1.0, 2.0, 0.0);
        let agent = app
            .world_mut()
            .spawn((Seek::new(FAR), Wander::default(), place))
            .id();
        run_ticks(&mut app, TICKS);
        assert_warned_once(&app, agent, "Kinematics", &format!("{backend:?}"));
        assert_eq!(*get::<Transform>(&app, agent), place);
    }
}

#[test]
fn a_satellite_of_an_entity_that_is_no_agent_is_named_once() {
    for backend in BACKENDS {
        let mut app = backend.app(HERTZ);
        let body = backend.spawn(&mut app, Body::at(0.0, 0.0), ());
        let satellite = app
            .world_mut()
            .spawn((SteersFor(body), Seek::new(FAR)))
            .id();
        run_ticks(&mut app, TICKS);
        assert_warned_once(&app, satellite, "SteersFor", &format!("{backend:?}"));
        assert_eq!(position(&app, body), Vec2::ZERO);
    }
}

#[test]
fn a_satellite_of_a_despawned_agent_is_harmless() {
    let mut app = point_mass_app(HERTZ);
    let agent = Backend::PointMass.spawn(&mut app, Body::at(0.0, 0.0), Seek::new(FAR));
    let gone = app.world_mut().spawn_empty().id();
    app.world_mut().despawn(gone);
    app.world_mut().spawn((SteersFor(gone), Seek::new(FAR)));
    run_ticks(&mut app, TICKS);
    assert!(position(&app, agent).x > 1.0);
}

#[test]
fn a_satellite_may_not_steer_for_itself() {
    let mut app = point_mass_app(HERTZ);
    let agent = Backend::PointMass.spawn(&mut app, Body::at(0.0, 0.0), Seek::new(FAR));
    app.world_mut().entity_mut(agent).insert(SteersFor(agent));
    run_ticks(&mut app, TICKS);
    assert!(app.world().get::<SteersFor>(agent).is_none());
    assert!(position(&app, agent).x > 1.0, "it is an agent as before");
}

// ---- Plugins ----

#[derive(ScheduleLabel, Clone, Debug, PartialEq, Eq, Hash)]
struct FirstChoice;

#[test]
fn a_plugin_added_twice_warns_and_changes_nothing() {
    record_the_log();
    let twin = |twice: bool| {
        let mut app = bare_app(HERTZ);
        app.add_plugins(SteeringPlugin::default());
        if twice {
            app.add_plugins((SteeringPlugin::default(), SteeringPlugin::new(Update)));
        }
        start(&mut app);
        let agent = (Seek::new(FAR), Wander::default());
        let agent = Backend::PointMass.spawn(&mut app, Body::at(0.0, 0.0), agent);
        run_ticks(&mut app, 30);
        let registered = app.world().resource::<BehaviorRegistry>().iter().count();
        (position(&app, agent), ledger(&app, agent).len(), registered)
    };
    assert_eq!(twin(false), twin(true));

    let mut app = bare_app(HERTZ);
    app.add_plugins((SteeringPlugin::new(FirstChoice), SteeringPlugin::default()));
    let schedule = app.world().resource::<SteeringSchedule>().label();
    assert_eq!(schedule, FirstChoice.intern());
    assert_eq!(
        logged("steering was already added and runs in FirstChoice"),
        1
    );
}

#[test]
fn a_behavior_inserted_twice_is_there_once_with_the_last_parameters() {
    let mut app = point_mass_app(HERTZ);
    let agent = Backend::PointMass.spawn(&mut app, Body::at(0.0, 0.0), Seek::new(FAR));
    let west = Seek::new(Vec2::new(-100.0, 0.0)).with_weight(0.5);
    app.world_mut().entity_mut(agent).insert(west);
    run_ticks(&mut app, 1);
    let registry = app.world().resource::<BehaviorRegistry>();
    let assigned = registry.assigned_to(app.world(), agent);
    let [AssignedBehavior { influence, .. }] = assigned[..] else {
        panic!("one behavior, not {assigned:?}");
    };
    assert_eq!(influence.weight, 0.5);
    assert_eq!(ledger(&app, agent).len(), 1);
    assert!(total(&app, agent).x < 0.0);
}
