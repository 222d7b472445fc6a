//! Puts the layers into the schedule.

use bevy::gizmos::GizmoAsset;
use bevy::prelude::*;
use bevy::transform::TransformSystems;
use bevy_steering2d_core::SteeringClock;

use crate::layers::{
    Trails, draw_areas, draw_behavior_forces, draw_closest_approaches, draw_corridors,
    draw_detection_boxes, draw_feelers, draw_flow_fields, draw_hiding_spots, draw_neighbors,
    draw_paths, draw_predictions, draw_selection, draw_slots, draw_targets, draw_total_forces,
    draw_trails, draw_velocities, draw_wander, forget_trails,
};
use crate::selection::deselect;
use crate::subjects::{Subjects, choose_subjects};
use crate::{DebugLayer, DrawnAt, SteeringDebug, SteeringSelection};

/// Draws what agents see and want, see [the crate](crate).
///
/// Needs steering, and Bevy's `GizmoPlugin` with rendering, as in `DefaultPlugins`. Without gizmos
/// it says so once and draws nothing; [`SteeringDebug`] and [`SteeringSelection`] are there all
/// the same. Adding it twice does no harm: the second one changes nothing.
#[derive(Clone, Debug, Default)]
pub struct SteeringDebugPlugin {
    /// What to draw at first. A [`SteeringDebug`] that was inserted before wins. Default
    /// velocity, total force and the behaviors' forces of all agents.
    pub debug: SteeringDebug,
}

impl SteeringDebugPlugin {
    /// Begins with these settings.
    pub fn new(debug: SteeringDebug) -> Self {
        Self { debug }
    }
}

/// The group of gizmos that steering draws with. Line width, render layers and more are in
/// Bevy's `GizmoConfigStore`; `enabled: false` there hides all drawings at once.
#[derive(Default, Reflect, GizmoConfigGroup)]
#[reflect(Default)]
pub struct SteeringGizmos;

/// When the drawings are made: in `PostUpdate`, once transforms have propagated.
#[derive(SystemSet, Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SteeringDebugSystems;

impl Plugin for SteeringDebugPlugin {
    fn build(&self, app: &mut App) {
        if app.world().contains_resource::<Subjects>() {
            return;
        }
        if !app.world().contains_resource::<SteeringDebug>() {
            app.insert_resource(self.debug.clone());
        }
        app.init_resource::<SteeringSelection>()
            .init_resource::<Subjects>()
            .init_resource::<Trails>()
            .register_type::<SteeringDebug>()
            .register_type::<SteeringSelection>()
            .register_type::<DebugLayer>()
            .register_type::<DrawnAt>()
            .add_observer(deselect);
    }

    fn finish(&self, app: &mut App) {
        if app.world().contains_resource::<Ready>() {
            return;
        }
        app.insert_resource(Ready);
        let world = app.world();
        if !world.contains_resource::<Assets<GizmoAsset>>() {
            log::warn!(
                "SteeringDebugPlugin draws nothing: it needs Bevy's GizmoPlugin, which \
                 DefaultPlugins adds with the feature `bevy_gizmos_render`"
            );
            return;
        }
        if !world.contains_resource::<SteeringClock>() {
            log::warn!("SteeringDebugPlugin draws nothing: there is no steering, add its plugin");
            return;
        }
        app.init_gizmo_group::<SteeringGizmos>();
        add_layers(app);
    }

    fn is_unique(&self) -> bool {
        false
    }
}

/// The layers have been added, or never will be.
#[derive(Resource)]
struct Ready;

