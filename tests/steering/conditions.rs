//! Conditions: behaviors that act only while their agent perceives something.

use bevy::prelude::*;
use bevy_rapier2d::prelude::{Collider, RigidBody};
use bevy_steering2d::prelude::*;
use bevy_steering2d::{ConditionStates, ConditionType, SteeringSnapshot, StuckMemory};

use crate::common::*;

const FAR: Vec2 = Vec2::new(40.0, 0.0);

/// A condition of a game: holds to the right of a line.
#[derive(Component, Reflect, Clone, Copy, Debug, Default, PartialEq)]
#[reflect(Component, Default)]
struct RightOf {
    /// The line's x, m.
    x: f32,
}

impl Condition for RightOf {
    type World = ();

    fn check(&self) -> Result<(), InvalidParameter> {
        InvalidParameter::unless_finite("RightOf.x", Vec2::splat(self.x))
    }

    fn holds(&self, me: &Agent, _: &()) -> bool {
        me.position.x > self.x
    }
}

fn spawn(app: &mut App, x: f32, agent: impl Bundle) -> Entity {
    Backend::PointMass.spawn(app, Body::at(x, 0.0), agent)
}

fn lone_wanderer() -> impl Bundle {
    let wander = Wander::default().with_when(When::only::<Alone>());
    (Alone::new(4.0), wander)
}

#[test]
fn a_behavior_acts_only_while_its_condition_holds() {
    let mut app = point_mass_app(HERTZ);
    let alone = spawn(&mut app, 0.0, lone_wanderer());
    run_ticks(&mut app, 3);
    assert_eq!(entry::<Wander>(&app, alone).cut, Cut::Nothing);
    assert!(entry::<Wander>(&app, alone).raw != Vec2::ZERO);
    let other = spawn(&mut app, 2.0, Vehicle::default());
    run_ticks(&mut app, 2);
    let not_now = entry::<Wander>(&app, alone);
    assert_eq!((not_now.cut, not_now.raw), (Cut::NotNow, Vec2::ZERO));
    assert_eq!(not_now.accepted(), Vec2::ZERO);
    app.world_mut().despawn(other);
    run_ticks(&mut app, 2);
    assert_eq!(
        entry::<Wander>(&app, alone).cut,
        Cut::Nothing,
        "alone again"
    );
}

#[test]
fn a_behavior_may_act_unless_a_condition_holds() {
    let mut app = point_mass_app(HERTZ);
    let seek = Seek::new(FAR).with_when(When::unless::<Alone>());
    let agent = spawn(&mut app, 0.0, (Alone::default(), seek));
    run_ticks(&mut app, 2);
    assert_eq!(entry::<Seek>(&app, agent).cut, Cut::NotNow);
    spawn(&mut app, 2.0, Vehicle::default());
    run_ticks(&mut app, 2);
    assert_eq!(entry::<Seek>(&app, agent).cut, Cut::Nothing);
}

#[test]
fn the_rules_of_a_flock_may_depend_on_a_condition() {
    let mut app = point_mass_app(HERTZ);
    app.add_condition::<RightOf>();
    let flocking = || {
        let mut flocking = Flocking::new(5.0);
        flocking.cohesion.influence.when = When::only::<RightOf>();
        (flocking, RightOf { x: 0.5 })
    };
    let left = spawn(&mut app, 0.0, flocking());
    let right = spawn(&mut app, 1.0, flocking());
    let ordinary = spawn(&mut app, 1.5, Flocking::new(5.0));
    run_ticks(&mut app, 1);
    assert_eq!(entry::<Cohesion>(&app, left).cut, Cut::NotNow);
    assert_eq!(entry::<Cohesion>(&app, left).raw, Vec2::ZERO);
    assert!(entry::<Separation>(&app, left).raw != Vec2::ZERO);
    for agent in [right, ordinary] {
        assert!(entry::<Cohesion>(&app, agent).raw != Vec2::ZERO);
    }
}

#[test]
fn a_group_and_its_members_may_depend_on_conditions() {
    let mut app = point_mass_app(HERTZ);
    app.add_condition::<RightOf>();
    let agent = spawn(&mut app, 0.0, (Vehicle::default(), RightOf { x: 1.0 }));
    let group = BehaviorGroup::default().with_when(When::only::<RightOf>());
    app.world_mut()
        .spawn((SteersFor(agent), group, Seek::new(FAR)));
    run_ticks(&mut app, 2);
    assert_eq!(ledger(&app, agent)[0].cut, Cut::NotNow);
    app.world_mut().get_mut::<RightOf>(agent).unwrap().x = -9.0;
    run_ticks(&mut app, 2);
    assert!(ledger(&app, agent)[0].raw.x > 1.0);
}

