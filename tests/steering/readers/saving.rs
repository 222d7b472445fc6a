//! `save_preset` where the path leads to something else than a plain file.

use std::fs;
use std::os::unix::fs::symlink;
use std::os::unix::net::UnixListener;

use bevy::prelude::*;
use bevy_steering2d::prelude::*;

use crate::common::*;
use crate::presets::Directory;

fn names_in(directory: &Directory) -> Vec<String> {
    let entries = fs::read_dir(&directory.0).unwrap();
    let name = |entry: std::io::Result<fs::DirEntry>| entry.unwrap().file_name();
    let mut names: Vec<_> = entries.map(|it| name(it).into_string().unwrap()).collect();
    names.sort();
    names
}

fn app_with_agent() -> (App, Entity) {
    let mut app = point_mass_app(HERTZ);
    let agent = (PointMass::default(), Separation::default());
    let agent = app.world_mut().spawn(agent).id();
    (app, agent)
}

#[test]
fn saving_replaces_the_file_that_a_symbolic_link_leads_to() {
    let directory = Directory::new("linked");
    let (app, agent) = app_with_agent();
    let [file, link, second] =
        ["a.steering.ron", "b.steering.ron", "c.steering.ron"].map(|name| directory.0.join(name));
    fs::write(&file, "old").unwrap();
    symlink("a.steering.ron", &link).unwrap();
    symlink(&link, &second).unwrap();
    save_preset(app.world(), agent, &second).unwrap();
    assert!(fs::read_to_string(&file).unwrap().contains("Separation"));
    for link in [&link, &second] {
        assert!(fs::symlink_metadata(link).unwrap().is_symlink());
    }
    // A link may also lead to a file that does not exist yet.
    fs::remove_file(&file).unwrap();
    save_preset(app.world(), agent, &second).unwrap();
    assert!(fs::symlink_metadata(&file).unwrap().is_file());
    let names = ["a.steering.ron", "b.steering.ron", "c.steering.ron"];
    assert_eq!(names_in(&directory), names, "no temporary files remain");
}

#[test]
fn saving_refuses_what_is_no_regular_file() {
    let directory = Directory::new("special");
    let (app, agent) = app_with_agent();
    let [socket, link, cycle] = ["a", "b", "c"].map(|name| directory.0.join(name));
    let _listener = UnixListener::bind(&socket).unwrap();
    symlink(&socket, &link).unwrap();
    symlink(&cycle, &cycle).unwrap();
    for path in [&socket, &link, &directory.0] {
        let error = save_preset(app.world(), agent, path)
            .unwrap_err()
            .to_string();
        let expected = format!("cannot write {}: it is not a regular file", path.display());
        assert_eq!(error, expected);
    }
    let error = save_preset(app.world(), agent, &cycle)
        .unwrap_err()
        .to_string();
    assert!(error.starts_with("cannot write "), "{error}");
    assert_eq!(names_in(&directory), ["a", "b", "c"], "nothing is replaced");
}
