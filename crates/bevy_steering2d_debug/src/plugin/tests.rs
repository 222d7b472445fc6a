//! What the plugin draws, read from the gizmo buffers.

use super::*;
use crate::DrawnAgents;
use bevy::asset::AssetPlugin;
use bevy::camera::visibility::RenderLayers;
use bevy::time::TimeUpdateStrategy;
use bevy_steering2d_core::*;
use std::time::Duration;

fn app(debug: SteeringDebug, with_gizmos: bool) -> App {
    let mut app = App::new();
    app.add_plugins((MinimalPlugins, TransformPlugin))
        .add_plugins(SteeringCorePlugin::new(Update))
        .add_plugins(SteeringDebugPlugin::new(debug))
        .insert_resource(TimeUpdateStrategy::ManualDuration(Duration::from_millis(
            16,
        )));
    if with_gizmos {
        app.add_plugins(AssetPlugin::default())
            .init_asset::<GizmoAsset>();
    }
    app.finish();
    app.cleanup();
    app
}

/// Two agents with every behavior that a layer draws, `Pursuit` on a behavior entity of its own,
/// in a world where each behavior has an effect.
fn populate(world: &mut World) -> [Entity; 2] {
    let quarry = world
        .spawn((
            PointMass {
                velocity: Vec2::Y,
                ..default()
            },
            Vehicle::default(),
            Leadership(1.0),
            Transform::from_xyz(4.0, 0.5, 0.0),
        ))
        .id();
    world.spawn((Transform::from_xyz(2.0, 0.2, 0.0), Obstacle { radius: 0.8 }));
    world.spawn(Wall::new(Vec2::new(1.2, -9.0), Vec2::new(1.2, 9.0)));
    let road = [Vec2::new(-5.0, 0.0), Vec2::new(5.0, 0.0)];
    let road = world.spawn(SteeringPath::open(road).unwrap()).id();
    let flow = FlowField::new(Vec2::splat(-5.0), 1.0, UVec2::splat(11), |_| Vec2::X).unwrap();
    let agents = [0.0, -0.6].map(|y| {
        let agent = world
            .spawn((
                PointMass {
                    velocity: Vec2::new(2.0, 0.0),
                    ..default()
                },
                Transform::from_xyz(0.0, y, 0.0),
                (
                    Arrive::new(quarry),
                    Park::new(quarry, 1.0),
                    Flee::new(quarry),
                    Evade::new(quarry),
                ),
                (Wander::default(), WallAvoidance::default()),
                (ObstacleAvoidance::default(), Flocking::default()),
                (CollisionAvoidance::default(), Queuing::default()),
                (PathFollowing::new(road), StayOnPath::new(road)),
                (FlowFieldFollowing::default(), flow.clone()),
                (Hide::new(quarry), OffsetPursuit::new(quarry, Vec2::NEG_X)),
                (LeaderFollowing::default(), Containment::default()),
                (Interpose::new(quarry, Vec2::ZERO), WallFollowing::default()),
                (Tether::new(quarry, 2.0), Orbit::new(quarry, 3.0)),
                FaceTarget::new(quarry),
            ))
            .id();
        world.spawn((SteersFor(agent), Pursuit::new(quarry)));
        agent
    });
    world.spawn((SteersFor(agents[0]), Seek::new(quarry)));
    world.spawn((
        PointMass::default(),
        Transform::from_xyz(-3.0, 2.0, 0.0),
        (Wheeled::default(), Seek::new(quarry)),
    ));
    agents
}

/// The end points of all lines and line strips that the last frame drew.
fn drawn(app: &App) -> Vec<Vec2> {
    let assets = app.world().resource::<Assets<GizmoAsset>>();
    let ours =
        |asset: &&GizmoAsset| asset.config_typeid() == core::any::TypeId::of::<SteeringGizmos>();
    let live = app.world().resource::<bevy::gizmos::GizmoHandles>();
    let live = live.handles()[&core::any::TypeId::of::<SteeringGizmos>()].is_some();
    let buffers = assets.iter().map(|(_, asset)| asset).filter(ours);
    buffers
        .filter(|_| live)
        .flat_map(|asset| {
            let buffer = asset.buffer();
            // A point that is no number ends a strip; those of drawings have a height.
            let points = buffer.list_positions.iter().chain(&buffer.strip_positions);
            let points = points.filter(|point| !point.z.is_nan());
            points.map(|point| point.truncate()).collect::<Vec<_>>()
        })
        .collect()
}

#[test]
fn plugin_runs_without_gizmos() {
    let mut app = app(SteeringDebug::of(DebugLayer::ALL), false);
    let [agent, _] = populate(app.world_mut());
    app.world_mut()
        .resource_mut::<SteeringSelection>()
        .add(agent);
    for _ in 0..5 {
        app.update();
    }
}

#[test]
fn plugin_runs_without_steering() {
    let mut app = App::new();
    app.add_plugins((MinimalPlugins, AssetPlugin::default()))
        .init_asset::<GizmoAsset>()
        .add_plugins(SteeringDebugPlugin::default());
    app.finish();
    app.update();
}

