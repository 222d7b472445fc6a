//! Pedestrian: a bundle for people who walk along a path without colliding.

use bevy::prelude::*;

use super::{Headway, PathFollowing, ReciprocalAvoidance};
use crate::{Combine, RandomStream, SteeringGroups, Vehicle};

/// The behaviors and limits of a pedestrian: [`PathFollowing`], [`ReciprocalAvoidance`], a [`Vehicle`]
/// and a [`Combine`].
///
/// Use it for people in towns, stations and stadiums, in any number; insert the path of a pathfinder
/// beside it as a [`SteeringPath`](crate::SteeringPath), or spawn it with a `NavigateTo`, which then uses its
/// [`PathFollowing`]. For lanes on one broad road,
/// [`CrowdPathFollowing`](crate::CrowdPathFollowing) is cheaper.
///
/// [`PathFollowing`] gives the preferred velocity, [`ReciprocalAvoidance`] adjusts it so that the agent
/// does not collide, and [`WeightedSum`](crate::WeightedSum) keeps the adjustment exact. The forces of
/// further behaviors are adjusted as well.
///
/// ```
/// # use bevy::prelude::*;
/// # use bevy_steering2d_core::*;
/// # fn system(mut commands: Commands) {
/// let home = [(0.0, 0.0), (20.0, 0.0), (20.0, 15.0)].map(Vec2::from);
/// let path = SteeringPath::open(home).unwrap();
/// commands.spawn((PointMass::default(), Pedestrian::new(1.4), path));
/// # }
/// ```
///
/// It keeps its pace down to contact. For a crowd that is as slow and as dense as crowds of people, use
/// [`measured`](Self::measured).
///
/// Its force is that for a body of 1 kg. A Rapier body with a `ColliderMassProperties::Mass(75.0)` gets one
/// [for its mass](Self::for_mass):
///
/// ```
/// # use bevy_steering2d_core::*;
/// let person = Pedestrian::new(1.4).for_mass(75.0);
/// assert_eq!(person.vehicle.max_force, 450.0); // 6 m/s²
/// ```
///
/// To tune a part, such as the [`Vehicle`], set it in the bundle: Bevy panics when a component comes
/// twice in one spawn.
///
/// ```
/// # use bevy_steering2d_core::*;
/// let mut person = Pedestrian::default();
/// person.vehicle.max_speed = 1.8;
/// ```
#[derive(Bundle, Clone, Copy, Debug, PartialEq)]
pub struct Pedestrian {
    /// Follows the path at a pace of 1.3 m/s by default.
    pub path_following: PathFollowing,
    /// Avoids collisions with neighbors.
    pub reciprocal_avoidance: ReciprocalAvoidance,
    /// The limits: 2.6 m/s, and 6 N, which is 6 m/s² for a body of 1 kg. Heavier bodies need more
    /// force, see [`for_mass`](Self::for_mass).
    pub vehicle: Vehicle,
    /// The forces of all behaviors are added up.
    pub combine: Combine,
}

impl Pedestrian {
    /// A corner of the path is reached within this distance, m.
    const TOLERANCE: f32 = 0.3;

    /// Radius of the body of a person who is [measured](Self::measured), m: people stand up to 5.4 per m²
    /// (Weidmann 1992), a disc of this radius up to 7.2.
    pub const RADIUS: f32 = 0.2;

    /// Clearance of a person who is measured, m: five people per m² have no room for the default.
    const MEASURED_MARGIN: f32 = 0.02;

