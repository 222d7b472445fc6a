//! What is measured: how far agents are from their circles, and how evenly the drones are spread.

use bevy::prelude::*;

use super::Options;
use super::orbiters::{Boss, DRONES, Orbiter};
use crate::lifecycle::CurrentScene;
use crate::report::{Extent, Line, Mean};

/// Ticks after which all should be on their circles, and the drones spread.
pub(super) const SETTLE: u32 = 64 * 15;

#[derive(Resource, Clone, Default)]
pub(super) struct Tally {
    /// By kind: the distance from the circle, m.
    errors: [Extent; Orbiter::ALL.len()],
    /// The smallest angle between two drones that are next to each other, °.
    gap: Mean,
}

pub(super) fn keep_tally(
    current: Res<CurrentScene>,
    options: Res<Options>,
    boss: Single<&Transform, With<Boss>>,
    orbiters: Query<(&Orbiter, &Transform)>,
    mut tally: ResMut<Tally>,
) {
    if current.since(options.since) < SETTLE {
        return;
    }
    let boss = boss.translation.truncate();
    let mut bearings = Vec::new();
    for (orbiter, at) in &orbiters {
        let offset = at.translation.truncate() - orbiter.center(boss, options.post);
        let error = (offset.length() - orbiter.radius()).abs();
        tally.errors[*orbiter as usize].add(error);
        if *orbiter == Orbiter::Drone {
            bearings.push(offset.to_angle().to_degrees());
        }
    }
    tally.gap.add(smallest_gap(bearings));
}

/// The smallest angle between two bearings, °.
fn smallest_gap(mut bearings: Vec<f32>) -> f32 {
    bearings.sort_unstable_by(f32::total_cmp);
    let first_again = bearings.first().map(|first| first + 360.0);
    let next = bearings.iter().skip(1).copied().chain(first_again);
    let gaps = bearings.iter().zip(next).map(|(this, next)| next - *this);
    gaps.fold(360.0, f32::min)
}

pub(super) fn report(world: &World) -> Vec<Line> {
    let tally = world.resource::<Tally>();
    let errors = Orbiter::ALL.map(|orbiter| {
        let largest = tally.errors[orbiter as usize].largest();
        Line::new("largest error", largest, "m").of(orbiter.name())
    });
    let even = format!("° of {}", 360 / DRONES);
    let gap = Line::new("smallest gap", tally.gap.get(), even).of(Orbiter::Drone.name());
    errors.into_iter().chain([gap]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_smallest_gap_may_be_across_a_half_turn() {
        assert_eq!(smallest_gap(vec![170.0, 0.0, -90.0, -175.0]), 15.0);
        assert_eq!(smallest_gap(vec![-120.0, 120.0, 0.0]), 120.0);
    }
}
