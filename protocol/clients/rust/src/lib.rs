//! A client for checkpointd, the checkpoint daemon for editors and coding agents.
//!
//! It owns a daemon that it speaks with over stdio: [`Client::start`], [`Client::request`], [`Client::call`] for
//! progress and cancelling, [`Client::events`]. One thread reads; there is no async runtime.

mod client;
mod error;
mod frames;
pub mod types;

pub use client::{Call, Canceller, Client, Event, Options};
pub use error::{Error, Failure};
