//! Navigation with what cannot be done: each has its event or warning, and other agents are unaffected.

use super::*;

#[test]
fn without_a_way_the_agent_stops_and_hears_of_it_once() {
    let mut app = app();
    let walker = walker(&mut app, Vec2::ZERO, Vec2::new(12.0, 0.0));
    run(&mut app, 60);
    app.world_mut()
        .spawn_batch(Wall::room(Rect::new(9.0, -3.0, 15.0, 3.0)));
    run(&mut app, 300);
    assert_eq!(heard(&app).refused, [(walker, NoPathReason::Unreachable)]);
    let body = *app.world().get::<Kinematics>(walker).unwrap();
    assert!(body.speed() < 1e-3 && body.position.x < 9.0, "{body:?}");
}

#[test]
fn a_fast_agent_that_brakes_for_want_of_a_way_hears_of_it_once() {
    let mut app = app();
    let walker = walker(&mut app, Vec2::ZERO, Vec2::new(80.0, 0.0));
    app.world_mut()
        .entity_mut(walker)
        .insert(Vehicle::new(14.0, 8.0));
    run(&mut app, 120);
    app.world_mut()
        .spawn_batch(Wall::room(Rect::new(70.0, -9.0, 90.0, 9.0)));
    run(&mut app, 60 * 10);
    assert_eq!(heard(&app).refused, [(walker, NoPathReason::Unreachable)]);
}

#[test]
fn every_kind_of_impossible_target_has_its_reason() {
    let mut app = app();
    app.world_mut().spawn((
        Transform::from_xyz(10.0, 0.0, 0.0),
        Obstacle { radius: 2.0 },
    ));
    let gone = app.world_mut().spawn(Transform::default()).id();
    app.world_mut().despawn(gone);
    let inside = walker(&mut app, Vec2::ZERO, Vec2::new(10.0, 0.0));
    let lost = walker(&mut app, Vec2::Y, gone);
    let fine = walker(&mut app, Vec2::NEG_Y, Vec2::new(-3.0, 0.0));
    run(&mut app, 240);
    let expected = [
        (inside, NoPathReason::TargetBlocked),
        (lost, NoPathReason::TargetLost),
    ];
    assert_eq!(heard(&app).refused.len(), 2);
    assert!(expected.iter().all(|it| heard(&app).refused.contains(it)));
    assert_eq!(heard(&app).arrived, [fine]);
}

#[test]
fn a_target_that_is_despawned_on_the_way_leaves_the_last_path() {
    let mut app = app();
    let target = app
        .world_mut()
        .spawn(Transform::from_xyz(6.0, 0.0, 0.0))
        .id();
    let walker = walker(&mut app, Vec2::ZERO, target);
    run(&mut app, 30);
    app.world_mut().despawn(target);
    run(&mut app, 300);
    assert_eq!(heard(&app).refused, [(walker, NoPathReason::TargetLost)]);
    assert!(position(&app, walker).distance(Vec2::new(6.0, 0.0)) <= 0.1);
}

#[test]
fn faulty_parameters_raise_one_warning_and_other_agents_go_on() {
    let mut app = app();
    let faulty = walker(&mut app, Vec2::ZERO, Vec2::NAN);
    let fine = walker(&mut app, Vec2::Y, Vec2::new(3.0, 1.0));
    run(&mut app, 200);
    let warnings = app.world().resource::<SteeringWarnings>().recent();
    let about: Vec<_> = warnings.iter().map(|it| (it.entity, it.field)).collect();
    assert_eq!(about, [(faulty, "NavigateTo.target")]);
    assert_eq!(heard(&app).arrived, [fine]);
}

#[test]
fn a_search_beyond_its_limit_is_given_up() {
    let mut app = app();
    wall(&mut app, (4.0, -6.0), (4.0, 6.0));
    let walker = walker(&mut app, Vec2::ZERO, Vec2::new(9.0, 0.0));
    app.world_mut()
        .get_mut::<NavigateTo>(walker)
        .unwrap()
        .max_expansions = 1;
    app.insert_resource(NavigationBudget { expansions: 1 });
    run(&mut app, 100);
    assert_eq!(heard(&app).refused, [(walker, NoPathReason::TooLong)]);
}

/// Panics for one target, never answers for another, and leads nowhere for a third.
struct Faulty;

impl Pathfinder for Faulty {
    fn set_solids(&mut self, _: &[Solid]) {}

    fn find(&mut self, query: &PathQuery, _: &mut u32) -> PathSearch {
        match query.to.y {
            1.0 => panic!("a faulty pathfinder"),
            2.0 => PathSearch::Unfinished,
            3.0 => PathSearch::Found(vec![Vec2::NAN]),
            _ => PathSearch::Found(vec![query.from, query.to]),
        }
    }

