//! A crowd without a window: people, walls, ways, and periodic worlds.

use std::f32::consts::TAU;
use std::num::NonZeroUsize;

use bevy::math::ops;
use bevy::prelude::*;
use bevy_steering2d::Intent;
use bevy_steering2d::navigation::GoalField;
use bevy_steering2d::prelude::*;
pub use bevy_steering2d_steerbench::TICK;
use bevy_steering2d_steerbench::headless;

/// Radius of a body, m.
pub const RADIUS: f32 = Pedestrian::RADIUS;
/// The mean of Weidmann (1992), m/s.
pub const PACE: f32 = 1.34;
/// Ticks between two plans of the same person.
const REPLAN: u32 = 8;
/// How far paths lead people who walk on and on, m.
pub const ON_AND_ON: f32 = 1_000.0;

/// A person of a scenario.
#[derive(Clone, Copy, Debug)]
pub struct Person {
    pub start: Vec2,
    /// Unit vector in which it starts to walk.
    pub ahead: Vec2,
    /// Desired speed, m/s.
    pub pace: f32,
    /// When it starts to walk, s.
    pub reaction: f32,
}

impl Person {
    pub fn new(start: Vec2, ahead: Vec2) -> Self {
        Self {
            start,
            ahead,
            pace: PACE,
            reaction: 0.0,
        }
    }

    pub fn with_pace(self, pace: f32) -> Self {
        Self { pace, ..self }
    }
}

/// Where a person is.
#[derive(Clone, Copy, Debug)]
pub struct Seen {
    /// Number of the person, in the order they came.
    pub person: usize,
    pub position: Vec2,
    pub velocity: Vec2,
}

/// The number of a person.
#[derive(Component, Clone, Copy)]
struct Number(usize);

/// A copy of a person beyond an end of the world; steering does not tell it from the person.
#[derive(Component)]
struct Image {
    of: Entity,
    /// Along which axes it is moved by a period.
    along: BVec2,
}

pub struct Crowd {
    app: App,
    people: Vec<Entity>,
    /// Those who wait, by number, and the tick in which each starts to walk.
    waiting: Vec<(usize, u32)>,
    /// Length of the world along each axis after which it repeats, m; zero if it does not.
    period: Vec2,
    ticks: u32,
}

impl Crowd {
    pub fn new() -> Self {
        Self::repeating(Vec2::ZERO)
    }

    /// A world from zero to `period` m that goes on at its other end: along an axis with a period of
    /// zero it does not. A period is at least twice the perception radius.
    pub fn repeating(period: Vec2) -> Self {
        Self {
            app: headless::app(NonZeroUsize::MIN, |_| {}),
            people: Vec::new(),
            waiting: Vec::new(),
            period,
            ticks: 0,
        }
    }

    pub fn wall(&mut self, from: impl Into<Vec2>, to: impl Into<Vec2>) {
        self.app
            .world_mut()
            .spawn(Wall::new(from.into(), to.into()));
    }

    /// Walls from point to point.
    pub fn walls<const N: usize>(&mut self, points: [(f32, f32); N]) {
        for pair in points.windows(2) {
            self.wall(pair[0], pair[1]);
        }
    }

    /// Adds a person who walks straight on, until [`guide`](Self::guide) gives another way.
    pub fn add(&mut self, person: Person) {
        let Person { start, ahead, .. } = person;
        let pedestrian = Pedestrian::measured(person.pace);
        let entity = self.add_body(start, Vec2::ZERO, (pedestrian, straight(start, ahead)));
        if person.reaction > 0.0 {
            let ticks = (person.reaction / TICK).round() as u32;
            self.waiting.push((self.people.len() - 1, ticks));
            self.app
                .world_mut()
                .entity_mut(entity)
                .insert(SteeringDisabled);
        }
    }

    /// Adds a point mass with behaviors, as a person.
    pub fn add_body(&mut self, at: Vec2, velocity: Vec2, behaviors: impl Bundle) -> Entity {
        let number = Number(self.people.len());
        let body = PointMass {
            velocity,
            ..default()
        };
        let at = Transform::from_translation(at.extend(0.0));
        let world = self.app.world_mut();
        let entity = world.spawn((number, at, body, behaviors)).id();
        let vehicle = *world.entity(entity).get::<Vehicle>().expect("an agent");
        let periodic = self.period.cmpgt(Vec2::ZERO);
        for along in [
            BVec2::new(true, false),
            BVec2::new(false, true),
            BVec2::TRUE,
        ] {
            if along & periodic == along {
                let image = Image { of: entity, along };
                world.spawn((image, at, body, vehicle, Intent::default()));
            }
        }
        self.people.push(entity);
        entity
    }

    /// Runs one tick.
    pub fn tick(&mut self) {
        self.waiting.retain(|&(person, ticks)| {
            let waits = self.ticks < ticks;
            if !waits {
                let entity = self.people[person];
                let world = self.app.world_mut();
                world.entity_mut(entity).remove::<SteeringDisabled>();
            }
            waits
        });
        if self.period != Vec2::ZERO {
            self.wrap();
        }
        headless::tick(&mut self.app);
        self.ticks += 1;
    }

