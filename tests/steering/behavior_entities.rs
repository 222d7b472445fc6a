//! Behavior entities: entities that hold a behavior and `SteersFor` an agent.

use bevy::ecs::entity::EntityHashSet;
use bevy::prelude::*;
use bevy_steering2d::SteeredBy;
use bevy_steering2d::prelude::*;

use crate::common::*;

/// Hunters at rest, 3 m around the origin.
fn hunters(app: &mut App, count: usize) -> Vec<Entity> {
    (0..count)
        .map(|i| {
            let at = 3.0 * Vec2::from_angle(i as f32);
            Backend::PointMass.spawn(app, Body::at(at.x, at.y), ())
        })
        .collect()
}

/// A rabbit at the origin, with a behavior entity that evades each hunter.
fn rabbit(app: &mut App, hunters: &[Entity]) -> (Entity, Vec<Entity>) {
    let rabbit = Backend::PointMass.spawn(app, Body::at(0.0, 0.0), Vehicle::default());
    let evades = hunters
        .iter()
        .map(|&hunter| {
            let evade = (SteersFor(rabbit), Evade::new(hunter));
            app.world_mut().spawn(evade).id()
        })
        .collect();
    (rabbit, evades)
}

#[test]
fn each_behavior_entity_has_its_own_ledger_entry() {
    let mut app = point_mass_app(HERTZ);
    let hunters = hunters(&mut app, 3);
    let (rabbit, evades) = rabbit(&mut app, &hunters);
    run_ticks(&mut app, 1);
    let force = get::<SteeringForce>(&app, rabbit);
    let sources: EntityHashSet = force
        .ledger()
        .filter_map(|entry| force.source(&entry))
        .collect();
    assert_eq!(sources, evades.into_iter().collect());
    for entry in force.ledger() {
        let source = force.source(&entry).unwrap();
        let hunter = match get::<Evade>(&app, source).threat {
            Target::Entity(hunter) => hunter,
            Target::Point(_) => unreachable!(),
        };
        let away = -position(&app, hunter).normalize();
        assert!(entry.raw.normalize().dot(away) > 0.999);
    }
}

#[test]
fn behavior_entities_alone_move_an_agent() {
    for backend in BACKENDS {
        let mut app = backend.app(HERTZ);
        let agent = backend.spawn(&mut app, Body::at(0.0, 0.0), Vehicle::default());
        app.world_mut().spawn((SteersFor(agent), Seek::new(EAST)));
        run_seconds(&mut app, 1.0);
        assert!(position(&app, agent).x > 1.0, "{backend:?}");
    }
}

#[test]
fn a_behavior_entity_counts_as_much_as_a_behavior_on_the_agent() {
    let flee = Flee::new(Vec2::new(1.0, 2.0));
    let mut app = point_mass_app(HERTZ);
    let with_own = Backend::PointMass.spawn(&mut app, Body::at(0.0, 0.0), flee);
    let with_lent = Backend::PointMass.spawn(&mut app, Body::at(0.0, 0.0), Vehicle::default());
    app.world_mut().spawn((SteersFor(with_lent), flee));
    run_seconds(&mut app, 2.0);
    assert_eq!(position(&app, with_own), position(&app, with_lent));
}

#[test]
fn behavior_entities_despawn_with_their_agent() {
    let mut app = point_mass_app(HERTZ);
    let hunters = hunters(&mut app, 3);
    let (rabbit, evades) = rabbit(&mut app, &hunters);
    run_ticks(&mut app, 1);
    app.world_mut().despawn(rabbit);
    run_ticks(&mut app, 1);
    let left = evades
        .iter()
        .filter(|&&evade| app.world().get_entity(evade).is_ok());
    assert_eq!(left.count(), 0);
}

#[test]
fn a_despawned_behavior_entity_adds_no_force() {
    let mut app = point_mass_app(HERTZ);
    let hunters = hunters(&mut app, 2);
    let (rabbit, evades) = rabbit(&mut app, &hunters);
    run_ticks(&mut app, 1);
    for (left, evade) in [(1, evades[0]), (0, evades[1])] {
        app.world_mut().despawn(evade);
        run_ticks(&mut app, 1);
        assert_eq!(ledger(&app, rabbit).len(), left);
    }
    assert_eq!(total(&app, rabbit), Vec2::ZERO);
}

#[test]
fn a_behavior_entity_may_change_its_agent() {
    let mut app = point_mass_app(HERTZ);
    let [a, b] = [(); 2]
        .map(|()| Backend::PointMass.spawn(&mut app, Body::at(0.0, 0.0), Vehicle::default()));
    let behavior_entity = app.world_mut().spawn((SteersFor(a), Seek::new(EAST))).id();
    run_ticks(&mut app, 1);
    app.world_mut()
        .entity_mut(behavior_entity)
        .insert(SteersFor(b));
    run_ticks(&mut app, 1);
    assert_eq!((ledger(&app, a).len(), ledger(&app, b).len()), (0, 1));
    app.world_mut()
        .entity_mut(behavior_entity)
        .remove::<SteersFor>();
    run_ticks(&mut app, 1);
    assert_eq!((ledger(&app, a).len(), ledger(&app, b).len()), (0, 0));
}

