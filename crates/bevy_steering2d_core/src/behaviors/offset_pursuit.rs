//! Offset pursuit: keeps a slot in a formation.

use bevy::prelude::*;

use super::embeds_influence;
use super::shared::arrive_at_moving::arrive_at_moving;
use super::shared::urgency::or_x;
use crate::{
    Agent, Behavior, Braking, Influence, InvalidParameter, Kinematics, Situational, Steer,
    SteeringClock, Target, Targets,
};

/// Keeps a slot relative to a leader.
///
#[doc = include_str!("figures/offset_pursuit.svg")]
///
/// Use it for formations, escorts or a camera drone beside a car. The leader may itself follow another
/// leader; but each link of a chain swings out a little wider than the one before. For a long column give all followers
/// multiples of the offset from one leader, or use [`LeaderFollowing`](crate::LeaderFollowing).
/// Keep the leader slower than its followers, or those on the outside of a turn fall behind. Slots sweep out in
/// turns: a column of cars stays on its road with a [`PathFollowing`](crate::PathFollowing) of its own each.
/// Among walls, which it ignores, send each follower by a `NavigateTo` (feature `navigation`) to a child of the leader.
/// To follow a leader without a fixed slot, use [`LeaderFollowing`](crate::LeaderFollowing).
///
/// The slot s is the leader's position plus the offset rotated by its heading; v is the slot's
/// velocity, m/s, turns included. With `T = |s − p| / (max_speed + leader's speed)`, in s, the agent
/// arrives at `s + v·T` with the force of [`Arrive`](crate::Arrive), N, in the frame that moves with
/// the slot. (Reynolds 1999; Buckland 2005)
#[doc(alias("Perseguir a distancia"))]
#[derive(Component, Reflect, Clone, Copy, Debug, PartialEq)]
#[reflect(Component, Default, Debug, PartialEq, Clone)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub struct OffsetPursuit {
    /// The leader. Default the origin. A leader without heading, such as a point, counts as facing
    /// +x.
    #[entities]
    pub leader: Target,
    /// The slot in the leader's frame, m: x ahead of it, y to its left. Default `(-2, 0)`, two
    /// meters behind.
    #[reflect(@Situational)]
    pub offset: Vec2,
    /// How the agent slows down. Default [`Braking::Physical`].
    pub braking: Braking,
    /// Within this distance of its slot the agent only matches the velocity of the slot, m, `> 0`. Default `0.1`.
    pub tolerance: f32,
    /// How much it counts beside other behaviors, and when it acts.
    pub influence: Influence,
}

/// The state of an [`OffsetPursuit`]: its slot in the last tick.
#[derive(Component, Reflect, Clone, Copy, Debug, Default, PartialEq)]
#[reflect(Component, Default, Debug, PartialEq, Clone)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub struct OffsetPursuitMemory {
    /// The slot, m, world frame; `None` while there is no leader.
    pub slot: Option<Vec2>,
    /// The tick of that position.
    tick: u32,
    /// The time from then to the next update, s.
    delta: f32,
}

impl OffsetPursuit {
    /// Keeps an offset in the leader's frame, m: x ahead of it, y to its left.
    pub fn new(leader: impl Into<Target>, offset: Vec2) -> Self {
        Self {
            leader: leader.into(),
            offset,
            ..Self::default()
        }
    }

    /// Sets the [`braking`](Self::braking).
    #[must_use]
    pub fn with_braking(mut self, braking: Braking) -> Self {
        self.braking = braking;
        self
    }

    /// Sets the [`tolerance`](Self::tolerance).
    #[must_use]
    pub fn with_tolerance(mut self, tolerance: f32) -> Self {
        self.tolerance = tolerance;
        self
    }
}

impl Default for OffsetPursuit {
    fn default() -> Self {
        Self {
            leader: Target::default(),
            offset: Vec2::new(-2.0, 0.0),
            braking: Braking::default(),
            tolerance: 0.1,
            influence: Influence::of::<Self>(),
        }
    }
}

impl Behavior for OffsetPursuit {
    const PRIORITY: i16 = 70;
    const USES_TARGET_VELOCITY: bool = true;
    const COLOR: Option<[u8; 3]> = Some([246, 140, 17]);

