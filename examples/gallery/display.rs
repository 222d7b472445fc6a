//! Checks for a display before a window opens, for a clear error message instead of a panic.

/// Fails with a reason if there is no display.
#[cfg(not(target_os = "linux"))]
pub fn find() -> Result<(), String> {
    Ok(())
}

/// Fails with a reason if there is no display.
#[cfg(target_os = "linux")]
pub fn find() -> Result<(), String> {
    let variable = |name| std::env::var(name).ok().filter(|value| !value.is_empty());
    if cfg!(feature = "wayland") && variable("WAYLAND_DISPLAY").is_some() {
        return Ok(());
    }
    match variable("DISPLAY") {
        Some(display) if answers(&display) => Ok(()),
        Some(display) => Err(format!("no X server answers at DISPLAY={display}")),
        None if variable("WAYLAND_DISPLAY").is_some() => {
            Err("there is only a Wayland display: build with --features wayland".into())
        }
        None => Err("no display (DISPLAY is not set)".into()),
    }
}

/// Whether a local X server, `:0` or `:0.0`, accepts connections. Assumes that remote ones do.
#[cfg(target_os = "linux")]
fn answers(display: &str) -> bool {
    use std::os::linux::net::SocketAddrExt;
    use std::os::unix::net::{SocketAddr, UnixStream};

    let Some(local) = display.strip_prefix(':') else {
        return true;
    };
    let number = local.split('.').next().unwrap_or(local);
    let path = format!("/tmp/.X11-unix/X{number}");
    let hidden = SocketAddr::from_abstract_name(&path);
    UnixStream::connect(&path).is_ok()
        || hidden.is_ok_and(|address| UnixStream::connect_addr(&address).is_ok())
}
