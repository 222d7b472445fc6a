//! The formation: slots along the leader's course, and the pace that keeps vehicles level with them.

use bevy::prelude::*;
use bevy_rapier2d::prelude::*;
use bevy_steering2d::prelude::*;

use super::vehicles::VEHICLES;
use crate::bodies::enable;
use crate::input::Presses;
use crate::look::Pose;

/// The pace of the leader, m/s.
const CRUISE: f32 = 6.0;
/// The share of the speed limits that the leader asks of the others; the rest is for catching up.
const SHARE: f32 = 0.8;
/// The leader slows down when a vehicle is this far behind its slot, m, and crawls at the second distance.
const WAITS: (f32, f32) = (1.0, 6.0);
/// The share of the leader's pace when it crawls.
const CRAWL: f32 = 0.2;
/// How fast a vehicle makes up its distance from the slot, s⁻¹.
const GAIN: f32 = 0.7;
/// The slowest pace, m/s: zero is not valid.
const SLOWEST: f32 = 0.05;

/// How slots are measured.
#[derive(Resource, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Slots {
    #[default]
    AlongTheCourse,
    /// In the frame of the leader.
    Rigid,
}

impl Slots {
    const ALL: [Self; 2] = [Self::AlongTheCourse, Self::Rigid];

    pub(super) fn key(self) -> char {
        match self {
            Self::AlongTheCourse => '1',
            Self::Rigid => '2',
        }
    }

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::AlongTheCourse => "along the course",
            Self::Rigid => "rigid",
        }
    }
}

/// The course of the leader.
#[derive(Resource, Clone, Debug)]
pub(super) struct Course(pub(super) SteeringPath);

/// A vehicle of the formation.
#[derive(Component, Clone, Copy, Debug)]
pub(super) struct Member {
    /// Its place in the list of vehicles; the leader's is 0.
    pub(super) number: usize,
    /// Distance along the course, m, and driven from the place where the leader started.
    pub(super) arc: f32,
    pub(super) distance: f32,
    /// Its slot, m.
    pub(super) slot: Vec2,
    /// How far it is behind its slot along the course, m.
    behind: f32,
}

impl Member {
    pub(super) fn new(number: usize, arc: f32, distance: f32) -> Self {
        Self {
            number,
            arc,
            distance,
            slot: Vec2::ZERO,
            behind: 0.0,
        }
    }
}

/// Length of the formation, m.
pub(super) fn length() -> f32 {
    let last = VEHICLES.iter().map(|it| -it.slot.x);
    last.fold(0.0, f32::max)
}

/// The place at a distance along a course and to the left of it, m.
pub(super) fn place(course: &SteeringPath, arc: f32, left: f32) -> Pose {
    let along = direction(course, arc);
    Pose {
        position: course.at(arc).position + left * along.perp(),
        facing: Rot2::from_sin_cos(along.y, along.x),
    }
}

/// The direction of a course, averaged over some meters.
fn direction(course: &SteeringPath, arc: f32) -> Vec2 {
    const REACH: f32 = 2.0;
    (course.at(arc + REACH).position - course.at(arc - REACH).position).normalize_or_zero()
}

/// Its curvature, rad/m, positive to the left.
pub(super) fn curvature(course: &SteeringPath, arc: f32) -> f32 {
    const REACH: f32 = 4.0;
    let (before, after) = (
        direction(course, arc - REACH),
        direction(course, arc + REACH),
    );
    before.angle_to(after) / (2.0 * REACH)
}

pub(super) fn choose(presses: Res<Presses>, mut slots: ResMut<Slots>) {
    for key in presses.keys() {
        if let Some(chosen) = Slots::ALL.into_iter().find(|it| it.key() == key) {
            *slots = chosen;
        }
    }
}

/// Lets the vehicles behind the leader follow their lane or a rigid slot.
pub(super) fn apply(
    slots: Res<Slots>,
    mut members: Query<(&mut PathFollowing, &mut OffsetPursuit), With<Member>>,
) {
    if slots.is_changed() {
        for (mut follows, mut rigid) in &mut members {
            enable(&mut follows, *slots == Slots::AlongTheCourse);
            enable(&mut rigid, *slots == Slots::Rigid);
        }
    }
}

/// Notes where the vehicles and their slots are.
pub(super) fn advance(
    slots: Res<Slots>,
    course: Res<Course>,
    mut members: Query<(&mut Member, &Transform)>,
) {
    let course = &course.0;
    let mut leader = (0.0, Transform::default());
    for (mut member, at) in &mut members {
        let arc = course.closest(at.translation.truncate()).arc;
        member.distance += course.ahead(member.arc, arc);
        member.arc = arc;
        if member.number == 0 {
            leader = (arc, *at);
        }
    }
    let (leader_arc, leader_at) = leader;
    for (mut member, at) in &mut members {
        let slot = VEHICLES[member.number].slot;
        member.behind = course.ahead(member.arc, leader_arc + slot.x);
        member.slot = match *slots {
            _ if member.number == 0 => at.translation.truncate(),
            Slots::AlongTheCourse => place(course, leader_arc + slot.x, slot.y).position,
            Slots::Rigid => leader_at.transform_point(slot.extend(0.0)).truncate(),
        };
    }
}

/// Sets the pace of each vehicle. In a curve of the curvature κ a vehicle q m to the left drives `1 − κ·q`
/// times as fast as the leader.
pub(super) fn drive(
    slots: Res<Slots>,
    course: Res<Course>,
    mut members: Query<(&Member, &Velocity, &Vehicle, &mut PathFollowing)>,
) {
    let course = &course.0;
    let stretch = |member: &Member| {
        let slot = VEHICLES[member.number].slot;
        1.0 - curvature(course, member.arc) * slot.y
    };
    let (mut pace, mut speed) = (CRUISE, 0.0);
    for (member, velocity, vehicle, _) in &members {
        if member.number == 0 {
            speed = velocity.linear.length();
        }
        let (begin, end) = WAITS;
        let late = ((member.behind - begin) / (end - begin)).clamp(0.0, 1.0);
        let waits = CRUISE * (1.0 - late * (1.0 - CRAWL));
        let can_follow = SHARE * vehicle.max_speed / stretch(member);
        if *slots == Slots::AlongTheCourse {
            pace = pace.min(waits).min(can_follow);
        }
    }
    for (member, _, _, mut follows) in &mut members {
        let wished = if member.number == 0 {
            pace
        } else {
            speed * stretch(member) + GAIN * member.behind
        };
        follows.pace = Some(wished.max(SLOWEST));
    }
}
