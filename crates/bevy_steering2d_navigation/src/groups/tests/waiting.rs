//! Members that do not go to their places for a while, and are waited for.

use super::*;

#[test]
fn a_group_before_a_shut_gate_goes_in_when_it_opens() {
    let mut app = app();
    let yard = Wall::room(Rect::new(-4.0, -4.0, 4.0, 4.0));
    let walls = yard.map(|wall| (app.world_mut().spawn(wall).id(), wall));
    let units = [-1.1, 0.0, 1.1].map(|y| unit(&mut app, Vec2::new(3.4, y)));
    let order = order(&mut app, GroupArrive::new(Vec2::new(4.6, 0.0)), &units);
    run(&mut app, 300);
    assert!(heard(&app).groups.is_empty(), "no unit has a way");
    for &unit in &units {
        assert!(place(&app, unit).x > 4.4, "{}", place(&app, unit));
    }
    let east = |wall: &Wall| wall.from.x > 0.0 && wall.to.x > 0.0;
    let gate = walls.iter().find(|(_, wall)| east(wall));
    app.world_mut().despawn(gate.unwrap().0);
    run(&mut app, 600);
    assert_settled(&app, &units);
    let arrived = GroupArrived {
        entity: order,
        members: 3,
        missing: 0,
    };
    assert_eq!(heard(&app).groups, [arrived]);
}
