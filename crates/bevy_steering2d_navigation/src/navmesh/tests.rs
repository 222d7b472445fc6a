//! Whole apps with agents on a navigation mesh.

use bevy::prelude::*;
use bevy_steering2d_core::*;
use vleue_navigator::prelude::*;

use crate::testing::*;
use crate::*;

mod bad_input;
mod crowd;
mod groups;
mod planning;

fn app() -> App {
    app_with((AssetPlugin::default(), VleueNavigatorPlugin, NavmeshPlugin))
}

fn rectangle(area: Rect) -> Vec<Vec2> {
    Wall::room(area).map(|wall| wall.from).to_vec()
}

/// A rectangle with holes.
fn mesh(area: Rect, holes: &[Rect]) -> NavMesh {
    let holes = holes.iter().copied().map(rectangle).collect();
    NavMesh::from_edge_and_obstacles(rectangle(area), holes)
}

/// 20 m by 12 m with a hole of 2 m by 8 m in the middle.
fn holed() -> NavMesh {
    mesh(
        Rect::new(-10.0, -6.0, 10.0, 6.0),
        &[Rect::new(-1.0, -4.0, 1.0, 4.0)],
    )
}

fn choose(app: &mut App, mesh: NavMesh) -> Handle<NavMesh> {
    let handle = app.world_mut().resource_mut::<Assets<NavMesh>>().add(mesh);
    app.insert_resource(ActiveNavmesh::new(handle.clone()));
    handle
}

/// Puts another mesh behind a handle, as an update or a hot reload does.
fn replace(app: &mut App, handle: &Handle<NavMesh>, mesh: NavMesh) {
    let mut meshes = app.world_mut().resource_mut::<Assets<NavMesh>>();
    meshes.insert(handle, mesh).unwrap();
}

fn walker(app: &mut App, at: impl Into<Vec2>, target: impl Into<Vec2>) -> Entity {
    let at = Transform::from_translation(at.into().extend(0.0));
    let go = NavigateTo::new(target.into());
    app.world_mut().spawn((PointMass::default(), at, go)).id()
}

fn speed(app: &App, entity: Entity) -> f32 {
    app.world().get::<Kinematics>(entity).unwrap().speed()
}

fn walls(app: &mut App) -> usize {
    let mut walls = app.world_mut().query::<(&Wall, &NavmeshWall)>();
    walls.iter(app.world()).count()
}

#[test]
fn an_agent_walks_around_a_hole_and_arrives_once() {
    let mut app = app();
    choose(&mut app, holed());
    run(&mut app, 1);
    let goal = Vec2::new(6.0, 0.0);
    let walker = walker(&mut app, (-6.0, 0.0), goal);
    for _ in 0..600 {
        app.update();
        let at = position(&app, walker);
        let solids = app.world().resource::<Terrain>().solids();
        let nearest = solids.iter().map(|it| it.distance(at));
        let nearest = nearest.fold(f32::INFINITY, f32::min);
        assert!(nearest >= PointMass::RADIUS - 0.02, "{at}: {nearest}");
    }
    assert!(position(&app, walker).distance(goal) <= 0.1);
    assert_eq!(heard(&app).arrived, [walker]);
    assert_eq!(heard(&app).found.len(), 1, "one plan is enough");
    assert!(heard(&app).refused.is_empty());
}

#[test]
fn the_border_is_walled_and_the_walls_follow_the_mesh() {
    let mut app = app();
    let handle = choose(&mut app, holed());
    run(&mut app, 1);
    assert_eq!(walls(&mut app), 8);
    let room = Rect::new(-10.0, -6.0, 10.0, 6.0);
    replace(&mut app, &handle, mesh(room, &[]));
    run(&mut app, 1);
    assert_eq!(walls(&mut app), 4);
    app.world_mut().remove_resource::<ActiveNavmesh>();
    run(&mut app, 1);
    assert_eq!(walls(&mut app), 0);
}

#[test]
fn when_the_mesh_changes_agents_plan_again() {
    let mut app = app();
    let room = Rect::new(-10.0, -6.0, 10.0, 6.0);
    let handle = choose(&mut app, mesh(room, &[]));
    run(&mut app, 1);
    let goal = Vec2::new(6.0, 0.0);
    let walker = walker(&mut app, (-6.0, 0.0), goal);
    run(&mut app, 60);
    assert_eq!(heard(&app).found, [(walker, 12.0)]);
    replace(&mut app, &handle, holed());
    run(&mut app, 3);
    assert_eq!(heard(&app).found.len(), 2);
    assert!(heard(&app).found[1].1 > 12.0);
    replace(&mut app, &handle, mesh(room, &[]));
    run(&mut app, 3);
    assert_eq!(heard(&app).found.len(), 3);
    run(&mut app, 400);
    assert_eq!(heard(&app).arrived, [walker]);
}

#[test]
fn a_mesh_that_changes_during_a_search_counts_at_once() {
    let mut app = app();
    let handle = choose(&mut app, holed());
    run(&mut app, 1);
    app.insert_resource(NavigationBudget { expansions: 1 });
    let walker = walker(&mut app, (-6.0, 0.0), (6.0, 0.0));
    run(&mut app, 1);
    assert!(heard(&app).found.is_empty());
    let room = Rect::new(-10.0, -6.0, 10.0, 6.0);
    replace(&mut app, &handle, mesh(room, &[]));
    run(&mut app, 3);
    assert_eq!(heard(&app).found, [(walker, 12.0)]);
}

#[test]
fn a_managed_mesh_is_taken_with_the_radius_it_was_built_for() {
    for on_outer_edge in [true, false] {
        let mut app = app();
        app.add_plugins(NavmeshUpdaterPlugin::<PrimitiveObstacle>::default());
        let room = rectangle(Rect::new(-10.0, -6.0, 10.0, 6.0));
        let settings = NavMeshSettings {
            fixed: Triangulation::from_outer_edges(&room),
            agent_radius: 0.5,
            agent_radius_on_outer_edge: on_outer_edge,
            ..default()
        };
        let managed = ManagedNavMesh::single();
        app.insert_resource(ActiveNavmesh::from(&managed).with_inset(&settings));
        let (update, blocking) = (NavMeshUpdateMode::Direct, NavMeshUpdateModeBlocking);
        app.world_mut().spawn((managed, settings, update, blocking));
        let block = PrimitiveObstacle::Rectangle(Rectangle::new(2.0, 8.0));
        app.world_mut()
            .spawn((block, Transform::default(), GlobalTransform::default()));
        run(&mut app, 5);
        let goal = Vec2::new(6.0, 0.0);
        let walker = walker(&mut app, (-9.5, 0.0), goal);
        run(&mut app, 2);
        assert_eq!(heard(&app).found.len(), 1, "{:?}", heard(&app).refused);
        // The walls stand where the room and the block are.
        let walls = app.world().resource::<WallIndex>();
        for (point, from) in [((-9.0, 0.0), 1.0), ((0.0, 5.0), 1.0), ((-2.0, 1.0), 1.0)] {
            let hit = walls.nearest(point.into(), 3.0).unwrap();
            assert!((hit.distance - from).abs() < 0.03, "{point:?}: {hit:?}");
        }
        run(&mut app, 600);
        assert_eq!(heard(&app).arrived, [walker]);
    }
}
