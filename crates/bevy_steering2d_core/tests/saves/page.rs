//! The program of `docs/saves.md` that keeps a snapshot in a file.

use bevy::prelude::*;
use bevy_steering2d_core::*;

use crate::{app, body, run};

// `docs/saves.md` shows the next lines.

fn save(world: &mut World) -> Result {
    let file = SteeringSnapshot::take(world).to_file(world)?;
    Ok(std::fs::write("game.save", file)?)
}

fn load(world: &mut World) -> Result {
    let file = std::fs::read_to_string("game.save")?;
    SteeringSnapshot::from_file(world, &file)?.restore(world);
    Ok(())
}

/// Stands for the sprite of the page.
#[derive(Component, Default)]
struct Looks;

#[derive(Component, Reflect, Clone)]
#[require(Looks)]
struct Zombie;

#[test]
fn the_page_shows_the_program_that_is_run_here() -> Result {
    let here = include_str!("page.rs");
    let (_, code) = here
        .split_once("shows the next lines.\n\n")
        .expect("a mark");
    let (code, _) = code.split_once("\n/// Stands").expect("an end");
    let shown = format!("```rust,ignore\n{code}```");
    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/saves.md");
    assert!(std::fs::read_to_string(page)?.contains(&shown));
    Ok(())
}

#[test]
fn agents_come_back_from_the_file_with_their_looks() -> Result {
    std::env::set_current_dir(env!("CARGO_TARGET_TMPDIR"))?;
    let mut app = app();
    app.add_saved_component::<Zombie>(SnapshotKind::Parameter);
    let zombie = (Zombie, body(0.0, 0.0), Wander::default());
    let zombie = app.world_mut().spawn(zombie).id();
    run(&mut app, 5);
    save(app.world_mut())?;
    app.world_mut().despawn(zombie);
    run(&mut app, 5);
    load(app.world_mut())?;
    let mut zombies = app
        .world_mut()
        .query_filtered::<&Wander, (With<Zombie>, With<Looks>)>();
    assert_eq!(zombies.iter(app.world()).count(), 1);
    Ok(())
}
