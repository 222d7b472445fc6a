//! Files of the repository: pages, presets, and the code of tests.

use std::fs;
use std::path::{Path, PathBuf};

pub fn in_repository(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

/// The text of a file.
pub fn file(path: &str) -> String {
    let path = in_repository(path);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Whether code has a test of this name. A test of windows is ignored but where there is a screen.
pub fn has_test(code: &str, name: &str) -> bool {
    let Some((before, _)) = code.split_once(&format!("fn {name}(")) else {
        return false;
    };
    let lines = before.lines().rev().map(str::trim);
    let mut attributes = lines
        .skip_while(|line| line.is_empty())
        .take_while(|line| line.starts_with("#[") || line.starts_with("///"));
    attributes.any(|line| line == "#[test]")
}

/// The Rust sources below a folder of the repository.
pub fn rust_sources(folder: &str) -> String {
    fn below(folder: &Path) -> String {
        let entries = fs::read_dir(folder).unwrap();
        let paths = entries.map(|entry| entry.unwrap().path());
        let texts = paths.map(|path| match path.extension() {
            _ if path.is_dir() => below(&path),
            Some(extension) if extension == "rs" => fs::read_to_string(path).unwrap(),
            _ => String::new(),
        });
        texts.collect()
    }
    below(&in_repository(folder))
}
