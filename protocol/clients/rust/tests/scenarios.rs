//! Runs the scenarios that all clients share. ../../scenarios.json contains them and explains their notation. Every
//! parameter and result also passes through the generated types, which must lose nothing.

mod rig;

use checkpointd_client::types::*;
use checkpointd_client::{Call, Client, Error};
use rig::{options, Folder};
use serde_json::{json, Map, Value};
use std::collections::{HashMap, VecDeque};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

const PATIENCE: Duration = Duration::from_secs(20);

type Outcome = Result<(), String>;

macro_rules! typed {
    ($method:expr, $params:expr, $result:expr; $($request:ident),* $(,)?) => {
        match $method {
            $(m if m == $request::METHOD => {
                through::<<$request as Request>::Params>($params, "parameters")?;
                if let Some(result) = $result { through::<<$request as Request>::Result>(result, "result")?; }
            })*
            _ => (),
        }
    };
}

/// Reads a value by its type and writes it again.
fn through<T: serde::de::DeserializeOwned + serde::Serialize>(
    value: &Value,
    what: &str,
) -> Outcome {
    let read: T = serde_json::from_value(value.clone())
        .map_err(|error| format!("{what} {value}: {error}"))?;
    let written = serde_json::to_value(read).map_err(|error| error.to_string())?;
    matches(value, &written, what)
}

fn types_hold(method: &str, params: &Value, result: Option<&Value>) -> Outcome {
    typed!(method, params, result;
        SessionOpenRequest, SessionCloseRequest, SessionListRequest, SessionGetRequest,
        CheckpointCreateRequest, CheckpointListRequest, CheckpointGetRequest, CheckpointExpandRequest,
        CheckpointHasChangesRequest, CheckpointStatsRequest, CheckpointDiffRequest, CheckpointFilesRequest,
        CheckpointReadFileRequest, CheckpointRestoreRequest, CheckpointUndoRequest, CheckpointRedoRequest,
        ConversationGetRequest, ConversationHistoryRequest, ConversationTranscriptRequest,
        ConversationAppendRequest, ConversationAppendTranscriptRequest, ConversationEnterTangentRequest,
        ConversationExitTangentRequest, ConversationTangentRequest, ConversationExportRequest,
        OperationGetRequest, StoreUsageRequest, WorktreeStatusRequest,
    );
    Ok(())
}

/// Compares `found` with `expected`: the expected fields of objects, whole arrays, and `${type}` by type.
fn matches(expected: &Value, found: &Value, place: &str) -> Outcome {
    let fits = match (expected, found) {
        (Value::String(text), _) if text.starts_with("${") => match text.as_str() {
            "${any}" => true,
            "${string}" => found.is_string(),
            "${integer}" => found.is_i64() || found.is_u64(),
            "${boolean}" => found.is_boolean(),
            "${object}" => found.is_object(),
            "${array}" => found.is_array(),
            _ => false,
        },
        (Value::Object(fields), Value::Object(others)) => {
            for (key, value) in fields {
                let inner = format!("{place}.{key}");
                match others.get(key) {
                    None if value == "${absent}" => (),
                    Some(other) if value != "${absent}" => matches(value, other, &inner)?,
                    other => return Err(format!("{inner}: expected {value}, found {other:?}")),
                }
            }
            true
        }
        (Value::Array(items), Value::Array(others)) if items.len() == others.len() => {
            for (index, (one, other)) in items.iter().zip(others).enumerate() {
                matches(one, other, &format!("{place}.{index}"))?;
            }
            true
        }
        _ => expected == found,
    };
    fits.then_some(())
        .ok_or_else(|| format!("{place}: expected {expected}, found {found}"))
}

struct Run<'a> {
    scenario: &'a Value,
    folder: Folder,
    variables: HashMap<String, Value>,
    client: Option<Client>,
    events: VecDeque<(String, Value)>,
}

/// A sent request, and its step.
struct Sent<'a> {
    step: &'a Value,
    params: Value,
    call: Call<Value>,
}

impl<'a> Run<'a> {
    fn new(scenario: &'a Value) -> Self {
        let folder = Folder::new();
        let text = |path: PathBuf| Value::from(path.to_string_lossy().into_owned());
        let variables = HashMap::from([
            ("workspace".to_string(), text(folder.path().join("work"))),
            ("storage".to_string(), text(folder.path().join("storage"))),
        ]);
        Run {
            scenario,
            folder,
            variables,
            client: None,
            events: VecDeque::new(),
        }
    }

