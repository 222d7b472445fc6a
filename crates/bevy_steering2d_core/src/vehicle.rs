//! [`Vehicle`], the limits of an agent, and [`Kinematics`], the snapshot of its body.

use bevy::ecs::entity::EntityHashSet;
use bevy::prelude::*;

use crate::changes::any_is_new;
use crate::locomotion::direction;
use crate::parallel::NOT_IN_TABLES;
use crate::{
    Combine, InvalidParameter, SteeringClock, SteeringForce, SteeringId, SteeringWarnings,
};

/// Makes an entity an agent: the limits of its locomotion (Reynolds' "simple vehicle model").
///
/// Added with its defaults when a behavior is inserted on an entity that has none. The entity
/// also needs a body: a Rapier `RigidBody`, or a [`PointMass`](crate::PointMass). Removing the
/// `Vehicle` ends the steering.
///
/// ```
/// # use bevy_steering2d_core::Vehicle;
/// let truck = Vehicle::new(12.0, 4_000.0).with_radius(2.5);
/// assert!(truck.check().is_ok());
/// ```
#[doc(alias("Vehiculo", "IBoid", "cEntity"))]
#[derive(Component, Reflect, Clone, Copy, Debug, PartialEq)]
#[reflect(Component, Default, Debug, PartialEq, Clone)]
#[require(SteeringForce, SteeringId, Combine)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub struct Vehicle {
    /// Steering never accelerates the body beyond this speed, m/s, `> 0`. Default `5`. It may change at any time; a
    /// body that is faster then brakes as [`SpeedLimit`](crate::SpeedLimit) says.
    pub max_speed: f32,
    /// Longest total steering force, N, `> 0`. Default `20`.
    ///
    /// Divided by the body's mass it is the largest acceleration; heavy bodies need more, see [`for_mass`](Self::for_mass).
    pub max_force: f32,
    /// Time to close 63 % of a velocity error while the force is below its limit, s, `> 0`.
    /// Default `0.25`. Shorter is snappier; less than one tick acts like one tick.
    pub response_time: f32,
    /// Radius of the agent's bounding circle, m, `≥ 0`. Default `None`: that of the body (the
    /// circle around its Rapier colliders, or 0.5 for a point mass).
    pub radius: Option<f32>,
}

impl Default for Vehicle {
    fn default() -> Self {
        Self {
            max_speed: 5.0,
            max_force: 20.0,
            response_time: 0.25,
            radius: None,
        }
    }
}

impl Vehicle {
    /// Up to `max_speed` m/s, with forces of up to `max_force` N.
    pub fn new(max_speed: f32, max_force: f32) -> Self {
        Self {
            max_speed,
            max_force,
            ..Self::default()
        }
    }

    /// Sets the [`response_time`](Self::response_time).
    #[must_use]
    pub fn with_response_time(mut self, response_time: f32) -> Self {
        self.response_time = response_time;
        self
    }

    /// Sets the [`radius`](Self::radius), m.
    #[must_use]
    pub fn with_radius(mut self, radius: f32) -> Self {
        self.radius = Some(radius);
        self
    }

    /// Multiplies [`max_force`](Self::max_force) by a mass, kg, `> 0`: a body of that mass accelerates as one of 1 kg does with
    /// the limits of now. Call it once, after the force is set.
    ///
    /// ```
    /// # use bevy_steering2d_core::Vehicle;
    /// // Beside `RigidBody::Dynamic, Collider::ball(0.3), ColliderMassProperties::Mass(75.0)`.
    /// let person = Vehicle::new(2.6, 6.0).for_mass(75.0);
    /// assert_eq!(person.max_force, 450.0); // 6 m/s²
    /// ```
    #[must_use]
    pub fn for_mass(mut self, mass: f32) -> Self {
        self.max_force *= mass;
        self
    }

