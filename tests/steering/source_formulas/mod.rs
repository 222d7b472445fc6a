//! The formulas of the sources as their listings write them, beside ours; see `docs/sources.md`.
//!
//! Where ours differ on purpose, a test computes both and holds the documented relation.

mod flock;
mod surroundings;
mod targets;
mod wander;

use bevy::prelude::*;
use bevy_steering2d::locomotion::velocity_change;
use bevy_steering2d::prelude::*;

use crate::common::*;

/// The listings. An agent of unit constants takes their differences of velocities as forces.
mod listed {
    use super::*;

    pub fn seek(me: &Agent, target: Vec2) -> Vec2 {
        me.max_speed * (target - me.position).normalize() - me.velocity
    }

    pub fn flee(me: &Agent, threat: Vec2) -> Vec2 {
        me.max_speed * (me.position - threat).normalize() - me.velocity
    }

    fn at_speed(me: &Agent, target: Vec2, speed: f32) -> Vec2 {
        (target - me.position).normalize() * speed.min(me.max_speed) - me.velocity
    }

    /// `deceleration` is 3, 2 or 1: slow, normal, fast.
    pub fn arrive(me: &Agent, target: Vec2, deceleration: f32) -> Vec2 {
        let distance = me.position.distance(target);
        at_speed(me, target, distance / (deceleration * 0.3))
    }

    pub fn arrive_in_slowing_radius(me: &Agent, target: Vec2, slowing_radius: f32) -> Vec2 {
        let share = me.position.distance(target) / slowing_radius;
        at_speed(me, target, me.max_speed * share)
    }

    /// `dist = toTarget.lengthSqr()`: the lecture notes take the squared distance for the distance.
    pub fn arrive_by_squared_distance(me: &Agent, target: Vec2) -> Vec2 {
        let to_target = target - me.position;
        let distance = to_target.length_squared();
        to_target * distance.min(me.max_speed) / distance - me.velocity
    }

    pub fn look_ahead_time(me: &Agent, point: Vec2, speed: f32) -> f32 {
        me.position.distance(point) / (me.max_speed + speed)
    }

    pub fn predicted(me: &Agent, other: &Kinematics) -> Vec2 {
        let time = look_ahead_time(me, other.position, other.velocity.length());
        other.position + other.velocity * time
    }

    pub fn pursuit(me: &Agent, quarry: &Kinematics) -> Vec2 {
        const TOLERANCE: f32 = 20.0;
        let ahead = (quarry.position - me.position).dot(me.heading) > 0.0;
        let difference = me.heading.angle_to(quarry.heading).abs().to_degrees();
        if ahead && difference > 180.0 - TOLERANCE {
            seek(me, quarry.position)
        } else {
            seek(me, predicted(me, quarry))
        }
    }

    pub fn separation(me: &Agent, neighbors: &[Neighbor]) -> Vec2 {
        let away = neighbors.iter().map(|it| me.position - it.position);
        away.map(|away| away.normalize() / away.length()).sum()
    }

    pub fn alignment(me: &Agent, neighbors: &[Neighbor]) -> Vec2 {
        let headings: Vec2 = neighbors.iter().map(|it| it.heading).sum();
        headings / neighbors.len() as f32 - me.heading
    }

    pub fn cohesion(me: &Agent, neighbors: &[Neighbor]) -> Vec2 {
        let positions: Vec2 = neighbors.iter().map(|it| it.position).sum();
        seek(me, positions / neighbors.len() as f32).normalize()
    }

    /// `AgregarFuerza`, `AccumulateForce`: whether further forces are considered.
    fn accumulate(total: &mut Vec2, force: Vec2, max_force: f32) -> bool {
        let left = max_force - total.length();
        if left <= 0.0 {
            return false;
        }
        *total += force.clamp_length_max(left);
        true
    }

    pub fn prioritized(forces: &[Vec2], max_force: f32) -> Vec2 {
        let mut total = Vec2::ZERO;
        for &force in forces {
            if !accumulate(&mut total, force, max_force) {
                break;
            }
        }
        total
    }
}

