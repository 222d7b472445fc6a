//! Behavior groups: several behaviors combined into one ledger entry of an agent.

use bevy::ecs::system::SystemParam;
use bevy::prelude::*;

use super::dither_draws;
use super::ledger::LedgerGeneration;
use crate::behavior::embeds_influence;
use crate::behavior_entity::{BehaviorRoots, SteeredBy, SteersFor};
use crate::condition::{Conditions, Verdict};
use crate::pipeline::BehaviorSlot;
use crate::steer::Steered;
use crate::{
    Behavior, Combine, Cut, Influence, Kinematics, LedgerEntry, SteeringClock, SteeringForce,
    SteeringId, SteeringWarnings, ThinkEvery, Vehicle,
};

/// Makes a [behavior entity](SteersFor) a group: its behaviors are combined by its own [`Combine`]
/// into one entry of the agent, with this influence.
///
/// Use it to blend a few behaviors within a strict order of priorities, as in gdx-ai's
/// `BlendedSteering` within `PrioritySteering`. The group's behaviors are those on its entity and
/// on entities that [`SteersFor`] it; these may be groups again, to any depth. While the group is disabled, or its
/// condition is not met, they do not run either. The group's own ledger is in the [`SteeringForce`] of its entity.
///
/// ```
/// # use bevy::prelude::*;
/// # use bevy_steering2d_core::*;
/// # fn system(mut commands: Commands) {
/// let boid = commands.spawn((PointMass::default(), WallAvoidance::default())).id();
/// // The three rules of a flock share one weighted sum, below WallAvoidance in priority.
/// commands.spawn((
///     SteersFor(boid),
///     BehaviorGroup::default().with_priority(Separation::PRIORITY),
///     Combine::WEIGHTED_SUM,
///     Flocking::default(),
/// ));
/// # }
/// ```
#[doc(alias("cComplex_Behavior"))]
#[derive(Component, Reflect, Clone, Copy, Debug, PartialEq)]
#[reflect(Component, Default, Debug, PartialEq, Clone)]
#[require(Combine)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub struct BehaviorGroup {
    /// The influence of the group's entry.
    pub influence: Influence,
}

impl Default for BehaviorGroup {
    fn default() -> Self {
        Self {
            influence: Influence::of::<Self>(),
        }
    }
}

impl Behavior for BehaviorGroup {
    const COLOR: Option<[u8; 3]> = Some([180, 156, 252]);
    type Memory = ();
    type World = ();

    embeds_influence!();
}

impl BehaviorGroup {
    /// Why a group does not act in this tick, and its behaviors do not run; [`Cut::Nothing`] if it does.
    pub(crate) fn hindrance(&self, verdict: Verdict) -> Cut {
        match Cut::of(self) {
            Cut::Nothing => verdict.cut(),
            cut => cut,
        }
    }

    /// The entry of a group with the ledger of its behaviors.
    fn entry(
        &self,
        slot: &BehaviorSlot<Self>,
        members: &SteeringForce,
        verdict: Verdict,
    ) -> LedgerEntry {
        let cut = match self.hindrance(verdict) {
            // With `Cut::Nothing` the agent would count as steered.
            Cut::Nothing if !members.ledger().any(|it| it.was_active()) => Cut::Disabled,
            cut => cut,
        };
        let raw = if cut == Cut::Nothing {
            members.total
        } else {
            Vec2::ZERO
        };
        LedgerEntry {
            raw,
            ..LedgerEntry::new(slot.id, &self.influence, cut)
        }
    }
}

/// The behavior entities, with the ledgers that agents and groups copy.
#[derive(SystemParam)]
pub(crate) struct BehaviorEntities<'w, 's> {
    slot: Res<'w, BehaviorSlot<BehaviorGroup>>,
    conditions: Conditions<'w, 's>,
    roots: BehaviorRoots<'w, 's>,
    entities: Query<
        'w,
        's,
        (
            Entity,
            &'static SteeringId,
            Option<&'static BehaviorGroup>,
            &'static SteeringForce,
        ),
        With<SteersFor>,
    >,
}

impl BehaviorEntities<'_, '_> {
    /// Copies the entries that these entities recorded in this generation into `force`.
    pub(crate) fn copy_entries(
        &self,
        steered_by: &SteeredBy,
        generation: LedgerGeneration,
        force: &mut SteeringForce,
    ) {
        force.copy_entries(generation, || {
            let entities = self.entities.iter_many(steered_by.iter());
            entities.map(|(entity, &id, group, force)| {
                let combined = group.map(|group| {
                    let verdict = self.verdict(entity, group);
                    group.entry(&self.slot, force, verdict)
                });
                (id, entity, force, combined)
            })
        });
    }

