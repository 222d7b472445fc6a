//! Subjects: the agents drawn in this frame, and the positions at which they are drawn.

use std::any::TypeId;

use bevy::camera::RenderTarget;
use bevy::camera::visibility::RenderLayers;
use bevy::ecs::query::{QueryData, QueryFilter, ROQueryItem};
use bevy::ecs::system::SystemParam;
use bevy::platform::collections::HashSet;
use bevy::prelude::*;
use bevy_steering2d_core::{
    Abilities, Agent, Behavior, BehaviorGroup, BehaviorRegistry, Cut, Influence, Kinematics,
    SteeredBy, SteeringClock, SteeringDisabled, SteeringForce, SteeringId, Target, Targets,
    ThinkEvery, Vehicle, When,
};

use crate::{DrawnAgents, SteeringDebug, SteeringGizmos, SteeringSelection};

/// The position at which an entity is drawn, m, for games that interpolate sprites between physics
/// ticks. Update it before `PostUpdate`. Default `None`: the [`GlobalTransform`].
#[derive(Component, Reflect, Clone, Copy, Debug, Default, PartialEq)]
#[reflect(Component, Default, Debug, PartialEq, Clone)]
pub struct DrawnAt(pub Option<Vec2>);

/// Looks up agents as their behaviors saw them in the last tick, to call the behaviors' own
/// methods with them.
///
/// ```
/// # use bevy::prelude::*;
/// # use bevy_steering2d_core::{Kinematics, Pursuit};
/// # use bevy_steering2d_debug::{AgentViews, colors, draw};
/// fn show_aim(
///     fox: Single<(Entity, &Pursuit)>,
///     rabbit: Single<&Kinematics, Without<Pursuit>>,
///     views: AgentViews,
///     mut gizmos: Gizmos,
/// ) {
///     let (fox, pursuit) = *fox;
///     if let Some(me) = views.get(fox) {
///         let aim = pursuit.predicted_target(&me, &rabbit);
///         draw::aim(&mut gizmos, me.position, aim, colors::ATTENTION);
///     }
/// }
/// # bevy::ecs::system::assert_is_system(show_aim);
/// ```
#[derive(SystemParam)]
pub struct AgentViews<'w, 's> {
    clock: Res<'w, SteeringClock>,
    agents: Query<
        'w,
        's,
        (
            &'static SteeringId,
            &'static Vehicle,
            &'static Kinematics,
            Option<&'static ThinkEvery>,
            Option<&'static Abilities>,
        ),
    >,
}

impl AgentViews<'_, '_> {
    /// The agent; `None` if the entity is not an agent or one of its values is invalid.
    pub fn get(&self, agent: Entity) -> Option<Agent> {
        let (&id, vehicle, body, every, abilities) = self.agents.get(agent).ok()?;
        let me = Agent::new(agent, id, vehicle, body, every, &self.clock).ok()?;
        body.is_finite().then_some(me.with_abilities(abilities))
    }
}

/// An agent that is drawn.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Subject {
    /// As its behaviors saw it in the last tick.
    pub(crate) me: Agent,
    /// The entity with the behaviors: the agent, or one of its behavior entities.
    pub(crate) source: Entity,
    /// Where it is drawn, m.
    pub(crate) place: Vec2,
    /// Whether it is the primary of the selection, or the only subject.
    pub(crate) is_primary: bool,
}

impl Subject {
    /// From its position in the last tick to where it is drawn, m.
    pub(crate) fn lag(&self) -> Vec2 {
        self.place - self.me.position
    }
}

/// The agents drawn in this frame.
#[derive(Resource, Debug, Default)]
pub(crate) struct Subjects {
    agents: Vec<Subject>,
    /// The agents' behavior entities: each agent itself, and the entities that `SteersFor` it or its groups, without
    /// those of groups that do not act. The subject has the behavior entity's own id, as behaviors see it.
    behavior_entities: Vec<Subject>,
    /// The behaviors whose conditions were not met in the last tick.
    waiting: HashSet<(Entity, TypeId)>,
    /// Whether the warning about too many agents was logged.
    has_warned: bool,
}

impl Subjects {
    pub(crate) fn iter(&self) -> impl Iterator<Item = &Subject> {
        self.agents.iter()
    }

    /// The query's items on behavior entities, each with its subject.
    pub(crate) fn with<'a, 's, D: QueryData, F: QueryFilter>(
        &'a self,
        query: &'a Query<'_, 's, D, F>,
    ) -> impl Iterator<Item = (&'a Subject, ROQueryItem<'a, 's, D>)> {
        self.behavior_entities
            .iter()
            .filter_map(|subject| Some((subject, query.get(subject.source).ok()?)))
    }

    /// Whether a behavior of a subject acts: it is active, and its condition was met in the last tick.
    pub(crate) fn acts<B: Behavior>(&self, subject: &Subject, behavior: &B) -> bool {
        behavior.is_active() && !self.waits(subject, TypeId::of::<B>(), behavior.influence())
    }