    /// Checks that every field is in its range; runs every tick.
    ///
    /// # Errors
    /// Names the first field that is not.
    #[inline(always)]
    pub fn check(&self) -> Result<(), InvalidParameter> {
        InvalidParameter::unless_positive("Vehicle.max_speed", self.max_speed)?;
        InvalidParameter::unless_positive("Vehicle.max_force", self.max_force)?;
        InvalidParameter::unless_positive("Vehicle.response_time", self.response_time)?;
        InvalidParameter::unless_non_negative("Vehicle.radius", self.radius.unwrap_or(0.0))
    }

    /// Its radius, m; `None` if it has none or it is out of range.
    #[inline]
    pub fn valid_radius(&self) -> Option<f32> {
        self.radius
            .filter(|radius| (0.0..=InvalidParameter::LARGEST).contains(radius))
    }
}

/// Warns of agents that hardly move: most often a body whose size is in pixels, which weighs tons.
pub(crate) fn warn_of_weak_agents(
    clock: Res<SteeringClock>,
    warnings: Res<SteeringWarnings>,
    parts: Query<(Ref<Vehicle>, Option<Ref<Kinematics>>)>,
    changed: Query<Entity, (With<Vehicle>, Or<(Changed<Vehicle>, Added<Kinematics>)>)>,
    agents: Query<(&Vehicle, &Kinematics)>,
    mut massless: Local<EntityHashSet>,
) {
    let is_massless = |entity| {
        let Ok((vehicle, body)) = agents.get(entity) else {
            return false;
        };
        if body.mass > 0.0 && is_weak(vehicle, body) {
            warnings.raise(&clock, entity, "Vehicle.max_force", || {
                weakness(vehicle, body)
            });
        }
        body.mass == 0.0
    };
    // An agent may get its body later than its vehicle, and the body its mass later still.
    massless.retain(|&entity| is_massless(entity));
    let mut tables = parts.contiguous_iter().expect(NOT_IN_TABLES);
    let any_is_new = tables.any(|(vehicles, bodies)| {
        let (last, now) = (vehicles.last_run_tick(), vehicles.this_run_tick());
        let added = bodies.map(|bodies| bodies.added_ticks_slice());
        any_is_new(vehicles.changed_ticks_slice(), last, now)
            || added.is_some_and(|ticks| any_is_new(ticks, last, now))
    });
    if any_is_new {
        massless.extend(changed.iter().filter(|&entity| is_massless(entity)));
    }
}

/// Whether an agent hardly moves.
fn is_weak(vehicle: &Vehicle, body: &Kinematics) -> bool {
    /// Times that no game waits for, s: to reach the full speed, and to move by its own radius.
    const LONG: [f32; 2] = [30.0, 10.0];
    let acceleration = vehicle.max_force / body.mass;
    let to_move = (2.0 * body.radius / acceleration).sqrt();
    let is_slow = vehicle.max_speed / acceleration > LONG[0] && to_move > LONG[1];
    is_slow && vehicle.check().is_ok()
}

/// What the warning of a weak agent says.
fn weakness(vehicle: &Vehicle, body: &Kinematics) -> String {
    let to_full_speed = vehicle.max_speed * body.mass / vehicle.max_force;
    format!(
        "Vehicle.max_force is {} N, but the body has {} kg, so it takes {to_full_speed:.0} s to reach its max_speed of {} \
         m/s; raise max_force, set the mass, or work in meters instead of pixels",
        vehicle.max_force, body.mass, vehicle.max_speed
    )
}

/// Switches an agent's steering off while present; parameters and memory stay, but for
/// [`ReciprocalAvoidanceMemory`](crate::ReciprocalAvoidanceMemory), which begins anew.
///
/// Neither a force nor the speed limit is applied to the body, which keeps its velocity, and a Rapier body also its spin, as does a
/// driven point mass ([`Propulsion::angular_velocity`](crate::Propulsion::angular_velocity)): to freeze the agent, set them to zero as well.
#[derive(Component, Reflect, Clone, Copy, Debug, Default, PartialEq, Eq)]
#[reflect(Component, Default, Debug, PartialEq, Clone)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub struct SteeringDisabled;