fn add_layers(app: &mut App) {
    app.configure_sets(
        PostUpdate,
        SteeringDebugSystems.after(TransformSystems::Propagate),
    )
    .add_systems(
        PostUpdate,
        (
            choose_subjects,
            (
                draw_velocities.run_if(on(DebugLayer::Velocity)),
                draw_total_forces.run_if(on(DebugLayer::TotalForce)),
                draw_behavior_forces.run_if(on(DebugLayer::BehaviorForces)),
                draw_targets.run_if(on(DebugLayer::Targets)),
                draw_wander.run_if(on(DebugLayer::Wander)),
                draw_feelers.run_if(on(DebugLayer::Feelers)),
                draw_detection_boxes.run_if(on(DebugLayer::DetectionBox)),
                draw_neighbors.run_if(on(DebugLayer::Neighbors)),
                (draw_paths, draw_corridors).run_if(on(DebugLayer::Paths)),
                draw_flow_fields.run_if(on(DebugLayer::FlowField)),
                draw_hiding_spots.run_if(on(DebugLayer::HidingSpots)),
                (draw_predictions, draw_closest_approaches).run_if(on(DebugLayer::Predictions)),
                draw_slots.run_if(on(DebugLayer::Slots)),
                draw_areas.run_if(on(DebugLayer::Areas)),
                draw_trails.run_if(on(DebugLayer::Trails)),
            ),
        )
            .chain()
            .in_set(SteeringDebugSystems)
            .run_if(anything_is_on),
    )
    .add_systems(
        PostUpdate,
        (
            draw_selection.run_if(anybody_is_selected),
            forget_trails.run_if(trails_were_switched_off),
        )
            .in_set(SteeringDebugSystems),
    );
}

fn trails_were_switched_off(debug: Res<SteeringDebug>) -> bool {
    debug.is_changed() && !(debug.is_on(DebugLayer::Trails) && debug.draws_anything())
}

fn on(layer: DebugLayer) -> impl Fn(Res<SteeringDebug>) -> bool + Clone {
    move |debug| debug.is_on(layer)
}

fn anything_is_on(debug: Res<SteeringDebug>, store: Res<GizmoConfigStore>) -> bool {
    debug.draws_anything() && store.config::<SteeringGizmos>().0.enabled
}

