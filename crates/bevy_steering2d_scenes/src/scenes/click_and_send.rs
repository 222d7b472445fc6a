//! Units that are selected and sent as in a strategy game: [`GroupArrive`] gives each its place, and
//! [`NavigateTo`] finds its way around rocks and walls, also walls painted with the mouse.
//!
//! [`ReciprocalAvoidance`] keeps the units, which are solid, from pushing each other.

mod orders;
mod places;
mod tally;
mod trials;

use bevy::prelude::*;
use bevy_rapier2d::prelude::*;
use bevy_steering2d::Circle;
use bevy_steering2d::navigation::GroupPlace;
use bevy_steering2d::prelude::*;

use crate::arena::Arena;
use crate::bodies::{Person, recolor};
use crate::in_scene::InScene;
use crate::input::{Destination, Held, Pointer, Presses};
use crate::lifecycle::{SceneRandom, SceneSystemsExt, agent_count, playing};
use crate::look::{Drawn, Look};
use crate::props;
use crate::report::Line;
use crate::scene::{Crowd, Scene, SceneKey};
use crate::snapshots::SceneSnapshotExt;
use crate::{overlay, palette};

use orders::Waypoints;
use places::{start_places, unit_radius};
use tally::Tally;

pub(crate) const SCENE: Scene = Scene {
    name: "click_and_send",
    title: "Click and send",
    help: "Select units by dragging a box and send them with a right click; with the shift key held, \
           clicks become waypoints. Each unit gets a place near the target and finds its way around \
           rocks and walls. When all are at rest, the group has arrived. Paint walls with the mouse, \
           and watch units find other ways.",
    keys: &[
        SceneKey::new('a', "Select all"),
        SceneKey::new('d', "As a disc"),
        SceneKey::new('k', "As a block"),
        SceneKey::new('l', "As a line"),
        SceneKey::new('w', "Paint walls"),
        SceneKey::new('c', "Clear painted walls"),
    ],
    chosen,
    mouse: "Drag to select, right-click to send, shift for waypoints.",
    crowd: Crowd::new(2, 60, 2_000),
    arena: Arena::USUAL,
    build,
    build_overlay,
    setup,
    script,
    report,
    experiment: trials::experiment,
};

const VEHICLE: Vehicle = Vehicle {
    max_speed: 3.0,
    max_force: 12.0,
    response_time: 0.2,
    radius: None,
};

/// A unit, and whether it is selected.
#[derive(Component, Clone, Copy, Debug, Default)]
struct Unit {
    selected: bool,
}

/// A wall painted with the mouse.
#[derive(Component, Clone, Copy, Debug)]
struct Painted;

