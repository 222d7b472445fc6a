//! A `SteerBench` case as a scene. It is loaded from a file and so is not in the list of scenes.

use bevy::ecs::entity::EntityHashSet;
use bevy::prelude::*;
use bevy_rapier2d::prelude::{CollisionGroups, Sensor};
use bevy_steering2d::prelude::*;
use bevy_steering2d_steerbench::{
    Body, Case, CasePlugin, Itinerary, OfCase, Scorer, Shape as Outline, Sighting, Town,
    spawn_case, touching,
};

use crate::arena::{Arena, FENCE_GROUP};
use crate::bodies::recolor;
use crate::in_scene::InScene;
use crate::lifecycle::{SceneSystemsExt, playing, start_in};
use crate::look::{Drawn, Look, Shape};
use crate::report::Line;
use crate::scene::Scene;
use crate::snapshots::SceneSnapshotExt;
use crate::{overlay, palette};

pub(crate) static SCENE: Scene = Scene {
    name: "steerbench",
    title: "SteerBench case",
    help: "Each walker follows a planned path to its goal, with the behaviors of Pedestrian. \
           Walkers are point masses: only steering keeps them apart. Red walkers touch another. \
           The example steerbench scores such cases.",
    keys: &[],
    chosen: |_| Vec::new(),
    mouse: "",
    crowd: None,
    arena: Arena::USUAL,
    build,
    build_overlay,
    setup,
    script: |_, _| {},
    report,
    experiment: |_| Vec::new(),
};

/// Starts a case and stops the current scene. The case is centered on the arena, which is enlarged
/// or reduced to fit it.
pub fn start_case(world: &mut World, case: &Case, seed: u64) {
    let case = centered(case);
    let arena = Arena {
        half_size: 0.5 * case.extent().size() + 2.0,
        corner: 1.0,
    };
    world.insert_resource(Shown(case));
    start_in(world, &SCENE, seed, arena);
}

/// The case that is shown.
#[derive(Resource)]
struct Shown(Case);

/// Measurements.
#[derive(Resource, Clone)]
struct Tally(Scorer);

/// The case, moved so that the center of its extent is the origin.
fn centered(case: &Case) -> Case {
    let middle = case.extent().center();
    let mut case = case.clone();
    let moved = |area: Rect| Rect::from_center_size(area.center() - middle, area.size());
    for walker in &mut case.walkers {
        walker.position -= middle;
        for goal in &mut walker.goals {
            goal.target -= middle;
            goal.area = goal.area.map(moved);
        }
    }
    for obstacle in &mut case.obstacles {
        match obstacle {
            Outline::Disc { center, .. } => *center -= middle,
            Outline::Polygon(corners) => corners.iter_mut().for_each(|corner| *corner -= middle),
        }
    }
    case.bounds = moved(case.bounds);
    case
}

fn build(app: &mut App) {
    app.add_plugins(CasePlugin::default())
        .add_scene_component::<Itinerary>()
        .add_scene_component::<OfCase>()
        .add_scene_resource::<Town>()
        .add_scene_resource::<Tally>()
        .add_scene_systems(SCENE.name, (keep_tally, color_walkers));
}

fn build_overlay(app: &mut App) {
    app.add_systems(Update, draw_goals.run_if(playing(SCENE.name)));
}

fn setup(world: &mut World) {
    let Some(Shown(case)) = world.get_resource::<Shown>() else {
        return;
    };
    let case = case.clone();
    open_fence(world);
    world.insert_resource(Tally(Scorer::new(&case)));
    for obstacle in &case.obstacles {
        let (place, shape) = match obstacle {
            Outline::Disc { center, radius } => (*center, Shape::disc(*radius)),
            Outline::Polygon(corners) => (Vec2::ZERO, Shape::Area(corners.as_slice().into())),
        };
        let look = Look {
            shape,
            color: palette::ROCK,
            layer: 0.0,
        };
        let place = Transform::from_translation(place.extend(0.0));
        world.spawn((InScene::default(), place, look));
    }
    for walker in spawn_case(world, &case, Body::PointMass) {
        let mut walker = world.entity_mut(walker);
        let radius = walker.get::<Itinerary>().map_or(0.5, |it| it.radius);
        walker.insert((
            Name::new("walker"),
            Look {
                shape: Shape::person(radius),
                color: palette::SAND,
                layer: 1.0,
            },
        ));
    }
    let mut parts = world.query_filtered::<Entity, With<OfCase>>();
    let parts: Vec<_> = parts.iter(world).collect();
    for part in parts {
        world.entity_mut(part).insert(InScene::default());
    }
}

