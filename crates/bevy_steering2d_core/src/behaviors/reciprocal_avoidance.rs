//! Past each other, everybody doing their share.

use bevy::prelude::*;
use smallvec::SmallVec;

use super::embeds_influence;
use super::half_planes::{HalfPlane, nearest_allowed};
use crate::clock::SteeringClock;
use crate::parallel::{FORMULA, for_each_mut};
use crate::perception::{
    Neighbor, NeighborView, Neighbors, Perception, Region, SteeringGroups, Surroundings,
};
use crate::steer::Steered;
use crate::{
    Agent, Behavior, Circle, Cut, Influence, InvalidParameter, Kinematics, SteeringForce, Vehicle,
};

/// TODO
#[derive(Component, Reflect, Clone, Copy, Debug, PartialEq)]
#[reflect(Component, Default, Debug, PartialEq, Clone)]
#[require(Perception, Intent, ReciprocalMemory)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub struct ReciprocalAvoidance {
    /// How far into the future it looks, s, `> 0`.
    pub horizon: f32,
    /// Contacts must be avoidable this long before they happen, s, `> 0`.
    pub reflex: f32,
    /// Room to leave between the bounding circles, m, `≥ 0`.
    pub margin: f32,
    /// How far it looks around, m, `> 0`.
    pub radius: f32,
    /// The most neighbors it minds, the nearest ones.
    pub max_neighbors: usize,
    /// Whom it sees. Default everybody.
    pub groups: SteeringGroups,
    /// Its say among the other behaviors.
    pub influence: Influence,
}

impl Default for ReciprocalAvoidance {
    fn default() -> Self {
        Self {
            horizon: env("HORIZON", 3.0),
            reflex: env("REFLEX", 0.5),
            margin: env("MARGIN", 0.05),
            radius: env("RADIUS", 8.0),
            max_neighbors: env("NEIGHBORS", 16.0) as usize,
            groups: SteeringGroups::ALL,
            influence: Influence::at(5),
        }
    }
}

/// Tuning only.
pub(crate) fn env(name: &str, default: f32) -> f32 {
    std::env::var(name)
        .ok()
        .and_then(|v| v.parse().ok())
        .unwrap_or(default)
}

#[derive(Clone, Copy)]
struct Tuning {
    k: f32,
    tau0: f32,
    lateral: f32,
    smooth: f32,
    right: f32,
    lead: f32,
    patience: f32,
    wall_time: f32,
    wall_cost: f32,
}

static TUNING: std::sync::LazyLock<Tuning> = std::sync::LazyLock::new(|| Tuning {
    k: env("K", 0.5),
    tau0: env("TAU0", 3.0),
    lateral: env("LATERAL", 0.6),
    smooth: env("SMOOTH", 0.2),
    right: env("RIGHT", 0.05),
    lead: env("LEAD", 0.4),
    patience: env("PATIENCE", 0.4),
    wall_time: env("WALLTIME", 0.3),
    wall_cost: env("WALLCOST", 4.0),
});

/// What an agent is up to, for others to see.
#[derive(Component, Reflect, Clone, Copy, Debug, Default, PartialEq)]
#[reflect(Component, Default, Debug, PartialEq, Clone)]
pub struct Intent {
    /// The velocity it would take if it were alone, m/s.
    pub velocity: Vec2,
    /// For how long it has been held up, s.
    pub held_up: f32,
    force: Vec2,
}

/// What it remembers.
#[derive(Component, Reflect, Clone, Copy, Debug, Default, PartialEq)]
#[reflect(Component, Default, Debug, PartialEq, Clone)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub struct ReciprocalMemory {
    /// The velocity it chose last, m/s.
    chosen: Vec2,
}

impl Behavior for ReciprocalAvoidance {
    type Memory = &'static mut ReciprocalMemory;
    type World = (
        Res<'static, Neighbors>,
        Surroundings<'static, 'static>,
        Query<'static, 'static, &'static Intent>,
    );