#[test]
fn adding_the_plugin_twice_keeps_the_first_settings() {
    let mut app = App::new();
    app.add_plugins((MinimalPlugins, SteeringCorePlugin::new(Update)))
        .add_plugins(AssetPlugin::default())
        .init_asset::<GizmoAsset>()
        .add_plugins(SteeringDebugPlugin::new(SteeringDebug::off()))
        .add_plugins(SteeringDebugPlugin::default());
    app.finish();
    app.cleanup();
    app.update();
    assert_eq!(
        *app.world().resource::<SteeringDebug>(),
        SteeringDebug::off()
    );
}

#[test]
fn each_layer_draws_its_own_lines() {
    let mut counts = Vec::new();
    for layer in DebugLayer::ALL {
        let mut app = app(SteeringDebug::of([layer]), true);
        populate(app.world_mut());
        for _ in 0..8 {
            app.update();
        }
        let points = drawn(&app);
        assert!(!points.is_empty(), "{layer:?}");
        counts.push(points.len());
    }
    let mut all = app(SteeringDebug::of(DebugLayer::ALL), true);
    populate(all.world_mut());
    for _ in 0..8 {
        all.update();
    }
    assert_eq!(drawn(&all).len(), counts.iter().sum::<usize>());
}

#[test]
fn settings_without_layers_or_agents_draw_nothing() {
    for debug in [
        SteeringDebug::off(),
        SteeringDebug::of(DebugLayer::ALL).with_agents(DrawnAgents::None),
        SteeringDebug::of(DebugLayer::ALL).with_agents(DrawnAgents::Selected),
    ] {
        let mut app = app(debug, true);
        populate(app.world_mut());
        for _ in 0..5 {
            app.update();
        }
        assert!(drawn(&app).is_empty());
    }
}

#[test]
fn layer_turned_off_disappears() {
    let mut app = app(SteeringDebug::of([DebugLayer::Velocity]), true);
    populate(app.world_mut());
    app.update();
    app.update();
    assert!(!drawn(&app).is_empty());
    let mut debug = app.world_mut().resource_mut::<SteeringDebug>();
    debug.set(DebugLayer::Velocity, false);
    app.update();
    assert!(drawn(&app).is_empty());
}

#[test]
fn velocity_arrow_starts_where_the_agent_is_drawn() {
    let mut app = app(SteeringDebug::of([DebugLayer::Velocity]), true);
    let mut selection = SteeringSelection::default();
    let agent = app
        .world_mut()
        .spawn((
            PointMass {
                velocity: Vec2::new(3.0, 0.0),
                ..default()
            },
            Vehicle::default(),
            DrawnAt(Some(Vec2::new(0.0, 7.0))),
        ))
        .id();
    app.update();
    app.update();
    let expected = [Vec2::new(0.0, 7.0), Vec2::new(1.2, 7.0)];
    assert_eq!(drawn(&app)[..2], expected, "0.4 m per m/s");
    // A selected agent also has a ring.
    selection.add(agent);
    app.insert_resource(selection);
    app.update();
    let ring = drawn(&app).len() - 6;
    assert!(ring > 24, "{ring} points");
}

#[test]
fn behaviors_of_a_group_are_drawn_while_it_acts() {
    let is_drawn = |group: BehaviorGroup| {
        let mut app = app(SteeringDebug::of([DebugLayer::Feelers]), true);
        let world = app.world_mut();
        let agent = (PointMass::default(), Vehicle::default(), Alone::default());
        let agent = world.spawn(agent).id();
        // It is not alone.
        let place = Transform::from_xyz(2.0, 0.0, 0.0);
        world.spawn((PointMass::default(), Vehicle::default(), place));
        let group = world.spawn((SteersFor(agent), group)).id();
        world.entity_mut(group).insert(WallAvoidance::default());
        let inner = (SteersFor(group), BehaviorGroup::default());
        let inner = world.spawn(inner).id();
        world.spawn((SteersFor(inner), WallAvoidance::default()));
        for _ in 0..3 {
            app.update();
        }
        !drawn(&app).is_empty()
    };
    let group = BehaviorGroup::default();
    assert!(is_drawn(group));
    assert!(!is_drawn(group.disabled()));
    assert!(is_drawn(group.with_when(When::unless::<Alone>())));
    assert!(!is_drawn(group.with_when(When::only::<Alone>())));
}

#[test]
fn a_behavior_is_drawn_while_its_condition_is_met() {
    let mut app = app(SteeringDebug::of([DebugLayer::Feelers]), true);
    let world = app.world_mut();
    let avoidance = WallAvoidance::default().with_when(When::only::<Alone>());
    let agent = (PointMass::default(), avoidance.clone(), Alone::default());
    let agent = world.spawn(agent).id();
    world.spawn((SteersFor(agent), avoidance));
    let place = Transform::from_xyz(2.0, 0.0, 0.0);
    let other = (PointMass::default(), Vehicle::default(), place);
    let other = world.spawn(other).id();
    let mut is_drawn = |change: &dyn Fn(&mut World)| {
        change(app.world_mut());
        for _ in 0..3 {
            app.update();
        }
        !drawn(&app).is_empty()
    };
    assert!(!is_drawn(&|_| {}), "not alone");
    assert!(is_drawn(&|world| {
        world.despawn(other);
    }));
}