/// Options set by the user.
#[derive(Resource, Clone, Copy, Debug, Default, PartialEq)]
struct Options {
    formation: Formation,
    paints: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Formation {
    #[default]
    Disc,
    Block,
    Line,
}

/// What the mouse has done so far while its button is held.
#[derive(Resource, Clone, Copy, Debug, Default)]
struct Stroke {
    from: Option<Vec2>,
    /// The end of the last painted wall, or the last point of the pointer, m.
    to: Vec2,
}

fn build(app: &mut App) {
    app.add_scene_component::<Unit>()
        .add_scene_component::<Painted>()
        .add_scene_component::<Waypoints>()
        .add_scene_resource::<Options>()
        .add_scene_resource::<Stroke>()
        .add_scene_resource::<Tally>()
        .add_scene_systems(
            SCENE.name,
            (
                read_keys,
                drag,
                orders::send,
                tally::keep_tally,
                color_units,
            ),
        )
        .add_observer(orders::send_on)
        .add_observer(tally::note_path);
}

fn setup(world: &mut World) {
    world.insert_resource(Options::default());
    world.insert_resource(Stroke::default());
    world.insert_resource(Tally::default());
    let arena = *world.resource::<Arena>();
    for side in Wall::outline(arena.outline()) {
        // The fence itself is a collider; units avoid this wall.
        world.spawn((InScene::default(), side));
    }
    for rock in rocks() {
        world.spawn((
            props::rock(rock),
            RigidBody::Fixed,
            Collider::ball(rock.radius),
        ));
    }
    for wall in walls() {
        spawn_wall(world, wall);
    }
    let count = agent_count(world);
    let radius = unit_radius(count);
    let random = &mut world.resource_mut::<SceneRandom>().0;
    let places = start_places(count, radius, random);
    for place in places {
        world.spawn(unit(place, radius));
    }
}

fn rocks() -> [Circle; 3] {
    [
        Circle::new(Vec2::new(8.0, 6.0), 1.0),
        Circle::new(Vec2::new(-1.0, -7.0), 1.4),
        Circle::new(Vec2::new(11.5, -5.5), 0.8),
    ]
}

fn walls() -> [Wall; 3] {
    [
        Wall::new(Vec2::new(0.0, -3.0), Vec2::new(0.0, 8.0)),
        Wall::new(Vec2::new(0.0, -3.0), Vec2::new(4.0, -3.0)),
        Wall::new(Vec2::new(4.5, 1.0), Vec2::new(10.0, 1.0)),
    ]
}

fn spawn_wall(world: &mut World, wall: Wall) -> Entity {
    let collider = Collider::segment(wall.from, wall.to);
    world
        .spawn((props::wall(wall), RigidBody::Fixed, collider))
        .id()
}

fn unit(position: Vec2, radius: f32) -> impl Bundle {
    (
        Unit::default(),
        ReciprocalAvoidance::default(),
        Combine::WEIGHTED_SUM,
        (StuckDetection::default(), Sleeping::default()),
        Person {
            name: "unit",
            position,
            velocity: Vec2::ZERO,
            radius,
            color: palette::SAND,
            vehicle: VEHICLE,
            solid: true,
        }
        .bundle(),
    )
}

fn read_keys(
    presses: Res<Presses>,
    mut options: ResMut<Options>,
    mut units: Query<&mut Unit>,
    painted: Query<Entity, With<Painted>>,
    mut commands: Commands,
) {
    for key in presses.keys() {
        match key {
            'a' => units.iter_mut().for_each(|mut unit| unit.selected = true),
            'd' => options.formation = Formation::Disc,
            'k' => options.formation = Formation::Block,
            'l' => options.formation = Formation::Line,
            'w' => options.paints ^= true,
            'c' => painted
                .iter()
                .for_each(|wall| commands.entity(wall).despawn()),
            _ => {}
        }
    }
}

fn chosen(world: &World) -> Vec<char> {
    let options = world.resource::<Options>();
    let formation = match options.formation {
        Formation::Disc => 'd',
        Formation::Block => 'k',
        Formation::Line => 'l',
    };
    let paints = options.paints.then_some('w');
    [formation].into_iter().chain(paints).collect()
}

/// Selects the units in the box that the mouse has drawn, or paints walls along its way.
fn drag(
    options: Res<Options>,
    pointer: Res<Pointer>,
    held: Res<Held>,
    presses: Res<Presses>,
    arena: Res<Arena>,
    mut stroke: ResMut<Stroke>,
    mut units: Query<(&Transform, &mut Unit)>,
    mut commands: Commands,
) {
    /// Length of a painted wall, m.
    const PIECE: f32 = 0.6;
    let point = pointer.0.unwrap_or(stroke.to);
    let released = stroke.from.filter(|_| held.0.is_none());
    // A box that was drawn in a pause has no other trace.
    let drawn = presses.dragged().or(released.map(|from| (from, stroke.to)));
    if let Some((from, to)) = drawn {
        stroke.from = None;
        if !options.paints {
            let area = Rect::from_corners(from, to);
            for (at, mut unit) in &mut units {
                unit.selected = area.contains(at.translation.truncate());
            }
        }
    }
    match (stroke.from, held.0) {
        (None, Some(from)) => {
            *stroke = Stroke {
                from: held.0,
                to: from,
            }
        }
        (Some(_), Some(_)) if options.paints => {
            let piece = point - stroke.to;
            if piece.length() >= PIECE && arena.clearance(point) > 0.2 {
                let wall = Wall::new(stroke.to, point);
                commands.queue(move |world: &mut World| {
                    let wall = spawn_wall(world, wall);
                    world.entity_mut(wall).insert(Painted);
                });
                stroke.to = point;
            }
        }
        (Some(_), Some(_)) => stroke.to = point,
        (_, None) => {}
    }
}

fn color_units(mut units: Query<(&Unit, &mut Look)>) {
    for (unit, mut look) in &mut units {
        let color = if unit.selected {
            palette::MINT
        } else {
            palette::SAND
        };
        recolor(&mut look, color);
    }
}

/// Targets of the script: in the open, in a corner, at a wall, on a rock.
const TARGETS: [Vec2; 4] = [
    Vec2::new(10.0, -1.5),
    Vec2::new(13.5, 9.5),
    Vec2::new(0.3, 4.0),
    Vec2::new(8.0, 6.0),
];

/// Ticks from one target of the script to the next.
const STAY: u32 = 900;

/// Selects all units and sends them from target to target.
fn script(world: &mut World, tick: u32) {
    let target = TARGETS[(tick / STAY) as usize % TARGETS.len()];
    let mut presses = world.resource_mut::<Presses>();
    match tick % STAY {
        20 => presses.press('a'),
        30 => presses.send(Destination {
            to: target,
            after_others: false,
        }),
        _ => {}
    }
}

fn report(world: &World) -> Vec<Line> {
    world.resource::<Tally>().lines()
}

fn build_overlay(app: &mut App) {
    app.add_systems(Update, draw_overlay.run_if(playing(SCENE.name)));
}

fn draw_overlay(
    options: Res<Options>,
    (pointer, held, stroke): (Res<Pointer>, Res<Held>, Res<Stroke>),
    units: Query<(&Drawn, &Unit, Option<&GroupPlace>)>,
    orders: Query<(&GroupArrive, &Waypoints)>,
    mut gizmos: Gizmos,
) {
    for (drawn, unit, place) in &units {
        if let Some((at, radius)) = place.and_then(|place| Some((place.at?, place.radius)))
            && unit.selected
        {
            gizmos
                .circle_2d(at, radius, palette::GOLD.with_alpha(0.35))
                .resolution(16);
            let here = drawn.pose.position;
            if here.distance(at) > 2.0 * radius {
                gizmos.line_2d(here, at, palette::GOLD.with_alpha(0.06));
            }
        }
    }
    for (order, waypoints) in &orders {
        let Target::Point(target) = order.target else {
            continue;
        };
        let points = std::iter::once(target).chain(waypoints.0.iter().copied());
        gizmos.linestrip_2d(points.clone(), palette::GOLD.with_alpha(0.5));
        for point in points {
            overlay::cross(&mut gizmos, point, 0.25, palette::GOLD);
        }
    }
    // In a pause the stroke is not followed.
    let to = pointer.0.or(stroke.from.map(|_| stroke.to));
    if let Some((from, to)) = held.0.zip(to)
        && !options.paints
    {
        let area = Rect::from_corners(from, to);
        gizmos.rect_2d(area.center(), area.size(), palette::MINT);
    }
}

#[cfg(test)]
mod tests {
    use bevy_steering2d::SteeringSnapshot;