/// An agent for which `track` is `desired − velocity`.
fn unit_agent() -> Agent {
    let velocity = Vec2::new(1.0, -1.0);
    Agent {
        position: Vec2::new(1.0, 2.0),
        velocity,
        heading: velocity.normalize(),
        max_speed: 4.0,
        max_force: 1e6,
        response_time: 1.0,
        delta: 1.0,
        ..default()
    }
}

fn body(position: Vec2, velocity: Vec2) -> Kinematics {
    Kinematics {
        position,
        velocity,
        heading: velocity.normalize_or_zero(),
        ..default()
    }
}

/// Points around the agent, near and far, m.
fn points() -> impl Iterator<Item = Vec2> {
    let at = |i: i32| unit_agent().position + (0.3 + i as f32) * Vec2::from_angle(i as f32);
    (0..20).map(at)
}

#[track_caller]
fn assert_equal(ours: Vec2, listed: Vec2) {
    assert_near(ours, listed, 1e-3, "listing");
}

#[test]
fn velocity_change_equals_the_listed_update() {
    let vehicle = Vehicle {
        max_force: 2.0,
        ..default()
    };
    let (mass, velocity) = (4.0, Vec2::new(4.5, 1.0));
    for steering in points().map(|it| it.clamp_length_max(vehicle.max_force)) {
        let listed = (velocity + steering / mass).clamp_length_max(vehicle.max_speed);
        let change = velocity_change(&vehicle, mass, velocity, steering, SpeedLimit::Hard, 1.0);
        assert_equal(velocity + change, listed);
    }
}

/// The total of these forces, the first with the highest priority.
fn combined(forces: &[Vec2], combine: Combine) -> Vec2 {
    let mut app = point_mass_app(HERTZ);
    app.add_behavior::<Push>();
    let vehicle = Vehicle {
        max_force: 10.0,
        ..default()
    };
    let agent = Backend::PointMass.spawn(&mut app, Body::at(0.0, 0.0), (vehicle, combine));
    for (rank, force) in forces.iter().enumerate() {
        let push = Push::new(force.x, force.y).with_priority(-(rank as i16));
        app.world_mut().spawn((SteersFor(agent), push));
    }
    run_ticks(&mut app, 1);
    total(&app, agent)
}

#[test]
fn combiners_equal_the_listings_up_to_the_first_cut() {
    let forces = [(3.0, 0.0), (0.0, 4.0), (6.0, 0.0)].map(Vec2::from);
    for count in 1..=3 {
        let listed = listed::prioritized(&forces[..count], 10.0);
        assert_equal(combined(&forces[..count], Combine::PRIORITIZED), listed);
        let sum: Vec2 = forces[..count].iter().sum();
        let listed = sum.clamp_length_max(10.0);
        assert_equal(combined(&forces[..count], Combine::WEIGHTED_SUM), listed);
    }
    // The cut second force leaves a total of √52 N: the listing goes on, ours drops the third.
    let forces = [(6.0, 0.0), (0.0, 8.0), (1.0, 0.0)].map(Vec2::from);
    assert_equal(listed::prioritized(&forces, 10.0), Vec2::new(7.0, 4.0));
    let ours = combined(&forces, Combine::PRIORITIZED);
    assert_equal(ours, Vec2::new(6.0, 4.0));
}

#[test]
fn default_priorities_put_threats_before_goals_and_wander_last() {
    // In the order of the chapter.
    let mut order = [
        ("WallAvoidance", WallAvoidance::PRIORITY),
        ("ObstacleAvoidance", ObstacleAvoidance::PRIORITY),
        ("Wander", Wander::PRIORITY),
        ("Seek", Seek::PRIORITY),
        ("Flee", Flee::PRIORITY),
        ("Arrive", Arrive::PRIORITY),
        ("Pursuit", Pursuit::PRIORITY),
        ("Evade", Evade::PRIORITY),
    ];
    order.sort_by_key(|(_, priority)| -priority);
    let ours = "WallAvoidance ObstacleAvoidance Evade Flee Seek Arrive Pursuit Wander";
    assert_eq!(order.map(|(name, _)| name).join(" "), ours);
}
