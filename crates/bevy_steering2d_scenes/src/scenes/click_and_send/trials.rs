//! The trials of the experiment: groups sent to the open, to a wall, into a corner, into a nook, onto a rock and
//! through a door, and two groups that swap places.

use bevy::prelude::*;
use bevy_rapier2d::prelude::*;
use bevy_steering2d::prelude::*;

use super::orders::Waypoints;
use super::tally::Tally;
use super::{Unit, spawn_wall, unit_radius};
use crate::arena::Arena;
use crate::experiment::{Experiment, advance};
use crate::in_scene::InScene;
use crate::lifecycle::SceneRandom;
use crate::lifecycle::restart_with;
use crate::report::Line;

/// Where a group is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Site {
    Open,
    Wall,
    Corner,
    Nook,
    Rock,
    Swap,
    Door,
}

impl Site {
    const ALL: [Self; 7] = [
        Self::Open,
        Self::Wall,
        Self::Corner,
        Self::Nook,
        Self::Rock,
        Self::Swap,
        Self::Door,
    ];

    fn name(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Wall => "wall",
            Self::Corner => "corner",
            Self::Nook => "nook",
            Self::Rock => "rock",
            Self::Swap => "swap",
            Self::Door => "door",
        }
    }

    fn target(self) -> Vec2 {
        match self {
            Self::Open => Vec2::new(11.0, -1.0),
            Self::Wall => Vec2::new(0.3, 4.5),
            Self::Corner => Vec2::new(14.2, 10.2),
            // Where two walls meet: room for twenty units, and not for a hundred.
            Self::Nook => Vec2::new(0.3, -2.7),
            Self::Rock => Vec2::new(8.0, 6.0),
            Self::Swap => NORTH,
            Self::Door => Vec2::new(8.0, -8.0),
        }
    }

    /// The sizes of the groups that are sent there.
    fn counts(self) -> &'static [usize] {
        match self {
            Self::Door => &[40],
            _ => &[20, 100],
        }
    }
}

/// Where the two groups that swap places stand, m.
const NORTH: Vec2 = Vec2::new(-8.0, 6.5);
const SOUTH: Vec2 = Vec2::new(-8.0, -6.5);
/// The middle of the door, m.
const DOOR: Vec2 = Vec2::new(-2.4, -4.3);
/// Its width, m.
const DOOR_WIDTH: f32 = 1.2;
/// Duration of a trial, ticks: also the last through the door have time to fall asleep.
const TICKS: u32 = 1_900;