#[test]
fn drawing_does_not_change_the_run() {
    let run = |debug| {
        let mut app = app(debug, true);
        let agents = populate(app.world_mut());
        for _ in 0..60 {
            app.update();
        }
        agents.map(|agent| *app.world().get::<Kinematics>(agent).unwrap())
    };
    assert_eq!(
        run(SteeringDebug::of(DebugLayer::ALL)),
        run(SteeringDebug::off())
    );
}

#[test]
fn max_agents_draws_the_agents_nearest_to_the_camera() {
    let debug = SteeringDebug {
        max_agents: 10,
        ..SteeringDebug::of([DebugLayer::Velocity])
    };
    let mut app = app(debug, true);
    for x in 0..50 {
        let body = PointMass {
            velocity: Vec2::X,
            ..default()
        };
        let place = Transform::from_xyz(x as f32, 0.0, 0.0);
        app.world_mut().spawn((body, Vehicle::default(), place));
    }
    let drawn_between = |app: &mut App| {
        for _ in 0..3 {
            app.update();
        }
        let points = drawn(app);
        assert_eq!(points.len(), 10 * 6);
        let xs = points.into_iter().map(|point| point.x);
        xs.fold((f32::MAX, f32::MIN), |(least, most), x| {
            (least.min(x), most.max(x))
        })
    };
    let (_, most) = drawn_between(&mut app);
    assert!(most < 11.0, "the first ten without a camera: {most}");
    let place = Transform::from_xyz(30.0, 0.0, 0.0);
    app.world_mut()
        .spawn((Camera::default(), place, GlobalTransform::from(place)));
    let (least, most) = drawn_between(&mut app);
    assert!(least > 24.0 && most < 37.0, "{least} to {most}");
    // As the camera of a user interface over the game.
    let above = Camera {
        order: 1,
        ..default()
    };
    app.world_mut().spawn((above, RenderLayers::none()));
    let (least, most) = drawn_between(&mut app);
    assert!(
        least > 24.0 && most < 37.0,
        "under another camera, {least} to {most}"
    );
}

#[test]
fn gizmos_without_a_config_are_in_the_default_layer() {
    let mut store = GizmoConfigStore::default();
    assert_eq!(
        *SteeringGizmos::render_layers(&store),
        RenderLayers::layer(0)
    );
    let config = GizmoConfig {
        render_layers: RenderLayers::layer(3),
        ..default()
    };
    store.insert(config, SteeringGizmos);
    assert_eq!(
        *SteeringGizmos::render_layers(&store),
        RenderLayers::layer(3)
    );
}

#[test]
fn trails_begin_anew_when_the_world_goes_back() {
    let mut app = app(SteeringDebug::of([DebugLayer::Trails]), true);
    let body = PointMass {
        velocity: Vec2::X,
        ..default()
    };
    let agent = (body, Transform::default(), TargetSpeed::new(1.0));
    let agent = app.world_mut().spawn(agent).id();
    let mut snapshots = Vec::new();
    for _ in 0..100 {
        snapshots.push(SteeringSnapshot::take(app.world_mut()));
        app.update();
    }
    app.world_mut().resource_mut::<Time<Virtual>>().pause();
    for snapshot in snapshots.iter().rev() {
        snapshot.restore(app.world_mut());
        app.update();
        let here = app.world().get::<Transform>(agent).unwrap().translation.x;
        let trail = drawn(&app);
        let farthest = trail.iter().map(|it| it.x).fold(0.0, f32::max);
        assert!(
            !trail.is_empty() && farthest <= here,
            "{farthest} m, at {here} m"
        );
    }
}

#[test]
fn every_line_is_finite_beside_invalid_behaviors() {
    let mut app = app(SteeringDebug::of(DebugLayer::ALL), true);
    let body = || PointMass {
        velocity: Vec2::X,
        ..default()
    };
    let world = app.world_mut();
    world.spawn((
        body(),
        ObstacleAvoidance {
            margin: f32::NAN,
            ..default()
        },
        Separation::new(f32::NAN),
        Tether::new(Vec2::NAN, -1.0),
    ));
    world.spawn((
        body(),
        Wander::default(),
        Transform::from_xyz(f32::NAN, 0.0, 0.0),
    ));
    let gone = world.spawn(Transform::default()).id();
    world.spawn((
        body(),
        Seek::new(gone),
        Pursuit::new(gone),
        PathFollowing::new(gone),
    ));
    world.despawn(gone);
    for _ in 0..5 {
        app.update();
    }
    let points = drawn(&app);
    assert!(!points.is_empty(), "the valid bodies have velocities");
    let at = points.iter().find(|point| !point.is_finite());
    assert_eq!(at, None);
}

mod places;