/// The snapshot of a body that all behaviors read in one tick; the locomotion backend takes it in
/// [`SteeringSystems::Sense`](crate::SteeringSystems::Sense).
///
/// Every body has one, agent or not, so any body can be a target. Writing to it does not move the
/// body.
#[derive(Component, Reflect, Clone, Copy, Debug, Default, PartialEq)]
#[reflect(Component, Default, Debug, PartialEq, Clone)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub struct Kinematics {
    /// World position, m.
    pub position: Vec2,
    /// World velocity, m/s.
    pub velocity: Vec2,
    /// Unit vector of the velocity. At rest it is that of the last motion; before any motion, the body's facing when it was first sensed. Below a fifth
    /// of the body's radius per second it turns only as the body moves, by 63 % per half radius. For a body that is driven, see
    /// [`Locomotion`](crate::Locomotion), it is where the body points. An agent that waits in a queue keeps it, see
    /// [`Queuing`](crate::Queuing).
    pub heading: Vec2,
    /// Mass, kg. Zero while the body cannot be steered: not yet simulated, or faulty.
    pub mass: f32,
    /// Radius of the bounding circle, m.
    pub radius: f32,
}

impl Kinematics {
    /// Below this speed a body is at rest and keeps its heading, m/s.
    pub const REST: f32 = 1e-4;

    /// Up to this speed a body stands, m/s: it may be where it should be, or plans again.
    pub(crate) const STANDING: f32 = 0.05;

    /// Below this speed, in body radii per second, the heading turns only as the body moves on. Otherwise one that hardly
    /// moves would turn to and fro.
    const SLOW: f32 = 0.2;

    /// The way on which the heading of a slow body turns by 63 % to its velocity, in body radii.
    const TURNING_WAY: f32 = 0.5;

    /// A point at rest, as which a [`Target::Point`](crate::Target::Point) is seen.
    pub fn at(position: Vec2) -> Self {
        Self {
            position,
            ..Self::default()
        }
    }

    /// Sets position and velocity and derives the heading; for locomotion backends.
    ///
    /// `facing` is the body's x axis, the heading until it first moves. If it is not finite, the body
    /// has no heading, and the next call asks for it again.
    #[inline]
    pub fn sense(&mut self, position: Vec2, velocity: Vec2, facing: impl FnOnce() -> Vec2) {
        let way = position - self.position;
        self.position = position;
        self.velocity = velocity;
        let speed_squared = velocity.length_squared();
        if speed_squared > Self::REST * Self::REST && speed_squared < f32::INFINITY {
            self.turn(velocity, speed_squared.sqrt(), way);
        } else if self.heading == Vec2::ZERO || !self.heading.is_finite() {
            let facing = facing();
            // That of a body tilted out of the plane is shorter. Other rotations keep their bits.
            self.heading = if facing.is_normalized() {
                facing
            } else {
                facing.normalize_or_zero()
            };
        }
    }

    /// Turns the heading to a velocity, m/s, after this way since the last tick, m.
    #[inline]
    fn turn(&mut self, velocity: Vec2, speed: f32, way: Vec2) {
        let motion = velocity / speed;
        self.heading = if speed >= Self::SLOW * self.radius {
            motion
        } else {
            let heading = self.heading;
            let angle = ops::atan2(heading.perp_dot(motion), heading.dot(motion));
            let share = way.length() / (Self::TURNING_WAY * self.radius);
            let turned = direction(angle * share.min(1.0)).rotate(heading);
            turned.try_normalize().unwrap_or(motion)
        };
    }

    /// Whether a backend has filled it: until then it has no heading.
    #[inline]
    pub(crate) fn was_sensed(&self) -> bool {
        self.heading != Vec2::ZERO
    }

    /// Whether position and velocity are finite, with coordinates of at most
    /// [`InvalidParameter::LARGEST`].
    #[inline]
    pub fn is_finite(&self) -> bool {
        let state = Vec4::from((self.position, self.velocity));
        state
            .abs()
            .cmple(Vec4::splat(InvalidParameter::LARGEST))
            .all()
    }

    /// Whether the body can be steered now: it has a mass within the range of
    /// [`InvalidParameter`] and is finite.
    #[inline]
    pub fn is_steerable(&self) -> bool {
        let masses = InvalidParameter::SMALLEST..=InvalidParameter::LARGEST;
        masses.contains(&self.mass) && self.is_finite()
    }

