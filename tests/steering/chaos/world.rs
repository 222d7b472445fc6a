//! The world of a list of operations, and what each operation does to it.

use bevy::ecs::entity_disabling::Disabled;
use bevy::prelude::*;
use bevy_rapier2d::plugin::context::RapierContextEntityLink;
use bevy_rapier2d::prelude::*;
use bevy_steering2d::debug::{DebugLayer, DrawnAgents, SteeringDebug, SteeringSelection};
use bevy_steering2d::prelude::*;
use bevy_steering2d::{BehaviorRegistry, NextSteeringId, SenseSystems, SteeredBy};

use super::operation::{Body, Moment, Operation, Reaction, SLOTS, Slot};
use super::parameters::{self, Values};
use super::surface::{self, Part};
use super::{invariants, panel};
use crate::common::*;
use crate::extremes::numbers::aim;

/// The state of a run beside the world.
#[derive(Resource)]
pub struct Stage {
    /// The entity of each slot, also after it was despawned.
    pub slots: Vec<Entity>,
    extreme: bool,
    presets: Vec<Handle<SteeringPreset>>,
    /// The operations within the next tick.
    later: Vec<(Moment, Operation)>,
    /// What was set, to explain a failure.
    pub explained: Vec<String>,
}

/// Whether an observer or an operation within the tick changed the world since it began.
#[derive(Resource, Default)]
pub struct Disturbed(pub bool);

pub fn app(extreme: bool, with_panel: bool) -> App {
    let mut app = bare_app(HERTZ);
    match_rapier_timestep(&mut app);
    app.add_plugins((
        AssetPlugin::default(),
        rapier_without_gravity().in_fixed_schedule(),
        SteeringPlugin::default(),
    ));
    surface::add_behaviors_of_a_game(&mut app);
    if with_panel {
        panel::add(&mut app);
    }
    let slots = vec![Entity::PLACEHOLDER; SLOTS.into()];
    let stage = Stage {
        slots,
        extreme,
        presets: Vec::new(),
        later: Vec::new(),
        explained: Vec::new(),
    };
    app.insert_resource(stage)
        .init_resource::<Disturbed>()
        .init_resource::<Reaction>();
    add_moments(&mut app);
    invariants::watch(&mut app);
    app.add_observer(|event: On<Arrived>, commands: Commands| {
        react(event.entity, event.source, Some(event.target), commands);
    })
    .add_observer(|event: On<TargetLost>, commands: Commands| {
        react(event.entity, event.source, Some(event.target), commands);
    })
    .add_observer(|event: On<PathCompleted>, commands: Commands| {
        let path = event.path.map(Target::Entity);
        react(event.entity, event.source, path, commands);
    })
    .add_observer(|event: On<Stuck>, commands: Commands| {
        react(event.entity, event.entity, None, commands);
    });
    start(&mut app);
    let mut presets = app.world_mut().resource_mut::<Assets<SteeringPreset>>();
    let presets = (0..3).map(|_| presets.add(SteeringPreset::default()));
    let presets = presets.collect();
    app.world_mut().resource_mut::<Stage>().presets = presets;
    app
}

/// Adds the systems that do operations within a tick.
fn add_moments(app: &mut App) {
    use SteeringSystems::{Adjust, Combine, Move, Sense, Steer};
    let at = |moment| move |world: &mut World| do_later(world, moment);
    app.add_systems(
        FixedUpdate,
        (
            at(Moment::BeforeSense)
                .after(PhysicsSet::SyncBackend)
                .before(SenseSystems::Bodies),
            at(Moment::BeforeSteer).after(Sense).before(Steer),
            at(Moment::BeforeAdjust).after(Steer).before(Adjust),
            at(Moment::BeforeCombine).after(Adjust).before(Combine),
            at(Moment::BeforeMove).after(Combine).before(Move),
            at(Moment::AfterMove)
                .after(Move)
                .before(PhysicsSet::StepSimulation),
        ),
    );
}

fn do_later(world: &mut World, moment: Moment) {
    let mut stage = world.resource_mut::<Stage>();
    let due = stage.later.extract_if(.., |(at, _)| *at == moment);
    let due: Vec<_> = due.map(|(_, operation)| operation).collect();
    for operation in due {
        world.resource_mut::<Disturbed>().0 = true;
        apply(world, &operation, true);
    }
}

