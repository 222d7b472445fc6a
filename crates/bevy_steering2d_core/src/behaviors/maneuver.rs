//! Maneuvers: the Reeds–Shepp path of a body with a turning circle to a pose, planned once and then driven
//! leg by leg.

use bevy::prelude::*;

use super::braking::{braking_lag, slowed, speed_before};
use crate::locomotion::{
    GEAR_CHANGE, Leg, Pose, RESERVE, SHARPEST, TURNING, direction, forward_ways, idle_speed, ways,
    within,
};
use crate::{Abilities, Agent, Braking, Kinematics};

/// Most legs: five of a way, and the straight one into the place.
const MOST: usize = 6;

/// The rest of a maneuver: the legs that are not driven yet, and the one that is driven.
#[derive(Reflect, Clone, Copy, Debug, Default, PartialEq)]
#[reflect(Default, Debug, PartialEq, Clone)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub struct Maneuver {
    /// The pose at which it ends.
    pub(super) goal: Pose,
    /// The run-in that it was planned for, m.
    pub(super) run_in: f32,
    /// Where the first of the legs begins, for the pivot of the body.
    begin: Pose,
    /// Unused ones have no length.
    legs: [Leg; MOST],
    /// How far the body has driven since `begin`, m.
    driven: f32,
}

/// The shortest straight line that is tried beside a run-in of no length, in turning radii.
const RUN_IN: f32 = 0.75;

/// Legs shorter than this are left out, m.
const NOTHING: f32 = 1e-3;

/// Legs shorter than this, in turning radii, are avoided: they end before the wheels have turned.
const STUB: f32 = 0.25;

/// What a leg shorter than that costs, s.
const STUB_COSTS: f32 = 2.0;

/// Share of the strongest sideways acceleration in arcs: the wheels need time to turn.
const CURVES: f32 = 0.25;

/// The body has lost its way this far beside it, in turning radii, or at this angle to it, rad.
const LOST: (f32, f32) = (0.25, 0.9);

/// The last part of the maneuver that is driven at the speed of arcs, in turning radii: it has time to
/// become exact.
const EXACT: f32 = 1.0;

/// The least speed to change gear, in times of the [idle one](idle_speed).
const AWAKE: f32 = 1.5;

/// How far ahead the body aims, in turning radii, or in lags if it is faster.
const AIM: (f32, f32) = (0.14, 2.0);

impl Maneuver {
    /// The quickest maneuver to a pose, whose last part is a straight line of this length or a longer one, m; forward if the
    /// body has no reverse gear.
    pub(super) fn plan(me: &Agent, body: &Abilities, goal: Pose, run_in: f32) -> Self {
        let straight = RUN_IN * body.turning_radius;
        let run_ins = if run_in == 0.0 {
            [0.0, straight, -straight]
        } else {
            [1.0, 1.5, 2.0].map(|times| times * run_in)
        };
        let begin = me.pivot();
        let radius = RESERVE * body.turning_radius;
        let reverses = body.reverse_speed > 0.0;
        let with_run_in = |length: f32| {
            let length = if reverses { length } else { length.abs() };
            let before = goal.ahead(-body.pivot - length);
            let all = reverses.then(|| ways(begin, before, radius));
            let forward = (!reverses).then(|| forward_ways(begin, before, radius));
            let ways = all.into_iter().flatten();
            ways.chain(forward.into_iter().flatten())
                .map(move |way| legs(&way, length))
        };
        let all = run_ins.into_iter().flat_map(with_run_in);
        let timed = all.map(|legs| (time(&legs, me, body), legs));
        let quickest = timed.min_by(|(a, _), (b, _)| a.total_cmp(b));
        Self {
            goal,
            run_in,
            begin,
            legs: quickest.map(|(_, legs)| legs).unwrap_or_default(),
            driven: 0.0,
        }
    }