    /// A person calibrated to measurements of real crowds: it has the radius of a person, and slows down as
    /// the neighbor ahead gets nearer ([`Headway`]). For evacuations, stations and stadiums.
    ///
    /// People differ: draw the pace of each by [`desired_speed`](Self::desired_speed). To model a reaction
    /// time, keep [`SteeringDisabled`](crate::SteeringDisabled) on a person until it starts to walk.
    ///
    /// ```
    /// # use bevy::prelude::*;
    /// # use bevy_steering2d_core::*;
    /// # fn system(mut commands: Commands) {
    /// let mut random = RandomStream::new(7, SteeringId(0), 0);
    /// for row in 0..10 {
    ///     let start = Vec2::new(0.0, row as f32);
    ///     let path = SteeringPath::open([start, start + 40.0 * Vec2::X]).unwrap();
    ///     let person = Pedestrian::measured(Pedestrian::desired_speed(&mut random));
    ///     let at = Transform::from_translation(start.extend(0.0));
    ///     commands.spawn((PointMass::default(), at, person, path));
    /// }
    /// # }
    /// ```
    ///
    /// The radius counts for steering. A Rapier body gets a collider as wide, `Collider::ball(Pedestrian::RADIUS)`. That
    /// weighs 0.13 kg: add `ColliderMassProperties::Mass(1.0)`, for which the force of 6 N is meant, or the mass of a person, and
    /// take the two apart for [`for_mass`](Self::for_mass).
    ///
    /// To tune a part, take the two apart: `let (mut person, headway) = Pedestrian::measured(1.3);`.
    pub fn measured(pace: f32) -> (Self, Headway) {
        let mut pedestrian = Self::new(pace);
        pedestrian.vehicle.radius = Some(Self::RADIUS);
        pedestrian.reciprocal_avoidance.margin = Self::MEASURED_MARGIN;
        (pedestrian, Headway::default())
    }

    /// The desired speed of some person, m/s: normally distributed, 1.34 ± 0.26, at most two deviations
    /// from the mean (Weidmann 1992).
    pub fn desired_speed(random: &mut RandomStream) -> f32 {
        // The sum of twelve is normally distributed with the deviation 1 but for its tails.
        let deviations: f32 = (0..12).map(|_| random.unit() - 0.5).sum();
        1.34 + 0.26 * deviations.clamp(-2.0, 2.0)
    }

    /// Walks at this pace, m/s, `≥ 0`; at most at the `max_speed` of its vehicle, 2.6, unless you raise that. At 0 it stands.
    pub fn new(pace: f32) -> Self {
        Self {
            path_following: PathFollowing::default()
                .with_waypoints(Self::TOLERANCE)
                .with_pace(pace),
            reciprocal_avoidance: ReciprocalAvoidance::default(),
            vehicle: Vehicle::new(2.6, 6.0),
            combine: Combine::WEIGHTED_SUM,
        }
    }

    /// For a body of this mass, kg, `> 0`, which accelerates as one of 1 kg does otherwise; see [`Vehicle::for_mass`].
    #[must_use]
    pub fn for_mass(mut self, mass: f32) -> Self {
        self.vehicle = self.vehicle.for_mass(mass);
        self
    }

    /// Only neighbors of these groups are avoided. The [`Headway`] of a person who is measured has groups of its own.
    #[must_use]
    pub fn with_groups(mut self, groups: SteeringGroups) -> Self {
        self.reciprocal_avoidance = self.reciprocal_avoidance.with_groups(groups);
        self
    }
}

impl Default for Pedestrian {
    fn default() -> Self {
        Self::new(1.3)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SteeringId;

    #[test]
    fn a_pedestrian_for_a_mass_differs_in_its_force_only() {
        let light = Pedestrian::new(1.4);
        let mut heavy = light.for_mass(75.0);
        assert_eq!(heavy.vehicle.max_force, 450.0);
        heavy.vehicle.max_force = light.vehicle.max_force;
        assert_eq!(heavy, light);
    }

    #[test]
    fn desired_speeds_have_the_published_mean_and_range() {
        let mut random = RandomStream::new(1, SteeringId(0), 0);
        let speeds: Vec<f32> = (0..10_000)
            .map(|_| Pedestrian::desired_speed(&mut random))
            .collect();
        let mean = speeds.iter().sum::<f32>() / 1e4;
        let variance = speeds
            .iter()
            .map(|it| (it - mean) * (it - mean))
            .sum::<f32>()
            / 1e4;
        assert!((mean - 1.34).abs() < 0.01, "{mean}");
        // 0.26, less the tails beyond two deviations.
        assert!((variance.sqrt() - 0.25).abs() < 0.02, "{variance}");
        assert!(speeds.iter().all(|speed| (0.82..=1.86).contains(speed)));
    }
}
