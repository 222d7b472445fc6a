//! The trials of the experiment: groups sent to the open, to a wall, into a corner, onto a rock, and two
//! groups that swap places.

use bevy::prelude::*;
use bevy_rapier2d::prelude::*;
use bevy_steering2d::prelude::*;

use super::tally::Tally;
use super::{Unit, Waypoints, unit_radius};
use crate::experiment::{Experiment, advance};
use crate::in_scene::InScene;
use crate::lifecycle::restart_with;
use crate::report::Line;

/// Where a group is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Site {
    Open,
    Wall,
    Corner,
    Rock,
    Swap,
}

impl Site {
    const ALL: [Self; 5] = [Self::Open, Self::Wall, Self::Corner, Self::Rock, Self::Swap];

    fn name(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Wall => "wall",
            Self::Corner => "corner",
            Self::Rock => "rock",
            Self::Swap => "swap",
        }
    }

    fn target(self) -> Vec2 {
        match self {
            Self::Open => Vec2::new(11.0, -1.0),
            Self::Wall => Vec2::new(0.3, 4.5),
            Self::Corner => Vec2::new(0.3, -2.7),
            Self::Rock => Vec2::new(8.0, 6.0),
            Self::Swap => Vec2::new(-9.0, 0.0),
        }
    }
}

/// Group sizes.
const COUNTS: [usize; 2] = [20, 100];
/// Duration of a trial, ticks.
const TICKS: u32 = 1_200;

pub(super) fn experiment(experiment: &Experiment) -> Vec<Line> {
    let trials = COUNTS
        .into_iter()
        .flat_map(|count| Site::ALL.map(|site| (count, site)));
    let lines = trials.flat_map(|(count, site)| {
        let name = format!("{count} units, {}", site.name());
        let lines = run(experiment, count, site);
        lines.into_iter().map(move |line| line.of(&name))
    });
    lines.collect()
}

fn run(experiment: &Experiment, count: usize, site: Site) -> Vec<Line> {
    let mut app = experiment.app(experiment.seed);
    let world = app.world_mut();
    world.remove_resource::<crate::Scripted>();
    let all = if site == Site::Swap { 2 * count } else { count };
    restart_with(world, experiment.seed, all);
    let units = units(world);
    if site == Site::Swap {
        // The other half faces the first one, on the other side of the free lower part of the arena.
        line_up(
            world,
            &units[..count],
            Vec2::new(-9.0, -8.0),
            unit_radius(all),
        );
        line_up(
            world,
            &units[count..],
            Vec2::new(9.0, -8.0),
            unit_radius(all),
        );
    }
    advance(&mut app, 10);
    let world = app.world_mut();
    let positions: Vec<_> = units
        .iter()
        .map(|&unit| (unit, position(world, unit)))
        .collect();
    world.resource_mut::<Tally>().begin(&positions);
    if site == Site::Swap {
        order(world, &units[..count], Vec2::new(9.0, -8.0));
        order(world, &units[count..], Vec2::new(-9.0, -8.0));
    } else {
        order(world, &units, site.target());
    }
    advance(&mut app, TICKS);
    app.world().resource::<Tally>().lines()
}

/// The units in the order they were spawned.
fn units(world: &mut World) -> Vec<Entity> {
    let mut units = world.query_filtered::<(Entity, &InScene), With<Unit>>();
    let mut units: Vec<_> = units
        .iter(world)
        .map(|(unit, it)| (it.order, unit))
        .collect();
    units.sort_unstable();
    units.into_iter().map(|(_, unit)| unit).collect()
}

fn position(world: &World, unit: Entity) -> Vec2 {
    let at = world.get::<Transform>(unit);
    at.map_or(Vec2::ZERO, |at| at.translation.truncate())
}

/// Places units on a grid around a point.
fn line_up(world: &mut World, units: &[Entity], around: Vec2, radius: f32) {
    let rows = (units.len() as f32).sqrt().ceil() as usize;
    let step = 2.4 * radius;
    for (index, &unit) in units.iter().enumerate() {
        let cell = Vec2::new((index / rows) as f32, (index % rows) as f32);
        let place = around + step * (cell - 0.5 * (rows as f32 - 1.0));
        if let Some(mut at) = world.get_mut::<Transform>(unit) {
            at.translation = place.extend(at.translation.z);
        }
        if let Some(mut velocity) = world.get_mut::<Velocity>(unit) {
            *velocity = Velocity::zero();
        }
    }
}

fn order(world: &mut World, units: &[Entity], target: Vec2) {
    let mut commands = world.commands();
    let order = commands.order_group(GroupArrive::new(target), units.iter().copied());
    commands
        .entity(order)
        .insert((InScene::default(), Waypoints::default()));
    world.flush();
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::headless;
    use crate::report::{Report, number};
    use crate::scenes::click_and_send::SCENE;

    /// Asserts that a trial keeps every bound.
    #[track_caller]
    fn assert_rest(seed: u64, count: usize, site: Site) {
        let experiment = Experiment {
            seed,
            ticks: 0,
            new_app: &|seed| headless::app(&SCENE, seed),
            report: SCENE.report,
        };
        let report = Report {
            scene: SCENE.name,
            seed,
            ticks: TICKS,
            lines: run(&experiment, count, site),
        };
        let of = |what: &str| number(&report, what);
        let name = site.name();
        assert_eq!(of("groups arrived"), 1.0, "{name}: {report}");
        assert!(of("fastest unit") < 1.0, "{name}: {report}");
        assert_eq!(of("asleep"), 100.0, "{name}: {report}");
        assert!(of("all at rest") <= 5.0, "{name}: {report}");
        assert!(of("farthest unit") <= 1.25, "{name}: {report}");
        assert!(of("longest way") <= 1.5, "{name}: {report}");
    }

    #[test]
    fn twenty_units_come_to_rest_close_together_wherever_they_are_sent() {
        for site in [Site::Open, Site::Wall, Site::Corner, Site::Rock] {
            assert_rest(1, 20, site);
        }
    }
}
