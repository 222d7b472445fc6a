//! Parameters out of range: every field of vehicles, behaviors and facing.

use bevy::prelude::*;
use bevy::reflect::TypeInfo;
use bevy_steering2d::BehaviorRegistry;
use bevy_steering2d::prelude::*;

use super::{
    FAR, Mistake, NEGATIVE, NOT_A_FIELD_OF_VIEW, NOT_A_FRACTION, NOT_FINITE, NOT_POSITIVE,
    NOT_POSITIVE_OR_INFINITE, mistakes, try_each, vehicle,
};
use crate::common::*;
use crate::paths::zigzag;

/// A table of fields and the values out of their range. A row names a field of a component, which
/// has default values otherwise, or it says how the components are made of a value.
macro_rules! table {
    ($($component:ident . $field:ident: $values:expr,)*) => {
        [$(mistakes(
            concat!(stringify!($component), ".", stringify!($field)),
            $values,
            |value| $component { $field: value, ..default() },
        )),*]
    };
    ($($field:literal: $values:expr => $with:expr,)*) => {
        [$(mistakes($field, $values, $with)),*]
    };
}

/// Every field of vehicles and behaviors, and the values out of its range.
fn every_mistake() -> Vec<Mistake> {
    let fields = table! {
        Flee.panic_distance: NOT_POSITIVE_OR_INFINITE,
        Flee.falloff: NOT_A_FRACTION,
        Evade.panic_distance: NOT_POSITIVE_OR_INFINITE,
        Evade.falloff: NOT_A_FRACTION,
        Evade.turn_time: NEGATIVE,
        TargetSpeed.speed: NEGATIVE,
        Pursuit.facing_angle: [-0.1, 3.2, f32::NAN, f32::INFINITY],
        Pursuit.turn_time: NEGATIVE,
        Arrive.tolerance: NOT_POSITIVE,
        Park.heading: [-6.3, 6.3, f32::NAN, f32::INFINITY],
        Park.run_in: [f32::NAN, f32::INFINITY, f32::NEG_INFINITY],
        Park.tolerance: NOT_POSITIVE,
        Park.heading_tolerance: NOT_POSITIVE,
        Separation.perception_radius: NOT_POSITIVE,
        Separation.field_of_view: NOT_A_FIELD_OF_VIEW,
        Separation.max_neighbors: [0],
        Alignment.perception_radius: NOT_POSITIVE,
        Alignment.field_of_view: NOT_A_FIELD_OF_VIEW,
        Alignment.max_neighbors: [0],
        Cohesion.perception_radius: NOT_POSITIVE,
        Cohesion.field_of_view: NOT_A_FIELD_OF_VIEW,
        Cohesion.max_neighbors: [0],
        CollisionAvoidance.horizon: NOT_POSITIVE,
        CollisionAvoidance.margin: NEGATIVE,
        CollisionAvoidance.perception_radius: NOT_POSITIVE,
        Queuing.look_ahead_distance: NOT_POSITIVE,
        Queuing.half_width: NOT_POSITIVE,
        LeaderFollowing.perception_radius: NOT_POSITIVE,
        LeaderFollowing.follow_distance: NOT_POSITIVE,
        LeaderFollowing.clearance: NEGATIVE,
        ReciprocalAvoidance.max_neighbors: [0],
        Headway.time_gap: NOT_POSITIVE,
        Headway.single_file_time_gap: NOT_POSITIVE,
        Headway.clearance: NEGATIVE,
        Headway.width: NOT_POSITIVE,
        Headway.least_speed: NEGATIVE,
        ObstacleAvoidance.min_length: NEGATIVE,
        ObstacleAvoidance.look_ahead_time: NEGATIVE,
        ObstacleAvoidance.margin: NEGATIVE,
        WallAvoidance.min_length: NOT_POSITIVE,
        WallAvoidance.look_ahead_time: NEGATIVE,
        WallFollowing.distance: NOT_POSITIVE,
        WallFollowing.perception_radius: NOT_POSITIVE,
        WallFollowing.look_ahead_time: NEGATIVE,
        Containment.margin: NEGATIVE,
        Tether.length: NEGATIVE,
        Tether.stretch: NOT_POSITIVE,
        Orbit.radius: NOT_POSITIVE,
        Hide.search_distance: NOT_POSITIVE,
        Hide.standoff: NEGATIVE,
        Hide.threat_field_of_view: NOT_A_FIELD_OF_VIEW,
        Interpose.ratio: NOT_A_FRACTION,
        Interpose.tolerance: NOT_POSITIVE,
        OffsetPursuit.offset: NOT_FINITE,
        OffsetPursuit.tolerance: NOT_POSITIVE,
        PathFollowing.tolerance: NOT_POSITIVE,
        StayOnPath.half_width: NOT_POSITIVE,
        StayOnPath.look_ahead_time: NEGATIVE,
        FlowFieldFollowing.look_ahead_time: NEGATIVE,
    };
    let parts = table! {
        "Vehicle.max_speed": NOT_POSITIVE => |x| vehicle(x, 20.0, 0.25),
        "Vehicle.max_force": NOT_POSITIVE => |x| vehicle(5.0, x, 0.25),
        "Vehicle.response_time": NOT_POSITIVE => |x| vehicle(5.0, 20.0, x),
        "Vehicle.radius": NEGATIVE => vehicle_with_radius,
        "Influence.weight": NEGATIVE => |x| Seek::new(FAR).with_weight(x),
        "Influence.probability": NOT_A_PROBABILITY => |x| Seek::new(FAR).with_probability(x),
        "Seek.target": NOT_FINITE => Seek::new,
        "Flee.threat": NOT_FINITE => Flee::new,
        "Arrive.target": NOT_FINITE => Arrive::new,
        "Park.target": NOT_FINITE => |target: Vec2| Park::new(target, 0.0),
        "Pursuit.target": NOT_FINITE => Pursuit::new,
        "Evade.threat": NOT_FINITE => Evade::new,
        "MatchVelocity.target": NOT_FINITE => MatchVelocity::new,
        "Evade.prediction": NEGATIVE => |x| Evade::default().with_prediction(Prediction::Fixed(x)),
        "Pursuit.prediction": NEGATIVE => |x| Pursuit::new(FAR).with_prediction(Prediction::Fixed(x)),
        "Arrive.braking.slowing_radius": NOT_POSITIVE => ramp,
        "Wander.style.radius": NOT_POSITIVE => |x| circle(x, 2.0, 3.0),
        "Wander.style.distance": NEGATIVE => |x| circle(1.0, x, 3.0),
        "Wander.style.jitter": NEGATIVE => |x| circle(1.0, 2.0, x),
        "Wander.style.radius": NOT_POSITIVE => |x| angle(x, 2.0, 3.0),
        "Wander.style.distance": NEGATIVE => |x| angle(1.0, x, 3.0),
        "Wander.style.angle_change": NEGATIVE => |x| angle(1.0, 2.0, x),
        "Wander.style.every": NOT_POSITIVE => |x| random_target(FAR, x),
        "Wander.style.area": NOT_FINITE => |corner| random_target(corner, 1.0),
        "Alone.field_of_view": NOT_A_FIELD_OF_VIEW => |x| when(Alone::default().with_field_of_view(x)),
        "TargetInSight.field_of_view": NOT_A_FIELD_OF_VIEW
            => |x| when(TargetInSight::new(FAR).with_field_of_view(x)),
    };
    fields.into_iter().chain(parts).flatten().collect()
}