    /// The velocity that drives on, m/s; `None` after the last leg, or if the body has lost its way.
    pub(super) fn drive_on(
        &mut self,
        me: &Agent,
        body: &Abilities,
        tolerance: f32,
    ) -> Option<Vec2> {
        let here = me.pivot();
        loop {
            let length = self.stretch_length();
            let on_way = self.at(self.driven);
            let along = self.gear() * on_way.heading.dot(here.position - on_way.position);
            self.driven = (self.driven + along).max(0.0).min(length);
            // Also with a wide tolerance a leg must be driven, or the plan stays the same.
            let spare = (0.5 * tolerance).min(0.1 * body.turning_radius);
            if self.driven < length - spare {
                break;
            }
            if !self.shift() {
                return None;
            }
        }
        let on_way = self.at(self.driven);
        let beside = on_way.position.distance(here.position) / body.turning_radius;
        let aside = here.angle_to(on_way.heading).abs();
        (beside < LOST.0 && aside < LOST.1).then(|| self.velocity(me, body, here))
    }

    /// Points along the rest of the maneuver, m, for drawings: those of the middle of the body.
    pub fn outline(&self, me: &Agent) -> impl Iterator<Item = Vec2> {
        const PARTS: u8 = 12;
        let (arm, begin, legs) = (me.pivot_arm(), self.begin, self.legs);
        let begins = legs.into_iter().scan(begin, |at, leg| {
            let from = *at;
            *at = leg.after(1.0, from);
            Some((from, leg))
        });
        begins.flat_map(move |(from, leg)| {
            (0..=PARTS).map(move |part| {
                let pose = leg.after(f32::from(part) / f32::from(PARTS), from);
                pose.ahead(arm).position
            })
        })
    }

    /// The velocity along the stretch to a point ahead of the pivot, m/s.
    fn velocity(&self, me: &Agent, body: &Abilities, here: Pose) -> Vec2 {
        let gear = self.gear();
        let reach = (AIM.0 * body.turning_radius).max(AIM.1 * braking_lag(me) * me.speed());
        let aim = self.at(self.driven + reach).position - here.position;
        let axis = Pose {
            heading: gear * here.heading,
            ..here
        };
        let turn = within(axis.angle_to(aim), SHARPEST);
        let towards = direction(turn).rotate(axis.heading);
        let left = self.stretch_length() - self.driven;
        let most = self.speed(me, body);
        let velocity = slowed(me, left, towards, most, Braking::Physical);
        let changes_gear = body.reversing != (gear < 0.0) && me.speed() <= Kinematics::STANDING;
        if changes_gear && velocity != Vec2::ZERO {
            // A slower one is idle: the gear would stay, and the body stand for ever.
            let idle = idle_speed(me.max_speed, me.max_acceleration() * me.response());
            return velocity.clamp_length_min(AWAKE * idle);
        }
        velocity
    }

    /// The largest speed from which the body can brake for the arcs ahead, m/s.
    fn speed(&self, me: &Agent, body: &Abilities) -> f32 {
        let mut begins = -self.driven;
        let mut most = speed_of(self.gear(), me);
        for leg in self.stretch() {
            let ends = begins + leg.length.abs();
            if leg.turn != 0.0 && ends > 0.0 {
                most = most.min(before_curve(me, body, begins));
            }
            begins = ends;
        }
        let next = self.legs.get(self.stretch().count());
        let is_last = next.is_none_or(|leg| leg.length == 0.0);
        if is_last {
            most = most.min(before_curve(me, body, begins - EXACT * body.turning_radius));
        }
        most
    }

    /// 1 forward, −1 in reverse.
    fn gear(&self) -> f32 {
        self.legs[0].gear()
    }

    /// The legs up to the next change of gear.
    fn stretch(&self) -> impl Iterator<Item = &Leg> {
        let gear = self.gear();
        let in_gear = move |leg: &&Leg| leg.length * gear > 0.0;
        self.legs.iter().take_while(in_gear)
    }

    /// The length of the legs up to the next change of gear, m.
    fn stretch_length(&self) -> f32 {
        self.stretch().map(|leg| leg.length.abs()).sum()
    }

