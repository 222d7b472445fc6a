//! A world with navigation goes on from the file of a snapshot.

use std::time::Duration;

use bevy::prelude::*;
use bevy::time::TimeUpdateStrategy;
use bevy_steering2d_core::*;
use bevy_steering2d_navigation::*;

fn app() -> App {
    let mut app = App::new();
    let steering = SteeringCorePlugin::new(Update);
    let tick = Duration::from_millis(16);
    app.add_plugins((MinimalPlugins, steering, NavigationPlugin::default()))
        .insert_resource(SteeringSeed(7))
        .insert_resource(TimeUpdateStrategy::ManualDuration(tick));
    app
}

fn run(app: &mut App, ticks: u32) {
    for _ in 0..ticks {
        app.update();
    }
}

fn body(x: f32, y: f32) -> (PointMass, Transform) {
    (PointMass::default(), Transform::from_xyz(x, y, 0.0))
}

/// A wall of 8 m across the x axis, with its middle at `y`.
fn wall(app: &mut App, x: f32, y: f32) {
    let wall = Wall::new(Vec2::new(x, y - 4.0), Vec2::new(x, y + 4.0));
    app.world_mut().spawn(wall);
}

/// Two walkers on both sides of the x axis that go 12 m to the east.
fn walkers(app: &mut App) {
    for y in [-1.0, 1.0] {
        let go = NavigateTo::new(Vec2::new(12.0, 0.9 * y));
        let avoids = ReciprocalAvoidance::default();
        app.world_mut().spawn((body(0.0, y), go, avoids));
    }
}

/// Four agents that are to stand around a place behind a wall.
fn group(app: &mut App) {
    let members = [0.0, 1.5, 3.0, 4.5].map(|y| {
        let member = (body(-6.0, y), ReciprocalAvoidance::default());
        app.world_mut().spawn(member).id()
    });
    let order = GroupArrive::new(Vec2::new(10.0, 8.0));
    app.world_mut().commands().order_group(order, members);
    app.world_mut().flush();
}

/// A field with one goal, and an agent that follows it.
fn field(app: &mut App) {
    let area = Rect::new(-20.0, -20.0, 20.0, 20.0);
    let goal = GoalField::new(area).with_goal(Vec2::new(15.0, -12.0));
    let field = app.world_mut().spawn(goal).id();
    let follows = FlowFieldFollowing::new(field);
    app.world_mut().spawn((body(-5.0, -3.0), follows));
}

/// Another app with the world of this one from a file.
fn reloaded(app: &mut App) -> App {
    let snapshot = SteeringSnapshot::take(app.world_mut());
    let file = snapshot.to_file(app.world()).expect("a file");
    let mut loaded = self::app();
    // Another walker and another wall are here; they go.
    let go = NavigateTo::new(Vec2::new(-9.0, 0.0));
    loaded.world_mut().spawn((body(3.0, 0.0), go));
    wall(&mut loaded, -4.0, 0.0);
    run(&mut loaded, 5);
    let snapshot = SteeringSnapshot::from_file(loaded.world(), &file);
    let snapshot = snapshot.unwrap_or_else(|error| panic!("{error}"));
    snapshot.restore(loaded.world_mut());
    loaded
}

/// What must be the same in two worlds whose entities differ.
type State = (
    SteeringId,
    [[u32; 2]; 3],
    Option<NavigateToMemory>,
    Option<(Option<[u32; 2]>, u32)>,
);

fn states(app: &mut App) -> Vec<State> {
    let world = app.world_mut();
    let mut query = world.query::<(
        &SteeringId,
        &Kinematics,
        Option<&NavigateToMemory>,
        Option<&GroupPlace>,
    )>();
    let bits = |it: Vec2| it.to_array().map(f32::to_bits);
    let states = query.iter(world).map(|(id, body, way, place)| {
        let motion = [body.position, body.velocity, body.heading].map(bits);
        let place = place.map(|it| (it.at.map(bits), it.radius.to_bits()));
        (*id, motion, way.copied(), place)
    });
    let mut states: Vec<_> = states.collect();
    states.sort_unstable_by_key(|it| it.0);
    states
}

fn navigation_states(app: &mut App) -> Vec<NavigationState> {
    let states = states(app).into_iter();
    states.filter_map(|it| Some(it.2?.state)).collect()
}

#[test]
fn a_world_with_paths_a_field_and_a_group_goes_on_from_a_file_bit_for_bit() {
    for ticks in [60, 61] {
        let mut played = app();
        wall(&mut played, 5.0, 0.0);
        walkers(&mut played);
        group(&mut played);
        field(&mut played);
        run(&mut played, ticks);
        let on_the_way = navigation_states(&mut played);
        assert_eq!(on_the_way, [NavigationState::Following; 6]);
        let mut loaded = reloaded(&mut played);
        assert_eq!(states(&mut loaded), states(&mut played));
        run(&mut played, 300);
        run(&mut loaded, 300);
        let (expected, found) = (states(&mut played), states(&mut loaded));
        assert_eq!(expected.len(), 7);
        assert_eq!(found, expected, "saved after {ticks} ticks");
    }
}

#[test]
fn solids_of_the_game_are_in_a_file() {
    let mut played = app();
    let tile = Solid::segment(Vec2::new(5.0, -1.0), Vec2::new(5.0, 1.0));
    played.insert_resource(Solids(vec![tile]));
    run(&mut played, 2);
    let loaded = reloaded(&mut played);
    assert_eq!(loaded.world().resource::<Solids>().0, [tile]);
}

/// What pathfinders have found is not in a file, so searches end later than without it.
#[test]
fn searches_of_a_file_begin_anew_and_find_their_paths() {
    let mut played = app();
    let budget = NavigationBudget { expansions: 1 };
    played.insert_resource(budget);
    for (x, y) in [(2.0, 3.5), (5.0, -3.5), (8.0, 3.5)] {
        wall(&mut played, x, y);
    }
    walkers(&mut played);
    run(&mut played, 2);
    let searching = [NavigationState::Planning; 2];
    assert_eq!(navigation_states(&mut played), searching);
    let mut loaded = reloaded(&mut played);
    assert_eq!(*loaded.world().resource::<NavigationBudget>(), budget);
    assert_eq!(navigation_states(&mut loaded), searching);
    for app in [&mut played, &mut loaded] {
        run(app, 1_200);
        assert_eq!(navigation_states(app), [NavigationState::Arrived; 2]);
    }
}
