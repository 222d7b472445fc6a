//! Orders: the selected units are sent in a formation, and from waypoint to waypoint.

use bevy::prelude::*;
use bevy_steering2d::navigation::GroupArriveMemory;
use bevy_steering2d::prelude::*;

use super::tally::Tally;
use super::{Formation, Options, Unit};
use crate::in_scene::InScene;
use crate::input::{Destination, Presses};

/// Where the group goes after its current target, m.
#[derive(Component, Clone, Debug, Default)]
pub(super) struct Waypoints(pub(super) Vec<Vec2>);

/// Sends the selected units.
pub(super) fn send(
    presses: Res<Presses>,
    options: Res<Options>,
    units: Query<(Entity, &Transform, &Unit, Option<&GroupMember>)>,
    mut orders: Query<(&mut GroupArrive, &mut GroupArriveMemory, &mut Waypoints)>,
    mut tally: ResMut<Tally>,
    mut commands: Commands,
) {
    let Some(Destination { to, after_others }) = presses.sent() else {
        return;
    };
    let mut selected: Vec<_> = units
        .iter()
        .filter(|(_, _, unit, _)| unit.selected)
        .collect();
    if selected.is_empty() {
        return;
    }
    if after_others {
        add_waypoint(to, &units, &mut orders, &mut commands);
        // Units without an order get their first one.
        selected.retain(|it| it.3.is_none());
        if selected.is_empty() {
            return;
        }
    }
    let positions = selected.iter().map(|(_, at, ..)| at.translation.truncate());
    let middle = positions.sum::<Vec2>() / selected.len() as f32;
    let facing = (to - middle).normalize_or(Vec2::X).to_angle();
    let shape = match options.formation {
        Formation::Disc => GroupShape::Disc,
        Formation::Block => GroupShape::Block { facing },
        Formation::Line => GroupShape::Line { facing },
    };
    let units: Vec<_> = selected.iter().map(|(entity, ..)| *entity).collect();
    tally.begin(
        &selected
            .iter()
            .map(|(entity, at, ..)| (*entity, at.translation.truncate()))
            .collect::<Vec<_>>(),
    );
    let order = commands.order_group(GroupArrive::new(to).with_shape(shape), units);
    commands
        .entity(order)
        .insert((InScene::default(), Waypoints::default()));
}

/// Adds a waypoint to the orders of the selected units. If they are only a part of their group, they get an order of
/// their own that continues the old one, and the others keep that.
fn add_waypoint(
    to: Vec2,
    units: &Query<(Entity, &Transform, &Unit, Option<&GroupMember>)>,
    orders: &mut Query<(&mut GroupArrive, &mut GroupArriveMemory, &mut Waypoints)>,
    commands: &mut Commands,
) {
    let group_of = |member: Option<&GroupMember>| member.map(|it| it.0);
    let selected: Vec<_> = units
        .iter()
        .filter(|(_, _, unit, _)| unit.selected)
        .filter_map(|(entity, _, _, member)| Some((entity, group_of(member)?)))
        .collect();
    let mut groups: Vec<_> = selected.iter().map(|(_, group)| *group).collect();
    groups.sort_unstable();
    groups.dedup();
    for group in groups {
        let Ok((order, memory, mut waypoints)) = orders.get_mut(group) else {
            continue;
        };
        let mut members = units.iter().filter(|it| group_of(it.3) == Some(group));
        if members.all(|(_, _, unit, _)| unit.selected) {
            waypoints.0.push(to);
            go_on(order, memory, waypoints);
            continue;
        }
        let mut order = *order;
        let mut rest = waypoints.0.clone();
        rest.push(to);
        if memory.arrived {
            order.target = rest.remove(0).into();
        }
        let part = selected.iter().filter(|(_, of)| *of == group);
        let part = commands.order_group(order, part.map(|(entity, _)| *entity));
        commands
            .entity(part)
            .insert((InScene::default(), Waypoints(rest)));
    }
}