    /// The pose of the pivot at a distance along the stretch, m; beyond its ends the first and the last
    /// leg go on.
    fn at(&self, distance: f32) -> Pose {
        let (mut from, mut left) = (self.begin, distance);
        let mut stretch = self.stretch().peekable();
        while let Some(leg) = stretch.next() {
            let length = leg.length.abs();
            if left <= length || stretch.peek().is_none() {
                return leg.after(left / length, from);
            }
            from = leg.after(1.0, from);
            left -= length;
        }
        from
    }

    /// Changes gear. Returns whether there is a leg to drive.
    fn shift(&mut self) -> bool {
        let count = self.stretch().count();
        for at in 0..count {
            self.begin = self.legs[at].after(1.0, self.begin);
        }
        self.legs.copy_within(count.., 0);
        self.legs[MOST - count..].fill(Leg::default());
        self.driven = 0.0;
        // Also if its length is not a number.
        count > 0 && self.legs[0].length != 0.0
    }
}

/// The legs of a way, without those of no length, and the straight line at its end.
fn legs(way: &[Leg], run_in: f32) -> [Leg; MOST] {
    let last = Leg {
        length: run_in,
        turn: 0.0,
    };
    let mut all = [Leg::default(); MOST];
    let driven = way
        .iter()
        .chain([&last])
        .filter(|leg| leg.length.abs() > NOTHING);
    for (at, leg) in driven.enumerate() {
        all[at] = *leg;
    }
    all
}

/// The largest speed in a gear, m/s.
fn speed_of(gear: f32, me: &Agent) -> f32 {
    if gear < 0.0 {
        me.reverse_speed()
    } else {
        me.max_speed
    }
}

/// So much of the radius of an arc a car drives at most while its wheels answer.
const WHEELS: f32 = 0.135;

/// The speed in arcs, m/s: what the grip allows, and the wheels, which have to turn at their ends.
fn in_curves(me: &Agent, body: &Abilities) -> f32 {
    let grip = me.speed_in_circle(RESERVE * body.turning_radius, CURVES);
    grip.min(WHEELS * body.turning_radius / body.response_time)
}

/// The speed from which the body can brake for an arc that begins after a distance, m/s.
fn before_curve(me: &Agent, body: &Abilities, distance: f32) -> f32 {
    let room = distance - braking_lag(me) * me.speed();
    speed_before(me, in_curves(me, body), room)
}

/// The time of a maneuver, s, about: each leg at the speed of its gear, and the gear changes.
fn time(legs: &[Leg; MOST], me: &Agent, body: &Abilities) -> f32 {
    let mut reversing = body.reversing;
    let mut time = if reversing == (legs[0].length < 0.0) {
        0.0
    } else {
        me.speed() / me.braking()
    };
    for leg in legs.iter().filter(|leg| leg.length != 0.0) {
        let speed = speed_of(leg.gear(), me);
        let speed = if leg.turn == 0.0 {
            speed
        } else {
            speed.min(in_curves(me, body))
        };
        time += leg.length.abs() / speed.max(1e-3) + TURNING * leg.turn.abs();
        if leg.length.abs() < STUB * body.turning_radius {
            time += STUB_COSTS;
        }
        if reversing != (leg.length < 0.0) {
            reversing = !reversing;
            time += GEAR_CHANGE;
        }
    }
    time
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::locomotion::Wheeled;
    use crate::locomotion::testing::Drive;

    #[test]
    fn a_leg_whose_length_is_not_a_number_ends_the_maneuver() {
        let me = Drive::car(Wheeled::default(), 60.0).agent();
        let body = me.abilities.expect("a car");
        let goal = Pose::new(Vec2::new(20.0, 10.0), 0.0);
        let mut maneuver = Maneuver::plan(&me, &body, goal, 0.0);
        assert!(maneuver.drive_on(&me, &body, 0.1).is_some());
        maneuver.legs[0].length = f32::NAN;
        assert_eq!(maneuver.drive_on(&me, &body, 0.1), None);
    }
}