/// As in the recipe of a boss with phases.
#[test]
fn a_member_of_a_group_acts_while_both_conditions_hold() {
    let mut app = point_mass_app(HERTZ);
    app.add_condition::<RightOf>();
    let sight = TargetInSight::new(Vec2::new(0.0, 3.0));
    let agent = spawn(&mut app, 0.0, (Vehicle::default(), sight));
    let group = BehaviorGroup::default().with_when(When::only::<RightOf>());
    let member = Seek::new(FAR).with_when(When::only::<TargetInSight>());
    let group = (SteersFor(agent), RightOf { x: 0.0 }, group, member);
    let group = app.world_mut().spawn(group).id();
    for (is_right, is_seen) in [(true, true), (true, false), (false, true), (false, false)] {
        let x = if is_right { -9.0 } else { 9.0 };
        app.world_mut().get_mut::<RightOf>(group).unwrap().x = x;
        let distance = if is_seen { 9.0 } else { 1.0 };
        let mut sight = app.world_mut().get_mut::<TargetInSight>(agent).unwrap();
        sight.distance = distance;
        run_ticks(&mut app, 2);
        let acts = entry::<Seek>(&app, group).cut == Cut::Nothing;
        assert_eq!(acts, is_right && is_seen, "{is_right}, {is_seen}");
        let moves = ledger(&app, agent)[0].raw != Vec2::ZERO;
        assert_eq!(moves, acts, "{is_right}, {is_seen}");
    }
}

#[test]
fn behaviors_of_a_group_that_is_off_do_not_run() {
    let mut app = point_mass_app(HERTZ);
    app.add_condition::<RightOf>();
    record_events::<Arrived>(&mut app);
    let agent = spawn(&mut app, 0.0, (Vehicle::default(), RightOf { x: 1.0 }));
    let outer = BehaviorGroup::default().with_when(When::only::<RightOf>());
    let outer = app.world_mut().spawn((SteersFor(agent), outer)).id();
    let inner = (SteersFor(outer), BehaviorGroup::default());
    let inner = app.world_mut().spawn((inner, Arrive::new(Vec2::ZERO))).id();
    run_ticks(&mut app, 5);
    assert_eq!(entry::<Arrive>(&app, inner).cut, Cut::NotNow);
    assert!(recorded_events::<Arrived>(&app).is_empty());
    app.world_mut().get_mut::<RightOf>(agent).unwrap().x = -9.0;
    run_ticks(&mut app, 5);
    assert_eq!(entry::<Arrive>(&app, inner).cut, Cut::Nothing);
    assert_eq!(recorded_events::<Arrived>(&app).len(), 1);
}

#[test]
fn a_condition_that_is_removed_no_longer_holds() {
    let mut app = point_mass_app(HERTZ);
    let agent = spawn(&mut app, 0.0, lone_wanderer());
    run_ticks(&mut app, 3);
    let holds = |app: &App| get::<ConditionStates>(app, agent).holds::<Alone>();
    assert!(holds(&app));
    app.world_mut().entity_mut(agent).remove::<Alone>();
    assert!(!holds(&app));
}

#[test]
fn a_condition_that_held_at_a_snapshot_holds_once_it_is_restored() {
    let mut app = point_mass_app(HERTZ);
    let agent = spawn(&mut app, 0.0, lone_wanderer());
    run_ticks(&mut app, 3);
    let holds = |app: &App| get::<ConditionStates>(app, agent).holds::<Alone>();
    let snapshot = SteeringSnapshot::take(app.world_mut());
    spawn(&mut app, 1.0, Vehicle::default());
    run_ticks(&mut app, 3);
    assert!(!holds(&app));
    snapshot.restore(app.world_mut());
    assert!(holds(&app));
}

#[test]
fn a_behavior_entity_may_have_a_condition_of_its_own() {
    let mut app = point_mass_app(HERTZ);
    app.add_condition::<RightOf>();
    let agent = spawn(&mut app, 0.0, (Vehicle::default(), RightOf { x: -1.0 }));
    let seek = || Seek::new(FAR).with_when(When::only::<RightOf>());
    app.world_mut().spawn((SteersFor(agent), seek()));
    app.world_mut()
        .spawn((SteersFor(agent), seek(), RightOf { x: 1.0 }));
    run_ticks(&mut app, 1);
    let cuts: Vec<Cut> = ledger(&app, agent).iter().map(|entry| entry.cut).collect();
    assert_eq!(cuts, [Cut::Nothing, Cut::NotNow]);
}

