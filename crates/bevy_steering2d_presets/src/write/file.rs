//! Writes text to a file, so that there is the old text or the new one at any time.

use std::fs;
use std::io::ErrorKind::{NotADirectory, NotFound, PermissionDenied};
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
    // Renaming would replace a file that is protected from changes, and give any file the usual permissions.
    let permissions = fs::metadata(&path).ok().map(|it| it.permissions());
    if permissions.as_ref().is_some_and(fs::Permissions::readonly) {
        return Err(refused(io::Error::new(PermissionDenied, "it is read-only")));
    }
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
            if let Some(permissions) = permissions {
                file.set_permissions(permissions)?;
            }
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

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(name: &str) -> PathBuf {
        let folder = format!("steering_preset_{name}_{}", std::process::id());
        let folder = std::env::temp_dir().join(folder);
        fs::create_dir_all(&folder).unwrap();
        folder
    }

    #[test]
    fn a_read_only_file_is_not_replaced() {
        let folder = folder("read_only");
        let path = folder.join("kept.steering.ron");
        write_file(&path, "first").unwrap();
        let changeable = fs::metadata(&path).unwrap().permissions();
        let mut read_only = changeable.clone();
        read_only.set_readonly(true);
        fs::set_permissions(&path, read_only).unwrap();
        let error = write_file(&path, "second").unwrap_err().to_string();
        assert!(
            error.contains("kept.steering.ron: it is read-only"),
            "{error}"
        );
        assert_eq!(fs::read_to_string(&path).unwrap(), "first");
        fs::set_permissions(&path, changeable).unwrap();
        write_file(&path, "second").unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "second");
        fs::remove_dir_all(folder).unwrap();
    }

    #[cfg(unix)]
    #[test]
    fn a_replaced_file_keeps_its_permissions() {
        use std::os::unix::fs::PermissionsExt;

        let folder = folder("permissions");
        let path = folder.join("shared.steering.ron");
        write_file(&path, "first").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o660)).unwrap();
        write_file(&path, "second").unwrap();
        let mode = fs::metadata(&path).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o660);
        fs::remove_dir_all(folder).unwrap();
    }
}
