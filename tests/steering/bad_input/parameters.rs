//! Parameters out of range: every field of vehicles, behaviors, conditions, facing and stuck detection.

use bevy::prelude::*;
use bevy_steering2d::Feeler;
use bevy_steering2d::prelude::*;

use super::{
    FAR, Mistake, NEGATIVE, NOT_A_FIELD_OF_VIEW, NOT_A_FRACTION, NOT_FINITE, NOT_POSITIVE,
    NOT_POSITIVE_OR_INFINITE, mistakes, try_each, vehicle,
};
use crate::common::*;

/// Every field of vehicles, behaviors and conditions, and the values out of its range.
pub(super) fn every_mistake() -> Vec<Mistake> {
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
        Arrive.standoff: NEGATIVE,
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
        ReciprocalAvoidance.horizon: NOT_POSITIVE,
        ReciprocalAvoidance.reflex: NOT_POSITIVE,
        ReciprocalAvoidance.margin: NEGATIVE,
        ReciprocalAvoidance.perception_radius: NOT_POSITIVE,
        ReciprocalAvoidance.precedence: NOT_A_FRACTION,
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
        Hide.panic_distance: NOT_POSITIVE_OR_INFINITE,
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
        "Hide.threat": NOT_FINITE => Hide::new,
        "Interpose.first": NOT_FINITE => |first: Vec2| Interpose::new(first, FAR),
        "Interpose.second": NOT_FINITE => |second: Vec2| Interpose::new(FAR, second),
        "OffsetPursuit.leader": NOT_FINITE => |leader: Vec2| OffsetPursuit::new(leader, Vec2::NEG_X),
        "Tether.anchor": NOT_FINITE => |anchor: Vec2| Tether::new(anchor, 1.0),
        "Orbit.center": NOT_FINITE => |center: Vec2| Orbit::new(center, 1.0),
        "Orbit.pace": NEGATIVE => |x| Orbit::new(FAR, 1.0).with_pace(x),
        "Evade.prediction": NEGATIVE => |x| Evade::default().with_prediction(Prediction::Fixed(x)),
        "Pursuit.prediction": NEGATIVE => |x| Pursuit::new(FAR).with_prediction(Prediction::Fixed(x)),
        "Arrive.braking.slowing_radius": NOT_POSITIVE => |x| Arrive::new(FAR).with_braking(ramp(x)),
        "Interpose.braking.slowing_radius": NOT_POSITIVE
            => |x| Interpose::new(FAR, EAST).with_braking(ramp(x)),
        "OffsetPursuit.braking.slowing_radius": NOT_POSITIVE
            => |x| OffsetPursuit::new(FAR, Vec2::NEG_X).with_braking(ramp(x)),
        "PathFollowing.pace": NEGATIVE => |x| PathFollowing::default().with_pace(x),
        "FlowFieldFollowing.pace": NEGATIVE => |x| FlowFieldFollowing::default().with_pace(x),
        "PathFollowing.style.tolerance": NOT_POSITIVE => |x| PathFollowing::default().with_waypoints(x),
        "PathFollowing.style.half_width": NOT_POSITIVE
            => |x| PathFollowing::default().with_corridor(x, 0.5),
        "PathFollowing.style.look_ahead_time": NEGATIVE
            => |x| PathFollowing::default().with_corridor(1.0, x),
        "WallAvoidance.feelers": NOT_FINITE => feeler,
        "Containment.area": NOT_FINITE => |corner| within(Area::Rect(to_corner(corner))),
        "Containment.area.size": [Vec2::NEG_ONE] => |corner| within(Area::Rect(to_corner(corner))),
        "Containment.area.center": NOT_FINITE => |center| within(Area::Circle { center, radius: 1.0 }),
        "Containment.area.radius": NOT_POSITIVE
            => |radius| within(Area::Circle { center: FAR, radius }),
        "Wander.style.radius": NOT_POSITIVE => |x| circle(x, 2.0, 3.0),
        "Wander.style.distance": NEGATIVE => |x| circle(1.0, x, 3.0),
        "Wander.style.jitter": NEGATIVE => |x| circle(1.0, 2.0, x),
        "Wander.style.radius": NOT_POSITIVE => |x| angle(x, 2.0, 3.0),
        "Wander.style.distance": NEGATIVE => |x| angle(1.0, x, 3.0),
        "Wander.style.angle_change": NEGATIVE => |x| angle(1.0, 2.0, x),
        "Wander.style.every": NOT_POSITIVE => |x| random_target(FAR, x),
        "Wander.style.area": NOT_FINITE => |corner| random_target(corner, 1.0),
        "Wander.style.area.size": [Vec2::NEG_ONE] => |corner| random_target(corner, 1.0),
        "Alone.perception_radius": NOT_POSITIVE => |x| when(Alone::new(x)),
        "Alone.field_of_view": NOT_A_FIELD_OF_VIEW => |x| when(Alone::default().with_field_of_view(x)),
        "TargetInSight.field_of_view": NOT_A_FIELD_OF_VIEW
            => |x| when(TargetInSight::new(FAR).with_field_of_view(x)),
        "TargetInSight.target": NOT_FINITE => |target: Vec2| when(TargetInSight::new(target)),
        "TargetInSight.distance": NOT_POSITIVE_OR_INFINITE
            => |x| when(TargetInSight::new(FAR).with_distance(x)),
        "TargetInSight.memory": NEGATIVE => |x| when(TargetInSight::new(FAR).with_memory(x)),
    };
    fields.into_iter().chain(parts).flatten().collect()
}

/// The fields of `FaceVelocity`, on an agent that seeks.
pub(super) fn every_facing_mistake() -> Vec<Mistake> {
    let rows = table! {
        "FaceVelocity.max_turn_rate": NOT_POSITIVE_OR_INFINITE => |x| face(x, 0.1),
        "FaceVelocity.smoothing": NEGATIVE => |x| face(f32::INFINITY, x),
    };
    rows.into_iter().flatten().collect()
}

/// The fields of `StuckDetection`, on an agent that seeks.
pub(super) fn every_detection_mistake() -> Vec<Mistake> {
    let rows = table! {
        seeking
        StuckDetection.after: NOT_POSITIVE,
        StuckDetection.distance: NOT_POSITIVE,
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

fn ramp(slowing_radius: f32) -> Braking {
    Braking::Ramp { slowing_radius }
}

fn feeler(reach: Vec2) -> WallAvoidance {
    let root = Vec2::ZERO;
    let feelers = Feelers::Custom(vec![Feeler { root, reach }]);
    WallAvoidance::default().with_feelers(feelers)
}

fn within(area: Area) -> Containment {
    Containment { area, ..default() }
}

/// The rectangle from the origin to a corner, as it is, also if that is none.
fn to_corner(corner: Vec2) -> Rect {
    Rect {
        min: Vec2::ZERO,
        max: corner,
    }
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
    let area = to_corner(corner);
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
fn a_parameter_of_stuck_detection_out_of_range_stops_only_the_detection() {
    for backend in BACKENDS {
        try_each(backend, &every_detection_mistake(), |app, faulty, case| {
            assert_all_finite(app, None, case);
            assert!(position(app, faulty).x > -2.0, "{case}: it still seeks");
        });
    }
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
