//! [`PresetUsers`]: which presets agents use, in snapshots.

use std::sync::Arc;

use bevy::ecs::change_detection::Tick;
use bevy::ecs::entity::{EntityHashMap, EntityHashSet};
use bevy::ecs::entity_disabling::Disabled;
use bevy::platform::collections::HashSet;
use bevy::prelude::*;
use bevy_steering2d_core::{SnapshotPart, Vehicle, entity_now};

use crate::before::BeforePresets;
use crate::{SteeringPreset, UsesPreset};

/// Keeps which preset each agent uses, and what presets have kept of it. Files leave both out: a handle has no
/// meaning in another run.
pub(crate) struct PresetUsers {
    query: QueryState<Columns, Filter>,
    /// The last copy. The next one shares its list if nothing has changed since.
    last: Users,
}

/// A copy of all users.
#[derive(Clone)]
pub(crate) struct Users {
    list: Arc<[User]>,
    /// The change tick at which it was taken.
    taken: Tick,
}

type Columns = (
    Entity,
    Option<Ref<'static, UsesPreset>>,
    Option<Ref<'static, BeforePresets>>,
);

type Filter = (Or<(With<UsesPreset>, With<BeforePresets>)>, Allow<Disabled>);

/// The change tick at which a system last looked for presets that agents began to use.
#[derive(Resource, Default)]
pub(crate) struct LastRead(pub(crate) Tick);

impl LastRead {
    /// Whether a preset that an agent uses was inserted or changed since.
    fn is_before(&self, uses: &Ref<UsesPreset>, now: Tick) -> bool {
        uses.last_changed().is_newer_than(self.0, now)
    }
}

/// An agent that uses a preset, or once had one.
struct User {
    agent: Entity,
    uses: Option<UsesPreset>,
    /// Whether `uses` was inserted or changed, and no system had looked at it yet.
    is_unread: bool,
    before: Option<BeforePresets>,
}

impl PresetUsers {
    pub(crate) fn new(world: &mut World) -> Self {
        Self {
            query: world.query_filtered(),
            last: Users {
                list: Arc::default(),
                taken: world.read_change_tick(),
            },
        }
    }

    /// Whether the world is as in the last copy.
    fn is_as_before(&mut self, world: &World, now: Tick) -> bool {
        let taken = self.last.taken;
        let read = world.resource::<LastRead>();
        let mut known = self.last.list.iter();
        let same = self.query.iter(world).all(|(agent, uses, before)| {
            let uses = uses.as_ref();
            let is_changed = |it: Ref<BeforePresets>| it.last_changed().is_newer_than(taken, now);
            known.next().is_some_and(|it| {
                it.agent == agent
                    && it.uses.as_ref() == uses.map(|it| &**it)
                    && it.is_unread == uses.is_some_and(|it| read.is_before(it, now))
                    && it.before.is_some() == before.is_some()
                    && !before.is_some_and(is_changed)
            })
        });
        same && known.next().is_none()
    }
}

impl SnapshotPart for PresetUsers {
    type Copy = Users;

    fn take(&mut self, world: &mut World) -> Users {
        let now = world.read_change_tick();
        if !self.is_as_before(world, now) {
            let read = world.resource::<LastRead>();
            let users = self.query.iter(world);
            let users = users.map(|(agent, uses, before)| User {
                agent,
                is_unread: uses.as_ref().is_some_and(|it| read.is_before(it, now)),
                uses: uses.map(|it| UsesPreset::clone(&it)),
                before: before.map(|it| BeforePresets::clone(&it)),
            });
            self.last.list = users.collect();
        }
        self.last.taken = now;
        self.last.clone()
    }

    fn restore(&mut self, world: &mut World, users: &Users, spawned: &EntityHashMap<Entity>) {
        let mut past = Past {
            taken: users.taken,
            spawned: spawned.clone(),
            types: world.resource::<AppTypeRegistry>().clone(),
        };
        for user in users.list.iter() {
            if let Ok(agent) = world.get_entity_mut(entity_now(user.agent, spawned)) {
                user.put_back(agent, &mut past);
            }
        }
        let agents = users.list.iter().map(|it| entity_now(it.agent, spawned));
        let kept: EntityHashSet = agents.collect();
        let present = self.query.iter(world).map(|(agent, ..)| agent);
        let others: Vec<Entity> = present.filter(|it| !kept.contains(it)).collect();
        for agent in others {
            // An entity without a vehicle has been spawned since, and waits for its preset.
            if let Ok(mut agent) = world.get_entity_mut(agent)
                && agent.contains::<Vehicle>()
            {
                agent.remove::<(UsesPreset, BeforePresets)>();
            }
        }
        // Files that have changed since the latest copy of all are in none.
        if users.taken == self.last.taken {
            users.apply_changed(world);
        }
    }

