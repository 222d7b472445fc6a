//! What the panel says of agents that find their way.

use bevy_steering2d_navigation::{
    GroupMember, NavigateTo, NavigateToMemory, NavigationState, NoPathReason,
};

use super::*;

/// Shows an agent whose `NavigateTo` is in this state.
fn test_of(state: NavigationState) -> (TestApp, Entity) {
    let mut test = TestApp::new();
    let mut memory = NavigateToMemory::default();
    memory.state = state;
    let agent = (PointMass::default(), NavigateTo::new(Vec2::X), memory);
    let agent = test.world().spawn(agent).id();
    test.select(agent);
    test.frame(Vec::new());
    (test, agent)
}

#[test]
fn an_agent_without_a_path_has_the_reason_in_the_panel() {
    for reason in [NoPathReason::Unreachable, NoPathReason::TargetBlocked] {
        let (test, _) = test_of(NavigationState::NoPath(reason));
        assert!(
            test.shows(&format!("no path: {reason}")),
            "{:?}",
            test.texts
        );
    }
    let (test, _) = test_of(NavigationState::Following);
    assert!(test.shows("NavigateTo has a path") && !test.shows("no path"));
}

#[test]
fn an_agent_with_an_invalid_order_has_the_fault_in_the_panel() {
    let (mut test, agent) = test_of(NavigationState::Planning);
    assert!(test.shows("NavigateTo plans its path"));
    let nowhere = NavigateTo::new(Vec2::NAN);
    test.world().entity_mut(agent).insert(nowhere);
    test.frame(Vec::new());
    assert!(test.shows("NavigateTo.target"), "{:?}", test.texts);
}

#[test]
fn a_member_without_a_place_is_shown_as_one() {
    let (mut test, agent) = test_of(NavigationState::Arrived);
    assert!(test.shows("NavigateTo has arrived") && !test.shows("no place"));
    let order = test.world().spawn_empty().id();
    test.world().entity_mut(agent).insert(GroupMember(order));
    test.frame(Vec::new());
    assert!(test.shows("no place"), "{:?}", test.texts);
}
