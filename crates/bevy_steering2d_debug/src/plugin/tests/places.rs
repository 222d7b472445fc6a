//! Where layers draw.

use super::*;

#[test]
fn lines_lead_to_the_neighbors_that_a_pedestrian_avoids() {
    let mut app = app(SteeringDebug::of([DebugLayer::Neighbors]), true);
    let one_neighbor = ReciprocalAvoidance {
        max_neighbors: 1,
        ..default()
    };
    let world = app.world_mut();
    world.spawn((PointMass::default(), one_neighbor));
    let [near, far] = [Vec2::new(1.0, 1.0), Vec2::new(-3.0, 0.0)];
    for place in [near, far] {
        let place = Transform::from_translation(place.extend(0.0));
        world.spawn((PointMass::default(), Vehicle::default(), place));
    }
    for _ in 0..3 {
        app.update();
    }
    let points = drawn(&app);
    assert!(points.contains(&near), "{points:?}");
    assert!(!points.contains(&far), "{points:?}");
}

#[test]
fn a_line_leads_to_a_ship_whose_edge_a_pedestrian_avoids() {
    let mut app = app(SteeringDebug::of([DebugLayer::Neighbors]), true);
    let world = app.world_mut();
    world.spawn((PointMass::default(), ReciprocalAvoidance::default()));
    let ship = Vehicle {
        radius: Some(30.0),
        ..default()
    };
    let center = Vec2::new(0.0, 33.0);
    let place = Transform::from_translation(center.extend(0.0));
    world.spawn((PointMass::default(), ship, place));
    for _ in 0..3 {
        app.update();
    }
    let points = drawn(&app);
    assert!(points.contains(&center), "{points:?}");
}

#[test]
fn the_closest_approach_to_what_a_large_agent_sees_beyond_its_edge_is_drawn() {
    let mut app = app(SteeringDebug::of([DebugLayer::Predictions]), true);
    let world = app.world_mut();
    let large = Vehicle::default().with_radius(5.0);
    world.spawn((PointMass::default(), large, CollisionAvoidance::default()));
    // Nearer than its perception radius to its edge, but not to its center.
    let body = PointMass {
        velocity: Vec2::new(-4.0, 0.0),
        ..default()
    };
    let place = Transform::from_xyz(9.0, 0.0, 0.0);
    world.spawn((body, Vehicle::default(), place));
    for _ in 0..3 {
        app.update();
    }
    assert!(!drawn(&app).is_empty());
}

#[test]
fn the_line_of_arrive_ends_where_the_agent_stops() {
    let mut app = app(SteeringDebug::of([DebugLayer::Targets]), true);
    let arrive = Arrive::new(Vec2::new(10.0, 0.0)).with_standoff(3.0);
    app.world_mut().spawn((PointMass::default(), arrive));
    for _ in 0..3 {
        app.update();
    }
    // The first line leads from the agent to its aim.
    let end = drawn(&app)[1];
    assert!(end.distance(Vec2::new(7.0, 0.0)) < 1e-3, "{end}");
}

#[test]
fn hiding_spots_are_drawn_at_the_positions_of_the_behavior() {
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
    // Each spot is the radii of rock and body and half a meter of standoff behind the rock's center.
    let points = drawn(&app);
    for spot in [near + 2.0 * Vec2::X, far + 2.0 * Vec2::Y] {
        let nearest = points.iter().map(|point| point.distance(spot));
        assert!(nearest.fold(f32::INFINITY, f32::min) < 0.01, "{spot}");
    }
}

#[test]
fn prediction_is_drawn_relative_to_the_drawn_quarry() {
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
        // The first line leads from the hunter to the aim.
        let aim = world
            .get::<Pursuit>(hunter)
            .unwrap()
            .predicted_target(&me, &seen);
        (drawn(&app)[1], aim - seen.position)
    };
    let (aim, ahead) = aim_of(DrawnAt(Some(Vec2::new(20.0, 5.0))));
    assert!(ahead.y > 1.0, "{ahead}");
    assert!(aim.distance(Vec2::new(20.0, 5.0) + ahead) < 1e-3, "{aim}");
}

#[test]
fn the_force_is_drawn_between_the_tips_of_velocity_and_desired_velocity() {
    let debug = SteeringDebug {
        labels: false,
        ..SteeringDebug::of([DebugLayer::DesiredVelocity])
    };
    let scale = debug.velocity_scale;
    let mut app = app(debug, true);
    let body = PointMass {
        velocity: Vec2::new(2.0, 0.0),
        ..default()
    };
    let strong = Vehicle {
        max_force: 1_000.0,
        ..default()
    };
    let seek = Seek::new(Vec2::new(0.0, 1_000.0));
    let agent = (body, strong, seek, DrawnAt(Some(Vec2::ZERO)));
    let agent = app.world_mut().spawn(agent).id();
    app.update();
    app.update();
    let velocity = app.world().get::<Kinematics>(agent).unwrap().velocity;
    let desired = Vec2::new(0.0, strong.max_speed);
    // Each arrow is six points, the first two of which are its ends.
    let arrows: Vec<_> = drawn(&app).chunks(6).map(|it| [it[0], it[1]]).collect();
    let expected = [
        [Vec2::ZERO, scale * velocity],
        [Vec2::ZERO, scale * desired],
        [scale * velocity, scale * desired],
    ];
    assert_eq!(arrows.len(), 3);
    for (arrow, expected) in arrows.iter().zip(expected) {
        let near = |at: usize| arrow[at].distance(expected[at]) < 0.02;
        assert!(near(0) && near(1), "{arrow:?}, not {expected:?}");
    }
}