    fn run(mut self) -> Outcome {
        self.start()?;
        for (number, step) in self.scenario["steps"]
            .as_array()
            .into_iter()
            .flatten()
            .enumerate()
        {
            self.step(step)
                .map_err(|error| format!("step {number} {step}: {error}"))?;
        }
        self.stop()
    }

    fn start(&mut self) -> Outcome {
        let names = match &self.scenario["events"] {
            Value::Null => Vec::new(),
            names => serde_json::from_value(names.clone()).map_err(|error| error.to_string())?,
        };
        self.client = Some(Client::start(options(names)).map_err(|error| error.to_string())?);
        Ok(())
    }

    fn stop(&mut self) -> Outcome {
        let Some(client) = self.client.take() else {
            return Ok(());
        };
        match client.close() {
            Ok(status) if status.success() => Ok(()),
            other => Err(format!("the daemon ended with {other:?}")),
        }
    }

    fn client(&self) -> Result<&Client, String> {
        self.client.as_ref().ok_or_else(|| "no daemon".to_string())
    }

    fn step(&mut self, step: &'a Value) -> Outcome {
        if step.get("request").is_some() {
            let sent = self.send(step)?;
            self.finish(sent)
        } else if let Some(steps) = step["together"].as_array() {
            let sent: Vec<_> = steps
                .iter()
                .map(|each| self.send(each))
                .collect::<Result<_, _>>()?;
            sent.into_iter().try_for_each(|each| self.finish(each))
        } else if let Some(name) = step["event"].as_str() {
            let expected = self.filled(&step["expect"]);
            let found = self.event(name)?;
            if expected.is_null() {
                Ok(())
            } else {
                matches(&expected, &found, name)
            }
        } else if step.get("restart").is_some() {
            self.stop()?;
            self.start()
        } else {
            self.files(step).map_err(|error| error.to_string())?
        }
    }

    fn event(&mut self, name: &str) -> Result<Value, String> {
        let until = Instant::now() + PATIENCE;
        loop {
            if let Some(at) = self.events.iter().position(|(method, _)| method == name) {
                return Ok(self
                    .events
                    .remove(at)
                    .map(|(_, params)| params)
                    .unwrap_or_default());
            }
            let left = until.saturating_duration_since(Instant::now());
            let event = self
                .client()?
                .events()
                .recv_timeout(left)
                .map_err(|_| format!("no {name} came"))?;
            self.events.push_back((event.method, event.params));
        }
    }

