//! Fish in two ponds, with and without [`TargetSpeed`].
//!
//! [`Separation`] and [`Containment`] ask for no speed: they take it away at the edge, and where fish meet. So fish that have
//! nothing else lose their speed, and what a fright gives them as well. `TargetSpeed` brings the fish of the other pond back
//! to theirs. Both begin with the same fish, and are frightened at the same places.

mod pond;
mod tally;

use bevy::prelude::*;
use bevy_rapier2d::prelude::*;
use bevy_steering2d::prelude::*;

use pond::{POND, Pond};
use tally::{Tally, keep_tally, report};

use crate::arena::Arena;
use crate::bodies::{Animal, enable, pass_through, recolor};
use crate::in_scene::InScene;
use crate::input::Presses;
use crate::lifecycle::{CurrentScene, SceneRandom, SceneSystemsExt, agent_count, playing};
use crate::look::{Look, Shape};
use crate::placement::spot_in;
use crate::scene::{Crowd, Scene, SceneKey};
use crate::snapshots::SceneSnapshotExt;
use crate::{overlay, palette};

pub(crate) const SCENE: Scene = Scene {
    name: "cruising",
    title: "Cruising fish",
    help: "The fish of both ponds keep apart and inside, which asks for no speed. Those on the left also \
           have a target speed of 2 m/s. A fright makes all that are near flee as fast as they \
           can; then those on the left soon cruise again, while those on the right keep what the \
           edge and the others leave them. Red fish are fast, gray ones hardly move.",
    keys: &[SceneKey::new('t', "Target speed")],
    chosen: |world| {
        let on = world.resource::<Options>().target_speed;
        on.then_some('t').into_iter().collect()
    },
    mouse: "Click to frighten the fish of both ponds at the same place.",
    crowd: Crowd::new(12, 40, 80),
    arena: Arena::USUAL,
    build,
    build_overlay,
    setup,
    script,
    report,
    experiment: |_| Vec::new(),
};

/// The speed at which fish cruise, and with which all begin, m/s.
const CRUISE: f32 = 2.0;
/// A fish hardly moves, or is fast, below and above this share of it.
const HARDLY: f32 = 0.4;
const FAST: f32 = 1.3;
/// Fish flee within this distance of a fright, m, for so many ticks.
const PANIC: f32 = 6.0;
const FRIGHT: u32 = 64;

/// Options set by the user.
#[derive(Resource, Clone, Copy, Debug)]
struct Options {
    target_speed: bool,
}

/// The last fright: where it was, from the center of a pond, m, and its tick.
#[derive(Resource, Clone, Copy, Debug, Default)]
struct Fright(Option<(Vec2, u32)>);

impl Fright {
    /// Ticks since the last fright, or since the beginning.
    fn age(self, current: &CurrentScene) -> u32 {
        current.since(self.0.map_or(0, |(_, tick)| tick))
    }

    fn lasts(self, current: &CurrentScene) -> bool {
        self.0.is_some() && self.age(current) < FRIGHT
    }
}

fn build(app: &mut App) {
    app.add_scene_component::<Pond>()
        .add_scene_resource::<Options>()
        .add_scene_resource::<Fright>()
        .add_scene_resource::<Tally>()
        .add_scene_systems(SCENE.name, (read_input, frighten, keep_tally, color_fish));
}

fn setup(world: &mut World) {
    world.insert_resource(Options { target_speed: true });
    world.insert_resource(Fright::default());
    world.insert_resource(Tally::default());
    for pond in Pond::ALL {
        world.spawn((
            (Name::new("pond"), InScene::default()),
            Transform::from_translation(pond.center().extend(0.0)),
            Look {
                shape: Shape::disc(POND),
                color: palette::ROAD,
                layer: -1.5,
            },
        ));
    }
    let inside = Rect::from_center_half_size(Vec2::ZERO, Vec2::splat(4.4));
    let mut places = Vec::new();
    for _ in 0..agent_count(world) / Pond::ALL.len() {
        let random = &mut world.resource_mut::<SceneRandom>().0;
        let (place, facing) = (spot_in(inside, &places, 0.8, random), random.angle());
        places.push(place);
        for pond in Pond::ALL {
            spawn_fish(world, pond, place, facing);
        }
    }
}

