//! Files that are refused, and worlds that cannot be written to one.

use bevy::prelude::*;
use bevy_rapier2d::prelude::*;
use bevy_steering2d_core::*;

use crate::{agents, app, bodies, file_of, reload, run, written};

#[test]
fn a_snapshot_refused_once_is_written_as_it_was() {
    let (_, mut played) = written();
    let snapshot = SteeringSnapshot::take(played.world_mut());
    let then = bodies(&mut played);
    run(&mut played, 50);
    let error = snapshot.to_file(played.world()).expect_err("refused");
    assert!(matches!(error, SnapshotFileError::Past(_)), "{error}");
    snapshot.restore(played.world_mut());
    let file = snapshot.to_file(played.world()).expect("its own tick");
    let mut loaded = app();
    reload(&file, &mut loaded);
    assert_eq!(bodies(&mut loaded), then);
}

#[test]
fn a_snapshot_whose_agent_was_spawned_again_is_refused_and_a_fresh_one_written() {
    let (_, mut played) = written();
    let snapshot = SteeringSnapshot::take(played.world_mut());
    run(&mut played, 2);
    let world = played.world_mut();
    let mut query = world.query_filtered::<Entity, (With<Vehicle>, With<Velocity>)>();
    let gone = query.iter(world).next().expect("an agent");
    world.despawn(gone);
    run(&mut played, 2);
    let restored = snapshot.restore(played.world_mut());
    assert_eq!(restored.spawned.len(), 1);
    let error = snapshot.to_file(played.world()).expect_err("refused");
    assert!(matches!(error, SnapshotFileError::Past(_)), "{error}");
    let file = file_of(&mut played);
    let mut loaded = app();
    reload(&file, &mut loaded);
    assert_eq!(agents(&mut loaded), agents(&mut played));
}

#[test]
fn damaged_files_are_refused_and_the_running_world_stays() {
    let (file, mut running) = written();
    let before = (bodies(&mut running), agents(&mut running));
    let refused = |file: &str| {
        let read = SteeringSnapshot::from_file(running.world(), file).map(|_| ());
        read.expect_err("refused")
    };
    let (head, body) = file.split_once("\n(").expect("a header");
    let edited = format!("{head}\n({}", body.replacen("1.0", "2.0", 1));
    for damaged in [&file[..file.len() - 9], &file[..file.len() / 2], &edited] {
        assert_eq!(refused(damaged), SnapshotFileError::Damaged);
    }
    let older = file.replacen("version 0.", "version 9.", 1);
    assert!(matches!(refused(&older), SnapshotFileError::Version(_)));
    assert_eq!(refused("bevy"), SnapshotFileError::NoSnapshot);
    let mut without = App::new();
    without.add_plugins((MinimalPlugins, SteeringCorePlugin::new(Update)));
    let error = SteeringSnapshot::from_file(without.world(), &file).map(|_| ());
    let error = error.expect_err("refused").to_string();
    assert!(
        error.contains("the world of Rapier is unknown here"),
        "{error}"
    );
    assert_eq!((bodies(&mut running), agents(&mut running)), before);
}

/// A file with another world of Rapier, and the checksum of what it then holds.
fn forged(file: &str, change: impl Fn(&str) -> String) -> String {
    const PART: &str = "the world of Rapier";
    let (head, rest) = file.split_once("checksum ").expect("a header");
    let (_, body) = rest.split_once('\n').expect("a checksum");
    let (before, rapier) = body.split_once(PART).expect("bodies");
    let body = format!("{before}{PART}{}", change(rapier));
    format!("{head}checksum {:016x}\n{body}", digest(body.bytes()))
}

/// The text with another number after the first `field`.
fn with_number(text: &str, field: &str, number: &str) -> String {
    let (before, rest) = text.split_once(field).expect("a field");
    let rest = rest.trim_start_matches(|it: char| it.is_ascii_digit());
    format!("{before}{field}{number}{rest}")
}

/// The text before the first entity of a list, its id, and the text after that.
fn first_entity(text: &str) -> (&str, &str, &str) {
    let (before, rest) = text.split_once("(entity:").expect("an entity");
    let end = rest.find(|it: char| !it.is_ascii_digit());
    let (id, rest) = rest.split_at(end.expect("an end"));
    (before, id, rest)
}

#[test]
fn forged_files_are_refused_and_the_running_world_stays() {
    let (file, mut running) = written();
    let before = (bodies(&mut running), agents(&mut running));
    let with_parent = |text: &str, parent: &str| {
        let (before, id, rest) = first_entity(text);
        let (_, rest) = rest.split_once(",place:").expect("a place");
        format!("{before}(entity:{id},parent:Some({parent}),place:{rest}")
    };
    let with_distant_handle = |text: &str| {
        let (before, body) = text.split_once("body:Some(").expect("a body");
        let body = with_number(body, "index:", "4294967294");
        format!("{before}body:Some({body}")
    };
    let with_an_id_twice = |text: &str| {
        let (before, id, rest) = first_entity(text);
        format!("{before}(entity:{id}{}", with_number(rest, "(entity:", id))
    };
    let with_its_own_parent = |text: &str| with_parent(text, first_entity(text).1);
    let with_a_stranger_as_parent = |text: &str| with_parent(text, "4294900000");
    let forgeries: [&dyn Fn(&str) -> String; 4] = [
        &with_distant_handle,
        &with_an_id_twice,
        &with_its_own_parent,
        &with_a_stranger_as_parent,
    ];
    let read = |change: &dyn Fn(&str) -> String| {
        let file = forged(&file, change);
        SteeringSnapshot::from_file(running.world(), &file).map(|_| ())
    };
    assert_eq!(read(&str::to_owned), Ok(()), "nothing is forged");
    for change in forgeries {
        let error = read(change).expect_err("refused").to_string();
        assert!(
            error.ends_with("the world of Rapier has another form"),
            "{error}"
        );
    }
    assert_eq!((bodies(&mut running), agents(&mut running)), before);
}

#[test]
fn joints_and_snapshots_of_the_past_are_refused_by_name() {
    let (_, mut app) = written();
    let snapshot = SteeringSnapshot::take(app.world_mut());
    run(&mut app, 1);
    let error = snapshot
        .to_file(app.world())
        .expect_err("refused")
        .to_string();
    let past = "the world of Rapier can be written to a file only in the tick of the snapshot";
    assert!(error.starts_with(past), "{error}");
    let world = app.world_mut();
    let mut query = world.query_filtered::<Entity, (With<Vehicle>, With<Velocity>)>();
    let agents: Vec<Entity> = query.iter(world).collect();
    let joint = RevoluteJointBuilder::new();
    world
        .entity_mut(agents[0])
        .insert(ImpulseJoint::new(agents[1], joint));
    run(&mut app, 2);
    let snapshot = SteeringSnapshot::take(app.world_mut());
    let error = snapshot
        .to_file(app.world())
        .expect_err("refused")
        .to_string();
    assert_eq!(
        error,
        "a joint of Rapier cannot be written to a file, only kept in memory"
    );
}