    fn send(&self, step: &'a Value) -> Result<Sent<'a>, String> {
        let method = step["request"].as_str().unwrap_or_default();
        let params = self.filled(step.get("params").unwrap_or(&json!({})));
        let call = self
            .client()?
            .call_value(method, params.clone())
            .map_err(|error| error.to_string())?;
        if step["cancel"] == "atOnce" {
            call.canceller()
                .cancel()
                .map_err(|error| error.to_string())?;
        }
        Ok(Sent { step, params, call })
    }

    fn finish(&mut self, Sent { step, params, call }: Sent<'_>) -> Outcome {
        let method = step["request"].as_str().unwrap_or_default();
        let canceller = call.canceller();
        let mut kinds = Vec::new();
        let answer = call.wait_with(|progress| {
            kinds.push(match progress {
                ProgressValue::Begin(_) => "begin",
                ProgressValue::Report(_) => "report",
                ProgressValue::End(_) => "end",
                ProgressValue::Unknown(_) => "unknown",
            });
            if step["cancel"] == "onProgress" {
                drop(canceller.cancel());
            }
        });
        if step["progress"] == true
            && (kinds.first(), kinds.last()) != (Some(&"begin"), Some(&"end"))
        {
            return Err(format!("progress: {kinds:?}"));
        }
        match (answer, step.get("expectError")) {
            (Err(Error::Refused(failure)), Some(expected)) => {
                let mut found = match serde_json::to_value(&failure.data) {
                    Ok(Value::Object(fields)) => fields,
                    _ => Map::new(),
                };
                found.insert("code".into(), failure.code.into());
                matches(&self.filled(expected), &Value::Object(found), "error")
            }
            (Ok(result), None) => {
                if let Some(expected) = step.get("expect") {
                    matches(&self.filled(expected), &result, "result")?;
                }
                types_hold(method, &without_null(&params), Some(&result))?;
                for (name, place) in step["save"].as_object().into_iter().flatten() {
                    let pointer =
                        format!("/{}", place.as_str().unwrap_or_default().replace('.', "/"));
                    let value = result
                        .pointer(&pointer)
                        .ok_or_else(|| format!("nothing at {pointer}"))?;
                    self.variables.insert(name.clone(), value.clone());
                }
                Ok(())
            }
            (found, expected) => Err(format!("expected {expected:?}, found {found:?}")),
        }
    }

    fn files(&self, step: &Value) -> std::io::Result<Outcome> {
        let work = self.folder.path().join("work");
        if let Some(start) = step["writeFiles"].as_str() {
            for number in 0..step["count"].as_u64().unwrap_or_default() {
                let file = work.join(format!("{start}{number}.txt"));
                std::fs::create_dir_all(file.parent().unwrap_or(&work))?;
                std::fs::write(file, format!("{number}\n"))?;
            }
            return Ok(Ok(()));
        }
        let name = ["writeFile", "removeFile", "readFile"]
            .into_iter()
            .find(|name| step.get(name).is_some());
        let Some(action) = name else {
            return Ok(Err("an unknown step".into()));
        };
        let path = match step["pathBytes"].as_str() {
            Some(bytes) => work.join(path_of(from_base64(bytes))),
            None => work.join(step[action].as_str().unwrap_or_default()),
        };
        let content = match step["base64"].as_str() {
            Some(text) => from_base64(text),
            None => step["text"].as_str().unwrap_or_default().into(),
        };
        match action {
            "writeFile" => {
                std::fs::create_dir_all(path.parent().unwrap_or(&work))?;
                std::fs::write(path, content)?;
            }
            "removeFile" => std::fs::remove_file(path)?,
            _ if step["absent"] == true => {
                if path.symlink_metadata().is_ok() {
                    return Ok(Err("there is such a file".into()));
                }
            }
            _ => {
                let found = std::fs::read(path)?;
                if found != content {
                    return Ok(Err(format!(
                        "it holds {:?}",
                        String::from_utf8_lossy(&found)
                    )));
                }
            }
        }
        Ok(Ok(()))
    }

    /// Returns `value` with every `${variable}` replaced. Leaves `${type}`, which `matches` compares.
    fn filled(&self, value: &Value) -> Value {
        match value {
            Value::Object(fields) => fields
                .iter()
                .map(|(key, each)| (key.clone(), self.filled(each)))
                .collect::<Map<_, _>>()
                .into(),
            Value::Array(items) => items.iter().map(|each| self.filled(each)).collect(),
            Value::String(text) => {
                let whole = text
                    .strip_prefix("${")
                    .and_then(|rest| rest.strip_suffix('}'));
                if let Some(found) = whole.and_then(|name| self.variables.get(name)) {
                    return found.clone();
                }
                let mut text = text.clone();
                for (name, found) in &self.variables {
                    if let Some(found) = found.as_str() {
                        text = text.replace(&format!("${{{name}}}"), found);
                    }
                }
                text.into()
            }
            other => other.clone(),
        }
    }
}

/// Returns the parameters without null and unknown fields, because the types write no absent or unknown field.
fn without_null(params: &Value) -> Value {
    match params {
        Value::Object(fields) => fields
            .iter()
            .filter(|(key, value)| !value.is_null() && !key.starts_with('_') && !key.contains('_'))
            .map(|(key, value)| (key.clone(), value.clone()))
            .collect::<Map<_, _>>()
            .into(),
        other => other.clone(),
    }
}

const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

fn from_base64(text: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    let (mut bits, mut count) = (0u32, 0);
    for digit in text.bytes().filter(|byte| *byte != b'=') {
        let value = DIGITS
            .iter()
            .position(|each| *each == digit)
            .expect("a digit of base64");
        bits = bits << 6 | value as u32;
        count += 6;
        if count >= 8 {
            count -= 8;
            bytes.push((bits >> count) as u8);
        }
    }
    bytes
}

#[cfg(unix)]
fn path_of(bytes: Vec<u8>) -> PathBuf {
    use std::os::unix::ffi::OsStringExt;
    std::ffi::OsString::from_vec(bytes).into()
}

#[cfg(not(unix))]
fn path_of(bytes: Vec<u8>) -> PathBuf {
    String::from_utf8_lossy(&bytes).into_owned().into()
}

#[test]
fn every_scenario() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../scenarios.json");
    let text = std::fs::read_to_string(path).expect("scenarios.json");
    let document: Value = serde_json::from_str(&text).expect("JSON");
    let platform = match std::env::consts::OS {
        "macos" => "darwin",
        "windows" => "win32",
        other => other,
    };
    let mut failures = Vec::new();
    for scenario in document["scenarios"].as_array().into_iter().flatten() {
        if scenario
            .get("platform")
            .is_some_and(|only| only != platform)
        {
            continue;
        }
        match Run::new(scenario).run() {
            Ok(()) => println!("ok {}", scenario["name"]),
            Err(error) => failures.push(format!("{}: {error}", scenario["name"])),
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}