    embeds_influence!();

    fn check(&self) -> Result<(), InvalidParameter> {
        InvalidParameter::unless_positive("ReciprocalAvoidance.horizon", self.horizon)?;
        InvalidParameter::unless_positive("ReciprocalAvoidance.reflex", self.reflex)?;
        InvalidParameter::unless_non_negative("ReciprocalAvoidance.margin", self.margin)?;
        InvalidParameter::unless_positive("ReciprocalAvoidance.radius", self.radius)
    }

    fn steer(
        &self,
        me: &Agent,
        mut memory: Mut<ReciprocalMemory>,
        (neighbors, surroundings, intents): &(Res<Neighbors>, Surroundings, Query<&'static Intent>),
    ) -> Vec2 {
        let Ok(&mine) = intents.get(me.entity) else {
            return Vec2::ZERO;
        };
        let view = NeighborView::around(me, self.radius, self.groups);
        let mut others: SmallVec<[Other; 24]> = neighbors
            .nearest_in_view(view, self.max_neighbors)
            .iter()
            .map(|neighbor| Other::seen(me, &mine, neighbor, intents.get(neighbor.entity).ok()))
            .collect();
        let reach = me.radius + 2.0 * me.max_speed * self.reflex;
        surroundings.for_each_obstacle(
            me,
            Region::Disc(Circle::new(me.position, self.radius)),
            |obstacle| others.push(Other::fixed(me, obstacle.circle)),
        );
        let mut walls: SmallVec<[Side; 8]> = SmallVec::new();
        surroundings.for_each_wall_near(me.position, reach, |hit| {
            walls.push(Side {
                normal: hit.normal,
                gap: hit.distance - me.radius,
            });
        });
        let chosen = choose(me, &mine, &memory, &others, &walls, self);
        memory.chosen = chosen;
        me.mass * (chosen - me.velocity) / me.delta.max(f32::MIN_POSITIVE) - mine.force
    }
}

/// Somebody, or a round thing, that it must not touch.
#[derive(Clone, Copy, Debug)]
struct Other {
    offset: Vec2,
    velocity: Vec2,
    /// Sum of the radii.
    touching: f32,
    /// My part of what has to be done, `0..=1`.
    share: f32,
    fixed: bool,
    first: bool,
}

impl Other {
    fn seen(me: &Agent, mine: &Intent, other: &Neighbor, theirs: Option<&Intent>) -> Self {
        let offset = other.position - me.position;
        let touching = me.radius + other.radius;
        let share = theirs.map_or(1.0, |theirs| share(offset, touching, mine, theirs));
        Self {
            offset,
            velocity: other.velocity,
            touching,
            share,
            fixed: false,
            first: me.id < other.id,
        }
    }

