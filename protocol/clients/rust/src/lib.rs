//! A client for checkpointd, the checkpoint daemon for editors and coding agents.
//!
//! [`Client::start`] starts a daemon, and [`Client::request`] sends a request over stdio. [`Client::call`] is for
//! progress and cancelling, and [`Client::events`] returns events. One thread reads; there is no async runtime.
//!
//! ```no_run
//! use checkpointd_client::types::*;
//! use checkpointd_client::{Client, Error, Options};
//!
//! # fn main() -> Result<(), Error> {
//! let client = Client::start(Options::default())?;
//! let open = SessionOpenParams::new("/path/to/work");
//! let session = client.request::<SessionOpenRequest>(open)?.session;
//! let turn = CheckpointCreateParams::new(&session, CreateKind::Turn);
//! println!("{:?}", client.request::<CheckpointCreateRequest>(turn)?.checkpoint.tag);
//! # Ok(())
//! # }
//! ```

#![warn(missing_docs)]

mod client;
mod error;
mod frames;
pub mod types;

pub use client::{Call, Canceller, Client, Event, Options};
pub use error::{Error, Failure};
