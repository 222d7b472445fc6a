//! [`PresetFiles`]: the names of the files in the folder of presets.

use std::fs;
use std::io;
use std::path::Path;

use bevy::platform::time::Instant;

use crate::presets::EXTENSION;

/// The preset files, which are looked for once in a while: a folder may be slow to read.
#[derive(Debug, Default)]
pub(crate) struct PresetFiles {
    names: Vec<String>,
    /// Why the folder cannot be read.
    problem: Option<String>,
    read: Option<Instant>,
}

impl PresetFiles {
    /// How long a list is shown, s.
    const SHOWN: f32 = 1.0;

    /// The names without extension, sorted. A folder that does not exist has none.
    ///
    /// # Errors
    /// Why the folder cannot be read.
    pub(crate) fn names(&mut self, folder: &Path) -> Result<&[String], String> {
        let is_old = |it: Instant| it.elapsed().as_secs_f32() > Self::SHOWN;
        if self.read.is_none_or(is_old) {
            self.read = Some(Instant::now());
            (self.names, self.problem) = match names(folder) {
                Ok(names) => (names, None),
                Err(error) if error.kind() == io::ErrorKind::NotFound => (Vec::new(), None),
                Err(error) => {
                    let problem = format!("cannot read {}: {error}", folder.display());
                    (Vec::new(), Some(problem))
                }
            };
        }
        match &self.problem {
            None => Ok(&self.names),
            Some(problem) => Err(problem.clone()),
        }
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
        let listed = |folder: &Path| PresetFiles::default().names(folder).map(<[_]>::to_vec);
        assert_eq!(listed(&folder), Ok(Vec::new()), "no folder");
        fs::create_dir_all(folder.join("folder.steering.ron")).unwrap();
        for name in ["wölfe", "boids", ".hidden"] {
            fs::write(folder.join(format!("{name}{EXTENSION}")), "{ }").unwrap();
        }
        fs::write(folder.join("notes.txt"), "").unwrap();
        assert_eq!(listed(&folder), Ok(vec!["boids".into(), "wölfe".into()]));
        let file = folder.join("notes.txt");
        let reason = listed(&file).unwrap_err();
        assert!(reason.contains("notes.txt"), "{reason}");
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn a_list_is_not_read_anew_in_every_frame() {
        let folder = format!("steering_preset_list_{}", std::process::id());
        let folder = std::env::temp_dir().join(folder);
        fs::create_dir_all(&folder).unwrap();
        let mut files = PresetFiles::default();
        assert_eq!(files.names(&folder), Ok(&[][..]));
        fs::write(folder.join(format!("boids{EXTENSION}")), "{ }").unwrap();
        files.read = Some(Instant::now());
        assert_eq!(files.names(&folder), Ok(&[][..]));
        files.read = None;
        assert_eq!(files.names(&folder), Ok(&["boids".to_owned()][..]));
        fs::remove_dir_all(folder).unwrap();
    }
}
