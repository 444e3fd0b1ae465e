//! A client for checkpointd, the checkpoint daemon for editors and coding agents.
//!
//! It owns a daemon that it speaks with over stdio: [`Client::start`], [`Client::request`], [`Client::call`] for
//! progress and cancelling, [`Client::events`]. One thread reads; there is no async runtime.
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
