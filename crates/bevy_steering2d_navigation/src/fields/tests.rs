//! Whole apps with fields and agents that follow them.

mod bad_input;
mod changes;
mod crowd;
mod ground;
mod maze;

use bevy::prelude::*;
use bevy_steering2d_core::*;

use crate::testing::*;
use crate::*;

fn area() -> Rect {
    Rect::new(-20.0, -20.0, 20.0, 20.0)
}

fn sample(app: &App, field: Entity, at: (f32, f32)) -> Vec2 {
    app.world()
        .get::<FlowField>(field)
        .unwrap()
        .sample(at.into())
}

#[test]
fn the_work_is_spread_over_ticks() {
    let mut app = app();
    let mut field = GoalField::new(area()).with_goal(Vec2::ZERO);
    field.nodes_per_tick = 500;
    let field = app.world_mut().spawn(field).id();
    let complete = |app: &App| app.world().get::<TravelMap>(field).unwrap().is_complete();
    let mut ticks = 0;
    while !complete(&app) {
        run(&mut app, 1);
        ticks += 1;
    }
    // 81 by 81 nodes, once for the times and once for the vectors.
    assert!((26..40).contains(&ticks), "{ticks}");
}

#[test]
fn a_goal_close_to_a_wall_is_reached_on_its_side() {
    for side in [1.0, -1.0] {
        let mut app = app();
        app.world_mut()
            .spawn(Wall::new(Vec2::new(0.0, -10.0), Vec2::new(0.0, 10.0)));
        // Its node is in the wall.
        let goal = Vec2::new(0.2 * side, 0.0);
        let field = GoalField::new(area()).with_goal(goal);
        let field = app.world_mut().spawn(field).id();
        run(&mut app, 10);
        let there = side * sample(&app, field, (5.0 * side, 0.0));
        assert!(there.x < -0.9, "{there}");
        assert!(warned(&app).is_empty());
    }
}

#[test]
fn the_followers_of_a_field_that_is_not_complete_have_not_lost_it() {
    #[derive(Resource, Default)]
    struct Losses(u32);
    let mut app = app();
    app.init_resource::<Losses>();
    app.add_observer(|_: On<TargetLost>, mut losses: ResMut<Losses>| losses.0 += 1);
    let mut field = GoalField::new(area()).with_goal(Vec2::new(10.0, 0.0));
    field.nodes_per_tick = 50;
    let field = app.world_mut().spawn(field).id();
    let follower = (PointMass::default(), FlowFieldFollowing::new(field));
    app.world_mut().spawn(follower);
    run(&mut app, 5);
    assert_eq!(app.world().resource::<Losses>().0, 0);
}

#[test]
fn an_agent_beside_a_wall_has_a_travel_time() {
    let mut app = app();
    let goal = Vec2::new(15.0, 10.0);
    let field = app
        .world_mut()
        .spawn(GoalField::new(area()).with_goal(goal))
        .id();
    // The nodes at 0.5 m are blocked.
    app.world_mut()
        .spawn(Wall::new(Vec2::new(-20.0, 0.01), Vec2::new(20.0, 0.01)));
    run(&mut app, 10);
    let map = app.world().get::<TravelMap>(field).unwrap();
    let time = |y| map.travel_time(Vec2::new(15.0, y)).unwrap();
    assert!((9.0..10.0).contains(&time(0.6)), "{}", time(0.6));
    assert!((9.0..10.0).contains(&time(0.1)), "pushed into the wall");
    for beyond in [-0.05, -0.3, -3.0] {
        assert_eq!(time(beyond), f32::INFINITY, "there is no way");
    }
    assert_eq!(map.travel_time(Vec2::new(30.0, 0.0)), None);
}

#[test]
fn an_agent_between_solids_closer_than_the_nodes_has_a_travel_time() {
    let mut app = app();
    let goal = GoalField {
        spacing: 2.0,
        radius: 0.4,
        ..GoalField::new(area()).with_goal(Vec2::new(16.0, 0.0))
    };
    let field = app.world_mut().spawn(goal).id();
    // All nodes around the agent are within 1.02 m of the walls, but it has room.
    for x in [-1.0, 0.98] {
        let wall = Wall::new(Vec2::new(x, -6.0), Vec2::new(x, 6.0));
        app.world_mut().spawn(wall);
    }
    run(&mut app, 10);
    let map = app.world().get::<TravelMap>(field).unwrap();
    let time = map.travel_time(Vec2::new(0.3, 4.0)).unwrap();
    assert!((15.0..60.0).contains(&time), "{time}");
}

