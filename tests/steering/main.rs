#![allow(clippy::unwrap_used, dead_code, reason = "tests")]
mod common;
mod groups;
