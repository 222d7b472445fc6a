//! How often the hunter finds the hiders, and how well they are covered.

use bevy::prelude::*;
use bevy_steering2d::prelude::*;

use super::{Hider, Hunter, RADIUS};
use crate::contacts::Contacts;
use crate::props::{self, Rock};
use crate::report::{Line, Mean};

/// Measurements.
#[derive(Resource, Clone)]
pub(super) struct Tally {
    rocks: Contacts<Entity>,
    /// Share of the hunter's time, `0..=1`.
    chasing: Mean,
    /// Distance from the hiders to the hunter, m.
    distance: Mean,
    /// Position and tick of the last catch.
    pub(super) last_catch: Option<(Vec2, u32)>,
}

impl Default for Tally {
    fn default() -> Self {
        Self {
            rocks: Contacts::overlapping(),
            chasing: Mean::default(),
            distance: Mean::default(),
            last_catch: None,
        }
    }
}

pub(super) fn keep_tally(
    mut tally: ResMut<Tally>,
    rocks: Query<(&Transform, &Rock)>,
    hunter: Single<(&Hunter, &Transform), Without<Hider>>,
    hiders: Query<(Entity, &Transform), With<Hider>>,
) {
    let rocks = props::circles(rocks);
    for (hider, at) in &hiders {
        let gap = props::clearance_to(at.translation.truncate(), &rocks) - RADIUS;
        tally.rocks.observe(hider, gap, RADIUS);
        tally
            .distance
            .add(hunter.1.translation.distance(at.translation));
    }
    let chasing = *hunter.0 != Hunter::Strolling;
    tally.chasing.note(chasing);
}

pub(super) fn report(world: &World) -> Vec<Line> {
    let tally = world.resource::<Tally>();
    let Some(mut hiders) = world.try_query::<(&SteeringId, &Hider)>() else {
        return Vec::new();
    };
    let mut hiders: Vec<_> = hiders.iter(world).collect();
    hiders.sort_unstable_by_key(|(id, _)| **id);
    let of_all = |which: fn(&Hider) -> Mean| {
        let each = hiders.iter().map(|(_, hider)| which(hider));
        each.fold(Mean::default(), Mean::plus).percent()
    };
    let catches: u32 = hiders.iter().map(|(_, hider)| hider.catches).sum();
    let changes: u32 = hiders.iter().map(|(_, hider)| hider.changes).sum();
    let hiding: f32 = hiders.iter().map(|(_, hider)| hider.hiding).sum();
    let changes_per_minute = (hiding > 0.0).then(|| 60.0 * changes as f32 / hiding);
    let mut lines = vec![
        Line::new("caught", catches, "times"),
        Line::new("unseen", of_all(|hider| hider.unseen), "% of the time"),
        Line::new(
            "covered in range",
            of_all(|hider| hider.covered),
            "% of the time",
        ),
        Line::new("from the hunter", tally.distance.get(), "m"),
        Line::new("changes of rock", changes_per_minute, "a minute of hiding"),
        Line::new("hunter chases", tally.chasing.percent(), "% of the time"),
        Line::new(
            "deepest in a rock",
            tally.rocks.deepest(),
            "% of the radius",
        ),
    ];
    lines.extend(hiders.iter().enumerate().map(|(number, (_, hider))| {
        let unit = format!("%, caught {}", hider.catches);
        Line::new(
            format!("hider {} unseen", number + 1),
            hider.unseen.percent(),
            unit,
        )
    }));
    lines
}