#[test]
fn every_behavior_with_parameters_has_rows() {
    let app = point_mass_app(HERTZ);
    let types = app.world().resource::<AppTypeRegistry>().read();
    let mistakes = every_mistake();
    for behavior in app.world().resource::<BehaviorRegistry>().iter() {
        let name = behavior.name;
        let Some(TypeInfo::Struct(fields)) = types.get_type_info(behavior.type_id) else {
            panic!("{name} is not reflected as a struct");
        };
        if fields.iter().all(|field| field.name() == "influence") {
            continue;
        }
        let has_row = mistakes
            .iter()
            .any(|mistake| mistake.field.split('.').next() == Some(name));
        assert!(has_row, "{name} has no row in every_mistake");
    }
}

/// The fields of `FaceVelocity`, on an agent that seeks.
fn every_facing_mistake() -> Vec<Mistake> {
    let rows = table! {
        "FaceVelocity.max_turn_rate": NOT_POSITIVE_OR_INFINITE => |x| face(x, 0.1),
        "FaceVelocity.smoothing": NEGATIVE => |x| face(f32::INFINITY, x),
    };
    rows.into_iter().flatten().collect()
}

const NOT_A_PROBABILITY: [f32; 5] = [0.0, -0.5, 1.5, f32::NAN, f32::INFINITY];

