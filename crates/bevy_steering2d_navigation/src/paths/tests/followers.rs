//! Agents along whose paths something else leads them than their own `PathFollowing`.

use super::*;

/// A walker that a behavior entity leads, without a `PathFollowing` of its own or with one that is disabled.
fn led(app: &mut App, goal: Vec2, keeps_its_own: bool) -> Entity {
    let walker = walker(app, Vec2::ZERO, goal);
    let mut agent = app.world_mut().entity_mut(walker);
    if keeps_its_own {
        let mut own = agent.get_mut::<PathFollowing>().unwrap();
        own.influence.enabled = false;
    } else {
        agent.remove::<PathFollowing>();
    }
    app.world_mut()
        .spawn((SteersFor(walker), NavigateTo::path_following()));
    walker
}

#[test]
fn an_agent_that_is_led_to_its_goal_arrives_once() {
    for keeps_its_own in [true, false] {
        let mut app = app();
        wall(&mut app, (5.0, -6.0), (5.0, 4.0));
        let goal = Vec2::new(10.0, 0.0);
        let walker = led(&mut app, goal, keeps_its_own);
        let state = |app: &App| app.world().get::<NavigateToMemory>(walker).unwrap().state;
        for _ in 0..600 {
            if position(&app, walker).distance(goal) > 0.1 {
                assert_ne!(state(&app), NavigationState::Arrived);
            }
            run_clear_of(&mut app, walker, 1, 0.02);
        }
        assert_eq!(state(&app), NavigationState::Arrived);
        assert_eq!(heard(&app).arrived, [walker]);
        assert_eq!(heard(&app).found.len(), 1, "one plan is enough");
    }
}

#[test]
fn an_agent_that_is_led_passes_its_goal_without_an_arrival() {
    let mut app = app();
    let goal = Vec2::new(6.0, 0.0);
    let walker = walker(&mut app, Vec2::ZERO, goal);
    let mut own = app.world_mut().get_mut::<PathFollowing>(walker).unwrap();
    own.influence.enabled = false;
    app.world_mut()
        .spawn((SteersFor(walker), Seek::new(Vec2::new(30.0, 0.0))));
    run(&mut app, 120);
    assert!(position(&app, walker).x > 6.5);
    assert!(heard(&app).arrived.is_empty());
}

#[test]
fn an_agent_that_is_led_and_pushed_behind_a_wall_plans_again() {
    for keeps_its_own in [true, false] {
        let mut app = app();
        wall(&mut app, (4.0, 1.0), (4.0, 9.0));
        let walker = led(&mut app, Vec2::new(10.0, 0.0), keeps_its_own);
        run(&mut app, 30);
        assert_eq!(heard(&app).found.len(), 1);
        let mut place = app.world_mut().get_mut::<Transform>(walker).unwrap();
        place.translation = Vec3::new(2.0, 6.0, 0.0);
        run(&mut app, 10);
        assert_eq!(heard(&app).found.len(), 2);
        run_clear_of(&mut app, walker, 600, 0.05);
        assert_eq!(heard(&app).arrived, [walker]);
    }
}

#[test]
fn a_fast_agent_that_is_led_and_brakes_for_want_of_a_way_hears_of_it_once() {
    let mut app = app();
    let walker = led(&mut app, Vec2::new(80.0, 0.0), true);
    app.world_mut()
        .entity_mut(walker)
        .insert(Vehicle::new(14.0, 8.0));
    run(&mut app, 120);
    app.world_mut()
        .spawn_batch(Wall::room(Rect::new(70.0, -9.0, 90.0, 9.0)));
    run(&mut app, 60 * 10);
    assert_eq!(heard(&app).refused, [(walker, NoPathReason::Unreachable)]);
}