    /// Runs `seconds` of ticks and calls `each` after each of them.
    pub fn run(&mut self, seconds: f32, mut each: impl FnMut(&mut Self)) {
        for _ in 0..(seconds / TICK).round() as u32 {
            self.tick();
            each(self);
        }
    }

    /// Time since the start, s.
    pub fn time(&self) -> f32 {
        self.ticks as f32 * TICK
    }

    /// Brings those back who left the world at one end, and moves the images.
    fn wrap(&mut self) {
        let period = self.period;
        let world = self.app.world_mut();
        let mut people =
            world.query_filtered::<(&mut Transform, Option<&mut SteeringPath>), With<Number>>();
        for (mut at, path) in people.iter_mut(world) {
            let position = at.translation.truncate();
            let shift = -wrapped(position, period);
            if shift == Vec2::ZERO {
                continue;
            }
            at.translation += shift.extend(0.0);
            if let Some(mut path) = path {
                let end = path.points().last().copied().unwrap_or_default();
                *path = straight(position + shift, (end - position).normalize_or_zero());
            }
        }
        let mut bodies = world.query::<(&Transform, &PointMass, Option<&Intent>)>();
        let mut images = world.query::<(Entity, &Image)>();
        let moved: Vec<_> = images
            .iter(world)
            .filter_map(|(image, of)| {
                let (at, body, intent) = bodies.get(world, of.of).ok()?;
                let position = at.translation.truncate();
                // To the nearer end, where it is seen.
                let sides = Vec2::select(position.cmplt(0.5 * period), Vec2::ONE, Vec2::NEG_ONE);
                let shift = Vec2::select(of.along, sides * period, Vec2::ZERO);
                Some((image, position + shift, *body, intent.copied()))
            })
            .collect();
        for (image, position, body, intent) in moved {
            let at = Transform::from_translation(position.extend(0.0));
            let mut image = world.entity_mut(image);
            image.insert((at, body));
            if let Some(intent) = intent {
                image.insert(intent);
            }
        }
    }

    /// Those who are still there, in the order they came.
    pub fn seen(&mut self) -> Vec<Seen> {
        let world = self.app.world_mut();
        let mut query = world.query::<(&Number, &Transform, &PointMass)>();
        let mut seen: Vec<_> = query
            .iter(world)
            .map(|(number, at, body)| Seen {
                person: number.0,
                position: at.translation.truncate(),
                velocity: body.velocity,
            })
            .collect();
        seen.sort_by_key(|seen| seen.person);
        seen
    }

    /// Plans the ways again: each person's every 0.4 s.
    pub fn guide(&mut self, way: impl Fn(usize, Vec2) -> Vec<Vec2>) {
        for Seen {
            person, position, ..
        } in self.seen()
        {
            if !(person as u32 + self.ticks).is_multiple_of(REPLAN) && self.ticks > 1 {
                continue;
            }
            let points = std::iter::once(position).chain(way(person, position));
            if let Ok(path) = SteeringPath::open(points) {
                let entity = self.people[person];
                self.app.world_mut().entity_mut(entity).insert(path);
            }
        }
    }

    /// Lets all people follow a flow field, each at the desired speed, instead of a path.
    pub fn follow_field(&mut self, field: GoalField) {
        let world = self.app.world_mut();
        let field = world.spawn(field).id();
        for &person in &self.people {
            let mut person = world.entity_mut(person);
            let path = person.take::<PathFollowing>();
            let pace = path.and_then(|it| it.pace);
            person.insert(FlowFieldFollowing {
                pace,
                ..FlowFieldFollowing::new(field)
            });
        }
    }

    /// Removes those for whom `left` holds, with their images, and returns where they were.
    pub fn leave(&mut self, left: impl Fn(&Seen) -> bool) -> Vec<Seen> {
        let gone: Vec<Seen> = self.seen().into_iter().filter(|it| left(it)).collect();
        for seen in &gone {
            let person = self.people[seen.person];
            let world = self.app.world_mut();
            let mut images = world.query::<(Entity, &Image)>();
            let images = images.iter(world).filter(|(_, it)| it.of == person);
            let images: Vec<Entity> = images.map(|(image, _)| image).collect();
            for entity in images.into_iter().chain([person]) {
                world.despawn(entity);
            }
        }
        gone
    }

    /// Changes the velocity of every person.
    pub fn change_velocities(&mut self, mut change: impl FnMut(Vec2) -> Vec2) {
        let world = self.app.world_mut();
        let mut bodies: Vec<_> = world
            .query::<(&Number, &mut PointMass)>()
            .iter_mut(world)
            .collect();
        bodies.sort_by_key(|(number, _)| number.0);
        for (_, mut body) in bodies {
            body.velocity = change(body.velocity);
        }
    }
}

