//! Writes text to a file, so that there is the old text or the new one at any time.

use std::fs;
use std::io::ErrorKind::{NotADirectory, NotFound};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use crate::error::{PresetError, PresetFault};

/// Replaces a file atomically: the previous text stays until the new text is on disk. Of a symbolic
/// link, the file it leads to is replaced.
pub(crate) fn write_file(path: &Path, text: &str) -> Result<(), PresetError> {
    let refused = |error: io::Error| -> PresetError {
        PresetFault::Io(format!("cannot write {}: {error}", path.display())).into()
    };
    let path = destination(path).map_err(refused)?;
    let Some(name) = path.file_name() else {
        return Err(refused(io::ErrorKind::IsADirectory.into()));
    };
    // In the same folder, since renaming works only within one file system.
    let mut temporary = name.to_owned();
    temporary.push(format!(".{}.tmp", std::process::id()));
    let temporary = path.with_file_name(temporary);
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).map_err(|error| {
            let folder = folder.display();
            PresetFault::Io(format!("cannot create the folder {folder}: {error}"))
        })?;
    }
    let written = fs::File::create(&temporary)
        .and_then(|mut file| {
            file.write_all(text.as_bytes())?;
            file.sync_all()
        })
        .and_then(|()| fs::rename(&temporary, &path));
    written.map_err(|error| {
        // Best effort: the first error is the one to report.
        let _ = fs::remove_file(&temporary);
        refused(error)
    })
}

/// The regular file that a path leads to, or the place of one that does not exist yet.
fn destination(path: &Path) -> io::Result<PathBuf> {
    match fs::metadata(path) {
        Ok(file) if file.is_file() => {}
        Ok(_) => return Err(io::Error::other("it is not a regular file")),
        Err(error) if matches!(error.kind(), NotFound | NotADirectory) => {}
        Err(error) => return Err(error),
    }
    // Not `canonicalize`, because the file need not exist. A cycle of links is an error of `metadata`.
    let mut path = path.to_owned();
    while fs::symlink_metadata(&path).is_ok_and(|file| file.is_symlink()) {
        let target = fs::read_link(&path)?;
        path = path.with_file_name(target);
    }
    Ok(path)
}