#[test]
fn a_target_is_in_sight_unless_it_is_far_behind_or_hidden() {
    let mut app = point_mass_app(HERTZ);
    let ahead = std::f32::consts::FRAC_PI_2;
    let watcher = |target: Vec2| TargetInSight {
        field_of_view: ahead,
        ..TargetInSight::new(target)
    };
    let sees = |app: &mut App, target: Vec2| {
        let agent = spawn(app, 0.0, (Vehicle::default(), watcher(target)));
        run_ticks(app, 1);
        let states = get::<ConditionStates>(app, agent);
        states.get(ConditionType::of::<TargetInSight>())
    };
    assert_eq!(sees(&mut app, Vec2::new(9.0, 1.0)), Some(true));
    assert_eq!(sees(&mut app, Vec2::new(16.0, 0.0)), Some(false), "far");
    assert_eq!(sees(&mut app, Vec2::new(-9.0, 0.0)), Some(false), "behind");
    let rock = (Transform::from_xyz(5.0, 0.0, 0.0), Obstacle { radius: 0.5 });
    app.world_mut().spawn(rock);
    assert_eq!(sees(&mut app, Vec2::new(9.0, 0.0)), Some(false), "hidden");
    app.world_mut()
        .spawn(Wall::new(Vec2::new(4.0, 2.0), Vec2::new(4.0, 9.0)));
    assert_eq!(sees(&mut app, Vec2::new(8.0, 6.0)), Some(false), "walled");
    assert_eq!(sees(&mut app, Vec2::new(3.0, 2.0)), Some(true), "before it");
}

#[test]
fn a_stuck_agent_may_change_its_behavior() {
    let mut app = point_mass_app(HERTZ);
    let agent = (
        IsStuck,
        Seek::new(FAR).with_when(When::unless::<IsStuck>()),
        Flee::new(FAR)
            .with_panic_distance(f32::INFINITY)
            .with_when(When::only::<IsStuck>()),
    );
    let agent = spawn(&mut app, 0.0, agent);
    run_ticks(&mut app, 1);
    assert_eq!(entry::<Flee>(&app, agent).cut, Cut::NotNow);
    app.world_mut().get_mut::<StuckMemory>(agent).unwrap().stuck = true;
    run_ticks(&mut app, 1);
    assert_eq!(entry::<Flee>(&app, agent).cut, Cut::Nothing);
    assert_eq!(entry::<Seek>(&app, agent).cut, Cut::NotNow);
    app.world_mut().entity_mut(agent).remove::<StuckDetection>();
    run_ticks(&mut app, 1);
    let cut = entry::<Flee>(&app, agent).cut;
    assert_eq!(cut, Cut::NotNow, "nothing says that it is still stuck");
}

#[test]
fn a_condition_that_is_missing_warns_once_and_the_behavior_counts_as_zero() {
    let mut app = point_mass_app(HERTZ);
    let mut flocking = Flocking::default();
    flocking.alignment.influence.when = When::only::<Alone>();
    let boid = spawn(&mut app, 0.0, flocking);
    run_ticks(&mut app, 90);
    assert_warned_once(&app, boid, "Influence.when", "boid");
    assert_eq!(entry::<Alignment>(&app, boid).cut, Cut::Invalid);

    let mut app = point_mass_app(HERTZ);
    let agent = spawn(&mut app, 0.0, Vehicle::default());
    let group = BehaviorGroup::default().with_when(When::only::<Alone>());
    let group = app.world_mut().spawn((SteersFor(agent), group)).id();
    run_ticks(&mut app, 90);
    assert_warned_once(&app, group, "Influence.when", "group");
    assert_eq!(ledger(&app, agent)[0].cut, Cut::Invalid);

    let mut app = point_mass_app(HERTZ);
    let agent = spawn(&mut app, 0.0, lone_seek());
    run_ticks(&mut app, 90);
    assert_warned_once(&app, agent, "Influence.when", "agent");
    assert_eq!(entry::<Seek>(&app, agent).cut, Cut::Invalid);
    assert_eq!(position(&app, agent), Vec2::ZERO);
    app.world_mut().entity_mut(agent).insert(Alone::default());
    run_ticks(&mut app, 30);
    assert!(position(&app, agent).x > 0.5, "nothing is lost");
}