    /// Whether a group acts in this tick.
    fn verdict(&self, entity: Entity, group: &BehaviorGroup) -> Verdict {
        let agent = || self.roots.agent_of(entity);
        self.conditions.verdict(group.influence.when, entity, agent)
    }
}

/// The sort key of groups: deeper below the agent first, then by id.
type GroupOrder = (std::cmp::Reverse<u32>, SteeringId, Entity);

/// All groups, with what their forces are computed from.
#[derive(SystemParam)]
pub(crate) struct Groups<'w, 's> {
    clock: Res<'w, SteeringClock>,
    generation: Res<'w, LedgerGeneration>,
    warnings: Res<'w, SteeringWarnings>,
    roots: BehaviorRoots<'w, 's>,
    agents: Query<
        'w,
        's,
        (
            &'static Vehicle,
            &'static SteeringId,
            &'static Kinematics,
            Option<&'static ThinkEvery>,
        ),
        Steered,
    >,
    sets: ParamSet<
        'w,
        's,
        (
            Query<'w, 's, (Entity, &'static SteeringId, &'static BehaviorGroup), With<SteersFor>>,
            Query<'w, 's, &'static mut SteeringForce>,
            BehaviorEntities<'w, 's>,
        ),
    >,
    members: Query<'w, 's, (&'static Combine, Option<&'static SteeredBy>), With<BehaviorGroup>>,
    order: Local<'s, Vec<GroupOrder>>,
    copy: Local<'s, Vec<LedgerEntry>>,
}

/// What the forces of groups are computed for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Stage {
    /// For the Adjust step. What is cut stays open, since behaviors of that step may follow.
    Preview,
    /// For their agents.
    Final,
}

/// Computes the forces of all groups as the Adjust step finds them.
pub(crate) fn preview_groups(mut groups: Groups) {
    groups.combine(Stage::Preview);
}

/// Combines every group.
pub(crate) fn combine_groups(mut groups: Groups) {
    groups.combine(Stage::Final);
}

impl Groups<'_, '_> {
    /// Combines every group, the innermost first.
    fn combine(&mut self, stage: Stage) {
        self.put_in_order();
        let order = std::mem::take(&mut *self.order);
        for &(_, id, entity) in &order {
            self.combine_one(id, entity, stage);
        }
        *self.order = order;
    }

    /// Lists all groups that steer an agent, and warns of those with invalid parameters.
    fn put_in_order(&mut self) {
        let Self {
            clock,
            warnings,
            roots,
            sets,
            order,
            ..
        } = self;
        order.clear();
        for (entity, &id, group) in &sets.p0() {
            if group.influence.enabled
                && let Err(error) = group.validate()
            {
                warnings.raise_invalid(clock, entity, &error, "the group contributes nothing");
            }
            if let Some(depth) = roots.depth(entity) {
                order.push((std::cmp::Reverse(depth), id, entity));
            }
        }
        order.sort_unstable();
    }

    /// Copies the entries of a group's behaviors into its own ledger, and combines them.
    fn combine_one(&mut self, id: SteeringId, entity: Entity, stage: Stage) {
        let Self {
            clock,
            generation,
            warnings,
            roots,
            agents,
            sets,
            members,
            copy,
            ..
        } = self;
        let (Ok((combine, steered_by)), Some((vehicle, &owner, body, every))) = (
            members.get(entity),
            roots.agent_of(entity).and_then(|it| agents.get(it).ok()),
        ) else {
            return;
        };
        // No behavior runs for an agent that cannot be steered: an entry would count as one that does.
        if !body.is_steerable() || vehicle.check().is_err() {
            return;
        }
        // Between updates the agent keeps its force, and the group its ledger.
        if ThinkEvery::turn(every, owner, clock).is_none() {
            return;
        }
        warn_of_missing_condition(clock, warnings, &sets.p2(), entity);
        let Ok(mut own) = sets
            .p1()
            .get_mut(entity)
            .map(|mut it| std::mem::take(&mut *it))
        else {
            return;
        };
        own.begin(**generation);
        if let Some(steered_by) = steered_by {
            sets.p2().copy_entries(steered_by, **generation, &mut own);
        }
        let entries = match stage {
            Stage::Preview => {
                copy.clear();
                copy.extend_from_slice(own.entries());
                &mut copy[..]
            }
            Stage::Final => own.entries_mut(),
        };
        let mut draw = dither_draws(clock, id);
        // The force steers the agent: a body of the group's own entity is not steered by it.
        own.total = combine.combine_sorted(entries, vehicle.max_force, &mut draw);
        if let Ok(mut force) = sets.p1().get_mut(entity) {
            *force = own;
        }
    }
}