#[test]
fn a_field_does_not_lead_through_the_wall_of_a_closed_room() {
    for (spacing, half) in [(0.5, 3.0), (0.5, 3.1), (0.5, 3.4), (0.25, 3.1), (0.25, 3.2)] {
        let mut app = app();
        let room = Rect::from_center_half_size(Vec2::ZERO, Vec2::splat(half));
        app.world_mut().spawn_batch(Wall::room(room));
        let field = GoalField::new(area()).with_goal(Vec2::new(12.0, 0.0));
        let field = app.world_mut().spawn(field.with_spacing(spacing)).id();
        while !app.world().get::<TravelMap>(field).unwrap().is_complete() {
            app.update();
        }
        let map = app.world().get::<TravelMap>(field).unwrap();
        // A body has at least half a spacing to the wall.
        let most = half - 0.5 * spacing;
        for step in -10..=10 {
            let along = 0.08 * half * step as f32;
            for (at, out) in [
                ((most, along), Vec2::X),
                ((-most, along), Vec2::NEG_X),
                ((along, most), Vec2::Y),
                ((along, -most), Vec2::NEG_Y),
            ] {
                let vector = sample(&app, field, at);
                assert!(
                    vector.dot(out) < 1e-3,
                    "{spacing}, {half}: {vector} at {at:?}"
                );
                assert_eq!(map.travel_time(at.into()), Some(f32::INFINITY), "{at:?}");
            }
        }
        let outside = sample(&app, field, (half + 0.4, 0.0));
        assert!(outside.x > 0.5, "{spacing}, {half}: {outside}");
    }
}

#[test]
fn a_follower_comes_to_rest_at_a_goal_on_the_border_of_the_area() {
    let mut app = app();
    let goal = Vec2::new(10.0, 0.0);
    let field = app.world_mut().spawn(GoalField::default().with_goal(goal));
    let field = field.id();
    let agent = (PointMass::default(), FlowFieldFollowing::new(field));
    let agent = app.world_mut().spawn(agent).id();
    run(&mut app, 60 * 30);
    let at = app.world().get::<Kinematics>(agent).unwrap().position;
    assert!(at.distance(goal) < 0.2, "at {at}");
}

#[test]
fn followers_beside_a_solid_go_on_along_it() {
    let wall = |world: &mut World| {
        world.spawn(Wall::new(Vec2::new(-8.0, 0.25), Vec2::new(8.0, 0.25)));
    };
    let block = |world: &mut World| {
        world.spawn((Transform::from_xyz(0.0, -49.75, 0.0), Obstacle::new(50.0)));
    };
    for solid in [&wall as &dyn Fn(&mut World), &block] {
        let mut app = app();
        solid(app.world_mut());
        let goal = GoalField::new(area())
            .with_radius(0.25)
            .with_goal(Vec2::new(18.0, 3.0));
        let field = app.world_mut().spawn(goal).id();
        run(&mut app, 20);
        for beside in [0.25, 0.3, 0.5] {
            let ahead = sample(&app, field, (0.0, 0.25 + beside));
            assert!(ahead.x > 0.6, "{ahead} at {beside} m");
        }
    }
}

#[test]
fn followers_beside_a_thin_wall_do_not_walk_through_it() {
    for x in [0.26, 0.3, 0.35] {
        let mut app = app();
        app.world_mut()
            .spawn(Wall::new(Vec2::new(0.1, -5.0), Vec2::new(0.1, 5.0)));
        let goal = GoalField {
            radius: 0.25,
            ..GoalField::new(area()).with_goal(Vec2::new(8.0, 0.0))
        };
        let field = app.world_mut().spawn(goal).id();
        while !app.world().get::<TravelMap>(field).unwrap().is_complete() {
            app.update();
        }
        let place = Transform::from_xyz(0.1 - x, 0.2, 0.0);
        let limits = Vehicle::default().with_radius(0.25);
        let agent = (
            PointMass::default(),
            limits,
            FlowFieldFollowing::new(field),
            place,
        );
        let agent = app.world_mut().spawn(agent).id();
        let mut before = place.translation.truncate();
        for _ in 0..60 * 20 {
            app.update();
            let at = app.world().get::<Kinematics>(agent).unwrap().position;
            let crosses = before.x < 0.1 && at.x >= 0.1 && at.y.abs() < 5.0;
            assert!(!crosses, "{x} m beside it: through the wall at {at}");
            before = at;
        }
    }
}