#[test]
fn an_invalid_condition_warns_once_and_its_behaviors_count_as_zero() {
    let mut app = point_mass_app(HERTZ);
    let agent = spawn(&mut app, 0.0, (Alone::new(f32::NAN), lone_seek()));
    let sound = spawn(&mut app, 50.0, (Alone::default(), lone_seek()));
    run_ticks(&mut app, 90);
    assert_warned_once(&app, agent, "Alone.perception_radius", "NaN");
    assert_eq!(entry::<Seek>(&app, agent).cut, Cut::Invalid);
    assert!(velocity(&app, sound).length() > 1.0);
}

fn lone_seek() -> Seek {
    Seek::new(FAR).with_when(When::only::<Alone>())
}

#[test]
fn conditions_are_evaluated_when_their_agent_is_updated() {
    let mut app = point_mass_app(HERTZ);
    let agent = spawn(
        &mut app,
        0.0,
        (lone_seek(), Alone::default(), ThinkEvery(4)),
    );
    run_ticks(&mut app, 8);
    assert_eq!(entry::<Seek>(&app, agent).cut, Cut::Nothing);
    spawn(&mut app, 1.0, Vehicle::default());
    run_ticks(&mut app, 8);
    assert_eq!(entry::<Seek>(&app, agent).cut, Cut::NotNow);
}

#[test]
fn a_lone_boid_wanders_until_it_meets_others() {
    let mut app = point_mass_app(HERTZ);
    let stray = spawn(&mut app, 0.0, (Flocking::new(4.0), lone_wanderer()));
    run_seconds(&mut app, 2.0);
    assert!(velocity(&app, stray).length() > 1.0, "it wanders");
    let beside = position(&app, stray) + Vec2::Y;
    Backend::PointMass.spawn(&mut app, Body::at(beside.x, beside.y), Flocking::new(4.0));
    run_ticks(&mut app, 2);
    assert_eq!(entry::<Wander>(&app, stray).cut, Cut::NotNow);
    assert!(entry::<Separation>(&app, stray).raw != Vec2::ZERO);
}

#[test]
fn a_preset_holds_conditions() {
    let mut app = point_mass_app(HERTZ);
    app.add_condition::<RightOf>();
    let types = app.world().resource::<AppTypeRegistry>().clone();
    let text = "{ RightOf: (x: 3.0), Seek: (influence: (when: Unless(RightOf))) }";
    let preset = SteeringPreset::from_ron(text, &types).unwrap();
    let agent = spawn(&mut app, 0.0, Vehicle::default());
    preset.apply(app.world_mut(), agent).unwrap();
    assert_eq!(get::<RightOf>(&app, agent), &RightOf { x: 3.0 });
    let when = get::<Seek>(&app, agent).influence.when;
    assert_eq!(when, When::unless::<RightOf>());
    let written = SteeringPreset::capture(app.world(), agent).unwrap();
    let written = written.to_ron(&types).unwrap();
    assert!(written.contains("Unless(RightOf)"), "{written}");
    let again = SteeringPreset::from_ron(&written, &types).unwrap();
    assert_eq!(again.get::<Seek>().unwrap().influence.when, when);
    let wrong = text.replace("(RightOf)", "(RightOff)");
    let error = SteeringPreset::from_ron(&wrong, &types)
        .unwrap_err()
        .to_string();
    assert!(error.contains("did you mean RightOf?"), "{error}");
}

#[test]
fn a_collider_hides_a_target_from_an_agent_that_senses_colliders() {
    let sees = |senses: bool, crate_at: Vec2| {
        let mut app = rapier_app(HERTZ);
        let player = (
            RigidBody::KinematicPositionBased,
            Collider::ball(0.5),
            Transform::from_xyz(8.0, 0.0, 0.0),
        );
        let player = app.world_mut().spawn(player).id();
        let crate_ = (
            RigidBody::Fixed,
            Collider::cuboid(0.5, 0.5),
            Transform::from_translation(crate_at.extend(0.0)),
        );
        app.world_mut().spawn(crate_);
        let watcher = (TargetInSight::new(player), Seek::new(player));
        let watcher = Backend::Rapier.spawn(&mut app, Body::at(0.0, 0.0), watcher);
        if senses {
            let senses = SensesColliders::default();
            app.world_mut().entity_mut(watcher).insert(senses);
        }
        run_ticks(&mut app, 3);
        get::<ConditionStates>(&app, watcher).holds::<TargetInSight>()
    };
    let (between, beside) = (Vec2::new(4.0, 0.2), Vec2::new(4.0, 2.0));
    assert!(!sees(true, between));
    assert!(
        sees(true, beside),
        "the target's own collider hides nothing"
    );
    assert!(sees(false, between));
}