#[test]
fn an_agent_that_becomes_a_behavior_entity_gets_no_force() {
    for backend in BACKENDS {
        let mut app = backend.app(HERTZ);
        let other = backend.spawn(&mut app, Body::at(0.0, 9.0), Vehicle::default());
        let agent = backend.spawn(&mut app, Body::at(0.0, 0.0), Seek::new(EAST));
        run_ticks(&mut app, 5);
        app.world_mut().entity_mut(agent).insert(SteersFor(other));
        run_ticks(&mut app, 1);
        let before = velocity(&app, agent);
        run_ticks(&mut app, 10);
        assert_eq!(velocity(&app, agent), before, "{backend:?}");
        assert!(velocity(&app, other).x > 0.1, "{backend:?}");
    }
}

#[test]
fn a_behavior_that_steers_for_one_that_is_no_group_warns_once() {
    let mut app = point_mass_app(HERTZ);
    let agent = (PointMass::default(), Vehicle::default());
    let agent = app.world_mut().spawn(agent).id();
    let group = (SteersFor(agent), BehaviorGroup::default());
    let group = app.world_mut().spawn(group).id();
    let member = (SteersFor(group), Seek::new(EAST));
    let member = app.world_mut().spawn(member).id();
    run_ticks(&mut app, 5);
    assert!(velocity(&app, agent).x > 0.1);
    app.world_mut().entity_mut(group).remove::<BehaviorGroup>();
    run_ticks(&mut app, 90);
    assert_warned_once(&app, member, "SteersFor", "a member of no group");
}

#[test]
fn a_group_behind_one_that_is_no_group_warns_once() {
    let mut app = point_mass_app(HERTZ);
    let agent = Backend::PointMass.spawn(&mut app, Body::at(0.0, 0.0), Vehicle::default());
    let no_group = app.world_mut().spawn(SteersFor(agent)).id();
    let group = (SteersFor(no_group), BehaviorGroup::default());
    let group = app.world_mut().spawn(group).id();
    let member = (SteersFor(group), Seek::new(EAST));
    let member = app.world_mut().spawn(member).id();
    run_ticks(&mut app, 90);
    assert_warned_once(&app, member, "SteersFor", "a group behind no group");
}

#[test]
fn an_agent_that_is_a_group_warns_once() {
    let mut app = point_mass_app(HERTZ);
    let agent = (BehaviorGroup::default().disabled(), Seek::new(EAST));
    let agent = Backend::PointMass.spawn(&mut app, Body::at(0.0, 0.0), agent);
    run_ticks(&mut app, 90);
    assert_warned_once(&app, agent, "BehaviorGroup", "on the agent");
}

#[test]
fn an_agent_may_have_a_thousand_behavior_entities() {
    let mut app = point_mass_app(HERTZ);
    let hunters = hunters(&mut app, 1_000);
    let (rabbit, _) = rabbit(&mut app, &hunters);
    app.world_mut()
        .entity_mut(rabbit)
        .insert(Combine::WEIGHTED_SUM);
    run_ticks(&mut app, 3);
    assert_eq!(ledger(&app, rabbit).len(), 1_000);
    assert_eq!(get::<SteeredBy>(&app, rabbit).len(), 1_000);
    let force = total(&app, rabbit);
    assert!(
        force.length() <= 20.0 * 1.000_01 && force != Vec2::ZERO,
        "{force}"
    );
}

#[test]
fn agents_on_one_spot_separate_by_behavior_entities() {
    let mut app = point_mass_app(HERTZ);
    let agents = [(); 2]
        .map(|()| Backend::PointMass.spawn(&mut app, Body::at(0.0, 0.0), Vehicle::default()));
    // Their ids are those of no agent.
    for agent in agents {
        let avoid = (SteersFor(agent), CollisionAvoidance::default());
        app.world_mut().spawn(avoid);
    }
    run_seconds(&mut app, 3.0);
    let [one, other] = agents.map(|agent| position(&app, agent));
    assert!(one.distance(other) > 1.0, "{one} and {other}");
}

#[test]
fn flocking_rules_on_a_behavior_entity_steer_its_agent() {
    let mut app = point_mass_app(HERTZ);
    Backend::PointMass.spawn(&mut app, Body::at(0.6, 0.0), Vehicle::default());
    let alone = Backend::PointMass.spawn(&mut app, Body::at(0.0, 0.0), Vehicle::default());
    app.world_mut()
        .spawn((SteersFor(alone), Separation::new(2.0)));
    let grouped = Backend::PointMass.spawn(&mut app, Body::at(0.0, 0.1), Vehicle::default());
    let rules = (BehaviorGroup::default(), Combine::WEIGHTED_SUM);
    app.world_mut()
        .spawn((SteersFor(grouped), rules, Flocking::default()));
    run_ticks(&mut app, 1);
    for agent in [alone, grouped] {
        assert!(total(&app, agent).length() > 1.0, "{}", total(&app, agent));
    }
}