    fn is_clear(&mut self, _: Vec2, _: Vec2, _: f32) -> bool {
        true
    }
}

#[test]
fn a_faulty_pathfinder_harms_only_the_agents_that_it_fails() {
    let mut app = app_with(NavigationPlugin::default().with_pathfinder(Faulty));
    let walkers = [1.0, 2.0, 3.0, 4.0].map(|y| {
        let to = Vec2::new(3.0, y);
        let walker = walker(&mut app, Vec2::new(0.0, y), to);
        app.world_mut()
            .get_mut::<NavigateTo>(walker)
            .unwrap()
            .max_expansions = 2_000;
        walker
    });
    run(&mut app, 240);
    let refused = &heard(&app).refused;
    assert_eq!(refused.len(), 3, "{refused:?}");
    for (walker, reason) in [
        (walkers[0], NoPathReason::Failed),
        (walkers[1], NoPathReason::TooLong),
        (walkers[2], NoPathReason::Failed),
    ] {
        assert!(refused.contains(&(walker, reason)), "{refused:?}");
    }
    assert_eq!(heard(&app).arrived, [walkers[3]]);
}

/// Panics when an agent above the x-axis looks ahead.
struct Shy;

impl Pathfinder for Shy {
    fn set_solids(&mut self, _: &[Solid]) {}

    fn find(&mut self, query: &PathQuery, _: &mut u32) -> PathSearch {
        PathSearch::Found(vec![query.from, query.to])
    }

    fn is_clear(&mut self, from: Vec2, _: Vec2, _: f32) -> bool {
        assert!(from.y <= 0.5, "a faulty look");
        true
    }
}

#[test]
fn an_agent_whose_looks_ahead_fail_follows_its_path_with_a_warning() {
    let mut app = app_with(NavigationPlugin::default().with_pathfinder(Shy));
    let walkers = [1.0, 0.0].map(|y| walker(&mut app, Vec2::new(0.0, y), Vec2::new(3.0, y)));
    run(&mut app, 240);
    assert_eq!(heard(&app).found.len(), 2);
    assert_eq!(heard(&app).arrived.len(), 2);
    let warnings = app.world().resource::<SteeringWarnings>().recent();
    let about: Vec<_> = warnings.iter().map(|it| (it.entity, it.field)).collect();
    assert_eq!(about, [(walkers[0], "NavigateTo")]);
}

/// Takes no solids.
struct Stubborn;

impl Pathfinder for Stubborn {
    fn set_solids(&mut self, _: &[Solid]) {
        panic!("faulty solids");
    }

    fn find(&mut self, query: &PathQuery, _: &mut u32) -> PathSearch {
        PathSearch::Found(vec![query.from, query.to])
    }

    fn is_clear(&mut self, _: Vec2, _: Vec2, _: f32) -> bool {
        true
    }
}

#[test]
fn a_pathfinder_without_the_solids_finds_no_path() {
    let mut app = app_with(NavigationPlugin::default().with_pathfinder(Stubborn));
    let walker = walker(&mut app, Vec2::ZERO, Vec2::new(3.0, 0.0));
    run(&mut app, 20);
    assert_eq!(heard(&app).refused, [(walker, NoPathReason::Failed)]);
}

#[test]
fn a_target_on_a_wall_or_inside_a_polygon_is_blocked_or_reached_beside_it() {
    let mut app = app();
    wall(&mut app, (6.0, -3.0), (6.0, 3.0));
    let corners = [(-9.0, -9.0), (-3.0, -9.0), (-3.0, -3.0), (-9.0, -3.0)].map(Vec2::from);
    app.world_mut()
        .insert_resource(Solids(Solid::outline(&corners).collect()));
    let beside = walker(&mut app, Vec2::ZERO, Vec2::new(5.9, 0.0));
    let on_wall = walker(&mut app, Vec2::Y, Vec2::new(6.0, 0.0));
    let inside = walker(&mut app, Vec2::NEG_Y, Vec2::splat(-6.0));
    run(&mut app, 300);
    let expected = [
        (on_wall, NoPathReason::TargetBlocked),
        (inside, NoPathReason::Unreachable),
    ];
    assert_eq!(heard(&app).refused.len(), 2);
    assert!(expected.iter().all(|it| heard(&app).refused.contains(it)));
    assert_eq!(heard(&app).arrived, [beside]);
    let clear = 6.0 - position(&app, beside).x;
    assert!((0.4..0.7).contains(&clear), "{clear} m from the wall");
}