/// A behavior that depends on a condition.
fn when<C: Condition>(condition: C) -> (C, Seek) {
    (condition, Seek::new(FAR).with_when(When::only::<C>()))
}

fn vehicle_with_radius(radius: f32) -> (Vehicle, Seek) {
    let (vehicle, seek) = vehicle(5.0, 20.0, 0.25);
    let radius = Some(radius);
    (Vehicle { radius, ..vehicle }, seek)
}

fn face(max_turn_rate: f32, smoothing: f32) -> (FaceVelocity, Seek) {
    let face = FaceVelocity {
        max_turn_rate,
        smoothing,
    };
    (face, Seek::new(FAR))
}

fn ramp(slowing_radius: f32) -> Arrive {
    Arrive::new(FAR).with_braking(Braking::Ramp { slowing_radius })
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
fn a_parameter_out_of_range_stops_only_its_own_agent() {
    for backend in BACKENDS {
        try_each(backend, &every_mistake(), |app, faulty, case| {
            assert_all_finite(app, None, case);
            assert_eq!(total(app, faulty), Vec2::ZERO, "{case}");
            assert_near(velocity(app, faulty), Vec2::new(0.5, 0.0), 1e-6, case);
        });
    }
}

#[test]
fn a_facing_parameter_out_of_range_stops_only_the_turning() {
    for backend in BACKENDS {
        try_each(backend, &every_facing_mistake(), |app, faulty, case| {
            assert_all_finite(app, None, case);
            assert_eq!(facing(app, faulty), Vec2::X, "{case}");
            assert!(position(app, faulty).x > -2.0, "{case}: it still seeks");
        });
    }
}

#[test]
fn invalid_path_and_stuck_parameters_warn_once_and_add_no_force() {
    let bad = [
        (
            PathFollowing::default().with_waypoints(0.0),
            "PathFollowing.style.tolerance",
        ),
        (
            PathFollowing::default().with_corridor(-1.0, 0.5),
            "PathFollowing.style.half_width",
        ),
        (
            PathFollowing::default().with_corridor(1.0, f32::NAN),
            "PathFollowing.style.look_ahead_time",
        ),
        (
            PathFollowing {
                tolerance: -0.1,
                ..default()
            },
            "PathFollowing.tolerance",
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
fn a_corrected_parameter_takes_effect_in_the_next_tick() {
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
fn a_huge_weight_keeps_the_total_at_the_force_limit() {
    for mode in [
        Combine::WEIGHTED_SUM,
        Combine::AVERAGE,
        Combine::PRIORITIZED,
        Combine::DITHERED,
    ] {
        let mut app = point_mass_app(HERTZ);
        let agent = (Seek::new(FAR).with_weight(1e15), Wander::default(), mode);
        let agent = Backend::PointMass.spawn(&mut app, Body::at(0.0, 0.0), agent);
        run_ticks(&mut app, 1);
        let force = total(&app, agent);
        assert!((force.length() - 20.0).abs() < 1e-3, "{mode:?}: {force}");
    }
}
