//! Groups beside agents in no group.

use super::*;

const GOAL: Vec2 = Vec2::new(12.0, 0.0);

/// Sends a group to the goal, and asserts that its places are beside these agents.
#[track_caller]
fn assert_places_beside(app: &mut App, bystanders: &[Entity]) {
    let group = units(app, 5, Vec2::ZERO);
    order(app, GroupArrive::new(GOAL), &group);
    run(app, 5);
    for &unit in &group {
        for &bystander in bystanders {
            let apart = place(app, unit).distance(position(app, bystander));
            assert!(apart > 2.0 * PointMass::RADIUS, "{apart} m");
        }
    }
}

#[test]
fn a_group_stands_beside_an_agent_that_was_sent_there_alone() {
    let mut app = app();
    let alone = unit(&mut app, Vec2::new(9.0, 0.0));
    app.world_mut()
        .entity_mut(alone)
        .insert(NavigateTo::new(GOAL));
    run(&mut app, 300);
    assert_eq!(heard(&app).arrived, [alone]);
    assert_places_beside(&mut app, &[alone]);
}

#[test]
fn a_group_stands_beside_an_agent_that_nothing_moves() {
    let mut app = app();
    let stands = unit(&mut app, GOAL);
    app.world_mut()
        .entity_mut(stands)
        .insert(Vehicle::default());
    assert_places_beside(&mut app, &[stands]);
}

#[test]
fn a_group_stands_where_an_agent_is_parked_that_no_behavior_sees() {
    let mut app = app();
    let parked = unit(&mut app, GOAL);
    let out_of_play = (Vehicle::default(), SteeringDisabled, SteeringGroups::NONE);
    app.world_mut().entity_mut(parked).insert(out_of_play);
    let group = [unit(&mut app, Vec2::ZERO)];
    order(&mut app, GroupArrive::new(GOAL), &group);
    run(&mut app, 5);
    assert!(place(&app, group[0]).distance(GOAL) < 0.01);
}

#[test]
fn a_group_stands_beside_the_members_of_an_order_that_is_despawned() {
    let mut app = app();
    let first = units(&mut app, 5, Vec2::new(6.0, 0.0));
    let done = order(&mut app, GroupArrive::new(GOAL), &first);
    run(&mut app, 600);
    assert_settled(&app, &first);
    app.world_mut().despawn(done);
    assert_places_beside(&mut app, &first);
}

#[test]
fn a_group_gets_the_place_of_an_agent_that_is_sent_away() {
    let mut app = app();
    let leaving = unit(&mut app, GOAL);
    let group = [unit(&mut app, Vec2::ZERO)];
    app.world_mut()
        .entity_mut(leaving)
        .insert(NavigateTo::new(GOAL));
    run(&mut app, 60);
    let mut navigate = app.world_mut().get_mut::<NavigateTo>(leaving).unwrap();
    navigate.target = Vec2::new(30.0, 0.0).into();
    order(&mut app, GroupArrive::new(GOAL), &group);
    run(&mut app, 1);
    assert!(place(&app, group[0]).distance(GOAL) < 0.01);
}
