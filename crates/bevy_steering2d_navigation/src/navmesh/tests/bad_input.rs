//! Meshes, targets and agents that do not fit together: each has its event, and other agents are unaffected.

use super::*;

#[test]
fn before_the_mesh_is_loaded_agents_wait_and_plan_as_soon_as_it_is() {
    let mut app = app();
    let handle = app
        .world_mut()
        .resource_mut::<Assets<NavMesh>>()
        .reserve_handle();
    app.insert_resource(ActiveNavmesh::new(handle.clone()));
    let walker = walker(&mut app, (-6.0, 0.0), (6.0, 0.0));
    run(&mut app, 100);
    assert_eq!(heard(&app).refused, [(walker, NoPathReason::NotReady)]);
    assert_eq!(position(&app, walker), Vec2::new(-6.0, 0.0));
    replace(&mut app, &handle, holed());
    run(&mut app, 600);
    assert_eq!(heard(&app).refused.len(), 1);
    assert_eq!(heard(&app).arrived, [walker]);
}

#[test]
fn without_a_mesh_agents_are_told_once() {
    let mut app = app();
    let walker = walker(&mut app, (-6.0, 0.0), (6.0, 0.0));
    run(&mut app, 100);
    assert_eq!(heard(&app).refused, [(walker, NoPathReason::NotReady)]);
}

#[test]
fn a_mesh_that_becomes_unusable_stops_agents_and_takes_its_walls_along() {
    let empty = NavMesh::from_polyanya_mesh(Triangulation::from_outer_edges(&[]).as_navmesh());
    let mut layers = (*holed().get()).clone();
    layers.layers.push(layers.layers[0].clone());
    for unusable in [empty, NavMesh::from_polyanya_mesh(layers)] {
        let mut app = app();
        let handle = choose(&mut app, holed());
        run(&mut app, 1);
        let walker = walker(&mut app, (-6.0, 0.0), (6.0, 0.0));
        run(&mut app, 60);
        replace(&mut app, &handle, unusable);
        run(&mut app, 300);
        assert_eq!(heard(&app).refused, [(walker, NoPathReason::NotReady)]);
        assert_eq!(walls(&mut app), 0);
        assert!(speed(&app, walker) < 1e-3);
        replace(&mut app, &handle, holed());
        run(&mut app, 600);
        assert_eq!(heard(&app).arrived, [walker]);
    }
}

#[test]
fn targets_and_agents_off_the_mesh_have_their_reasons() {
    let mut app = app();
    let apart = mesh(
        Rect::new(-10.0, -6.0, 10.0, 6.0),
        &[Rect::new(-1.0, -7.0, 1.0, 7.0)],
    );
    choose(&mut app, apart);
    run(&mut app, 1);
    let outside = walker(&mut app, (-6.0, 0.0), (30.0, 0.0));
    let in_hole = walker(&mut app, (-6.0, 1.0), (0.0, 0.0));
    let across = walker(&mut app, (-6.0, 2.0), (6.0, 2.0));
    let off = walker(&mut app, (0.0, 20.0), (-6.0, 3.0));
    let fine = walker(&mut app, (-6.0, -2.0), (-3.0, -2.0));
    run(&mut app, 300);
    let refused = &heard(&app).refused;
    assert_eq!(refused.len(), 4, "{refused:?}");
    for expected in [
        (outside, NoPathReason::TargetBlocked),
        (in_hole, NoPathReason::TargetBlocked),
        (across, NoPathReason::Unreachable),
        (off, NoPathReason::AgentBlocked),
    ] {
        assert!(refused.contains(&expected), "{expected:?}: {refused:?}");
        assert_eq!(speed(&app, expected.0), 0.0);
    }
    assert_eq!(heard(&app).arrived, [fine]);
}

#[test]
fn an_inset_out_of_range_leaves_agents_without_a_mesh() {
    for inset in [-1.0, f32::NAN, f32::INFINITY] {
        let mut app = app();
        let handle = choose(&mut app, holed());
        app.insert_resource(ActiveNavmesh::new(handle).with_inset(inset));
        let walker = walker(&mut app, (-6.0, 0.0), (6.0, 0.0));
        run(&mut app, 10);
        assert_eq!(heard(&app).refused, [(walker, NoPathReason::NotReady)]);
    }
}

#[test]
fn without_the_plugin_of_the_meshes_agents_are_told() {
    let mut app = app_with(NavmeshPlugin);
    let walker = walker(&mut app, (-6.0, 0.0), (6.0, 0.0));
    run(&mut app, 10);
    assert_eq!(heard(&app).refused, [(walker, NoPathReason::NotReady)]);
}