/// Lets ways lead across the fence: here it only shows the extent of starts and goals.
fn open_fence(world: &mut World) {
    let mut colliders = world.query::<(Entity, &CollisionGroups)>();
    let colliders = colliders.iter(world);
    let fences = colliders.filter(|(_, groups)| groups.memberships == FENCE_GROUP);
    let fences: Vec<Entity> = fences.map(|(fence, _)| fence).collect();
    for fence in fences {
        world.entity_mut(fence).insert(Sensor);
    }
}

fn keep_tally(
    time: Res<Time>,
    mut tally: ResMut<Tally>,
    walkers: Query<(&Itinerary, &Transform, &PointMass)>,
) {
    let mut seen: Vec<_> = walkers
        .iter()
        .map(|(itinerary, at, body)| Sighting {
            walker: itinerary.walker,
            position: at.translation.truncate(),
            velocity: body.velocity,
        })
        .collect();
    seen.sort_unstable_by_key(|it| it.walker);
    tally.0.watch(&seen, time.delta_secs());
}

fn color_walkers(mut walkers: Query<(Entity, &Itinerary, &Transform, &mut Look)>) {
    let (entities, bodies): (Vec<_>, Vec<_>) = walkers
        .iter()
        .map(|(entity, it, at, _)| (entity, (at.translation.truncate(), it.radius)))
        .unzip();
    let pairs = touching(&bodies);
    let touch: EntityHashSet = pairs
        .flat_map(|(a, b, _)| [entities[a], entities[b]])
        .collect();
    for (entity, .., mut look) in &mut walkers {
        let color = if touch.contains(&entity) {
            palette::RED
        } else {
            palette::SAND
        };
        recolor(&mut look, color);
    }
}

/// Draws a faint line from each walker to its goal.
fn draw_goals(walkers: Query<(&Itinerary, &Drawn)>, mut gizmos: Gizmos) {
    /// With more walkers than this the lines would hide the scene.
    const MOST: usize = 40;
    let count = walkers.iter().len();
    for (itinerary, drawn) in walkers.iter().filter(|_| count <= MOST) {
        if let Some(goal) = itinerary.goal() {
            let from = drawn.pose.position;
            overlay::aim(&mut gizmos, from, goal.aim(from), palette::GOLD);
        }
    }
}

fn report(world: &World) -> Vec<Line> {
    let (Some(Shown(case)), Some(Tally(scorer))) =
        (world.get_resource::<Shown>(), world.get_resource::<Tally>())
    else {
        return Vec::new();
    };
    let score = scorer.score();
    let home = world
        .get_resource::<Town>()
        .map_or(0, |town| town.home.len());
    vec![
        Line::new("case", case.name.as_str(), ""),
        Line::new("home", home as u32, format!("of {}", case.walkers.len())),
        Line::new("contacts", score.contacts as u32, ""),
        Line::new("deeper than 5 cm", score.deep_contacts as u32, ""),
        Line::new("deepest", score.max_penetration, "m"),
    ]
}

#[cfg(test)]
mod tests {
    use bevy_steering2d::SteeringSnapshot;
    use bevy_steering2d_steerbench::Walker;

    use super::*;
    use crate::headless;

    #[test]
    fn the_score_goes_back_with_the_walkers() {
        let walker = Walker {
            speed: 1.0,
            ..Walker::new(Vec2::ZERO).to(Vec2::new(8.0, 0.0))
        };
        let mut app = headless::app(&SCENE, 1);
        start_case(app.world_mut(), &Case::named("one").with_walker(walker), 1);
        let path_length = |app: &App| {
            let Tally(scorer) = app.world().resource::<Tally>();
            scorer.score().path_length
        };
        headless::advance(&mut app, 20);
        let before = path_length(&app);
        let snapshot = SteeringSnapshot::take(app.world_mut());
        headless::advance(&mut app, 20);
        assert!(path_length(&app) > before);
        snapshot.restore(app.world_mut());
        assert_eq!(path_length(&app), before);
    }
}
