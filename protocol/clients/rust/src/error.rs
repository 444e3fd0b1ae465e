//! The errors that can end a request.

use crate::types::{Effects, ErrorData, ErrorKind};

/// The error of a request that the daemon refused, or that failed.
#[derive(Debug, Clone, PartialEq)]
pub struct Failure {
    /// The code of the error, as in the table of errors.
    pub code: i64,
    /// What happened, and what to do.
    pub message: String,
    /// Kind, effects and facts. Absent only if another program than checkpointd answered.
    pub data: Option<ErrorData>,
}

/// Why there is no result.
#[derive(Debug)]
pub enum Error {
    /// The daemon answered with an error.
    Refused(Box<Failure>),
    /// The client cancelled the request after its time limit. `effects` is `None` if the daemon confirmed that nothing
    /// changed, and `Unknown` if the daemon did not answer in time. In the latter case, ask `operation/get`, or repeat
    /// the request with its idempotency key.
    TimedOut {
        /// The request.
        method: String,
        /// What the request changed.
        effects: Effects,
    },
    /// The daemon ended, could not be started, or sent an invalid frame. Requests in flight may have changed data.
    Gone(String),
    /// The parameters cannot be encoded as JSON. Nothing was sent.
    Encode(serde_json::Error),
    /// The result does not match the types of this version. The request took effect.
    Decode {
        /// The request.
        method: String,
        /// The error of the decoder.
        source: serde_json::Error,
    },
}

impl Error {
    /// Returns the name of the error, which never changes. Returns `None` if the daemon did not answer.
    pub fn kind(&self) -> Option<&ErrorKind> {
        self.data().map(|data| &data.kind)
    }

    /// Returns the data of the daemon's error.
    pub fn data(&self) -> Option<&ErrorData> {
        match self {
            Error::Refused(failure) => failure.data.as_ref(),
            _ => None,
        }
    }

    /// True when the same request may succeed later without a change by the caller.
    pub fn retryable(&self) -> bool {
        self.data().is_some_and(|data| data.retryable)
    }

    /// Returns what the request changed.
    pub fn effects(&self) -> Effects {
        match self {
            Error::Refused(failure) => match &failure.data {
                Some(data) => data.effects.clone(),
                None => Effects::Unknown,
            },
            Error::TimedOut { effects, .. } => effects.clone(),
            Error::Gone(_) => Effects::Unknown,
            Error::Encode(_) => Effects::None,
            Error::Decode { .. } => Effects::Committed,
        }
    }
}

impl std::fmt::Display for Error {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Error::Refused(failure) => write!(out, "{} ({})", failure.message, failure.code),
            Error::TimedOut { method, .. } => {
                write!(out, "{method} did not end in time and was cancelled")
            }
            Error::Gone(why) => out.write_str(why),
            Error::Encode(error) => {
                write!(out, "the parameters cannot be encoded as JSON: {error}")
            }
            Error::Decode { method, source } => {
                write!(out, "the result of {method} cannot be read: {source}")
            }
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Error::Encode(error) | Error::Decode { source: error, .. } => Some(error),
            _ => None,
        }
    }
}