/// Does what the observers are to do now.
fn react(agent: Entity, source: Entity, target: Option<Target>, mut commands: Commands) {
    commands.queue(move |world: &mut World| {
        let reaction = *world.resource::<Reaction>();
        world.resource_mut::<Disturbed>().0 |= reaction != Reaction::Nothing;
        let target = match target {
            Some(Target::Entity(target)) => target,
            _ => Entity::PLACEHOLDER,
        };
        let entity = match reaction {
            Reaction::DespawnSource => source,
            Reaction::DespawnTarget => target,
            _ => agent,
        };
        let despawns = [
            Reaction::DespawnAgent,
            Reaction::DespawnSource,
            Reaction::DespawnTarget,
        ];
        if despawns.contains(&reaction) {
            let _ = world.try_despawn(entity);
            return;
        }
        let Ok(mut entity) = world.get_entity_mut(entity) else {
            return;
        };
        match reaction {
            Reaction::RemoveVehicle => remove::<Vehicle>(&mut entity),
            Reaction::DisableAgent => add(&mut entity, SteeringDisabled),
            Reaction::ClearAgent => clear_behaviors(entity),
            Reaction::Wander => add(&mut entity, Wander::default()),
            _ => {}
        }
    });
}

fn clear_behaviors(mut entity: EntityWorldMut) {
    let registry = entity.world().resource::<BehaviorRegistry>().clone();
    for behavior in registry.iter() {
        if behavior.influence(entity.as_readonly()).is_some() {
            behavior.remove(&mut entity);
        }
    }
}

/// Whether an entity has Bevy's `Disabled`. It gets no further colliders: Rapier does not find the
/// body of which it has to change the mass, and panics.
fn is_hidden(world: &World, entity: Entity) -> bool {
    world.get::<Disabled>(entity).is_some()
}

/// Whether Rapier knows the entity or one that is despawned with it.
fn is_physical(world: &World, entity: Entity) -> bool {
    let mut family = vec![entity];
    let mut at = 0;
    while let Some(member) = family.get(at).copied() {
        at += 1;
        let Ok(member) = world.get_entity(member) else {
            continue;
        };
        let is_known = member.contains::<RapierContextEntityLink>()
            || member.contains::<RigidBody>()
            || member.contains::<Collider>();
        if is_known {
            return true;
        }
        let children = member.get::<Children>().map(RelationshipTarget::iter);
        let members = member.get::<SteeredBy>().map(RelationshipTarget::iter);
        for next in children
            .into_iter()
            .flatten()
            .chain(members.into_iter().flatten())
        {
            if !family.contains(&next) {
                family.push(next);
            }
        }
    }
    false
}