    use super::*;
    use crate::headless;
    use crate::report::number;

    #[test]
    fn most_units_sent_by_the_script_are_at_their_places_within_twelve_seconds() {
        let report = headless::run(&SCENE, 1, STAY);
        assert!(number(&report, "median arrival") < 12.0, "{report}");
    }

    /// Asserts that just the units left of this line are selected.
    #[track_caller]
    fn assert_selected_left_of(app: &mut App, x: f32) {
        let mut units = app.world_mut().query::<(&Transform, &Unit)>();
        let mut selected = 0;
        for (at, unit) in units.iter(app.world()) {
            assert_eq!(unit.selected, at.translation.x <= x);
            selected += u32::from(unit.selected);
        }
        assert!(selected > 0);
    }

    #[test]
    fn dragging_a_box_in_a_pause_selects_the_units_in_it() {
        let mut app = headless::app(&SCENE, 1);
        let corners = (Vec2::new(-16.0, -12.0), Vec2::new(-9.0, 12.0));
        let mut presses = app.world_mut().resource_mut::<Presses>();
        presses.drag(corners.0, corners.1);
        app.update();
        assert_selected_left_of(&mut app, corners.1.x);
        // Also if the button went down before the pause.
        let begin = Vec2::new(-6.0, 12.0);
        let world = app.world_mut();
        world.insert_resource(Held(Some(begin)));
        world.insert_resource(Pointer(Some(begin)));
        app.update();
        let world = app.world_mut();
        world.insert_resource(Held(None));
        let end = Vec2::new(-16.0, -12.0);
        world.resource_mut::<Presses>().drag(begin, end);
        app.update();
        assert_selected_left_of(&mut app, begin.x);
    }

    #[test]
    fn dragging_a_box_selects_the_units_in_it() {
        let mut app = headless::app(&SCENE, 1);
        let hold = |app: &mut App, held: Option<Vec2>, pointer: Vec2| {
            app.world_mut().insert_resource(Held(held));
            app.world_mut().insert_resource(Pointer(Some(pointer)));
            app.update();
        };
        let from = Vec2::new(-16.0, -12.0);
        let to = Vec2::new(-9.0, 12.0);
        hold(&mut app, Some(from), from);
        hold(&mut app, Some(from), to);
        hold(&mut app, None, to);
        assert_selected_left_of(&mut app, to.x);
    }

    #[test]
    fn painted_walls_are_cleared_and_are_back_in_an_earlier_tick() {
        let mut app = headless::app(&SCENE, 1);
        app.world_mut().resource_mut::<Presses>().press('w');
        app.update();
        let from = Vec2::new(-2.0, -2.0);
        app.world_mut().insert_resource(Held(Some(from)));
        for step in 0..20 {
            let point = from + Vec2::new(0.0, 0.3 * step as f32);
            app.world_mut().insert_resource(Pointer(Some(point)));
            app.update();
        }
        let painted = |app: &mut App| {
            let mut walls = app.world_mut().query_filtered::<(), With<Painted>>();
            walls.iter(app.world()).count()
        };
        let before = painted(&mut app);
        assert!(before > 5);
        let snapshot = SteeringSnapshot::take(app.world_mut());
        app.world_mut().resource_mut::<Presses>().press('c');
        app.update();
        assert_eq!(painted(&mut app), 0);
        snapshot.restore(app.world_mut());
        let world = app.world_mut();
        let mut walls =
            world.query_filtered::<(&Collider, &RigidBody, &Look), (With<Painted>, With<Wall>)>();
        assert_eq!(walls.iter(world).count(), before);
    }
}
