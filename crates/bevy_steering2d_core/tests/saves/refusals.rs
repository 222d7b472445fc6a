//! Files that are refused, and worlds that cannot be written to one.

use bevy::prelude::*;
use bevy_steering2d_core::*;

use crate::files::{bodies, written};
use crate::population::populate;
use crate::{app, body, run};

#[test]
fn files_that_cannot_be_read_are_refused_with_a_reason() {
    let (file, _) = written(3);
    let mut app = app();
    populate(app.world_mut());
    run(&mut app, 7);
    let before = bodies(&mut app);
    let reason = |file: &str| {
        let error = SteeringSnapshot::from_file(app.world(), file).map(|_| ());
        error.expect_err("refused").to_string()
    };
    let damaged = "the file is damaged: its checksum is another one";
    for length in [file.len() - 1, file.len() / 2, 80] {
        assert_eq!(reason(&file[..length]), damaged, "{length} bytes");
    }
    let (header, body) = file.split_once("\n(").expect("a header");
    let edited = format!("{header}\n({}", body.replacen("1.0", "2.0", 1));
    assert_eq!(reason(&edited), damaged);
    let none = "the file is no snapshot of bevy_steering2d";
    assert_eq!(reason(""), none);
    assert_eq!(reason("bevy"), none);
    let older = file.replacen("version 0.", "version 9.", 1);
    assert!(
        reason(&older).starts_with("version 9."),
        "{}",
        reason(&older)
    );
    assert_eq!(bodies(&mut app), before, "the running world is as it was");
    let without = SteeringSnapshot::from_file(&World::new(), &file).map(|_| ());
    assert_eq!(without, Err(SnapshotFileError::NoPlugin));
    let mut without = World::new();
    let empty = SteeringSnapshot::take(&mut without);
    assert_eq!(empty.to_file(&without), Err(SnapshotFileError::NoPlugin));
}

/// Defines behaviors that do nothing.
macro_rules! idle {
    ($($name:ident),*) => {$(
        #[derive(Component, Reflect, Default, Clone, Copy)]
        #[reflect(Component, Default)]
        struct $name {
            influence: Influence,
        }

        impl Behavior for $name {
            type Memory = ();
            type World = ();

            fn influence(&self) -> &Influence {
                &self.influence
            }

            fn influence_mut(&mut self) -> &mut Influence {
                &mut self.influence
            }
        }

        impl Steer for $name {
            fn steer(&self, _: &Agent, _: (), _: &()) -> Vec2 {
                Vec2::ZERO
            }
        }
    )*};
}

idle!(Bark, Yawn);

#[test]
fn a_file_of_behaviors_in_another_order_is_refused() {
    let mut saved = app();
    saved.add_behavior::<Bark>().add_behavior::<Yawn>();
    let lost = saved.world_mut().spawn_empty().id();
    let dog = (body(0.0, 0.0), Bark::default(), Seek::new(lost));
    saved.world_mut().spawn(dog);
    saved.world_mut().despawn(lost);
    run(&mut saved, 2);
    let file = SteeringSnapshot::take(saved.world_mut()).to_file(saved.world());
    let file = file.expect("a file");
    assert!(SteeringSnapshot::from_file(saved.world(), &file).is_ok());
    let mut other = app();
    other.add_behavior::<Yawn>().add_behavior::<Bark>();
    let error = SteeringSnapshot::from_file(other.world(), &file).map(|_| ());
    let error = error.expect_err("refused");
    let SnapshotFileError::BehaviorOrder { file, here } = &error else {
        panic!("{error}");
    };
    assert!(file.ends_with("Bark") && here.ends_with("Yawn"), "{error}");
}

#[derive(Component, Reflect, Clone, Default)]
struct Health(u32);

#[test]
fn a_file_of_other_plugins_is_refused_with_their_names() {
    let (file, _) = written(3);
    let mut with_health = app();
    with_health.add_saved_component::<Health>(SnapshotKind::Parameter);
    let error = SteeringSnapshot::from_file(with_health.world(), &file).map(|_| ());
    let error = error.expect_err("refused");
    let SnapshotFileError::Plugins { unknown, missing } = &error else {
        panic!("{error}");
    };
    assert!(unknown.is_empty() && missing.len() == 1, "{error}");
    assert!(
        error.to_string().ends_with("Health is not in the file;"),
        "{error}"
    );

    with_health.world_mut().spawn((body(0.0, 0.0), Health(3)));
    let file = SteeringSnapshot::take(with_health.world_mut()).to_file(with_health.world());
    let file = file.expect("a file");
    let error = SteeringSnapshot::from_file(app().world(), &file).map(|_| ());
    let error = error.expect_err("refused").to_string();
    assert!(error.ends_with("Health is unknown here;"), "{error}");
    let snapshot = SteeringSnapshot::from_file(with_health.world(), &file).expect("its own");
    assert_eq!(
        snapshot
            .iter::<Health>()
            .map(|(_, it)| it.0)
            .collect::<Vec<_>>(),
        [3]
    );
}

#[test]
fn what_stays_in_memory_is_not_written() {
    #[derive(Component, Clone)]
    struct Handle;

    let mut app = app();
    app.add_snapshot_component::<Handle>(SnapshotKind::Parameter);
    let agent = app
        .world_mut()
        .spawn((body(0.0, 0.0), Wander::default()))
        .id();
    let file = |app: &mut App| SteeringSnapshot::take(app.world_mut()).to_file(app.world());
    assert!(file(&mut app).is_ok(), "nothing of it is there");
    app.world_mut().entity_mut(agent).insert(Handle);
    let error = file(&mut app).expect_err("refused").to_string();
    assert!(
        error.ends_with("Handle cannot be written to a file, only kept in memory"),
        "{error}"
    );
}

mod of_the_game {
    use super::*;

    /// A combiner that is named like another.
    #[derive(Reflect)]
    pub struct Average;

    impl Combiner for Average {
        fn combine(_: &mut [LedgerEntry], _: f32, _: &mut dyn FnMut() -> f32) -> Vec2 {
            Vec2::ZERO
        }
    }
}

#[test]
fn of_two_combiners_of_one_name_none_is_written() {
    let mut app = app();
    app.add_combiner::<of_the_game::Average>();
    let agent = (body(0.0, 0.0), Wander::default(), Combine::AVERAGE);
    app.world_mut().spawn(agent);
    run(&mut app, 5);
    let file = SteeringSnapshot::take(app.world_mut()).to_file(app.world());
    let error = file.expect_err("refused").to_string();
    assert!(
        error.contains("another combiner has the same name"),
        "{error}"
    );
}
