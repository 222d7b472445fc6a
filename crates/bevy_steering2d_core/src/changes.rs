//! Changes since the last run of a system. Most often there are none, which a scan of the ticks by tables tells faster
//! than [`Changed`], which tests one entity after another.

use bevy::ecs::change_detection::Tick;
use bevy::ecs::entity_disabling::Disabled;
use bevy::ecs::query::ArchetypeFilter;
use bevy::prelude::*;

/// Disabled entities too: like [`Allow<Disabled>`](Allow), but valid for iteration by tables.
pub(crate) type AlsoDisabled = Or<(With<Disabled>, Without<Disabled>)>;

/// Whether a `C` has changed since the last run of the system that asks, or may have. It is a run condition too.
pub(crate) fn any_changed<C: Component, F: ArchetypeFilter>(
    all: Query<Ref<C>, (F, AlsoDisabled)>,
) -> bool {
    // Those in sparse sets have no tables.
    let Ok(mut tables) = all.contiguous_iter() else {
        return true;
    };
    tables.any(|them| {
        let (last, now) = (them.last_run_tick(), them.this_run_tick());
        any_is_new(them.changed_ticks_slice(), last, now)
    })
}

/// Whether one of these ticks is newer than the last run of a system that runs now.
pub(crate) fn any_is_new(ticks: &[Tick], last: Tick, now: Tick) -> bool {
    let is_new = |any: bool, tick: &Tick| any | tick.is_newer_than(last, now);
    // Without a branch for each of them.
    let mut some = ticks.chunks(256);
    some.any(|ticks| ticks.iter().fold(false, is_new))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Resource, Default)]
    struct Runs(u32);

    #[test]
    fn a_system_runs_after_changes_only_also_of_disabled_entities() {
        let mut app = App::new();
        let count = |mut runs: ResMut<Runs>| runs.0 += 1;
        app.init_resource::<Runs>()
            .add_systems(Update, count.run_if(any_changed::<Name, ()>));
        let mut names = app
            .world_mut()
            .spawn_batch((0..300).map(|_| Name::new("a")));
        let (first, last) = (names.next(), names.last());
        let (first, last) = (first.expect("the first"), last.expect("the last"));
        app.world_mut().entity_mut(last).insert(Disabled);
        let runs_after = |change: Option<Entity>| {
            if let Some(it) = change {
                let name = app.world_mut().get_mut::<Name>(it);
                name.expect("a name").set_changed();
            }
            app.update();
            app.world().resource::<Runs>().0
        };
        let changes = [None, None, Some(first), None, Some(last), None];
        assert_eq!(changes.map(runs_after), [1, 1, 2, 2, 3, 3]);
    }
}
