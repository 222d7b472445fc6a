//! Parameters out of range: every field of vehicle, behaviors and facing.

use bevy::prelude::*;
use bevy_steering2d::prelude::*;

use super::{
    FAR, Mistake, NEGATIVE, NOT_A_FRACTION, NOT_POSITIVE, NOT_POSITIVE_OR_INFINITE, NOWHERE,
    limits, mistakes, try_all,
};
use crate::common::*;
use crate::paths::zigzag;

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
fn nonsense_parameters_are_named_and_contribute_nothing() {
    let bad = [
        (
            FollowPath::default().waypoints(0.0),
            "FollowPath.style.reach",
        ),
        (
            FollowPath::default().corridor(-1.0, 0.5),
            "FollowPath.style.radius",
        ),
        (
            FollowPath::default().corridor(1.0, f32::NAN),
            "FollowPath.style.look_ahead",
        ),
        (
            FollowPath {
                tolerance: -0.1,
                ..default()
            },
            "FollowPath.tolerance",
        ),
    ];
    for (follow, field) in bad {
        let mut app = point_mass_app(HERTZ);
        let agent = Backend::PointMass.spawn(&mut app, Body::at(1.0, 1.0), (zigzag(), follow));
        run_ticks(&mut app, 30);
        assert_eq!(total(&app, agent), Vec2::ZERO);
        assert_warned_once(&app, agent, field, field);
    }
    let mut app = point_mass_app(HERTZ);
    let body = Body::at(9.0, 0.0);
    let detection = StuckDetection {
        after: f32::NAN,
        ..default()
    };
    let agent = Backend::PointMass.spawn(&mut app, body, (Seek::new(Vec2::ZERO), detection));
    run_ticks(&mut app, 30);
    assert_warned_once(&app, agent, "StuckDetection.after", "after");
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