/// Spawns a fish at a place of its pond, from the center, m.
fn spawn_fish(world: &mut World, pond: Pond, place: Vec2, facing: f32) {
    let animal = Animal {
        name: "fish",
        position: pond.center() + place,
        facing,
        radius: 0.25,
        color: pond.color(),
        vehicle: Vehicle::default(),
    };
    let mut fish = world.spawn((
        pond,
        Separation::new(1.2),
        Containment::new(pond.area()).with_margin(0.2),
        Flee::default().with_panic_distance(PANIC).disabled(),
        animal.dart(),
    ));
    // Fish pass above each other: a contact would change their speed as well.
    fish.insert((
        Velocity::linear(CRUISE * Vec2::from_angle(facing)),
        pass_through(),
    ));
    if pond == Pond::Cruising {
        fish.insert(TargetSpeed::new(CRUISE));
    }
}

fn read_input(
    presses: Res<Presses>,
    current: Res<CurrentScene>,
    mut options: ResMut<Options>,
    mut fright: ResMut<Fright>,
) {
    for _ in presses.keys().filter(|key| *key == 't') {
        options.target_speed ^= true;
    }
    if let Some(point) = presses.click() {
        let pond = if point.x < 0.0 {
            Pond::Cruising
        } else {
            Pond::Drifting
        };
        fright.0 = Some((point - pond.center(), current.tick()));
    }
}

/// Lets fish flee while a fright lasts.
fn frighten(
    current: Res<CurrentScene>,
    options: Res<Options>,
    fright: Res<Fright>,
    mut fish: Query<(&Pond, &mut Flee, Option<&mut TargetSpeed>)>,
) {
    let lasts = fright.lasts(&current);
    for (pond, mut flee, target_speed) in &mut fish {
        enable(&mut flee, lasts);
        if let Some((place, _)) = fright.0 {
            let threat: Target = (pond.center() + place).into();
            if flee.threat != threat {
                flee.threat = threat;
            }
        }
        if let Some(mut target_speed) = target_speed {
            enable(&mut target_speed, options.target_speed);
        }
    }
}

fn color_fish(mut fish: Query<(&Pond, &Velocity, &mut Look)>) {
    for (pond, velocity, mut look) in &mut fish {
        let color = match velocity.linear.length() / CRUISE {
            share if share < HARDLY => palette::MUTED,
            share if share > FAST => palette::RED,
            _ => pond.color(),
        };
        recolor(&mut look, color);
    }
}

/// Frightens the fish every ten seconds.
fn script(world: &mut World, tick: u32) {
    const EVERY: u32 = 64 * 10;
    if tick % EVERY == EVERY / 2 {
        let beside = Pond::Cruising.center() + Vec2::new(1.0, 0.5);
        world.resource_mut::<Presses>().click_at(beside);
    }
}

fn build_overlay(app: &mut App) {
    app.add_systems(Update, draw_overlay.run_if(playing(SCENE.name)));
}

fn draw_overlay(
    current: Res<CurrentScene>,
    fright: Res<Fright>,
    tally: Res<Tally>,
    mut gizmos: Gizmos,
) {
    for pond in Pond::ALL {
        let (center, color) = (pond.center(), pond.color());
        gizmos
            .circle_2d(center, POND, palette::FENCE)
            .resolution(96);
        let text = format!("{}: {:.1} m/s", pond.name(), tally.0[pond as usize].now);
        let above = center + (POND + 0.8) * Vec2::Y;
        overlay::caption(&mut gizmos, above, &text, color);
        let event = fright.0.map(|(place, tick)| (center + place, tick));
        if let Some((at, _)) = event.filter(|_| fright.lasts(&current)) {
            overlay::range(&mut gizmos, at, PANIC, palette::RED);
        }
        overlay::splash(&mut gizmos, &current, event);
    }
}

#[cfg(test)]
mod tests;