pub(super) fn experiment(experiment: &Experiment) -> Vec<Line> {
    let trials = Site::ALL
        .into_iter()
        .flat_map(|site| site.counts().iter().map(move |&count| (count, site)));
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
        // They face each other in the free part of the arena.
        for (group, around) in units.chunks(count).zip([SOUTH, NORTH]) {
            line_up(world, group, around, unit_radius(all));
        }
    }
    if site == Site::Door {
        for side in [-1.0, 1.0] {
            let post = DOOR + 0.5 * side * DOOR_WIDTH * Vec2::Y;
            let end = Vec2::new(DOOR.x, side * Arena::USUAL.half_size.y);
            spawn_wall(world, Wall::new(post, end));
        }
    }
    advance(&mut app, 10);
    let world = app.world_mut();
    let positions: Vec<_> = units
        .iter()
        .map(|&unit| (unit, position(world, unit)))
        .collect();
    world.resource_mut::<Tally>().begin(&positions);
    if site == Site::Swap {
        order(world, &units[..count], NORTH);
        order(world, &units[count..], SOUTH);
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

/// Places units on a grid around a point, each up to a tenth of a radius beside its node.
fn line_up(world: &mut World, units: &[Entity], around: Vec2, radius: f32) {
    let rows = (units.len() as f32).sqrt().ceil() as usize;
    let step = 2.4 * radius;
    for (index, &unit) in units.iter().enumerate() {
        let cell = Vec2::new((index / rows) as f32, (index % rows) as f32);
        let random = &mut world.resource_mut::<SceneRandom>().0;
        let off = random.point_in(Rect::from_center_half_size(
            Vec2::ZERO,
            Vec2::splat(0.1 * radius),
        ));
        let place = around + step * (cell - 0.5 * (rows as f32 - 1.0)) + off;
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
    use std::ops::RangeInclusive;

    use super::*;
    use crate::headless;
    use crate::report::{Report, Value};
    use crate::scenes::click_and_send::SCENE;

    const SEEDS: RangeInclusive<u64> = 1..=6;

    /// What a trial must keep: the figure, and the least and the most it may be.
    fn bounds(site: Site) -> [(&'static str, f32, f32); 6] {
        let groups = if site == Site::Swap { 2.0 } else { 1.0 };
        // Units that queue come one after the other, and step aside meanwhile.
        let (late, way) = if site == Site::Door {
            (12.0, 1.7)
        } else {
            (5.0, 1.5)
        };
        [
            ("groups arrived", groups, groups),
            ("fastest unit", 0.0, 1.0),
            ("asleep", 100.0, 100.0),
            ("all at rest", 0.0, late),
            ("farthest unit", 0.0, 1.25),
            ("longest way", 0.0, way),
        ]
    }

    /// Runs a trial, and returns its figures as a line of a table and whether it keeps every bound.
    fn trial(seed: u64, count: usize, site: Site) -> (String, bool) {
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
        let figure = |what: &str| report.get(what).and_then(Value::number);
        let keeps = bounds(site)
            .map(|(what, least, most)| figure(what).is_some_and(|it| (least..=most).contains(&it)));
        let columns = ["median arrival"]
            .into_iter()
            .chain(bounds(site).map(|it| it.0));
        let columns: Vec<_> = columns
            .map(|what| format!("{what} {:.2}", figure(what).unwrap_or(f32::NAN)))
            .collect();
        let (name, columns) = (site.name(), columns.join(", "));
        (
            format!("{count} {name}, seed {seed}: {columns}"),
            keeps == [true; 6],
        )
    }

    /// Asserts that all trials of a site keep every bound.
    #[track_caller]
    fn assert_rest(site: Site, counts: &[usize], seeds: RangeInclusive<u64>) {
        let mut failed = Vec::new();
        for &count in counts {
            for seed in seeds.clone() {
                let (line, keeps) = trial(seed, count, site);
                println!("{line}{}", if keeps { "" } else { " !" });
                if !keeps {
                    failed.push(line);
                }
            }
        }
        assert!(failed.is_empty(), "{failed:#?}");
    }

    #[test]
    fn twenty_units_come_to_rest_close_together_wherever_they_are_sent() {
        for site in Site::ALL.into_iter().filter(|it| *it != Site::Door) {
            assert_rest(site, &[20], 1..=1);
        }
    }

    #[test]
    fn forty_units_queue_at_a_door_and_come_to_rest_behind_it() {
        assert_rest(Site::Door, &[40], 1..=1);
    }

    #[test]
    #[ignore = "takes a minute"]
    fn groups_come_to_rest_in_the_open() {
        assert_rest(Site::Open, Site::Open.counts(), SEEDS);
    }

    #[test]
    #[ignore = "takes a minute"]
    fn groups_come_to_rest_at_a_wall() {
        assert_rest(Site::Wall, Site::Wall.counts(), SEEDS);
    }

    #[test]
    #[ignore = "takes a minute"]
    fn groups_come_to_rest_in_a_corner() {
        assert_rest(Site::Corner, Site::Corner.counts(), SEEDS);
    }

    #[test]
    #[ignore = "takes a minute"]
    fn groups_come_to_rest_in_a_nook() {
        assert_rest(Site::Nook, &[20], SEEDS);
    }

    #[test]
    #[ignore = "takes a minute"]
    fn groups_come_to_rest_on_a_rock() {
        assert_rest(Site::Rock, Site::Rock.counts(), SEEDS);
    }

    #[test]
    #[ignore = "takes two minutes"]
    fn groups_that_swap_places_come_to_rest() {
        assert_rest(Site::Swap, Site::Swap.counts(), SEEDS);
    }

    #[test]
    #[ignore = "takes a minute"]
    fn groups_come_to_rest_behind_a_door() {
        assert_rest(Site::Door, Site::Door.counts(), SEEDS);
    }
}