/// Warns of agents that are groups: only the ledger of a behavior entity is combined into one entry.
pub(crate) fn warn_of_agents_with_groups(
    clock: Res<SteeringClock>,
    warnings: Res<SteeringWarnings>,
    agents: Query<Entity, (With<BehaviorGroup>, Without<SteersFor>)>,
) {
    for agent in &agents {
        warnings.raise(&clock, agent, "BehaviorGroup", || {
            "has a BehaviorGroup but no SteersFor, so that the group has no effect; put it and its behaviors on a \
             behavior entity"
                .into()
        });
    }
}

/// Warns of a group that depends on a condition that neither its entity nor its agent has.
fn warn_of_missing_condition(
    clock: &SteeringClock,
    warnings: &SteeringWarnings,
    entities: &BehaviorEntities,
    entity: Entity,
) {
    if let Ok((.., Some(group), _)) = entities.entities.get(entity)
        && group.influence.enabled
        && let Verdict::Missing(condition) = entities.verdict(entity, group)
    {
        warnings.raise_missing(clock, entity, "BehaviorGroup", condition);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Arrive, Flee, PointMass, Seek, SteeringCorePlugin, Wheeled};

    /// Runs one tick; the app's agent has the given groups.
    fn ledger_of(spawn: impl Fn(&mut World, Entity)) -> (App, Entity) {
        let mut app = App::new();
        app.add_plugins((MinimalPlugins, SteeringCorePlugin::new(Update)));
        let world = app.world_mut();
        let agent = world.spawn((PointMass::default(), Vehicle::default()));
        let agent = agent.id();
        spawn(world, agent);
        for _ in 0..3 {
            app.update();
        }
        (app, agent)
    }

    fn raw(app: &App, agent: Entity) -> Vec<Vec2> {
        let force = app.world().get::<SteeringForce>(agent).expect("an agent");
        force.ledger().map(|entry| entry.raw).collect()
    }

    #[test]
    fn a_group_is_one_entry_combined_by_its_own_rule() {
        let (app, agent) = ledger_of(|world, agent| {
            world.spawn((
                SteersFor(agent),
                BehaviorGroup::default(),
                Combine::AVERAGE,
                Seek::new(Vec2::new(9.0, 0.0)),
                Flee::new(Vec2::new(0.0, 9.0)),
            ));
        });
        let entries = raw(&app, agent);
        assert_eq!(entries.len(), 1);
        assert!(entries[0].x > 0.0 && entries[0].y < 0.0, "{entries:?}");
    }

    #[test]
    fn a_group_does_not_push_a_body_of_its_own_entity() {
        let (mut app, _) = ledger_of(|world, agent| {
            let target = Vec2::new(9.0, 0.0);
            let group = (BehaviorGroup::default(), Seek::new(target));
            world.spawn((
                SteersFor(agent),
                group,
                PointMass::default(),
                Vehicle::default(),
            ));
        });
        let mut bodies = app.world_mut().query::<(&PointMass, Has<BehaviorGroup>)>();
        for (body, is_group) in bodies.iter(app.world()) {
            assert_eq!(body.velocity == Vec2::ZERO, is_group, "{body:?}");
        }
    }

    #[test]
    fn a_group_does_not_drive_a_car_on_its_own_entity() {
        let (mut app, _) = ledger_of(|world, agent| {
            let group = (BehaviorGroup::default(), Seek::new(Vec2::new(9.0, 0.0)));
            let car = (PointMass::default(), Vehicle::default(), Wheeled::default());
            world.spawn((SteersFor(agent), group, car));
        });
        let mut cars = app
            .world_mut()
            .query_filtered::<(&PointMass, &SteeringForce), With<Wheeled>>();
        let (car, force) = cars.single(app.world()).expect("one car");
        assert_ne!(force.total, Vec2::ZERO, "the force for the agent");
        assert_eq!(car.velocity, Vec2::ZERO);
    }

    #[test]
    fn groups_nest_to_any_depth() {
        let (app, agent) = ledger_of(|world, agent| {
            let mut parent = agent;
            for _ in 0..5 {
                parent = world
                    .spawn((SteersFor(parent), BehaviorGroup::default()))
                    .id();
            }
            world.spawn((SteersFor(parent), Seek::new(Vec2::new(9.0, 0.0))));
            world.spawn((SteersFor(parent), Arrive::new(Vec2::new(9.0, 0.0))));
        });
        let entries = raw(&app, agent);
        assert_eq!(entries.len(), 1);
        assert!(entries[0].x > 0.0, "{entries:?}");
    }

    #[test]
    fn a_cycle_is_refused() {
        let (mut app, agent) = ledger_of(|_, _| {});
        let world = app.world_mut();
        let outer = world
            .spawn((SteersFor(agent), BehaviorGroup::default()))
            .id();
        let inner = world
            .spawn((SteersFor(outer), BehaviorGroup::default()))
            .id();
        world.entity_mut(outer).insert(SteersFor(inner));
        world.flush();
        assert!(!world.entity(outer).contains::<SteersFor>(), "refused");
        app.update();
    }
}
