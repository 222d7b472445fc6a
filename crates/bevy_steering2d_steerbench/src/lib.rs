//! Reads, runs and scores SteerBench cases with `bevy_steering2d`.
//!
//! [SteerBench](https://github.com/SteerSuite) is the field's public benchmark suite for crowds: do
//! all agents reach their goals without collisions? The modules, in the order a case passes them:
//!
//! 1. [`read`](mod@read): parses a file of the suite into a [`Case`], plain data that code can also
//!    build.
//! 2. [`world`]: spawns the case in a Bevy world and directs its walkers from goal to goal, also in
//!    a game or the gallery.
//! 3. [`run`](mod@run): runs the case without a window, in an app of [`headless`].
//! 4. [`score`]: contacts, times, path lengths and energies; [`table`](mod@table) and
//!    [`svg`](mod@svg) show them.

pub mod case;
mod crowd;
mod error;
pub mod headless;
mod pools;
pub mod read;
pub mod run;
pub mod score;
pub mod svg;
pub mod table;
mod touching;
pub mod world;

pub use case::{Case, Goal, Shape, Walker, shortest_path};
pub use error::ReadError;
pub use headless::TICK;
pub use pools::share_passes_among;
pub use read::{read, read_file};
pub use run::{LIMIT, Run, run};
pub use score::{Score, Scorer, Sighting};
pub use svg::svg;
pub use table::Table;
pub use touching::touching;
pub use world::{Body, CasePlugin, Itinerary, OfCase, Town, spawn_case};