    /// Successive snapshots share the users, which seldom change.
    fn bytes(_: &Users) -> usize {
        size_of::<Users>()
    }

    fn is_empty(users: &Users) -> bool {
        users.list.is_empty()
    }

    fn is_in_files() -> bool {
        false
    }
}

impl Users {
    /// Lets presets whose asset is not as it was be applied, as after a change of the file.
    fn apply_changed(&self, world: &mut World) {
        let presets = world.resource::<Assets<SteeringPreset>>();
        let last = self.list.iter().filter_map(|it| it.before.as_ref());
        let last = last.filter_map(|it| it.last.as_ref());
        let changed = last.filter(|(id, then)| {
            let now = presets.get(*id);
            now.is_some_and(|it| !it.is_copy_of(then))
        });
        let changed: HashSet<_> = changed.map(|(id, _)| *id).collect();
        world.write_message_batch(changed.into_iter().map(|id| AssetEvent::Modified { id }));
    }
}

/// What a copy that is put back knows of the world from which it was taken.
struct Past {
    /// The change tick at which it was taken.
    taken: Tick,
    /// The entities that replace those of then.
    spawned: EntityHashMap<Entity>,
    types: AppTypeRegistry,
}

impl User {
    fn put_back(&self, mut agent: EntityWorldMut, past: &mut Past) {
        self.put_back_before(&mut agent, past);
        let Some(uses) = &self.uses else {
            agent.remove::<UsesPreset>();
            return;
        };
        if agent.get::<UsesPreset>() != Some(uses) {
            agent.insert(uses.clone());
        }
        // An observer may have despawned it.
        if agent.is_despawned() {
            return;
        }
        let now = agent.world().read_change_tick();
        let long_ago = Tick::new(now.get().wrapping_sub(Tick::MAX.get()));
        if let Some(mut present) = agent.get_mut::<UsesPreset>() {
            if self.is_applied(uses) {
                // A change would apply the preset, over what has been changed in the agent's tuning then.
                present.set_last_changed(long_ago);
            } else {
                present.set_changed();
            }
        }
    }

    /// Puts back what presets have kept, with the entities that were spawned again.
    fn put_back_before(&self, agent: &mut EntityWorldMut, past: &mut Past) {
        let Some(before) = &self.before else {
            agent.remove::<BeforePresets>();
            return;
        };
        let now = agent.world().read_change_tick();
        let is_unchanged = agent
            .get_ref::<BeforePresets>()
            .is_some_and(|it| !it.last_changed().is_newer_than(past.taken, now));
        // The next copy shares what stays.
        if is_unchanged && past.spawned.is_empty() {
            return;
        }
        let mut before = before.clone();
        if !past.spawned.is_empty() {
            before.map_entities(&mut past.spawned, &past.types.read());
        }
        agent.insert(before);
    }

    /// Whether the preset had been applied already: its file may not have been loaded yet, and a preset that is inserted
    /// again is applied again.
    fn is_applied(&self, uses: &UsesPreset) -> bool {
        let used = self.before.as_ref().and_then(|it| it.used);
        used == Some(uses.0.id()) && !self.is_unread
    }
}

#[cfg(test)]
mod tests {
    use bevy_steering2d_core::{PointMass, Seek, SteeringCorePlugin, SteeringSnapshot, Wander};

    use super::*;
    use crate::SteeringPresetPlugin;

    fn app() -> App {
        let mut app = App::new();
        app.add_plugins((
            MinimalPlugins,
            AssetPlugin::default(),
            SteeringCorePlugin::default(),
            SteeringPresetPlugin,
        ));
        app.finish();
        app.cleanup();
        app
    }

    fn update(app: &mut App) {
        // Events about assets are written at the end of a frame.
        for _ in 0..2 {
            app.update();
        }
    }

