//! Slot errors, contacts and targets of the formation.

use bevy::prelude::*;
use bevy_steering2d::prelude::*;

use super::formation::{Course, Member, curvature};
use super::vehicles::VEHICLES;
use crate::cars::Block;
use crate::contacts::Contacts;
use crate::lifecycle::CurrentScene;
use crate::props::{Rock, circles};
use crate::report::{Extent, Line};

/// Targets on the course.
const TARGETS: u8 = 8;
/// Slot errors count from this tick on: the formation starts at rest.
const FROM: u32 = 64 * 20;
/// The course counts as straight below this curvature, rad/m.
const STRAIGHT: f32 = 0.004;

/// Measurements.
#[derive(Resource, Clone)]
pub(super) struct Tally {
    vehicles: Contacts<(usize, usize)>,
    rocks: Contacts<usize>,
    straight: Extent,
    error: Extent,
    /// Targets that all vehicles have passed.
    reached: u32,
    /// Distance driven by the last of them, m.
    distance: f32,
}

impl Default for Tally {
    fn default() -> Self {
        Self {
            vehicles: Contacts::solid(),
            rocks: Contacts::overlapping(),
            straight: Extent::default(),
            error: Extent::default(),
            reached: 0,
            distance: 0.0,
        }
    }
}

/// The targets, from the place where the leader starts, m.
pub(super) fn targets(course: &SteeringPath) -> impl Iterator<Item = Vec2> {
    let start = super::formation::length() + 2.0;
    (1..=TARGETS).map(move |it| course.at(start + f32::from(it) * spacing(course)).position)
}

/// Distance between two targets along the course, m.
fn spacing(course: &SteeringPath) -> f32 {
    course.length() / f32::from(TARGETS)
}

pub(super) fn keep(
    current: Res<CurrentScene>,
    course: Res<Course>,
    mut tally: ResMut<Tally>,
    rocks: Query<(&Transform, &Rock)>,
    members: Query<(&Member, &Transform)>,
) {
    let course = &course.0;
    let rocks = circles(rocks);
    let mut bodies: Vec<(usize, Block)> = Vec::new();
    let mut last = f32::INFINITY;
    for (member, at) in &members {
        let body = Block::new(at, VEHICLES[member.number].half);
        let radius = VEHICLES[member.number].half.y;
        let gaps = rocks.iter().map(|it| body.distance(it.center) - it.radius);
        let gap = gaps.fold(f32::INFINITY, f32::min);
        tally.rocks.observe(member.number, gap, radius);
        for (other, its_body) in &bodies {
            let pair = (member.number.min(*other), member.number.max(*other));
            tally.vehicles.observe(pair, body.gap(its_body), radius);
        }
        bodies.push((member.number, body));
        last = last.min(member.distance);
        if member.number > 0 && current.tick() >= FROM {
            let error = at.translation.truncate().distance(member.slot);
            tally.error.add(error);
            let slot = VEHICLES[member.number].slot;
            let bends = [0.0, -0.5, -1.0].map(|share| {
                let arc = member.arc + share * slot.x;
                curvature(course, arc).abs()
            });
            if bends.into_iter().all(|bend| bend < STRAIGHT) {
                tally.straight.add(error);
            }
        }
    }
    tally.distance = last.max(0.0);
    tally.reached = (tally.distance / spacing(course)) as u32;
}

impl Tally {
    pub(super) fn lines(&self) -> Vec<Line> {
        let contacts = self.vehicles.begun();
        vec![
            Line::new("contacts", contacts, "between vehicles"),
            Line::new("rocks touched", self.rocks.begun(), "times"),
            Line::new("targets reached", self.reached, "by all vehicles"),
            Line::new("distance driven", self.distance, "m by the last of them"),
            Line::new("slot error, straight", self.straight.mean(), "m, mean"),
            Line::new("largest slot error, straight", self.straight.largest(), "m"),
            Line::new("slot error", self.error.mean(), "m, mean, in curves too"),
            Line::new("largest slot error", self.error.largest(), "m"),
        ]
    }
}
