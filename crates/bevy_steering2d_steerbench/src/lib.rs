//! Reads, runs and scores SteerBench cases.
