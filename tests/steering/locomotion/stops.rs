//! Cars with a goal close before a rock or a wall: the stop of a behavior that acts counts, that of others does not.

use bevy::prelude::*;
use bevy_steering2d::prelude::*;

use super::car;
use crate::common::*;

const GOAL: Vec2 = Vec2::new(20.0, 0.0);
/// Beyond the goal, m.
const BEYOND: Vec2 = Vec2::new(60.0, 0.0);
/// Of the car, m.
const RADIUS: f32 = 2.0;

/// What stands a meter before the nose of a car at the goal.
#[derive(Clone, Copy, Debug)]
enum Behind {
    Rock,
    Wall,
}

const ALL: [Behind; 2] = [Behind::Rock, Behind::Wall];

impl Behind {
    /// Spawns it, and a car at the origin that avoids it.
    fn spawn_car(self, app: &mut App, agent: impl Bundle) -> Entity {
        let x = GOAL.x + RADIUS + 1.0;
        let car = car(Backend::PointMass, app, Body::at(0.0, 0.0), agent);
        let world = app.world_mut();
        world.get_mut::<Vehicle>(car).unwrap().radius = Some(RADIUS);
        match self {
            Self::Rock => {
                let place = Transform::from_xyz(x + 1.5, 0.5, 0.0);
                world.spawn((place, Obstacle::new(1.5)));
                world.entity_mut(car).insert(ObstacleAvoidance::default());
            }
            Self::Wall => {
                world.spawn(Wall::new(Vec2::new(x, -9.0), Vec2::new(x, 9.0)));
                world.entity_mut(car).insert(WallAvoidance::default());
            }
        }
        car
    }

    /// The places of a car in half a minute.
    fn course(self, agent: impl Bundle) -> Vec<Vec2> {
        let mut app = point_mass_app(HERTZ);
        let car = self.spawn_car(&mut app, agent);
        let mut place = || {
            app.update();
            position(&app, car)
        };
        (0..30 * 60).map(|_| place()).collect()
    }
}

fn arrive() -> Arrive {
    Arrive::new(GOAL).with_tolerance(0.5)
}

#[track_caller]
fn assert_rests_at_the_goal(app: &mut App, car: Entity, case: &str) {
    run_seconds(app, 60.0);
    assert_near(position(app, car), GOAL, 0.5, case);
    let speed = velocity(app, car).length();
    assert!(speed < 0.05, "{case}: {speed} m/s");
}

#[test]
fn a_car_that_arrives_rests_at_a_goal_before_a_rock_or_a_wall() {
    for behind in ALL {
        let mut app = point_mass_app(HERTZ);
        let car = behind.spawn_car(&mut app, arrive());
        assert_rests_at_the_goal(&mut app, car, &format!("{behind:?}"));
    }
}

#[test]
fn a_goal_at_which_a_car_is_not_to_stop_changes_nothing_of_its_way() {
    for behind in ALL {
        let seek = Seek::new(BEYOND);
        let alone = Alone::default();
        let expected = behind.course((seek, alone));
        let fails = arrive().with_when(When::unless::<Alone>());
        let cases = [
            ("disabled", arrive().disabled()),
            ("its condition fails", fails),
            ("weight 0", arrive().with_weight(0.0)),
        ];
        for (case, arrive) in cases {
            let course = behind.course((seek, alone, arrive));
            assert!(course == expected, "{behind:?}, {case}");
        }
        if let Behind::Rock = behind {
            let farthest = expected.iter().map(|at| at.x).fold(0.0, f32::max);
            assert!(farthest > 40.0, "it passes the rock: {farthest} m");
        }
    }
}

#[test]
fn a_car_rests_at_the_end_of_an_open_path_before_a_rock() {
    let path = || SteeringPath::open([Vec2::ZERO, 0.5 * GOAL, GOAL]).unwrap();
    let mut app = point_mass_app(HERTZ);
    let follow = PathFollowing::default().with_tolerance(0.5);
    let car = Behind::Rock.spawn_car(&mut app, (follow, path()));
    assert_rests_at_the_goal(&mut app, car, "its own path");

    let mut app = point_mass_app(HERTZ);
    let path = app.world_mut().spawn(path()).id();
    let follow = PathFollowing::new(path).with_tolerance(0.5);
    let car = Behind::Rock.spawn_car(&mut app, follow);
    assert_rests_at_the_goal(&mut app, car, "the path of another entity");
}

#[test]
fn a_car_passes_a_rock_behind_the_last_point_of_a_looped_path() {
    let around = [
        BEYOND,
        Vec2::new(60.0, 30.0),
        Vec2::new(0.0, 30.0),
        Vec2::ZERO,
        GOAL,
    ];
    let path = SteeringPath::looped(around).unwrap();
    let follow = PathFollowing::default().with_corridor(6.0, 0.5);
    let course = Behind::Rock.course((path, follow));
    let farthest = course.iter().map(|at| at.x).fold(0.0, f32::max);
    assert!(farthest > 40.0, "{farthest} m");
}