/// Sends a group on when it arrives.
pub(super) fn send_on(
    arrived: On<GroupArrived>,
    mut orders: Query<(&mut GroupArrive, &mut GroupArriveMemory, &mut Waypoints)>,
    tally: Option<ResMut<Tally>>,
) {
    let Ok((order, memory, waypoints)) = orders.get_mut(arrived.entity) else {
        return;
    };
    if let Some(mut tally) = tally {
        tally.groups_arrived += 1;
    }
    go_on(order, memory, waypoints);
}

/// Sends a group that has arrived to its next waypoint.
fn go_on(
    mut order: Mut<GroupArrive>,
    mut memory: Mut<GroupArriveMemory>,
    mut waypoints: Mut<Waypoints>,
) {
    if memory.arrived && !waypoints.0.is_empty() {
        order.target = waypoints.0.remove(0).into();
        // It arrives again, however near the waypoint is.
        memory.arrived = false;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::headless;
    use crate::lifecycle::{Scripted, restart_with};
    use crate::scenes::click_and_send::{SCENE, STAY};

    /// Right-clicks with the shift key held.
    fn send_after_others(app: &mut App, to: Vec2) {
        app.world_mut().resource_mut::<Presses>().send(Destination {
            to,
            after_others: true,
        });
        app.update();
    }

    /// The order, if there is just one: its target, and whether its group has arrived.
    fn order(app: &mut App) -> Option<(Target, bool)> {
        let world = app.world_mut();
        let mut orders = world.query::<(&GroupArrive, &GroupArriveMemory)>();
        let (order, memory) = orders.single(world).ok()?;
        Some((order.target, memory.arrived))
    }

    #[test]
    fn waypoints_send_units_that_were_never_sent_and_units_at_rest() {
        let mut app = headless::app(&SCENE, 1);
        app.world_mut().remove_resource::<Scripted>();
        restart_with(app.world_mut(), 1, 2);
        app.world_mut().resource_mut::<Presses>().press('a');
        let first = Vec2::new(-9.0, 0.0);
        send_after_others(&mut app, first);
        assert_eq!(order(&mut app), Some((Target::Point(first), false)));
        for _ in 0..STAY {
            app.update();
        }
        assert_eq!(order(&mut app), Some((Target::Point(first), true)));
        let second = Vec2::new(-5.0, 3.0);
        send_after_others(&mut app, second);
        assert_eq!(order(&mut app), Some((Target::Point(second), false)));
    }

    #[test]
    fn a_waypoint_is_for_the_selected_units_of_a_group_only() {
        let mut app = headless::app(&SCENE, 1);
        app.world_mut().remove_resource::<Scripted>();
        restart_with(app.world_mut(), 1, 4);
        app.world_mut().resource_mut::<Presses>().press('a');
        let [second, third] = [Vec2::new(-5.0, 3.0), Vec2::new(-6.0, -4.0)];
        send_after_others(&mut app, Vec2::new(10.0, -1.5));
        send_after_others(&mut app, second);
        let world = app.world_mut();
        let mut units = world.query::<&mut Unit>();
        for (number, mut unit) in units.iter_mut(world).enumerate() {
            unit.selected = number == 0;
        }
        send_after_others(&mut app, third);
        let world = app.world_mut();
        let mut units = world.query::<(&Unit, &GroupMember)>();
        let mut orders: Vec<_> = units
            .iter(world)
            .map(|(unit, member)| {
                let waypoints = world.get::<Waypoints>(member.0).unwrap();
                (unit.selected, waypoints.0.clone())
            })
            .collect();
        orders.sort_by_key(|(selected, _)| !selected);
        let others = (false, vec![second]);
        let expected = [
            (true, vec![second, third]),
            others.clone(),
            others.clone(),
            others,
        ];
        assert_eq!(orders, expected);
    }
}