    /// Speed, m/s.
    #[inline]
    pub fn speed(&self) -> f32 {
        self.velocity.length()
    }

    /// Velocity along the heading, m/s. Negative for a car that drives in reverse.
    #[inline]
    pub fn forward_speed(&self) -> f32 {
        self.velocity.dot(self.heading)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heading_is_kept_at_rest() {
        let mut body = Kinematics::default();
        body.sense(Vec2::ZERO, Vec2::ZERO, || Vec2::Y);
        assert_eq!(body.heading, Vec2::Y, "at first the body's facing");
        body.sense(Vec2::ZERO, Vec2::new(-2.0, 0.0), || Vec2::Y);
        assert_eq!(body.heading, Vec2::NEG_X);
        body.sense(Vec2::ZERO, Vec2::ZERO, || Vec2::Y);
        assert_eq!(body.heading, Vec2::NEG_X);
    }

    #[test]
    fn the_heading_of_a_slow_body_turns_on_a_way_of_half_its_radius() {
        let mut body = Kinematics {
            radius: 1.0,
            ..default()
        };
        body.sense(Vec2::ZERO, Vec2::X, || Vec2::Y);
        assert_eq!(
            body.heading,
            Vec2::X,
            "at first the direction of its motion"
        );
        // To and fro by a millimeter.
        for side in [-1.0, 1.0, -1.0] {
            body.sense(
                Vec2::new(0.0, 1e-3 * side),
                Vec2::new(0.0, 0.1 * side),
                || Vec2::Y,
            );
            assert!(body.heading.x > 0.99, "{:?}", body.heading);
        }
        let turned = |body: &mut Kinematics, way: f32| {
            let begin = body.position;
            for millimeters in 0..=500 {
                let at = begin + Vec2::X * way * (millimeters as f32 / 500.0);
                body.sense(at, Vec2::new(0.1 * way.signum(), 0.0), || Vec2::Y);
            }
            body.heading.to_angle()
        };
        let backward = turned(&mut body, -0.5);
        assert!(
            (1.8..2.2).contains(&backward.abs()),
            "63 % of π: {backward}"
        );
        assert!(turned(&mut body, 5.0).abs() < 1e-3);
        body.sense(Vec2::new(0.0, 0.5), Vec2::new(-0.2, 0.0), || Vec2::Y);
        assert_eq!(body.heading, Vec2::NEG_X, "fast enough");
    }

    #[test]
    fn the_heading_of_a_tilted_body_at_rest_is_a_unit_vector() {
        let heading = |facing: Vec2| {
            let mut body = Kinematics::default();
            body.sense(Vec2::ZERO, Vec2::ZERO, || facing);
            body.heading
        };
        assert_eq!(heading(Vec2::new(0.5, 0.0)), Vec2::X);
        // Rounded, but as good as a unit vector.
        let rounded = Vec2::new(0.6, 0.800_000_1);
        assert_eq!(heading(rounded), rounded);
        for bad in [f32::NAN, f32::INFINITY] {
            assert_eq!(heading(Vec2::new(bad, 0.0)), Vec2::ZERO, "{bad}");
        }
    }

    #[test]
    fn a_vehicle_for_a_mass_accelerates_as_one_of_a_kilogram() {
        let light = Vehicle::default().with_radius(0.3);
        let heavy = light.for_mass(75.0);
        assert_eq!(heavy.max_force / 75.0, light.max_force);
        assert_eq!(heavy.for_mass(1.0), heavy);
        let field = light.for_mass(-1.0).check().unwrap_err().field;
        assert_eq!(field, "Vehicle.max_force");
    }

    #[test]
    fn limits_out_of_range_are_named() {
        for bad in [0.0, -1.0, f32::NAN, f32::INFINITY] {
            let vehicle = Vehicle {
                max_force: bad,
                ..default()
            };
            assert_eq!(vehicle.check().unwrap_err().field, "Vehicle.max_force");
        }
    }
}
