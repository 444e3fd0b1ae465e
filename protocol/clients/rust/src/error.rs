//! What a request may end with.

use crate::types::{Effects, ErrorData, ErrorKind};

/// A request that the daemon refused or could not carry out.
#[derive(Debug, Clone, PartialEq)]
pub struct Failure {
    /// The number, as in the table of errors.
    pub code: i64,
    /// What happened and what to do about it.
    pub message: String,
    /// Kind, effects and facts. Absent only where the daemon is no checkpointd.
    pub data: Option<ErrorData>,
}

/// Why there is no result.
#[derive(Debug)]
pub enum Error {
    /// The daemon answered with an error.
    Refused(Box<Failure>),
    /// The request was given up. `effects` is `None` where the daemon confirmed that nothing changed, `Unknown` where
    /// it did not answer in time: then ask `operation/get`, or repeat the request with its idempotency key.
    TimedOut {
        /// The request.
        method: String,
        /// Whether it changed anything.
        effects: Effects,
    },
    /// The daemon ended, could not be started, or sent what is no frame. Requests in flight may have had effects.
    Gone(String),
    /// The parameters are no JSON; nothing was sent.
    Encode(serde_json::Error),
    /// The result is not what this version of the types says. The request took effect.
    Decode {
        /// The request.
        method: String,
        /// What does not fit.
        source: serde_json::Error,
    },
}

impl Error {
    /// The stable name of the failure; absent where the daemon did not answer.
    pub fn kind(&self) -> Option<&ErrorKind> {
        self.data().map(|data| &data.kind)
    }

    /// What the daemon says of the failure.
    pub fn data(&self) -> Option<&ErrorData> {
        match self {
            Error::Refused(failure) => failure.data.as_ref(),
            _ => None,
        }
    }

    /// Whether the same request may succeed later without a change by the caller.
    pub fn retryable(&self) -> bool {
        self.data().is_some_and(|data| data.retryable)
    }

    /// What the request left behind.
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
            Error::TimedOut { method, .. } => write!(out, "{method} was given up"),
            Error::Gone(why) => out.write_str(why),
            Error::Encode(error) => write!(out, "parameters that are no JSON: {error}"),
            Error::Decode { method, source } => {
                write!(out, "a result of {method} that cannot be read: {source}")
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