#[test]
fn an_agent_inside_a_wall_gets_out_and_one_without_room_is_told() {
    let mut app = app();
    wall(&mut app, (0.0, -6.0), (0.0, 6.0));
    let rock = Transform::from_xyz(40.0, 0.0, 0.0);
    app.world_mut().spawn((rock, Obstacle { radius: 8.0 }));
    let on_wall = walker(&mut app, Vec2::ZERO, Vec2::new(5.0, 0.0));
    let in_rock = walker(&mut app, Vec2::new(46.0, 0.0), Vec2::new(55.0, 0.0));
    let nook = [(-20.0, 0.0), (-19.7, 0.0), (-19.85, 0.3)].map(Vec2::from);
    app.world_mut()
        .insert_resource(Solids(Solid::outline(&nook).collect()));
    let walled_in = walker(&mut app, Vec2::new(-19.85, 0.1), Vec2::new(-30.0, 0.0));
    run(&mut app, 400);
    let mut arrived = heard(&app).arrived.clone();
    arrived.sort_unstable();
    let told = |it| heard(&app).refused.iter().any(|refused| refused.0 == it);
    for agent in [on_wall, in_rock, walled_in] {
        assert!(
            arrived.contains(&agent) != told(agent),
            "{agent}: {:?}",
            heard(&app).refused
        );
    }
    assert!(arrived.contains(&on_wall) && arrived.contains(&in_rock));
}

#[test]
fn solids_of_no_extent_or_no_number_leave_others_their_ways() {
    let mut app = app();
    wall(&mut app, (3.0, 0.0), (3.0, 0.0));
    app.world_mut()
        .spawn((Transform::from_xyz(6.0, 0.0, 0.0), Obstacle { radius: 0.0 }));
    app.world_mut().insert_resource(Solids(vec![
        Solid::segment(Vec2::NAN, Vec2::ZERO),
        Solid::segment(Vec2::ZERO, Vec2::splat(f32::INFINITY)),
        Solid::segment(Vec2::splat(2.0), Vec2::splat(2.0)),
    ]));
    let walker = walker(&mut app, Vec2::ZERO, Vec2::new(9.0, 0.0));
    let here = super::walker(&mut app, Vec2::splat(-5.0), Vec2::splat(-5.0));
    run(&mut app, 300);
    assert_eq!(heard(&app).arrived.len(), 2);
    assert!(
        [walker, here]
            .iter()
            .all(|it| heard(&app).arrived.contains(it))
    );
}

#[test]
fn a_target_that_is_despawned_while_planning_is_lost() {
    let mut app = app();
    for i in 0..6 {
        let x = 4.0 * i as f32;
        wall(&mut app, (x, -6.0), (x, 6.0));
    }
    app.insert_resource(NavigationBudget { expansions: 1 });
    let target = app
        .world_mut()
        .spawn(Transform::from_xyz(23.0, 0.0, 0.0))
        .id();
    let walker = walker(&mut app, Vec2::new(-3.0, 0.0), target);
    run(&mut app, 3);
    let state = |app: &App| app.world().get::<NavigateToMemory>(walker).unwrap().state;
    assert_eq!(state(&app), NavigationState::Planning);
    app.world_mut().despawn(target);
    run(&mut app, 60);
    assert_eq!(heard(&app).refused, [(walker, NoPathReason::TargetLost)]);
    assert_eq!(position(&app, walker), Vec2::new(-3.0, 0.0));
    app.world_mut()
        .get_mut::<NavigateTo>(walker)
        .unwrap()
        .target = Vec2::new(-3.0, 4.0).into();
    run(&mut app, 300);
    assert_eq!(heard(&app).arrived, [walker]);
}

#[test]
fn every_parameter_out_of_range_is_named_and_the_last_path_is_kept() {
    let fine = NavigateTo::new(Vec2::new(6.0, 0.0));
    let lane = |left, right| fine.with_lane(Lane { left, right });
    let faulty = [
        (
            "NavigateTo.target",
            NavigateTo {
                target: Vec2::INFINITY.into(),
                ..fine
            },
        ),
        (
            "NavigateTo.retarget_distance",
            NavigateTo {
                retarget_distance: 0.0,
                ..fine
            },
        ),
        (
            "NavigateTo.path_tolerance",
            NavigateTo {
                path_tolerance: f32::NAN,
                ..fine
            },
        ),
        (
            "NavigateTo.refresh_time",
            NavigateTo {
                refresh_time: -1.0,
                ..fine
            },
        ),
        (
            "NavigateTo.max_expansions",
            NavigateTo {
                max_expansions: 0,
                ..fine
            },
        ),
        ("NavigateTo.lane.left", lane(-0.1, 0.0)),
        ("NavigateTo.lane.left", lane(f32::NAN, 0.0)),
        ("NavigateTo.lane.right", lane(0.0, f32::INFINITY)),
    ];
    for (field, faulty) in faulty {
        let mut app = app();
        let goal = Vec2::new(6.0, 0.0);
        let walker = walker(&mut app, Vec2::ZERO, goal);
        run(&mut app, 5);
        app.world_mut().entity_mut(walker).insert(faulty);
        run(&mut app, 200);
        let warnings = app.world().resource::<SteeringWarnings>().recent();
        let about: Vec<_> = warnings.iter().map(|it| (it.entity, it.field)).collect();
        assert_eq!(about, [(walker, field)]);
        assert!(position(&app, walker).distance(goal) <= 0.1, "{field}");
    }
}