/// Does one operation. Within a tick, bodies of Rapier are not despawned or hidden: Rapier looks up
/// each body that it has synchronized again after its step.
pub fn apply(world: &mut World, operation: &Operation, within_tick: bool) {
    let entity_of =
        |slot: Slot, world: &World| world.resource::<Stage>().slots[usize::from(slot.0)];
    match *operation {
        Operation::Tick | Operation::Click { .. } => {}
        Operation::Spawn { at, body, place } => {
            if world.get_entity(entity_of(at, world)).is_err() {
                let entity = spawn(world, body, place);
                world.resource_mut::<Stage>().slots[usize::from(at.0)] = entity;
            }
        }
        Operation::Despawn(at) => {
            let entity = entity_of(at, world);
            if !(within_tick && is_physical(world, entity)) {
                let _ = world.try_despawn(entity);
            }
        }
        Operation::Insert { at, part, target } => {
            let target = entity_of(target, world);
            with(world, at, |entity| insert(entity, part, target));
        }
        Operation::Remove { at, part } => {
            with(world, at, |entity| {
                let types = entity.world().resource::<AppTypeRegistry>().clone();
                let types = types.read();
                if let Some(component) = part.component(&types)
                    && component.contains(&*entity)
                {
                    component.remove(entity);
                }
            });
        }
        Operation::Set {
            at,
            part,
            parameter,
            value,
        } => set(world, at, part, parameter, value),
        Operation::SteersFor { at, agent } => {
            let agent = entity_of(agent, world);
            if world.get_entity(agent).is_ok() {
                with(world, at, |entity| add(entity, SteersFor(agent)));
            }
        }
        Operation::ChildOf { at, parent } => {
            let (child, parent) = (entity_of(at, world), entity_of(parent, world));
            let ancestors = std::iter::successors(Some(parent), |it| {
                world.get::<ChildOf>(*it).map(ChildOf::parent)
            });
            // Bevy does not allow cycles.
            let is_cycle = ancestors.take(100).any(|it| it == child);
            let is_possible = !is_cycle && !is_hidden(world, parent);
            if is_possible && world.get_entity(parent).is_ok() {
                with(world, at, |entity| add(entity, ChildOf(parent)));
            }
        }
        Operation::Detach(at) => with(world, at, remove::<ChildOf>),
        Operation::Disable(at) => {
            let entity = entity_of(at, world);
            let is_parent = world.get::<Children>(entity).is_some();
            let is_possible = !is_physical(world, entity) || !within_tick && !is_parent;
            if is_possible {
                with(world, at, |entity| add(entity, Disabled));
            }
        }
        Operation::Enable(at) => with(world, at, remove::<Disabled>),
        Operation::Path { at, shape } => {
            let path = path(shape);
            with(world, at, |entity| add(entity, path));
        }
        Operation::FlowField { at, shape } => {
            let field = flow_field(shape);
            with(world, at, |entity| add(entity, field));
        }
        Operation::Teleport {
            at,
            place,
            turn,
            scale,
        } => with(world, at, |entity| {
            let transform = Transform::from_translation(place.extend(0.0))
                .with_rotation(Quat::from_rotation_z(turn))
                .with_scale(Vec3::new(scale, scale, 1.0));
            entity.insert(transform);
        }),
        Operation::Physics { at, change } => {
            if !is_hidden(world, entity_of(at, world)) {
                with(world, at, |entity| change.apply(entity));
            }
        }
        Operation::Combine { at, combiner } => with(world, at, |entity| {
            entity.insert(surface::combiner(combiner));
        }),
        Operation::CopyTuning { from, to } => {
            let (from, to) = (entity_of(from, world), entity_of(to, world));
            if let Some(preset) = copy_tuning(world, from) {
                let _ = preset.apply(world, to);
            }
        }
        Operation::UsePreset { at, preset } => {
            let preset = world.resource::<Stage>().presets[usize::from(preset)].clone();
            with(world, at, |entity| add(entity, UsesPreset(preset)));
        }
        Operation::ChangePreset { preset, from } => {
            let handle = world.resource::<Stage>().presets[usize::from(preset)].clone();
            if let Some(preset) = copy_tuning(world, entity_of(from, world)) {
                let mut presets = world.resource_mut::<Assets<SteeringPreset>>();
                presets.insert(&handle, preset).expect("a live handle");
            }
        }
        Operation::Clone { from, to } => {
            let is_free = world.get_entity(entity_of(to, world)).is_err();
            let from = entity_of(from, world);
            if is_free && let Ok(mut entity) = world.get_entity_mut(from) {
                // Two entities with one handle would share a body of Rapier.
                let clone = entity.clone_and_spawn_with_opt_out(|cloner| {
                    cloner.deny::<(RapierRigidBodyHandle, RapierColliderHandle)>();
                });
                world.resource_mut::<Stage>().slots[usize::from(to.0)] = clone;
            }
        }
        Operation::React(reaction) => *world.resource_mut() = reaction,
        Operation::NextId(id) => world.resource_mut::<NextSteeringId>().0 = id,
        Operation::Hertz(hertz) => {
            let hertz = f64::from(hertz);
            world.resource_mut::<Time<Fixed>>().set_timestep_hz(hertz);
            let dt = (1.0 / hertz) as f32;
            world.insert_resource(TimestepMode::Fixed { dt, substeps: 1 });
        }
        Operation::Pause(pause) => {
            let mut time = world.resource_mut::<Time<Virtual>>();
            if pause { time.pause() } else { time.unpause() }
        }
        Operation::PausePhysics(pause) => {
            let mut contexts = world.query::<&mut RapierConfiguration>();
            for mut context in contexts.iter_mut(world) {
                context.physics_pipeline_active = !pause;
            }
        }
        Operation::Within(moment, ref operation) => {
            let later = &mut world.resource_mut::<Stage>().later;
            later.push((moment, (**operation).clone()));
        }
        Operation::Draw {
            layers,
            whom,
            selected,
        } => {
            let selected = entity_of(selected, world);
            world.resource_mut::<SteeringSelection>().toggle(selected);
            let mut debug = world.resource_mut::<SteeringDebug>();
            debug.agents =
                [DrawnAgents::All, DrawnAgents::Selected, DrawnAgents::None][usize::from(whom) % 3];
            for (bit, layer) in DebugLayer::ALL.into_iter().enumerate() {
                debug.set(layer, layers >> bit & 1 == 1);
            }
        }
    }
    world.flush();
    invariants::check_chains(world);
}

/// Inserts components.
pub fn add(entity: &mut EntityWorldMut, components: impl Bundle) {
    entity.insert(components);
}

