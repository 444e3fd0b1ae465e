//! Connects the torture test to the Rust client. Reads one request per line as JSON, and writes one answer per line, in
//! the format that `../bridge.py` describes. Parameters and results pass through the client's types. If a type loses a
//! field, the torture test therefore finds that the field is missing.

use checkpointd_client::types::*;
use checkpointd_client::{Client, Error, Options};
use serde_json::{json, Value};
use std::io::BufRead;
use std::sync::Arc;
use std::time::Duration;

fn say(message: &Value) {
    println!("{message}");
}

/// Sends a request through its own type. A request without a type is sent by its name.
macro_rules! ask {
    ($client:expr, $method:expr, $params:expr, $limit:expr; $($request:ident),* $(,)?) => {
        match $method {
            $(m if m == $request::METHOD => {
                let params = serde_json::from_value::<<$request as Request>::Params>($params)
                    .map_err(|error| format!("parameters of {m}: {error}"))?;
                let outcome = $client.call::<$request>(params).and_then(|call| match $limit {
                    Some(limit) => call.wait_timeout(limit),
                    None => call.wait(),
                });
                match outcome {
                    Ok(result) => Ok(serde_json::to_value(result)
                        .map_err(|error| format!("a result of {m}: {error}"))?),
                    Err(error) => Err(error),
                }
            })*
            other => $client.call_value(other, $params).and_then(|call| call.wait()),
        }
    };
}

/// Returns the answer to a request. The outer error is a failure that must never happen in a client.
fn answer(
    client: &Client,
    method: &str,
    params: Value,
    limit: Option<Duration>,
) -> Result<Result<Value, Error>, String> {
    Ok(ask!(client, method, params, limit;
        RpcDiscoverRequest,
        SessionOpenRequest,
        SessionCloseRequest,
        SessionDeleteRequest,
        SessionListRequest,
        SessionGetRequest,
        CheckpointInitRequest,
        CheckpointCreateRequest,
        CheckpointListRequest,
        CheckpointGetRequest,
        CheckpointExpandRequest,
        CheckpointHasChangesRequest,
        CheckpointStatsRequest,
        CheckpointDiffRequest,
        CheckpointFilesRequest,
        CheckpointReadFileRequest,
        CheckpointRestoreRequest,
        CheckpointUndoRequest,
        CheckpointRedoRequest,
        CheckpointDeleteRequest,
        CheckpointRenameRequest,
        CheckpointCleanRequest,
        ConversationGetRequest,
        ConversationHistoryRequest,
        ConversationTranscriptRequest,
        ConversationAppendRequest,
        ConversationAppendTranscriptRequest,
        ConversationSetNextMessageRequest,
        ConversationClearRequest,
        ConversationSetValidRangeRequest,
        ConversationCompactRequest,
        ConversationForgetRequest,
        ConversationEnterTangentRequest,
        ConversationExitTangentRequest,
        ConversationTangentRequest,
        ConversationAddContextRequest,
        ConversationRemoveContextRequest,
        ConversationContextRequest,
        ConversationSetToolsRequest,
        ConversationSetAgentsRequest,
        ConversationSetModelRequest,
        ConversationSetMcpEnabledRequest,
        ConversationRecordLinesRequest,
        ConversationExportRequest,
        ConversationImportRequest,
        LedgerRecordWriteRequest,
        LedgerHistoryRequest,
        WorktreeStatusRequest,
        StoreUsageRequest,
        StoreGcRequest,
        StoreVerifyRequest,
        OperationGetRequest,
    ))
}

fn told(error: &Error) -> Value {
    match error {
        Error::Gone(why) => json!({"gone": why}),
        Error::Refused(failure) => json!({"error": {
            "code": failure.code,
            "message": failure.message,
            "data": {
                "kind": error.kind(),
                "effects": error.effects(),
                "retryable": error.retryable(),
            },
        }}),
        Error::TimedOut { effects, .. } => json!({"error": {
            "code": -32800,
            "message": error.to_string(),
            "data": {"kind": "RequestTimeout", "effects": effects, "retryable": true},
        }}),
        other => json!({"broken": other.to_string()}),
    }
}

fn serve(client: &Client, mut asked: Value) {
    let method = asked["method"].as_str().unwrap_or_default().to_string();
    let limit = asked["timeoutMs"].as_u64().map(Duration::from_millis);
    let mut said = match answer(client, &method, asked["params"].take(), limit) {
        Ok(Ok(result)) => json!({"result": result}),
        Ok(Err(error)) => told(&error),
        Err(broken) => json!({"broken": broken}),
    };
    said["id"] = asked["id"].take();
    say(&said);
}

fn main() {
    let command = std::env::args_os().skip(1).collect();
    let options = Options {
        command,
        ..Options::default()
    };
    let client = match Client::start(options) {
        Ok(client) => Arc::new(client),
        Err(error) => {
            let mut said = told(&error);
            said["id"] = json!(0);
            return say(&said);
        }
    };
    say(&json!({"id": 0, "result": {"pid": client.pid()}}));
    let mut serving = Vec::new();
    for line in std::io::stdin().lock().lines() {
        let line = line.expect("a line");
        let asked = serde_json::from_str(&line).expect("a request");
        let client = client.clone();
        serving.retain(|thread: &std::thread::JoinHandle<()>| !thread.is_finished());
        serving.push(std::thread::spawn(move || serve(&client, asked)));
    }
    for thread in serving {
        thread.join().expect("an answer");
    }
    let client = Arc::into_inner(client).expect("nobody else has it");
    let status = client.close().expect("an end");
    say(&json!({"closed": status.to_string()}));
}
