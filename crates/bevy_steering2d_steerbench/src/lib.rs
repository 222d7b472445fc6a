//! Reads, runs and scores SteerBench cases with `bevy_steering2d`.
//!
//! [SteerBench](https://github.com/SteerSuite) is the field's public suite for the question
//! whether a crowd gets home without bumping. The rooms, in the order a case passes them:
//!
//! 1. [`read`](mod@read): a file of the suite becomes a [`Case`], plain data that can also be
//!    written by hand.
//! 2. [`plan`]: the shortest ways around the obstacles.
//! 3. [`stage`]: the case in a Bevy world, and the action selection that leads everybody home. A
//!    game or gallery shows the same.
//! 4. [`run`](mod@run): the whole run without a window.
//! 5. [`score`]: contacts, times, ways and energies; [`table`](mod@table) and [`svg`](mod@svg)
//!    show them.

pub mod case;
pub mod plan;
pub mod read;
pub mod run;
pub mod score;
pub mod stage;
pub mod svg;
pub mod table;

pub use case::{Case, Goal, Shape, Walker};
pub use read::{ReadError, read, read_file};
pub use run::{LIMIT, Run, TICK, run};
pub use score::{Score, Scorer, Sighting};
pub use stage::{Body, CasePlugin, Itinerary, OfCase, Town, spawn_case};
pub use svg::svg;
pub use table::{json, table};