    /// Replaces a preset, or adds it.
    fn load(app: &mut App, preset: &Handle<SteeringPreset>, text: &str) {
        let types = app.world().resource::<AppTypeRegistry>();
        let read = SteeringPreset::from_ron(text, types).unwrap();
        let mut presets = app.world_mut().resource_mut::<Assets<SteeringPreset>>();
        presets.insert(preset, read).unwrap();
        update(app);
    }

    fn loaded(app: &mut App, text: &str) -> Handle<SteeringPreset> {
        let presets = app.world().resource::<Assets<SteeringPreset>>();
        let preset = presets.reserve_handle();
        load(app, &preset, text);
        preset
    }

    fn spawn_user(app: &mut App, preset: &Handle<SteeringPreset>) -> Entity {
        let agent = (PointMass::default(), UsesPreset(preset.clone()));
        let agent = app.world_mut().spawn(agent).id();
        update(app);
        agent
    }

    fn weight(app: &App, agent: Entity) -> f32 {
        app.world().get::<Seek>(agent).unwrap().influence.weight
    }

    #[test]
    fn an_agent_that_is_spawned_again_uses_its_preset_and_keeps_its_tuning() {
        let mut app = app();
        let preset = loaded(&mut app, "{ Seek: () }");
        let agent = spawn_user(&mut app, &preset);
        let mut seek = app.world_mut().get_mut::<Seek>(agent).unwrap();
        seek.influence.weight = 0.25;
        let snapshot = SteeringSnapshot::take(app.world_mut());
        app.world_mut().despawn(agent);
        let restored = snapshot.restore(app.world_mut());
        let again = restored.spawned[0].1;
        update(&mut app);
        assert_eq!(weight(&app, again), 0.25);
        load(&mut app, &preset, "{ Seek: (influence: (weight: 2.0)) }");
        assert_eq!(weight(&app, again), 2.0, "the file was saved");
    }

    #[test]
    fn an_agent_goes_back_to_the_preset_of_that_time() {
        let mut app = app();
        let [seek, wander] = ["{ Seek: () }", "{ Wander: () }"].map(|it| loaded(&mut app, it));
        let agent = (PointMass::default(), Seek::default());
        let agent = app.world_mut().spawn(agent).id();
        let used = |app: &App| app.world().get::<UsesPreset>(agent).cloned();
        let mut snapshots = Vec::new();
        for preset in [&seek, &wander] {
            snapshots.push((used(&app), SteeringSnapshot::take(app.world_mut())));
            let uses = UsesPreset(preset.clone());
            app.world_mut().entity_mut(agent).insert(uses);
            update(&mut app);
        }
        assert!(app.world().get::<Wander>(agent).is_some());
        for (uses, snapshot) in snapshots.iter().rev() {
            snapshot.restore(app.world_mut());
            update(&mut app);
            assert_eq!(used(&app), *uses);
            let world = app.world();
            assert!(world.get::<Seek>(agent).is_some() && world.get::<Wander>(agent).is_none());
        }
    }

    #[test]
    fn a_preset_that_was_inserted_again_then_is_applied_after_going_back() {
        let mut app = app();
        let preset = loaded(&mut app, "{ Seek: () }");
        let agent = spawn_user(&mut app, &preset);
        let mut seek = app.world_mut().get_mut::<Seek>(agent).unwrap();
        seek.influence.weight = 0.25;
        let before = SteeringSnapshot::take(app.world_mut());
        app.world_mut()
            .entity_mut(agent)
            .insert(UsesPreset(preset.clone()));
        let then = SteeringSnapshot::take(app.world_mut());
        for (snapshot, expected) in [(&then, 1.0), (&before, 0.25), (&then, 1.0)] {
            snapshot.restore(app.world_mut());
            update(&mut app);
            assert_eq!(weight(&app, agent), expected);
        }
    }

