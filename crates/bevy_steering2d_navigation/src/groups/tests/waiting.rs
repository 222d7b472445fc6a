//! Members that do not go to their places for a while, and are waited for.

use bevy::ecs::entity_disabling::Disabled;

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

/// A group of two, one of which is stunned on its way.
fn stunned_on_its_way(app: &mut App) -> (Entity, Entity) {
    let [near, far] = [9.0, 0.0].map(|x| unit(app, Vec2::new(x, 0.0)));
    let order = order(app, GroupArrive::new(Vec2::new(10.0, 0.0)), &[near, far]);
    run(app, 20);
    let mut stunned = app.world_mut().entity_mut(far);
    stunned.insert(SteeringDisabled);
    stunned.get_mut::<PointMass>().unwrap().velocity = Vec2::ZERO;
    (order, far)
}

#[test]
fn a_group_waits_for_a_member_that_is_stunned_on_its_way() {
    let mut app = app();
    let (order, stunned) = stunned_on_its_way(&mut app);
    run(&mut app, 300);
    assert!(heard(&app).groups.is_empty(), "one is still to come");
    let mut entity = app.world_mut().entity_mut(stunned);
    entity.remove::<SteeringDisabled>();
    run(&mut app, 600);
    let arrived = GroupArrived {
        entity: order,
        members: 2,
        missing: 0,
    };
    assert_eq!(heard(&app).groups, [arrived]);
}

#[test]
fn a_group_does_not_wait_for_a_stunned_member_that_is_gone() {
    let gone: [fn(EntityWorldMut); 4] = [
        |unit| unit.despawn(),
        |mut unit| {
            unit.remove::<Vehicle>();
        },
        |mut unit| {
            unit.insert(SteeringGroups::NONE);
        },
        |mut unit| {
            unit.insert(Disabled);
        },
    ];
    for gone in gone {
        let mut app = app();
        let (order, stunned) = stunned_on_its_way(&mut app);
        gone(app.world_mut().entity_mut(stunned));
        run(&mut app, 300);
        let arrived = GroupArrived {
            entity: order,
            members: 1,
            missing: 0,
        };
        assert_eq!(heard(&app).groups, [arrived]);
    }
}

const ENEMIES: SteeringGroups = SteeringGroups::of(1);

/// Holds while an enemy is near the place of a member.
#[derive(Component, Reflect, Clone)]
struct EnemyAtPlace;

impl Condition for EnemyAtPlace {
    type World = (
        Query<'static, 'static, &'static GroupPlace>,
        Res<'static, Neighbors>,
    );

    fn holds(
        &self,
        me: &Agent,
        (places, neighbors): &(Query<&GroupPlace>, Res<Neighbors>),
    ) -> bool {
        let place = places.get(me.entity).ok().and_then(|it| it.at);
        place.is_some_and(|at| neighbors.nearest(at, 8.0, ENEMIES).is_some())
    }
}

#[test]
fn a_sentry_that_fights_beside_its_place_keeps_it_and_walks_back() {
    let mut app = app();
    app.add_condition::<EnemyAtPlace>();
    let sentry = unit(&mut app, Vec2::ZERO);
    let walks = NavigateTo::path_following().with_when(When::unless::<EnemyAtPlace>());
    let attacks = Arrive::default()
        .with_standoff(3.0)
        .with_when(When::only::<EnemyAtPlace>());
    app.world_mut()
        .entity_mut(sentry)
        .insert((walks, EnemyAtPlace, attacks));
    order(&mut app, GroupArrive::new(Vec2::new(8.0, 0.0)), &[sentry]);
    run(&mut app, 600);
    let post = place(&app, sentry);
    let enemy = unit(&mut app, post + Vec2::new(3.8, 0.0));
    app.world_mut()
        .entity_mut(enemy)
        .insert((Vehicle::default(), ENEMIES));
    app.world_mut().get_mut::<Arrive>(sentry).unwrap().target = enemy.into();
    run(&mut app, 300);
    let away = position(&app, sentry).distance(post);
    assert!((0.5..1.1).contains(&away), "{away} m");
    assert_eq!(place(&app, sentry), post);
    app.world_mut().despawn(enemy);
    run(&mut app, 300);
    assert_settled(&app, &[sentry]);
    assert_eq!(place(&app, sentry), post);
    assert_eq!(heard(&app).groups.len(), 1);
}
