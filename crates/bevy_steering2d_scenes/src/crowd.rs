//! People among people: what they look like, and who runs into whom.

use std::collections::BTreeSet;

use bevy::prelude::*;
use bevy_rapier2d::prelude::*;
use bevy_steering2d::RandomStream;
use bevy_steering2d::prelude::*;

use crate::bodies::ghostly;
use crate::look::{Look, Shape};
use crate::stage::InScene;

/// A person as a scene wants it.
pub(crate) struct Person {
    pub(crate) name: &'static str,
    /// m
    pub(crate) position: Vec2,
    /// m/s; also where it looks at first.
    pub(crate) velocity: Vec2,
    /// m
    pub(crate) radius: f32,
    pub(crate) color: Color,
    pub(crate) vehicle: Vehicle,
    /// Whether others bump into it. Those who are not go right through each other, so that
    /// nothing but steering keeps them apart.
    pub(crate) solid: bool,
}

impl Person {
    /// A round body of 1 kg, so that newtons read as m/s², that looks where it goes.
    pub(crate) fn bundle(self) -> impl Bundle {
        let rotation = Quat::from_rotation_z(self.velocity.to_angle());
        let groups = if self.solid {
            CollisionGroups::default()
        } else {
            ghostly()
        };
        (
            (Name::new(self.name), InScene::default()),
            Transform::from_translation(self.position.extend(0.0)).with_rotation(rotation),
            (
                RigidBody::Dynamic,
                Collider::ball(self.radius),
                ColliderMassProperties::Mass(1.0),
                Friction::coefficient(0.0),
                Velocity::linear(self.velocity),
                groups,
            ),
            (self.vehicle, FaceVelocity::default()),
            Look {
                shape: Shape::person(self.radius),
                color: self.color,
                layer: 1.0,
            },
        )
    }
}

/// A random place in an area at least `apart` m from all the others; after many draws the
/// loneliest will do.
pub(crate) fn free_place(
    area: Rect,
    others: &[Vec2],
    apart: f32,
    random: &mut RandomStream,
) -> Vec2 {
    const DRAWS: usize = 64;
    let mut best = (-1.0, area.center());
    for _ in 0..DRAWS {
        let place = random.point_in(area);
        let distances = others.iter().map(|other| other.distance_squared(place));
        let solitude = distances.fold(f32::INFINITY, f32::min).sqrt();
        if solitude >= apart {
            return place;
        }
        if solitude > best.0 {
            best = (solitude, place);
        }
    }
    best.1
}

/// A body as [`Bumps`] sees it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Round {
    pub(crate) entity: Entity,
    /// m
    pub(crate) center: Vec2,
    /// m
    pub(crate) radius: f32,
}

impl Round {
    pub(crate) fn new(entity: Entity, at: &Transform, radius: f32) -> Self {
        Self {
            entity,
            center: at.translation.truncate(),
            radius,
        }
    }
}

/// Who touches whom, how often that began, and how deep it went. What the first look finds does
/// not count: nobody walked into it.
#[derive(Debug, Default)]
pub(crate) struct Bumps {
    /// Pairs in touch, the smaller entity first.
    now: BTreeSet<(Entity, Entity)>,
    watching: bool,
    /// How many touches have begun.
    pub(crate) begun: u32,
    /// The deepest overlap so far, as a share of the smaller radius.
    pub(crate) deepest: f32,
}

impl Bumps {
    /// A touch is over when there is this much room between them, m: who leans on somebody has
    /// bumped into him once.
    const OVER: f32 = 0.05;

    /// Looks at everybody, in any order.
    pub(crate) fn watch(&mut self, mut bodies: Vec<Round>) {
        bodies.sort_by(|a, b| a.center.x.total_cmp(&b.center.x));
        let widest = bodies.iter().map(|it| it.radius).fold(0.0, f32::max);
        let mut now = BTreeSet::new();
        for (i, a) in bodies.iter().enumerate() {
            let reach = a.radius + widest + Self::OVER;
            let near = bodies[i + 1..]
                .iter()
                .take_while(|b| b.center.x - a.center.x < reach);
            for b in near {
                let pair = (a.entity.min(b.entity), a.entity.max(b.entity));
                let gap = a.center.distance(b.center) - a.radius - b.radius;
                if self.watching {
                    self.deepest = self.deepest.max(-gap / a.radius.min(b.radius));
                }
                if gap < 0.0 || gap < Self::OVER && self.now.contains(&pair) {
                    now.insert(pair);
                }
            }
        }
        if self.watching {
            self.begun += now.difference(&self.now).count() as u32;
        }
        self.watching = true;
        self.now = now;
    }

    /// How many touches each of so many has had; each hurts two.
    pub(crate) fn for_each_of(&self, people: usize) -> f32 {
        2.0 * self.begun as f32 / people as f32
    }

    /// Everybody who is in touch with anybody.
    pub(crate) fn touching(&self) -> BTreeSet<Entity> {
        self.now.iter().flat_map(|&(a, b)| [a, b]).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bevy_steering2d::SteeringId;

    #[test]
    fn a_touch_counts_once_until_it_is_over() {
        let mut world = World::new();
        let [a, b] = [world.spawn_empty().id(), world.spawn_empty().id()];
        let mut bumps = Bumps::default();
        let mut at = |gap: f32| {
            let round = |entity, x| Round {
                entity,
                center: Vec2::new(x, 0.0),
                radius: 0.5,
            };
            bumps.watch(vec![round(b, 1.0 + gap), round(a, 0.0)]);
            (bumps.begun, bumps.touching().contains(&a))
        };
        assert_eq!(at(-0.1), (0, true), "nobody walked into this one");
        assert_eq!(at(0.2), (0, false));
        assert_eq!(at(-0.01), (1, true));
        assert_eq!(at(0.01), (1, true), "still leaning on each other");
        assert_eq!(at(-0.01), (1, true));
        assert_eq!(at(0.1), (1, false));
        assert_eq!(at(-0.01), (2, true));
        assert!((bumps.deepest - 0.02).abs() < 1e-5, "{}", bumps.deepest);
    }

    #[test]
    fn free_places_keep_their_distance_while_there_is_room() {
        let mut random = RandomStream::new(1, SteeringId(0), 0);
        let area = Rect::new(0.0, 0.0, 10.0, 10.0);
        let mut places = Vec::new();
        for _ in 0..20 {
            let place = free_place(area, &places, 1.0, &mut random);
            assert!(places.iter().all(|it: &Vec2| it.distance(place) >= 1.0));
            places.push(place);
        }
    }
}