#[test]
fn an_order_that_does_nothing_raises_a_warning() {
    let mut app = app();
    let goal = Vec2::new(6.0, 0.0);
    let walker = walker(&mut app, Vec2::ZERO, goal);
    let behavior = (SteersFor(walker), NavigateTo::new(goal));
    let behavior = app.world_mut().spawn(behavior).id();
    let road = SteeringPath::open([Vec2::ZERO, Vec2::Y]).unwrap();
    let road = app.world_mut().spawn(road).id();
    app.world_mut()
        .entity_mut(walker)
        .insert(PathFollowing::new(road));
    run(&mut app, 2);
    let warnings = app.world().resource::<SteeringWarnings>().recent();
    let mut about: Vec<_> = warnings.iter().map(|it| (it.field, it.entity)).collect();
    about.sort_unstable();
    let expected = [("NavigateTo", behavior), ("PathFollowing.path", walker)];
    assert_eq!(about, expected);
}

#[test]
fn lanes_wider_than_the_world_leave_the_ways_as_they_are() {
    let mut app = app();
    wall(&mut app, (5.0, -4.0), (5.0, 4.0));
    app.world_mut()
        .spawn_batch(Wall::room(Rect::new(-2.0, -5.2, 12.0, 5.2)));
    let goal = Vec2::new(10.0, 0.0);
    let walker = walker(&mut app, Vec2::ZERO, goal);
    let lane = Lane {
        left: 1e9,
        right: 1e9,
    };
    app.world_mut().get_mut::<NavigateTo>(walker).unwrap().lane = lane;
    run(&mut app, 600);
    assert_eq!(heard(&app).arrived, [walker]);
}

#[test]
fn an_agent_whose_path_following_is_removed_raises_one_warning() {
    let mut app = app();
    let [lonely, led, shown, unled, fine] =
        [0.0, 3.0, 6.0, 9.0, 12.0].map(|y| walker(&mut app, Vec2::new(0.0, y), Vec2::new(40.0, y)));
    run(&mut app, 5);
    for walker in [lonely, led, shown] {
        app.world_mut().entity_mut(walker).remove::<PathFollowing>();
    }
    // A behavior of the game may follow the path.
    let mut disabled = app.world_mut().get_mut::<PathFollowing>(unled).unwrap();
    disabled.influence.enabled = false;
    let beside = Transform::from_xyz(0.0, 6.3, 0.0);
    let follower = (PointMass::default(), beside, PathFollowing::new(shown));
    let follower = app.world_mut().spawn(follower).id();
    // A behavior entity follows the path of its agent.
    app.world_mut()
        .spawn((SteersFor(led), NavigateTo::path_following()));
    run(&mut app, 100);
    let warnings = app.world().resource::<SteeringWarnings>().recent();
    let about: Vec<_> = warnings.iter().map(|it| (it.field, it.entity)).collect();
    assert_eq!(about, [("PathFollowing", lonely)]);
    for walker in [led, follower, fine] {
        assert!(position(&app, walker).x > 3.0);
    }
}

/// Never ends a search.
struct Slow;

impl Pathfinder for Slow {
    fn set_solids(&mut self, _: &[Solid]) {}

    fn find(&mut self, _: &PathQuery, _: &mut u32) -> PathSearch {
        PathSearch::Unfinished
    }

    fn is_clear(&mut self, _: Vec2, _: Vec2, _: f32) -> bool {
        true
    }
}

#[test]
fn an_agent_whose_path_takes_long_to_plan_is_not_warned_of() {
    let mut app = app_with(NavigationPlugin::default().with_pathfinder(Slow));
    let agent = walker(&mut app, Vec2::ZERO, Vec2::X);
    let order = GroupArrive::new(Vec2::new(9.0, 0.0));
    let order = app.world_mut().spawn(order).id();
    let member = (GroupMember(order), PathFollowing::default());
    app.world_mut().spawn((PointMass::default(), member));
    let of_agent = (SteersFor(agent), StayOnPath::default());
    app.world_mut().spawn(of_agent);
    run(&mut app, 480);
    let state = app.world().get::<NavigateToMemory>(agent).unwrap().state;
    assert_eq!(state, NavigationState::Planning);
    let warnings = app.world().resource::<SteeringWarnings>().recent();
    assert_eq!(warnings, []);
}