    type Memory = &'static mut OffsetPursuitMemory;
    type World = (Targets<'static, 'static>, Res<'static, SteeringClock>);

    embeds_influence!();

    fn targets(&self) -> [Option<Target>; 2] {
        [Some(self.leader), None]
    }

    fn check(&self) -> Result<(), InvalidParameter> {
        self.leader.check("OffsetPursuit.leader")?;
        InvalidParameter::unless_finite("OffsetPursuit.offset", self.offset)?;
        self.braking.check("OffsetPursuit.braking.slowing_radius")?;
        InvalidParameter::unless_positive("OffsetPursuit.tolerance", self.tolerance)
    }
}

impl Steer for OffsetPursuit {
    fn steer(
        &self,
        me: &Agent,
        mut memory: Mut<OffsetPursuitMemory>,
        (targets, clock): &(Targets, Res<SteeringClock>),
    ) -> Vec2 {
        let Some(leader) = targets.get(self.leader) else {
            memory.set_if_neq(OffsetPursuitMemory::default());
            return Vec2::ZERO;
        };
        let slot = formation_slot(&leader, self.offset);
        let velocity = memory.velocity(me, &leader, slot, clock.delta);
        // A pause is no time in which the slot moves.
        if me.delta > 0.0 {
            *memory = OffsetPursuitMemory {
                slot: Some(slot),
                tick: me.tick,
                delta: me.delta,
            };
        }
        offset_pursuit(me, &leader, slot, velocity, self)
    }
}

/// The force of [`OffsetPursuit`] to a slot that moves with `slot_velocity`, N.
pub fn offset_pursuit(
    me: &Agent,
    leader: &Kinematics,
    slot: Vec2,
    slot_velocity: Vec2,
    how: &OffsetPursuit,
) -> Vec2 {
    let time = me.position.distance(slot) / (me.max_speed + leader.speed());
    let point = slot + slot_velocity * time;
    arrive_at_moving(me, point, slot_velocity, how.braking, how.tolerance)
}

/// The world position of an offset in the leader's frame, m.
pub fn formation_slot(leader: &Kinematics, offset: Vec2) -> Vec2 {
    leader.position + or_x(leader.heading).rotate(offset)
}

impl OffsetPursuitMemory {
    /// The slot's velocity, m/s; on the outside of a turn it is faster than the leader. Clamped to
    /// `max_speed`, since the slot jumps when the leader turns on the spot.
    fn velocity(&self, me: &Agent, leader: &Kinematics, slot: Vec2, tick_length: f32) -> Vec2 {
        let is_recent = me.last_updated_in(self.tick, tick_length);
        match self.slot {
            Some(before) if is_recent && me.delta > 0.0 && before.is_finite() => {
                ((slot - before) / self.delta).clamp_length_max(me.max_speed)
            }
            _ => leader.velocity,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::behaviors::testing::{Course, assert_close, reynolds};
    use crate::locomotion::Wheeled;
    use crate::locomotion::testing::Drive;
    use bevy::math::ops;

    fn leader(position: Vec2, speed: f32, heading: Vec2) -> Kinematics {
        Kinematics {
            position,
            velocity: speed * heading,
            heading,
            ..default()
        }
    }

    #[test]
    fn the_slot_is_in_the_leaders_frame() {
        let north = leader(Vec2::new(10.0, 0.0), 2.0, Vec2::Y);
        // 3 m behind and 1 m to its left.
        assert_eq!(
            formation_slot(&north, Vec2::new(-3.0, 1.0)),
            Vec2::new(9.0, -3.0)
        );
        let point = Kinematics::at(Vec2::ONE);
        assert_eq!(formation_slot(&point, Vec2::X), Vec2::new(2.0, 1.0));
    }

    #[test]
    fn offset_pursuit_seeks_the_slot_of_a_leader_at_rest() {
        // Slot (6, 8), 10 m away: equal to seek, 5 · (0.6, 0.8).
        let me = reynolds(5.0);
        let rests = leader(Vec2::new(8.0, 8.0), 0.0, Vec2::X);
        let how = OffsetPursuit::default();
        let force = offset_pursuit(&me, &rests, Vec2::new(6.0, 8.0), Vec2::ZERO, &how);
        assert_close(force, Vec2::new(3.0, 4.0));
    }

    #[test]
    fn an_agent_in_its_slot_moves_with_the_slot() {
        let me = Agent {
            velocity: Vec2::new(3.0, 0.0),
            ..default()
        };
        let ahead = leader(Vec2::new(2.0, 0.0), 3.0, Vec2::X);
        let how = OffsetPursuit::default();
        let force = offset_pursuit(&me, &ahead, Vec2::ZERO, ahead.velocity, &how);
        assert_eq!(force, Vec2::ZERO, "no braking, no drifting back");
    }

    #[test]
    fn the_velocity_of_the_slot_is_measured_and_bounded() {
        let me = Agent {
            tick: 7,
            delta: 0.1,
            ..default()
        };
        let leader = leader(Vec2::ZERO, 1.0, Vec2::X);
        let at = |tick| OffsetPursuitMemory {
            slot: Some(Vec2::ZERO),
            tick,
            delta: me.delta,
        };
        let slot = Vec2::new(0.0, 0.2);
        let velocity = |tick, slot| at(tick).velocity(&me, &leader, slot, 0.1);
        assert_close(velocity(6, slot), Vec2::new(0.0, 2.0));
        assert_eq!(velocity(3, slot), Vec2::X, "too old");
        let jump = Vec2::new(0.0, 90.0);
        assert_close(velocity(6, jump), Vec2::new(0.0, 5.0));
        let slow = Agent { delta: 0.4, ..me };
        let four_ticks_ago = OffsetPursuitMemory {
            delta: 0.4,
            ..at(3)
        };
        let velocity = four_ticks_ago.velocity(&slow, &leader, slot, 0.1);
        assert_close(velocity, Vec2::new(0.0, 0.5));
        // The slot has moved for as long as the last frame took; the present one takes longer.
        let velocity = at(6).velocity(&slow, &leader, slot, 0.4);
        assert_close(velocity, Vec2::new(0.0, 2.0));
    }

    #[test]
    fn a_formation_of_nine_holds_within_a_radius_on_a_turning_leader() {
        for (mass, hertz) in [(1.0, 60.0), (1.0, 30.0), (3.0, 60.0), (0.1, 120.0)] {
            // A wedge, up to 4 m to the side and 4 m behind.
            let offsets = (-4..=4).map(|i: i32| Vec2::new(-i.abs() as f32, i as f32));
            let mut wings: Vec<_> = offsets
                .map(|offset| {
                    let mut course = Course::new(hertz);
                    course.agent.mass = mass;
                    // All start at one point.
                    course.agent.position = Vec2::new(-3.0, 0.0);
                    (offset, course, OffsetPursuitMemory::default())
                })
                .collect();
            let mut farthest: f32 = 0.0;
            let mut leads = leader(Vec2::ZERO, 2.0, Vec2::X);
            let ticks = (40.0 * hertz) as u32;
            for tick in 0..ticks {
                // Winds left and right by up to 0.5 rad/s; the tips of the wings then need 4.8 m/s.
                let time = tick as f32 / hertz;
                let (sin, cos) = ops::sin_cos(2.0 * ops::sin(time / 4.0));
                let place = leads.position + leads.velocity / hertz;
                leads = leader(place, 2.0, Vec2::new(cos, sin));
                for (offset, course, memory) in &mut wings {
                    let me = course.agent;
                    let how = OffsetPursuit::new(Vec2::ZERO, *offset);
                    let slot = formation_slot(&leads, *offset);
                    let velocity = memory.velocity(&me, &leads, slot, me.delta);
                    *memory = OffsetPursuitMemory {
                        slot: Some(slot),
                        tick: me.tick,
                        delta: me.delta,
                    };
                    if time > 8.0 {
                        farthest = farthest.max(me.position.distance(slot));
                    }
                    course.step(offset_pursuit(&me, &leads, slot, velocity, &how));
                }
            }
            assert!(farthest < 0.5, "{mass} kg at {hertz} Hz: {farthest} m off");
        }
    }

    #[test]
    fn a_car_comes_to_a_slot_beside_it_without_weaving() {
        let mut car = Drive::car(Wheeled::default(), 60.0);
        car.body.velocity = Vec2::new(5.0, 0.0);
        let mut slot = Vec2::new(0.0, 4.0);
        let velocity = Vec2::new(5.0, 0.0);
        let (mut beyond, how) = (f32::NEG_INFINITY, OffsetPursuit::default());
        for _ in 0..60 * 15 {
            let me = car.agent();
            let leader = leader(slot, 5.0, Vec2::X);
            car.step(offset_pursuit(&me, &leader, slot, velocity, &how));
            slot += velocity * me.delta;
            beyond = beyond.max(car.body.position.y - 4.0);
        }
        assert!(car.body.position.distance(slot) < 0.3, "{:?}", car.body);
        assert!(beyond < 0.3, "{beyond} m beyond the slot");
    }
}
