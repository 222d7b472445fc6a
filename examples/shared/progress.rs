//! Progress bars, on standard error and only if that is a terminal.

use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};

/// A bar that draws itself as it gets on, at most twenty times a second.
pub fn bar(length: u64, template: &str) -> ProgressBar {
    let bar = ProgressBar::new(length);
    if let Ok(style) = ProgressStyle::with_template(template) {
        bar.set_style(style);
    }
    bar
}

/// A bar whose time also runs while it does not get on: a thread draws it.
pub fn ticking_bar(length: u64, template: &str) -> ProgressBar {
    let bar = bar(length, template);
    bar.enable_steady_tick(Duration::from_millis(200));
    bar
}