    /// Whether the condition of a behavior of a subject was not met in the last tick.
    pub(crate) fn waits(&self, subject: &Subject, behavior: TypeId, influence: &Influence) -> bool {
        // A condition that was just taken away does not count, also in a pause.
        let may_wait = influence.when != When::Always;
        may_wait && self.waiting.contains(&(subject.source, behavior))
    }

    /// The behaviors of a type that act, each with its subject.
    pub(crate) fn active<'a, B: Behavior>(
        &'a self,
        query: &'a Query<&B>,
    ) -> impl Iterator<Item = (&'a Subject, &'a B)> {
        self.with(query)
            .filter(move |(subject, behavior)| self.acts(subject, *behavior))
    }

    fn clear(&mut self) {
        self.agents.clear();
        self.behavior_entities.clear();
        self.waiting.clear();
    }

    /// Warns once of agents that are not drawn.
    fn warn_if_too_many(&mut self, agents: usize, most: usize) {
        let left_out = agents.saturating_sub(most);
        if left_out > 0 && !self.has_warned {
            self.has_warned = true;
            log::warn!(
                "steering debug: {left_out} agents are not drawn; SteeringDebug::max_agents is {most}"
            );
        }
    }
}

/// The agents that can be drawn.
type Agents<'w, 's> = Query<
    'w,
    's,
    (Entity, &'static SteeringId),
    (With<Vehicle>, With<Kinematics>, Without<SteeringDisabled>),
>;

pub(crate) fn choose_subjects(
    debug: Res<SteeringDebug>,
    selection: Res<SteeringSelection>,
    agents: Agents,
    (ids, sources): (Query<&SteeringId>, Sources),
    views: AgentViews,
    places: DrawnPlaces,
    view: View,
    mut subjects: ResMut<Subjects>,
) {
    subjects.clear();
    let mut chosen: Vec<Entity> = selection.iter().collect();
    if debug.agents == DrawnAgents::All {
        let most = debug.max_agents.saturating_sub(chosen.len());
        chosen.extend(others(&agents, &selection, &places, &view, most));
        subjects.warn_if_too_many(agents.iter().len(), debug.max_agents);
    }
    chosen.truncate(debug.max_agents);
    let primary = selection
        .primary()
        .or((chosen.len() == 1).then(|| chosen[0]));
    for agent in chosen {
        let Some(me) = views.get(agent).filter(|_| agents.contains(agent)) else {
            continue;
        };
        let place = places.place_of(agent).unwrap_or(me.position);
        if !place.is_finite() {
            continue;
        }
        let subject = Subject {
            me,
            source: agent,
            place,
            is_primary: primary == Some(agent),
        };
        subjects.agents.push(subject);
        sources.for_each_acting(agent, &mut |source| {
            let source_id = ids.get(source).copied().unwrap_or(me.id);
            let me = Agent { source_id, ..me };
            subjects.behavior_entities.push(Subject {
                me,
                source,
                ..subject
            });
            subjects.waiting.extend(sources.waiting(source));
        });
    }
}

/// At most so many of the agents that are not selected: those nearest to the center of the view.
fn others(
    agents: &Agents,
    selection: &SteeringSelection,
    places: &DrawnPlaces,
    view: &View,
    most: usize,
) -> impl Iterator<Item = Entity> {
    // If all of them are drawn, it does not matter how far away they are.
    let center = view.center().filter(|_| agents.iter().len() > most);
    let distance = |agent| {
        let distance = |center: Vec2| Some(center.distance_squared(places.place_of(agent)?));
        center.and_then(distance).unwrap_or_default()
    };
    let others = agents
        .iter()
        .filter(|(agent, _)| !selection.contains(*agent))
        .map(|(agent, id)| (distance(agent), *id, agent));
    nearest(others.collect(), most)
}

/// Looks up the behavior entities of agents, and which of their behaviors act.
#[derive(SystemParam)]
pub(crate) struct Sources<'w, 's> {
    registry: Res<'w, BehaviorRegistry>,
    steered_by: Query<'w, 's, &'static SteeredBy>,
    groups: Query<'w, 's, &'static BehaviorGroup>,
    forces: Query<'w, 's, &'static SteeringForce>,
}

impl Sources<'_, '_> {
    /// Calls `found` with an agent or group, then with the entities that steer for it or its groups, but not with groups
    /// that do not act and what belongs to them.
    fn for_each_acting(&self, source: Entity, found: &mut impl FnMut(Entity)) {
        found(source);
        let members = self.steered_by.get(source);
        for member in members.into_iter().flat_map(SteeredBy::iter) {
            if self.acts(member, source) {
                self.for_each_acting(member, found);
            }
        }
    }

    /// Whether an entity that steers for `owner` is no group, or is one that acts.
    fn acts(&self, member: Entity, owner: Entity) -> bool {
        let Ok(group) = self.groups.get(member) else {
            return true;
        };
        let may_wait = group.influence.when != When::Always;
        group.is_active() && !(may_wait && self.waits(member, owner))
    }

    /// Whether the condition of a group was not met in the last tick. Its entry is in the ledger of its owner.
    fn waits(&self, group: Entity, owner: Entity) -> bool {
        self.forces.get(owner).is_ok_and(|force| {
            let mut entries = force.ledger();
            entries.any(|it| it.cut == Cut::NotNow && force.source(&it) == Some(group))
        })
    }

    /// The behaviors on an entity whose conditions were not met in the last tick.
    fn waiting(&self, source: Entity) -> impl Iterator<Item = (Entity, TypeId)> {
        let forces = self.forces.get(source).into_iter();
        forces.flat_map(move |force| {
            // The others are on entities that steer for this one.
            let own = force.ledger();
            let own = own.filter(move |it| force.source(it).is_none());
            let waiting = own.filter(|it| it.cut == Cut::NotNow);
            waiting.map(move |it| (source, self.registry.get(it.behavior).type_id))
        })
    }
}

/// The `most` nearest agents, sorted by id.
fn nearest(
    mut agents: Vec<(f32, SteeringId, Entity)>,
    most: usize,
) -> impl Iterator<Item = Entity> {
    if most > 0 && agents.len() > most {
        agents.select_nth_unstable_by(most - 1, |a, b| {
            let by_distance = a.0.total_cmp(&b.0);
            by_distance.then_with(|| (a.1, a.2).cmp(&(b.1, b.2)))
        });
    }
    agents.truncate(most);
    agents.sort_unstable_by_key(|&(_, id, agent)| (id, agent));
    agents.into_iter().map(|(.., agent)| agent)
}

/// The view of the topmost camera in a window that draws the gizmos: above it there may be one that draws
/// only a user interface.
#[derive(SystemParam)]
pub(crate) struct View<'w, 's> {
    cameras: Query<
        'w,
        's,
        (
            &'static Camera,
            &'static RenderTarget,
            &'static GlobalTransform,
            Option<&'static RenderLayers>,
        ),
    >,
    store: Res<'w, GizmoConfigStore>,
}

impl View<'_, '_> {
    /// The center of the view, m.
    fn center(&self) -> Option<Vec2> {
        let drawn = SteeringGizmos::render_layers(&self.store);
        let visible = self.cameras.iter().filter(|(camera, target, _, layers)| {
            camera.is_active
                && matches!(target, RenderTarget::Window(_))
                && drawn.intersects(layers.unwrap_or_default())
        });
        let (_, _, place, _) = visible.max_by_key(|(camera, ..)| camera.order)?;
        Some(place.translation().truncate())
    }
}

/// Looks up the positions at which entities are drawn.
#[derive(SystemParam)]
pub(crate) struct DrawnPlaces<'w, 's> {
    targets: Targets<'w, 's>,
    bodies: Query<'w, 's, &'static Kinematics>,
    places: Query<'w, 's, (Option<&'static DrawnAt>, &'static GlobalTransform)>,
}

impl DrawnPlaces<'_, '_> {
    /// Where an entity is drawn, m.
    pub(crate) fn place_of(&self, entity: Entity) -> Option<Vec2> {
        let (drawn, transform) = self.places.get(entity).ok()?;
        let drawn = drawn.and_then(|drawn| drawn.0);
        Some(drawn.unwrap_or_else(|| transform.translation().truncate()))
    }

    /// From an entity's position in the last tick to where it is drawn, m.
    pub(crate) fn lag_of(&self, entity: Entity) -> Vec2 {
        match (self.place_of(entity), self.bodies.get(entity)) {
            (Some(place), Ok(body)) => place - body.position,
            _ => Vec2::ZERO,
        }
    }

    /// A target as it was in the last tick, and from there to where it is drawn, m.
    pub(crate) fn find(&self, target: Target) -> Option<(Kinematics, Vec2)> {
        let seen = self.targets.get(target)?;
        let lag = match target {
            Target::Point(_) => Vec2::ZERO,
            Target::Entity(entity) => self.lag_of(entity),
        };
        Some((seen, lag))
    }

    /// Where a target is drawn, m.
    pub(crate) fn place_of_target(&self, target: Target) -> Option<Vec2> {
        self.find(target).map(|(seen, lag)| seen.position + lag)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nearest_agents_are_sorted_by_id() {
        let mut world = World::new();
        let mut agent = |distance, id| (distance, SteeringId(id), world.spawn_empty().id());
        let agents = vec![agent(2.0, 5), agent(1.0, 9), agent(3.0, 1), agent(2.0, 3)];
        let kept: Vec<_> = nearest(agents.clone(), 2).collect();
        assert_eq!(
            kept,
            [agents[3].2, agents[1].2],
            "the lower id wins at equal distance"
        );
        assert_eq!(nearest(agents.clone(), 0).count(), 0);
        assert_eq!(nearest(agents, 99).count(), 4);
    }
}
