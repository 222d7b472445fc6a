//! Files that appear complete or not at all.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// Lets `write` write a draft beside the file, which takes the file's name and permissions when it is complete. An
/// older file stays until then; one that is read-only stays. What is no regular file, such as a pipe, is written at once.
pub fn replace<E: From<io::Error>>(
    file: &Path,
    write: impl FnOnce(&Path) -> Result<(), E>,
) -> Result<(), E> {
    if fs::metadata(file).is_ok_and(|it| !it.is_file()) {
        return write(file);
    }
    let file = behind_links(file);
    let draft = draft_of(&file);
    let older = fs::metadata(&file).ok().map(|it| it.permissions());
    if older.is_some() {
        fs::OpenOptions::new().append(true).open(&file)?;
    }
    let written = write(&draft).and_then(|()| {
        if let Some(permissions) = older {
            fs::set_permissions(&draft, permissions)?;
        }
        Ok(fs::rename(&draft, &file)?)
    });
    if written.is_err() {
        // The draft is of no use, and may not even exist.
        let _ = fs::remove_file(&draft);
    }
    written
}

/// Replaces a file by one with this content.
pub fn write(file: &Path, content: impl AsRef<[u8]>) -> Result<(), String> {
    replace(file, |draft| fs::write(draft, content))
        .map_err(|error| format!("{}: {error}", file.display()))
}

/// Checks that [`replace`] can write a file. An existing one stays as it is.
pub fn check_writable(file: &Path) -> io::Result<()> {
    match fs::metadata(file) {
        // The reader of a pipe would take opening and closing it for the end.
        Ok(it) if !it.is_file() && !it.is_dir() => return Ok(()),
        Ok(_) => drop(fs::OpenOptions::new().append(true).open(file)?),
        Err(_) => {}
    }
    let draft = draft_of(&behind_links(file));
    fs::write(&draft, [])?;
    fs::remove_file(&draft)
}

/// The file that a link leads to, which need not exist: the link stays.
fn behind_links(file: &Path) -> PathBuf {
    // The system follows forty links at most.
    let links = std::iter::successors(Some(file.to_owned()), |link| {
        Some(link.with_file_name(fs::read_link(link).ok()?))
    });
    links.take(40).last().unwrap_or_default()
}

/// In the same folder, since renaming works within one file system only. It keeps the extension, which
/// decides on the format of pictures.
fn draft_of(file: &Path) -> PathBuf {
    let mut name = file.file_stem().unwrap_or_default().to_owned();
    name.push(format!(".{}.draft", std::process::id()));
    if let Some(extension) = file.extension() {
        name.push(".");
        name.push(extension);
    }
    file.with_file_name(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn empty_folder(name: &str) -> PathBuf {
        let id = std::process::id();
        let folder = std::env::temp_dir().join(format!("{name}-{id}"));
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).unwrap();
        folder
    }

    fn names(folder: &Path) -> Vec<String> {
        let files = fs::read_dir(folder).unwrap();
        let mut names: Vec<_> = files
            .map(|it| it.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    #[test]
    fn a_file_is_replaced_when_it_is_complete() {
        let folder = empty_folder("complete");
        let file = folder.join("a.b.svg");
        fs::write(&file, "old").unwrap();
        let seen = replace(&file, |draft| {
            assert_eq!(draft.extension(), file.extension());
            fs::write(draft, "new")?;
            assert_eq!(fs::read_to_string(&file)?, "old");
            io::Result::Ok(())
        });
        assert!(seen.is_ok());
        assert_eq!(fs::read_to_string(&file).unwrap(), "new");
        assert_eq!(names(&folder), ["a.b.svg"]);
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn a_file_that_cannot_be_completed_leaves_the_old_one_and_no_draft() {
        let folder = empty_folder("incomplete");
        let file = folder.join("run.json");
        fs::write(&file, "old").unwrap();
        let failed = replace(&file, |draft| {
            fs::write(draft, "ne")?;
            Err(io::Error::other("the disk is full"))
        });
        assert!(failed.is_err());
        assert_eq!(fs::read_to_string(&file).unwrap(), "old");
        assert_eq!(names(&folder), ["run.json"]);
        fs::remove_dir_all(folder).unwrap();
    }

    #[cfg(unix)]
    #[test]
    fn a_replaced_file_keeps_its_permissions() {
        use std::os::unix::fs::PermissionsExt;

        let folder = empty_folder("permissions");
        let file = folder.join("run.json");
        write(&file, "old").unwrap();
        fs::set_permissions(&file, fs::Permissions::from_mode(0o640)).unwrap();
        write(&file, "new").unwrap();
        let mode = fs::metadata(&file).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o640);
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn a_check_changes_nothing() {
        let folder = empty_folder("check");
        assert!(check_writable(&folder.join("new.gif")).is_ok());
        assert!(check_writable(&folder.join("no/new.gif")).is_err());
        assert!(names(&folder).is_empty());
        fs::remove_dir_all(folder).unwrap();
    }

    #[cfg(unix)]
    #[test]
    fn a_link_stays_and_its_file_is_replaced() {
        let folder = empty_folder("link");
        let (file, link) = (folder.join("file"), folder.join("link"));
        fs::write(&file, "old").unwrap();
        std::os::unix::fs::symlink(&file, &link).unwrap();
        for is_dangling in [false, true] {
            if is_dangling {
                fs::remove_file(&file).unwrap();
            }
            check_writable(&link).unwrap();
            write(&link, "new").unwrap();
            assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
            assert_eq!(fs::read_to_string(&file).unwrap(), "new");
        }
        write(Path::new("/dev/null"), "new").unwrap();
        assert!(!fs::metadata("/dev/null").unwrap().is_file());
        fs::remove_dir_all(folder).unwrap();
    }
}
