//! The names of the files in the folder of presets.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::presets::EXTENSION;
use crate::recent::Recent;

/// The preset files in a folder, or why it cannot be read. They are looked for once in a while: a folder may be slow to read.
pub(crate) type PresetFiles = Recent<PathBuf, Result<Vec<String>, String>>;

/// No files, which are looked for at once.
pub(crate) fn unread() -> PresetFiles {
    Recent::shown_for(1.0)
}

/// The names without extension, sorted. A folder that does not exist has none.
///
/// # Errors
/// Why the folder cannot be read.
pub(crate) fn list(folder: &Path) -> Result<Vec<String>, String> {
    match names(folder) {
        Ok(names) => Ok(names),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
        Err(error) => Err(format!("cannot read {}: {error}", folder.display())),
    }
}

/// Hidden files are left out: editors keep locks in them.
fn names(folder: &Path) -> io::Result<Vec<String>> {
    let name = |entry: fs::DirEntry| {
        let name = entry.file_name().into_string().ok()?;
        let name = name.strip_suffix(EXTENSION)?;
        let is_hidden = name.is_empty() || name.starts_with('.');
        (!is_hidden && entry.path().is_file()).then(|| name.to_owned())
    };
    let entries = fs::read_dir(folder)?;
    let mut names: Vec<_> = entries.flatten().filter_map(name).collect();
    names.sort_unstable();
    Ok(names)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn preset_files_are_listed_by_name_and_a_folder_that_cannot_be_read_has_a_reason() {
        let folder = format!("steering_preset_files_{}", std::process::id());
        let folder = std::env::temp_dir().join(folder);
        assert_eq!(list(&folder), Ok(Vec::new()), "no folder");
        fs::create_dir_all(folder.join("folder.steering.ron")).unwrap();
        for name in ["wölfe", "boids", ".hidden"] {
            fs::write(folder.join(format!("{name}{EXTENSION}")), "{ }").unwrap();
        }
        fs::write(folder.join("notes.txt"), "").unwrap();
        assert_eq!(list(&folder), Ok(vec!["boids".into(), "wölfe".into()]));
        let file = folder.join("notes.txt");
        let reason = list(&file).unwrap_err();
        assert!(reason.contains("notes.txt"), "{reason}");
        fs::remove_dir_all(folder).unwrap();
    }
}