    fn fixed(me: &Agent, circle: Circle) -> Self {
        Self {
            offset: circle.center - me.position,
            velocity: Vec2::ZERO,
            touching: me.radius + circle.radius,
            share: 1.0,
            fixed: true,
            first: true,
        }
    }
}

/// A wall near by.
#[derive(Clone, Copy, Debug)]
struct Side {
    normal: Vec2,
    gap: f32,
}

/// My part of avoiding another who avoids me, `0..=1`; both parts make 1.
fn share(offset: Vec2, touching: f32, mine: &Intent, theirs: &Intent) -> f32 {
    let t = *TUNING;
    let (a, b) = (
        mine.velocity.normalize_or_zero(),
        theirs.velocity.normalize_or_zero(),
    );
    let along = a.dot(b).max(0.0);
    let lead = offset.dot(a + b) * 0.5 / touching;
    let lead = t.lead * along * lead.clamp(-1.0, 1.0);
    let patience =
        t.patience * (0.5 * (theirs.held_up - mine.held_up)).clamp(-1.0, 1.0) * (1.0 - along);
    (0.5 + lead + patience).clamp(0.0, 1.0)
}

fn choose(
    me: &Agent,
    mine: &Intent,
    memory: &ReciprocalMemory,
    others: &[Other],
    walls: &[Side],
    how: &ReciprocalAvoidance,
) -> Vec2 {
    let t = *TUNING;
    let mut planes: SmallVec<[HalfPlane; 32]> = SmallVec::new();
    for wall in walls {
        planes.push(HalfPlane {
            point: -wall.gap.min(f32::MAX) / t.wall_time * wall.normal,
            normal: wall.normal,
        });
    }
    let strict = planes.len();
    for other in others {
        planes.push(reflex(me, other, how));
    }
    let wanted = best_of(me, mine, memory, others, &planes[..strict], how);
    let disc = Circle::new(me.velocity, me.max_acceleration() * me.delta);
    nearest_allowed(&planes, strict, disc, wanted)
}

/// ORCA's half-plane.
fn reflex(me: &Agent, other: &Other, how: &ReciprocalAvoidance) -> HalfPlane {
    let relative = me.velocity - other.velocity;
    let distance = other.offset.length();
    let room = other.touching + how.margin;
    let direction = if distance > 1e-6 {
        other.offset / distance
    } else if other.first {
        Vec2::NEG_X
    } else {
        Vec2::X
    };
    let (u, normal) = if distance > room {
        let from_cut = relative - other.offset / how.reflex;
        let dot = from_cut.dot(other.offset);
        if dot < 0.0 && dot * dot > room * room * from_cut.length_squared() {
            let length = from_cut.length();
            let normal = from_cut / length.max(f32::MIN_POSITIVE);
            ((room / how.reflex - length) * normal, normal)
        } else {
            let leg = (distance * distance - room * room).max(0.0).sqrt();
            let square = distance * distance;
            let o = other.offset;
            let along = if o.perp_dot(from_cut) > 0.0 {
                Vec2::new(o.x * leg - o.y * room, o.x * room + o.y * leg) / square
            } else {
                -Vec2::new(o.x * leg + o.y * room, -o.x * room + o.y * leg) / square
            };
            let normal = along.perp();
            let u = relative.dot(along) * along - relative;
            (u, normal)
        }
    } else {
        // Within the margin: part within the reflex time, and gently.
        let wanted = (distance - room) / how.reflex;
        let has = relative.dot(direction);
        ((wanted - has) * direction, -direction)
    };
    HalfPlane {
        point: me.velocity + other.share * u,
        normal,
    }
}

/// Samples.
fn best_of(
    me: &Agent,
    mine: &Intent,
    memory: &ReciprocalMemory,
    others: &[Other],
    walls: &[HalfPlane],
    how: &ReciprocalAvoidance,
) -> Vec2 {
    let wish = mine.velocity;
    let speed = wish.length();
    if speed < 1e-3 {
        return wish;
    }
    let ahead = wish / speed;
    let mut best = (f32::INFINITY, wish);
    let mut consider = |v: Vec2| {
        let cost = cost(me, wish, ahead, memory, others, walls, how, v, best.0);
        if cost < best.0 {
            best = (cost, v);
        }
    };
    consider(wish);
    consider(memory.chosen);
    consider(Vec2::ZERO);
    const ANGLES: [f32; 17] = [
        0.0, -10.0, 10.0, -20.0, 20.0, -30.0, 30.0, -45.0, 45.0, -60.0, 60.0, -80.0, 80.0, -105.0,
        105.0, -150.0, 150.0,
    ];
    for angle in ANGLES {
        let direction = ahead.rotate(Vec2::from_angle(angle.to_radians()));
        for part in [1.0, 0.75, 0.5, 0.25] {
            consider(part * speed * direction);
        }
        if angle.abs() < 50.0 {
            consider((1.3 * speed).min(me.max_speed) * direction);
        }
    }
    // Then finer around the best.
    let mut step = 0.12 * speed;
    for _ in 0..3 {
        let around = best.1;
        let mut better = best;
        for corner in [Vec2::X, Vec2::NEG_X, Vec2::Y, Vec2::NEG_Y] {
            let v = (around + step * corner).clamp_length_max(me.max_speed);
            let cost = cost(me, wish, ahead, memory, others, walls, how, v, better.0);
            if cost < better.0 {
                better = (cost, v);
            }
        }
        best = better;
        step *= 0.5;
    }
    best.1
}

#[allow(clippy::too_many_arguments)]
#[inline]
fn cost(
    me: &Agent,
    wish: Vec2,
    ahead: Vec2,
    memory: &ReciprocalMemory,
    others: &[Other],
    walls: &[HalfPlane],
    how: &ReciprocalAvoidance,
    v: Vec2,
    enough: f32,
) -> f32 {
    let t = *TUNING;
    let off = v - wish;
    let along = off.dot(ahead);
    let aside = ahead.perp_dot(off);
    let mut cost = along * along
        + t.lateral * aside * aside
        + t.right * aside.max(0.0)
        + t.smooth * (v - memory.chosen).length_squared();
    for wall in walls {
        let over = (-wall.inside(v)).max(0.0);
        cost += t.wall_cost * over * over;
    }
    if cost >= enough {
        return cost;
    }
    let mut first = f32::INFINITY;
    for other in others {
        let share = other.share.max(0.5);
        let relative = me.velocity + (v - me.velocity) / share - other.velocity;
        first = first.min(contact(other.offset, relative, other.touching + how.margin));
    }
    if first < 4.0 * how.horizon {
        cost += t.k * (-first / t.tau0).exp() / (first * first).max(1e-2);
    }
    cost
}

/// When a point moving with `relative` comes within `room` of `offset`, s; infinity if never.
#[inline]
fn contact(offset: Vec2, relative: Vec2, room: f32) -> f32 {
    let b = offset.dot(relative);
    if b <= 0.0 {
        return f32::INFINITY;
    }
    let a = relative.length_squared();
    let c = offset.length_squared() - room * room;
    if c <= 0.0 {
        // Within: the faster it closes in the worse.
        let distance = offset.length().max(1e-3);
        return 0.3 / (b / distance).max(1e-3);
    }
    let discriminant = b * b - a * c;
    if discriminant <= 0.0 {
        return f32::INFINITY;
    }
    c / (b + discriminant.sqrt())
}

/// Writes down what everybody is up to, before anybody gives way.
pub(crate) fn note_intents(
    clock: Res<SteeringClock>,
    mut agents: Query<(&Vehicle, &Kinematics, &mut SteeringForce, &mut Intent), Steered>,
) {
    let (tick, delta) = (clock.tick, clock.delta);
    for_each_mut(
        &mut agents,
        FORMULA,
        |(vehicle, body, mut force, mut intent)| {
            force.begin(tick);
            let heard = force.entries_mut().iter();
            let wanted: Vec2 = heard
                .filter(|entry| entry.cut == Cut::Nothing)
                .map(|entry| entry.weighted())
                .sum();
            if body.mass <= 0.0 {
                return;
            }
            let response = vehicle.response_time.max(delta);
            let velocity =
                body.velocity + wanted.clamp_length_max(vehicle.max_force) * response / body.mass;
            let velocity = velocity.clamp_length_max(vehicle.max_speed);
            let speed = velocity.length();
            let progress = if speed > 0.0 {
                body.velocity.dot(velocity) / (speed * speed)
            } else {
                1.0
            };
            let held_up = if progress > 0.5 {
                (intent.held_up - 2.0 * delta).max(0.0)
            } else {
                (intent.held_up + (1.0 - 2.0 * progress.max(0.0)) * delta).min(10.0)
            };
            *intent = Intent {
                velocity,
                held_up,
                force: wanted,
            };
        },
    );
}