    #[test]
    fn a_target_that_a_preset_keeps_follows_an_entity_that_is_spawned_again() {
        let mut app = app();
        let [wander, seek] = ["{ Wander: () }", "{ Seek: () }"].map(|it| loaded(&mut app, it));
        let prey = (PointMass::default(), Vehicle::default());
        let prey = app.world_mut().spawn(prey).id();
        let agent = (PointMass::default(), Seek::new(prey), UsesPreset(wander));
        let agent = app.world_mut().spawn(agent).id();
        update(&mut app);
        assert!(app.world().get::<Seek>(agent).is_none());
        let snapshot = SteeringSnapshot::take(app.world_mut());
        app.world_mut().despawn(prey);
        let restored = snapshot.restore(app.world_mut());
        let again = restored.spawned[0].1;
        app.world_mut().entity_mut(agent).insert(UsesPreset(seek));
        update(&mut app);
        let target = app.world().get::<Seek>(agent).map(|it| it.target);
        assert_eq!(target, Some(again.into()));
    }

    #[test]
    fn a_preset_that_was_not_loaded_then_is_applied_after_going_back() {
        let mut app = app();
        let presets = app.world().resource::<Assets<SteeringPreset>>();
        let preset = presets.reserve_handle();
        let agent = spawn_user(&mut app, &preset);
        let snapshot = SteeringSnapshot::take(app.world_mut());
        load(&mut app, &preset, "{ Seek: () }");
        assert_eq!(weight(&app, agent), 1.0);
        snapshot.restore(app.world_mut());
        assert!(app.world().get::<Seek>(agent).is_none());
        update(&mut app);
        assert_eq!(weight(&app, agent), 1.0);
    }

    #[test]
    fn a_file_that_is_saved_while_an_earlier_time_is_shown_is_applied_to_the_present() {
        let mut app = app();
        let preset = loaded(&mut app, "{ Seek: (), Wander: () }");
        let agent = spawn_user(&mut app, &preset);
        let earlier = SteeringSnapshot::take(app.world_mut());
        let mut wander = app.world_mut().get_mut::<Wander>(agent).unwrap();
        wander.influence.enabled = false;
        let present = SteeringSnapshot::take(app.world_mut());
        earlier.restore(app.world_mut());
        update(&mut app);
        let saved = "{ Seek: (influence: (weight: 2.0)), Wander: () }";
        load(&mut app, &preset, saved);
        present.restore(app.world_mut());
        update(&mut app);
        assert_eq!(weight(&app, agent), 2.0);
        let wander = app.world().get::<Wander>(agent).unwrap();
        assert!(!wander.influence.enabled, "switched off by the game");
    }

    #[test]
    fn an_earlier_time_has_the_values_that_its_file_had() {
        let mut app = app();
        let preset = loaded(&mut app, "{ Seek: () }");
        let agent = spawn_user(&mut app, &preset);
        let earlier = SteeringSnapshot::take(app.world_mut());
        load(&mut app, &preset, "{ Seek: (influence: (weight: 2.0)) }");
        let present = SteeringSnapshot::take(app.world_mut());
        for (snapshot, expected) in [(earlier, 1.0), (present, 2.0)] {
            snapshot.restore(app.world_mut());
            update(&mut app);
            assert_eq!(weight(&app, agent), expected);
        }
    }

    #[test]
    fn snapshots_share_the_users_of_presets_that_do_not_change() {
        let mut app = app();
        let preset = loaded(&mut app, "{ Seek: () }");
        let agent = spawn_user(&mut app, &preset);
        let mut users = PresetUsers::new(app.world_mut());
        let mut take = |app: &mut App| {
            let copy = users.take(app.world_mut());
            app.world_mut().increment_change_tick();
            copy
        };
        let first = take(&mut app);
        update(&mut app);
        let second = take(&mut app);
        assert!(Arc::ptr_eq(&first.list, &second.list));
        load(&mut app, &preset, "{ Wander: () }");
        let third = take(&mut app);
        assert!(!Arc::ptr_eq(&second.list, &third.list));
        app.world_mut().despawn(agent);
        assert!(take(&mut app).list.is_empty());
    }

    #[test]
    fn snapshots_share_the_users_of_presets_that_going_back_does_not_change() {
        let mut app = app();
        let preset = loaded(&mut app, "{ Seek: () }");
        spawn_user(&mut app, &preset);
        let mut users = PresetUsers::new(app.world_mut());
        let first = users.take(app.world_mut());
        app.world_mut().increment_change_tick();
        users.restore(app.world_mut(), &first, &EntityHashMap::default());
        update(&mut app);
        let second = users.take(app.world_mut());
        assert!(Arc::ptr_eq(&first.list, &second.list));
    }
}
