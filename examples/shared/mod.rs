//! What the commands among the examples share.

#![allow(dead_code, reason = "not every command needs all of it")]

pub mod arguments;
pub mod files;
pub mod interrupts;
pub mod jobs;
pub mod progress;
pub mod times;