fn anybody_is_selected(debug: Res<SteeringDebug>, selection: Res<SteeringSelection>) -> bool {
    debug.rings && !selection.is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Whom;
    use bevy::asset::AssetPlugin;
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

    /// Two agents that have everything there is to draw, one of it on a satellite, in a world
    /// that gives them reason to.
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
                    (Arrive::new(quarry), Flee::new(quarry), Evade::new(quarry)),
                    (Wander::default(), WallAvoidance::default()),
                    (ObstacleAvoidance::default(), Flocking::default()),
                    (CollisionAvoidance::default(), Queuing::default()),
                    (FollowPath::along(road), StayOnPath::of(road)),
                    (FlowFieldFollowing::default(), flow.clone()),
                    (Hide::new(quarry), OffsetPursuit::new(quarry, Vec2::NEG_X)),
                    (LeaderFollowing::default(), Containment::default()),
                    (
                        Interpose::between(quarry, Vec2::ZERO),
                        WallFollowing::default(),
                    ),
                    (Tether::new(quarry, 2.0), FaceTarget::new(quarry)),
                ))
                .id();
            world.spawn((SteersFor(agent), Pursuit::new(quarry)));
            agent
        });
        world.spawn((SteersFor(agents[0]), Seek::new(quarry)));
        agents
    }

    /// The ends of all lines that the last frame drew; each strip of lines counts too.
    fn drawn(app: &App) -> Vec<Vec2> {
        let assets = app.world().resource::<Assets<GizmoAsset>>();
        let ours = |asset: &&GizmoAsset| {
            asset.config_typeid() == core::any::TypeId::of::<SteeringGizmos>()
        };
        let live = app.world().resource::<bevy::gizmos::GizmoHandles>();
        let live = live.handles()[&core::any::TypeId::of::<SteeringGizmos>()].is_some();
        let buffers = assets.iter().map(|(_, asset)| asset).filter(ours);
        buffers
            .filter(|_| live)
            .flat_map(|asset| {
                let buffer = asset.buffer();
                let points = buffer.list_positions.iter().chain(&buffer.strip_positions);
                points.map(|point| point.truncate()).collect::<Vec<_>>()
            })
            .filter(|point| point.is_finite())
            .collect()
    }

    #[test]
    fn without_gizmos_it_draws_nothing_and_does_not_panic() {
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
    fn without_steering_it_draws_nothing_and_does_not_panic() {
        let mut app = App::new();
        app.add_plugins((MinimalPlugins, AssetPlugin::default()))
            .init_asset::<GizmoAsset>()
            .add_plugins(SteeringDebugPlugin::default());
        app.finish();
        app.update();
    }

    #[test]
    fn adding_it_twice_does_no_harm() {
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
    fn each_layer_draws_something_of_its_own() {
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
    fn with_everything_off_nothing_is_drawn() {
        for debug in [
            SteeringDebug::off(),
            SteeringDebug::of(DebugLayer::ALL).of_whom(Whom::Nobody),
            SteeringDebug::of(DebugLayer::ALL).of_whom(Whom::Selected),
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
    fn what_is_switched_off_disappears() {
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
    fn a_velocity_begins_where_the_agent_is_seen() {
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
        // Selected, it also has a ring around it.
        selection.add(agent);
        app.insert_resource(selection);
        app.update();
        let ring = drawn(&app).len() - 6;
        assert!(ring > 24, "{ring} points");
    }

    #[test]
    fn hiding_spots_are_drawn_where_the_behavior_sees_them() {
        let mut app = app(SteeringDebug::of([DebugLayer::HidingSpots]), true);
        let world = app.world_mut();
        world.spawn((PointMass::default(), Hide::new(Vec2::new(-10.0, 0.0))));
        let [near, far] = [Vec2::new(4.0, 0.0), Vec2::new(-10.0, 8.0)];
        for place in [near, far] {
            world.spawn((
                Transform::from_translation(place.extend(0.0)),
                Obstacle { radius: 1.0 },
            ));
        }
        for _ in 0..3 {
            app.update();
        }
        // Behind each rock by its radius, the body's and the standoff of half a meter.
        let points = drawn(&app);
        for spot in [near + 2.0 * Vec2::X, far + 2.0 * Vec2::Y] {
            let nearest = points.iter().map(|point| point.distance(spot));
            assert!(nearest.fold(f32::INFINITY, f32::min) < 0.01, "{spot}");
        }
    }

    #[test]
    fn a_prediction_moves_along_with_the_picture_of_the_quarry() {
        let aim_of = |drawn_at| {
            let mut app = app(SteeringDebug::of([DebugLayer::Predictions]), true);
            let quarry = PointMass {
                velocity: Vec2::new(0.0, 2.0),
                ..default()
            };
            let place = Transform::from_xyz(6.0, 0.0, 0.0);
            let quarry = app.world_mut().spawn((quarry, place, drawn_at)).id();
            let hunter = app
                .world_mut()
                .spawn((
                    PointMass::default(),
                    Pursuit::new(quarry),
                    DrawnAt(Some(Vec2::ZERO)),
                ))
                .id();
            app.update();
            app.update();
            let world = app.world();
            let [me, seen] = [hunter, quarry].map(|it| *world.get::<Kinematics>(it).unwrap());
            let me = Agent {
                position: me.position,
                heading: me.heading,
                ..default()
            };
            // The line from the hunter comes first, and ends at the aim.
            let aim = world.get::<Pursuit>(hunter).unwrap().aim(&me, &seen);
            (drawn(&app)[1], aim - seen.position)
        };
        let (aim, ahead) = aim_of(DrawnAt(Some(Vec2::new(20.0, 5.0))));
        assert!(ahead.y > 1.0, "{ahead}");
        assert!(aim.distance(Vec2::new(20.0, 5.0) + ahead) < 1e-3, "{aim}");
    }

    #[test]
    fn watching_changes_nothing() {
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
    fn no_more_agents_are_drawn_than_asked_for_the_nearest_to_the_camera() {
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
        assert!(most < 11.0, "without a camera the first ten: {most}");
        let place = Transform::from_xyz(30.0, 0.0, 0.0);
        app.world_mut()
            .spawn((Camera::default(), place, GlobalTransform::from(place)));
        let (least, most) = drawn_between(&mut app);
        assert!(least > 24.0 && most < 37.0, "{least} to {most}");
    }

    #[test]
    fn nonsense_in_a_behavior_draws_nothing_and_does_not_panic() {
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
            Separation::within(f32::NAN),
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
            FollowPath::along(gone),
        ));
        world.despawn(gone);
        for _ in 0..5 {
            app.update();
        }
        assert!(drawn(&app).iter().all(|point| point.is_finite()));
    }
}
