//! Locomotion layer: turning circles, wheels, and the way to a target.

use bevy::math::ops;
use bevy::prelude::*;
use bevy_steering2d_core::{
    Agent, Arrive, Controls, Park, ParkMemory, Seek, Target, Targets, Wheeled,
};

use crate::subjects::{Subject, Subjects};
use crate::{SteeringGizmos, colors, draw};

pub(crate) fn draw_locomotion(
    subjects: Res<Subjects>,
    cars: Query<(&Wheeled, &Controls)>,
    seekers: Query<&Seek>,
    arrivers: Query<&Arrive>,
    parkers: Query<(&Park, &ParkMemory)>,
    targets: Targets,
    mut gizmos: Gizmos<SteeringGizmos>,
) {
    for subject in subjects.iter() {
        draw_turning_circles(&mut gizmos, subject);
    }
    for (subject, (car, controls)) in subjects.with(&cars) {
        draw_wheels(&mut gizmos, subject, car, controls);
    }
    for (subject, (park, memory)) in subjects.with(&parkers) {
        if subjects.acts(subject, park)
            && let Some(maneuver) = memory.maneuver
        {
            let points = maneuver.outline(&subject.me);
            let lag = subject.lag();
            gizmos.linestrip_2d(points.map(|point| point + lag), colors::ATTENTION);
        }
    }
    let position = |target: Target| targets.get(target).map(|it| it.position);
    let mut way = |subject: &Subject, point: Option<Vec2>| {
        if subject.me.turning_radius() > 0.0
            && let Some(point) = point
        {
            let points = subject.me.way_to(point).outline(&subject.me);
            let lag = subject.lag();
            gizmos.linestrip_2d(points.map(|point| point + lag), colors::ATTENTION);
        }
    };
    for (subject, seek) in subjects.active(&seekers) {
        way(subject, position(seek.target));
    }
    for (subject, arrive) in subjects.active(&arrivers) {
        let target = position(arrive.target);
        let stop = target.map(|it| arrive.stop_point(subject.me.position, it));
        way(subject, stop);
    }
}

/// The tightest circles to both sides.
fn draw_turning_circles(gizmos: &mut Gizmos<SteeringGizmos>, subject: &Subject) {
    let Some(body) = subject.me.abilities else {
        return;
    };
    let radius = body.turning_radius;
    let pivot = subject.place - body.pivot * subject.me.heading;
    for side in [radius, -radius] {
        let center = pivot + side * subject.me.heading.perp();
        draw::ring(gizmos, center, radius, colors::QUIET.with_alpha(0.35));
    }
}

/// The wheels of both axles, and the axes of the turn.
fn draw_wheels(
    gizmos: &mut Gizmos<SteeringGizmos>,
    subject: &Subject,
    car: &Wheeled,
    controls: &Controls,
) {
    let Agent {
        heading, radius, ..
    } = subject.me;
    let (sine, cosine) = ops::sin_cos(controls.steering);
    let half_wheel = 0.18 * radius;
    let half_track = 0.35 * car.wheelbase * heading.perp();
    let arm = 0.5 * car.wheelbase * heading;
    let axles = [
        (subject.place + arm, Vec2::new(cosine, sine).rotate(heading)),
        (subject.place - arm, heading),
    ];
    for (axle, along) in axles {
        for wheel in [axle + half_track, axle - half_track] {
            let half = half_wheel * along;
            gizmos.line_2d(wheel - half, wheel + half, colors::VELOCITY);
        }
    }
}
