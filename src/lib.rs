//! The host package of examples, integration tests and assets; see the crates.