#[test]
fn no_force_is_drawn_at_a_car_in_a_curve_that_rolls_on() {
    let mut app = app(SteeringDebug::of([DebugLayer::DesiredVelocity]), true);
    // The center slips to the left at 1.4 m/s. Of a single agent no total is drawn.
    for y in [0.0, 20.0] {
        let body = PointMass {
            velocity: Vec2::new(4.0, 1.4),
            ..default()
        };
        let controls = Controls {
            steering: 0.6,
            ..default()
        };
        let turning = Propulsion {
            angular_velocity: 1.05,
            ..default()
        };
        let place = Transform::from_xyz(0.0, y, 0.0);
        let car = (Vehicle::default(), Wheeled::default(), controls, turning);
        app.world_mut().spawn((body, place, car));
    }
    for _ in 0..3 {
        app.update();
    }
    let points = drawn(&app);
    let arrows: Vec<_> = points.chunks(6).map(|it| it[1] - it[0]).collect();
    assert_eq!(arrows.len(), 4, "two velocities each: {arrows:?}");
    for pair in arrows.chunks(2) {
        assert!(pair[0].distance(pair[1]) < 1e-3, "{pair:?}");
    }
}

#[test]
fn an_area_of_several_agents_is_drawn_once() {
    let drawn_for = |agents: usize| {
        let mut app = app(SteeringDebug::of([DebugLayer::Areas]), true);
        let yards = [
            Rect::new(-5.0, -5.0, 5.0, 5.0),
            Rect::new(5.0, 5.0, 9.0, 9.0),
        ];
        for yard in yards.into_iter().cycle().take(agents) {
            let agent = (PointMass::default(), Containment::new(yard));
            app.world_mut().spawn(agent);
        }
        for _ in 0..3 {
            app.update();
        }
        drawn(&app).len()
    };
    assert!(drawn_for(1) > 0);
    assert_eq!(drawn_for(5), drawn_for(2));
}

#[test]
fn a_field_is_drawn_beside_another_one_of_the_same_agent() {
    let points = |has_second: bool| {
        let mut app = app(SteeringDebug::of([DebugLayer::FlowField]), true);
        let flow = |direction: Vec2| {
            let corner = Vec2::splat(-20.0);
            FlowField::new(corner, 1.0, UVec2::splat(41), |_| direction).unwrap()
        };
        let world = app.world_mut();
        let following = FlowFieldFollowing::default;
        let agent = (PointMass::default(), following(), flow(Vec2::X));
        let agent = world.spawn(agent).id();
        if has_second {
            world.spawn((SteersFor(agent), following(), flow(Vec2::Y)));
        }
        for _ in 0..3 {
            app.update();
        }
        drawn(&app).len()
    };
    assert_eq!(points(true), 2 * points(false));
}

/// A behavior of a game.
#[derive(Component, Reflect, Clone, Debug, Default)]
#[reflect(Component, Default)]
struct Visit {
    influence: Influence,
    center: Target,
}

impl Behavior for Visit {
    type Memory = ();
    type World = ();

    fn influence(&self) -> &Influence {
        &self.influence
    }

    fn influence_mut(&mut self) -> &mut Influence {
        &mut self.influence
    }

    fn targets(&self) -> [Option<Target>; 2] {
        [Some(self.center), None]
    }
}

impl Steer for Visit {
    fn steer(&self, _: &Agent, _: (), _: &()) -> Vec2 {
        Vec2::ZERO
    }
}

#[test]
fn a_line_leads_to_the_target_of_a_behavior_of_the_game_while_it_acts() {
    let center = Vec2::new(6.0, 2.0);
    let points = |enabled: bool| {
        let mut app = app(SteeringDebug::of([DebugLayer::Targets]), true);
        app.add_behavior::<Visit>();
        let mut visit = Visit {
            center: center.into(),
            ..default()
        };
        visit.influence.enabled = enabled;
        app.world_mut().spawn((PointMass::default(), visit));
        for _ in 0..3 {
            app.update();
        }
        drawn(&app)
    };
    let acting = points(true);
    assert!(acting.contains(&center), "{acting:?}");
    let disabled = points(false);
    assert!(disabled.is_empty(), "{disabled:?}");
}