/// Removes components.
pub fn remove<B: Bundle>(entity: &mut EntityWorldMut) {
    entity.remove::<B>();
}

/// Changes the entity of a slot, if it exists.
fn with(world: &mut World, slot: Slot, change: impl FnOnce(&mut EntityWorldMut)) {
    let entity = world.resource::<Stage>().slots[usize::from(slot.0)];
    if let Ok(mut entity) = world.get_entity_mut(entity) {
        change(&mut entity);
    }
}

fn spawn(world: &mut World, body: Body, place: Vec2) -> Entity {
    let transform = Transform::from_translation(place.extend(0.0));
    let mut entity = world.spawn(transform);
    match body {
        Body::Nothing => {}
        Body::Point => add(&mut entity, PointMass::default()),
        Body::Dynamic => add(&mut entity, (RigidBody::Dynamic, Collider::ball(0.5))),
        Body::Kinematic => add(&mut entity, RigidBody::KinematicVelocityBased),
    }
    entity.id()
}

fn insert(entity: &mut EntityWorldMut, part: Part, target: Entity) {
    let types = entity.world().resource::<AppTypeRegistry>().clone();
    let types = types.read();
    if let Some(component) = part.component(&types)
        && let Some(mut value) = part.default(&types)
    {
        aim(value.as_partial_reflect_mut(), target);
        component.insert(entity, value.as_partial_reflect(), &types);
    }
}

fn set(world: &mut World, at: Slot, part: Part, parameter: u32, value: u32) {
    if !part.is_mutable() {
        return;
    }
    let (entities, extreme) = {
        let stage = world.resource::<Stage>();
        (stage.slots.clone(), stage.extreme)
    };
    let mut explained = None;
    with(world, at, |entity| {
        let types = entity.world().resource::<AppTypeRegistry>().clone();
        let types = types.read();
        let values = Values {
            pick: value,
            extreme,
            entities: &entities,
        };
        if let Some(component) = part.component(&types)
            && let Some(mut component) = component.reflect_mut(&mut *entity)
        {
            let component = component.as_partial_reflect_mut();
            explained = parameters::set(component, parameter, values, &types);
        }
    });
    if let Some(what) = explained {
        let line = format!("{part:?} of {at:?}: {what}");
        world.resource_mut::<Stage>().explained.push(line);
    }
}

fn path(shape: u32) -> SteeringPath {
    let points: &[Vec2] = match shape / 2 % 5 {
        0 => &[Vec2::ZERO, Vec2::X],
        1 => &[
            Vec2::new(-4.0, 0.0),
            Vec2::new(4.0, 0.0),
            Vec2::new(4.0, 4.0),
        ],
        // There and back again.
        2 => &[
            Vec2::ZERO,
            Vec2::new(3.0, 0.0),
            Vec2::ZERO,
            Vec2::new(-3.0, 0.0),
        ],
        3 => &[Vec2::ZERO, Vec2::new(1e-3, 0.0), Vec2::new(1e4, 1e4)],
        _ => &[
            Vec2::splat(-3.0),
            Vec2::new(3.0, -3.0),
            Vec2::splat(3.0),
            Vec2::new(-3.0, 3.0),
        ],
    };
    let points = points.iter().copied();
    match shape % 2 {
        0 => SteeringPath::open(points).unwrap(),
        _ => SteeringPath::looped(points).unwrap(),
    }
}

fn flow_field(shape: u32) -> FlowField {
    let size = [UVec2::ONE, UVec2::new(1, 9), UVec2::splat(8)][shape as usize % 3];
    let spacing = [1e-3, 1.0, 1e6][shape as usize / 3 % 3];
    let vector = |node: UVec2| Vec2::from_angle(node.x as f32 + 2.0 * node.y as f32);
    FlowField::new(Vec2::splat(-4.0), spacing, size, vector).unwrap()
}

/// The tuning of an agent, written as text and read again.
fn copy_tuning(world: &World, from: Entity) -> Option<SteeringPreset> {
    let types = world.resource::<AppTypeRegistry>();
    let preset = SteeringPreset::capture(world, from).ok()?;
    let text = preset.to_ron(types).ok()?;
    let read = SteeringPreset::from_ron(&text, types);
    Some(read.unwrap_or_else(|error| panic!("a saved preset does not load: {error}\n{text}")))
}

/// The entity of a slot, if it exists.
pub fn entity(world: &World, slot: Slot) -> Option<Entity> {
    let entity = world.resource::<Stage>().slots[usize::from(slot.0)];
    world.get_entity(entity).ok().map(|it| it.id())
}