/// How far a point is beyond the world, in whole periods.
fn wrapped(point: Vec2, period: Vec2) -> Vec2 {
    let periods = (point / period.max(Vec2::splat(f32::MIN_POSITIVE))).floor();
    Vec2::select(period.cmpgt(Vec2::ZERO), periods * period, Vec2::ZERO)
}

/// The offset from one point to the nearest image of another.
pub fn nearest_offset(from: Vec2, to: Vec2, period: Vec2) -> Vec2 {
    let offset = to - from;
    offset - wrapped(offset + 0.5 * period, period)
}

fn straight(from: Vec2, ahead: Vec2) -> SteeringPath {
    SteeringPath::open([from, from + ON_AND_ON * ahead]).expect("two points")
}

/// Places for so many people in an area, on a hexagonal grid with random shifts that leave a gap between
/// bodies.
pub fn places(area: Rect, people: usize, random: &mut RandomStream) -> Vec<Vec2> {
    let grid = Grid::for_people(area, people);
    grid.places(people, 0.0, random)
}

/// As [`places`], but the number of rows and where they lie across the area are random, too.
pub fn scattered_places(area: Rect, people: usize, random: &mut RandomStream) -> Vec<Vec2> {
    let usual = Grid::for_people(area, people);
    let fewer_and_more = [-1.0, 1.0].map(|more| Grid::with_rows(area, people, usual.rows + more));
    let others = fewer_and_more.into_iter().filter(Grid::keeps_bodies_apart);
    let grids: Vec<Grid> = std::iter::once(usual).chain(others).collect();
    let drawn = (random.unit() * grids.len() as f32) as usize;
    let across = random.signed_unit();
    grids[drawn.min(grids.len() - 1)].places(people, across, random)
}

/// A hexagonal grid that fills an area.
struct Grid {
    area: Rect,
    columns: f32,
    rows: f32,
}

impl Grid {
    /// The widest grid with a cell for each of so many people.
    fn for_people(area: Rect, people: usize) -> Self {
        let size = area.size();
        let mut spacing = (size.x * size.y / people.max(1) as f32 / HEXAGONAL).sqrt();
        loop {
            let columns = (size.x / spacing).floor().max(1.0);
            let rows = (size.y / (HEXAGONAL * spacing)).floor().max(1.0);
            if (columns * rows) as usize >= people {
                return Self {
                    area,
                    columns,
                    rows,
                };
            }
            spacing *= 0.99;
        }
    }

    /// The grid with so many rows, one at least, and as few columns as people need.
    fn with_rows(area: Rect, people: usize, rows: f32) -> Self {
        let rows = rows.max(1.0);
        Self {
            area,
            columns: (people as f32 / rows).ceil().max(1.0),
            rows,
        }
    }

    /// From a cell to the next of its row, and to the next row, m.
    fn step(&self) -> Vec2 {
        self.area.size() / Vec2::new(self.columns, self.rows)
    }

    /// Whether bodies in all cells have a gap between them.
    fn keeps_bodies_apart(&self) -> bool {
        let Vec2 { x, y } = self.step();
        x.min(Vec2::new(0.5 * x, y).length()) >= 2.0 * RADIUS + GAP
    }

    /// Places in random cells. `across` of -1 and 1 moves all rows up to the one and the other side of the
    /// area.
    fn places(&self, people: usize, across: f32, random: &mut RandomStream) -> Vec<Vec2> {
        let (columns, step) = (self.columns as usize, self.step());
        let play = 0.5 * (step.x.min(step.y / HEXAGONAL) - 2.0 * RADIUS - GAP).max(0.0);
        let across = 0.5 * across * (step.y - play) * Vec2::Y;
        let mut all: Vec<Vec2> = (0..columns * self.rows as usize)
            .map(|index| {
                let (column, row) = (index % columns, index / columns);
                let shift = if row % 2 == 0 { 0.25 } else { 0.75 };
                let cell = Vec2::new(column as f32 + shift, row as f32 + 0.5);
                let shift = 0.5 * play * Vec2::new(random.signed_unit(), random.signed_unit());
                self.area.min + step * cell + across + shift
            })
            .collect();
        // Which cells stay empty is random.
        while all.len() > people {
            let index = (random.unit() * all.len() as f32) as usize;
            all.swap_remove(index.min(all.len() - 1));
        }
        all
    }
}

/// The least gap between bodies at the start, m.
const GAP: f32 = 0.02;
/// Distance of two rows of a hexagonal grid, in distances of two columns.
const HEXAGONAL: f32 = 0.866_025_4;

/// Random numbers of a scenario.
pub fn random(seed: u64) -> RandomStream {
    RandomStream::new(seed, SteeringId(0), 0x7065_6f70_6c65)
}

/// A number of the normal distribution with the mean 0 and the deviation 1 (Box and Muller 1958).
pub fn normal(random: &mut RandomStream) -> f32 {
    let radius = (-2.0 * ops::ln(1.0 - random.unit())).sqrt();
    radius * ops::cos(TAU * random.unit())
}

#[cfg(test)]
mod tests;
