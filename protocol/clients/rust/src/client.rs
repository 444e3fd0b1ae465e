//! The client. It starts its own daemon, sends requests over stdio, and receives events.

use crate::error::{Error, Failure};
use crate::frames;
use crate::types::{
    CheckpointdClientCapabilities, ClientCapabilities, ClientInfo, Effects, ErrorKind, EventName,
    InitializeParams, InitializeRequest, InitializeResult, Notification, ProgressValue, Request,
};
use serde_json::{json, Map, Value};
use std::collections::HashMap;
use std::ffi::OsString;
use std::io::{BufReader, Read, Write};
use std::marker::PhantomData;
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{channel, Receiver, RecvTimeoutError, Sender};
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::thread;
use std::time::{Duration, Instant};

/// The time limit for the answer to `initialize`. Starting Node on a busy machine takes seconds.
const START: Duration = Duration::from_secs(30);
/// The time limits for `shutdown` and for `exit`, after which the client kills the daemon.
const CLOSE: Duration = Duration::from_secs(2);
/// How long the client waits for the answer to a cancelled request.
const CANCEL: Duration = Duration::from_secs(2);
/// How many of the last bytes of stderr are kept for the text of [`Error::Gone`].
const STDERR_BYTES: usize = 64 * 1024;

/// How to start a daemon.
#[derive(Debug, Clone)]
pub struct Options {
    /// The program and its arguments.
    pub command: Vec<OsString>,
    /// The events that the daemon sends; see [`Client::events`].
    pub events: Vec<EventName>,
    /// The name and version of the client.
    pub client_info: Option<ClientInfo>,
}

impl Default for Options {
    /// Returns the options for `checkpointd` on the PATH, without events.
    fn default() -> Self {
        let program = if cfg!(windows) {
            "checkpointd.cmd"
        } else {
            "checkpointd"
        };
        Options {
            command: vec![program.into()],
            events: Vec::new(),
            client_info: None,
        }
    }
}

/// A notification of the daemon.
#[derive(Debug, Clone, PartialEq)]
pub struct Event {
    /// The notification's name, such as `checkpoint/didCreate`.
    pub method: String,
    /// The parameters of the notification as JSON; see [`Event::of`].
    pub params: Value,
}

impl Event {
    /// Returns the parameters if the event is an `N`: `event.of::<CheckpointDidCreateNotification>()`.
    pub fn of<N: Notification>(&self) -> Option<N::Params> {
        (self.method == N::METHOD).then(|| serde_json::from_value(self.params.clone()).ok())?
    }
}

enum Update {
    Progress(ProgressValue),
    Answer(Result<Value, Box<Failure>>),
}

#[derive(Default)]
struct State {
    last_id: u64,
    pending: HashMap<u64, Sender<Update>>,
    /// Why no more requests can be sent.
    gone: Option<String>,
}

struct Shared {
    state: Mutex<State>,
    /// Notified when a request was answered, and when the daemon has ended.
    changed: Condvar,
    max_in_flight: Mutex<usize>,
    stdin: Mutex<Option<ChildStdin>>,
    child: Mutex<Child>,
    stderr_end: Mutex<Vec<u8>>,
}

/// Locks the mutex even after a panic of another thread, because each state here is complete between two statements.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex
        .lock()
        .unwrap_or_else(|poisoned| poisoned.into_inner())
}

/// A running daemon. Dropping the client shuts the daemon down, and kills a daemon that needs more than two seconds.
///
/// The client is `Send` and `Sync`: any number of threads can share an `Arc<Client>`.
pub struct Client {
    shared: Arc<Shared>,
    server: InitializeResult,
    events: Mutex<Receiver<Event>>,
    closed: Option<ExitStatus>,
}

impl Client {
    /// Starts a daemon and initialises it.
    pub fn start(options: Options) -> Result<Client, Error> {
        let mut words = options.command.iter();
        let program = words
            .next()
            .ok_or_else(|| Error::Gone("no program to start".into()))?;
        let mut child = Command::new(program)
            .args(words)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(|error| {
                Error::Gone(format!(
                    "could not start {}: {error}",
                    program.to_string_lossy()
                ))
            })?;
        let (stdin, stdout, stderr) =
            (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let shared = Arc::new(Shared {
            state: Mutex::default(),
            changed: Condvar::new(),
            max_in_flight: Mutex::new(1),
            stdin: Mutex::new(stdin),
            child: Mutex::new(child),
            stderr_end: Mutex::default(),
        });
        let (tell, events) = channel();
        let (Some(stdout), Some(stderr)) = (stdout, stderr) else {
            return Err(Error::Gone("the daemon has no pipes".into()));
        };
        let errors = {
            let shared = shared.clone();
            thread::spawn(move || shared.keep_stderr(stderr))
        };
        {
            let shared = shared.clone();
            thread::spawn(move || {
                let place = shared.read(BufReader::new(stdout), &tell);
                // Waits a moment for the end of stderr. A grandchild may keep the pipe open for longer.
                let until = Instant::now() + Duration::from_millis(200);
                while !errors.is_finished() && Instant::now() < until {
                    thread::sleep(Duration::from_millis(5));
                }
                shared.ended(&place);
            });
        }
        let mut client = Client {
            shared,
            server: InitializeResult::default(),
            events: Mutex::new(events),
            closed: None,
        };
        let params = InitializeParams {
            process_id: Some(u64::from(std::process::id())),
            client_info: options.client_info,
            capabilities: Some(ClientCapabilities {
                checkpointd: Some(CheckpointdClientCapabilities {
                    events: Some(options.events),
                }),
            }),
            ..InitializeParams::default()
        };
        client.server = client
            .call::<InitializeRequest>(params)?
            .wait_timeout(START)?;
        let in_flight = usize::try_from(client.server.limits.max_in_flight).unwrap_or(usize::MAX);
        *lock(&client.shared.max_in_flight) = in_flight.max(1);
        client
            .shared
            .write(&json!({"jsonrpc": "2.0", "method": "initialized", "params": {}}))?;
        Ok(client)
    }

    /// The answer to `initialize`: the capabilities and limits of the daemon.
    pub fn server(&self) -> &InitializeResult {
        &self.server
    }

    /// The daemon's process id.
    pub fn pid(&self) -> u32 {
        lock(&self.shared.child).id()
    }

    /// Sends a request and waits for its result: `client.request::<CheckpointListRequest>(params)`.
    pub fn request<R: Request>(&self, params: R::Params) -> Result<R::Result, Error> {
        self.call::<R>(params)?.wait()
    }

    /// Sends a request and returns a [`Call`], which reports progress, cancels the request, or waits for its result.
    ///
    /// Blocks while the daemon accepts no more requests.
    pub fn call<R: Request>(&self, params: R::Params) -> Result<Call<R::Result>, Error> {
        let params = serde_json::to_value(params).map_err(Error::Encode)?;
        self.send(R::METHOD, params)
    }

    /// Sends a request of any method, without types.
    pub fn call_value(&self, method: &str, params: Value) -> Result<Call<Value>, Error> {
        self.send(method, params)
    }

    fn send<T>(&self, method: &str, params: Value) -> Result<Call<T>, Error> {
        let (tell, updates) = channel();
        let limit = *lock(&self.shared.max_in_flight);
        let id = {
            let mut state = lock(&self.shared.state);
            while state.pending.len() >= limit && state.gone.is_none() {
                state = self
                    .shared
                    .changed
                    .wait(state)
                    .unwrap_or_else(|poisoned| poisoned.into_inner());
            }
            if let Some(why) = &state.gone {
                return Err(Error::Gone(why.clone()));
            }
            state.last_id += 1;
            let id = state.last_id;
            state.pending.insert(id, tell);
            id
        };
        let mut params = match params {
            Value::Object(fields) => fields,
            _ => Map::new(),
        };
        params.entry("workDoneToken").or_insert_with(|| json!(id));
        let message = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
        self.shared.write(&message)?;
        let canceller = Canceller {
            id,
            shared: self.shared.clone(),
        };
        Ok(Call {
            method: method.to_string(),
            updates,
            canceller,
            result: PhantomData,
        })
    }

    /// Returns the receiver of the events that [`Options::events`] names, and of `window/logMessage`, in their order.
    /// The receiver keeps an event until it is read. An event of a request arrives before the answer to the request.
    ///
    /// Only one thread at a time can read events, because the guard locks the receiver. Drop the guard soon.
    pub fn events(&self) -> MutexGuard<'_, Receiver<Event>> {
        lock(&self.events)
    }

    /// Shuts the daemon down and returns its exit status. Kills a daemon that does not end within two seconds.
    pub fn close(mut self) -> std::io::Result<ExitStatus> {
        self.end()
    }

    fn end(&mut self) -> std::io::Result<ExitStatus> {
        if let Some(status) = self.closed {
            return Ok(status);
        }
        // Lifts the limit, because requests in flight must not keep the daemon alive.
        *lock(&self.shared.max_in_flight) = usize::MAX;
        let answered = self
            .send::<Value>("shutdown", json!({}))
            .and_then(|call| call.wait_timeout(CLOSE));
        if answered.is_ok() {
            // If the daemon has already ended, the exit status says more than a failed write.
            drop(
                self.shared
                    .write(&json!({"jsonrpc": "2.0", "method": "exit"})),
            );
        }
        drop(lock(&self.shared.stdin).take());
        let patience = if answered.is_ok() {
            CLOSE
        } else {
            Duration::from_millis(200)
        };
        let status = self.shared.wait(patience)?;
        self.closed = Some(status);
        self.shared.fail("the client is closed");
        Ok(status)
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        // Ignores errors, because no caller is left.
        drop(self.end());
    }
}

/// A sent request. Dropping the call neither cancels the request nor waits for its answer.
pub struct Call<T> {
    method: String,
    updates: Receiver<Update>,
    canceller: Canceller,
    result: PhantomData<fn() -> T>,
}

/// Cancels one request, from any thread.
#[derive(Clone)]
pub struct Canceller {
    id: u64,
    shared: Arc<Shared>,
}

impl Canceller {
    /// Cancels the request. A request that had already committed ends with its result. Any other request ends with
    /// `RequestCancelled` and has changed nothing.
    pub fn cancel(&self) -> Result<(), Error> {
        let params = json!({"id": self.id});
        let message = json!({"jsonrpc": "2.0", "method": "$/cancelRequest", "params": params});
        self.shared.write(&message)
    }
}

impl<T: serde::de::DeserializeOwned> Call<T> {
    /// Returns a canceller of the request.
    pub fn canceller(&self) -> Canceller {
        self.canceller.clone()
    }

    /// Waits for the result.
    pub fn wait(self) -> Result<T, Error> {
        self.wait_with(|_| ())
    }

    /// Waits for the result, and calls `progress` with each report of progress on this thread.
    pub fn wait_with(self, mut progress: impl FnMut(ProgressValue)) -> Result<T, Error> {
        loop {
            match self.updates.recv() {
                Ok(Update::Progress(value)) => progress(value),
                Ok(Update::Answer(answer)) => return self.decode(answer),
                Err(_) => return Err(self.canceller.shared.gone()),
            }
        }
    }

    /// Waits until the time limit, then cancels the request. A request that has committed by then still returns its
    /// result.
    pub fn wait_timeout(self, limit: Duration) -> Result<T, Error> {
        if let Some(answer) = self.answer_within(limit)? {
            return self.decode(answer);
        }
        self.canceller.cancel()?;
        let method = self.method.clone();
        match self.answer_within(CANCEL)? {
            None => Err(Error::TimedOut {
                method,
                effects: Effects::Unknown,
            }),
            Some(answer) => match self.decode(answer) {
                Err(error) if error.kind() == Some(&ErrorKind::RequestCancelled) => {
                    Err(Error::TimedOut {
                        method,
                        effects: error.effects(),
                    })
                }
                other => other,
            },
        }
    }

    fn answer_within(&self, limit: Duration) -> Result<Option<Result<Value, Box<Failure>>>, Error> {
        let until = Instant::now() + limit;
        loop {
            match self
                .updates
                .recv_timeout(until.saturating_duration_since(Instant::now()))
            {
                Ok(Update::Progress(_)) => (),
                Ok(Update::Answer(answer)) => return Ok(Some(answer)),
                Err(RecvTimeoutError::Timeout) => return Ok(None),
                Err(RecvTimeoutError::Disconnected) => return Err(self.canceller.shared.gone()),
            }
        }
    }

    fn decode(&self, answer: Result<Value, Box<Failure>>) -> Result<T, Error> {
        let value = answer.map_err(Error::Refused)?;
        serde_json::from_value(value).map_err(|source| Error::Decode {
            method: self.method.clone(),
            source,
        })
    }
}

impl Shared {
    fn write(&self, message: &Value) -> Result<(), Error> {
        let frame = frames::encode(message);
        let written = match lock(&self.stdin).as_mut() {
            Some(stdin) => stdin.write_all(&frame).and_then(|()| stdin.flush()),
            None => return Err(self.gone()),
        };
        if written.is_ok() {
            return Ok(());
        }
        // Waits for the reader, which soon finds a better reason than EPIPE.
        let state = lock(&self.state);
        drop(
            self.changed
                .wait_timeout_while(state, CLOSE, |state| state.gone.is_none()),
        );
        Err(self.gone())
    }

    fn gone(&self) -> Error {
        let why = lock(&self.state).gone.clone();
        Error::Gone(why.unwrap_or_else(|| "the daemon accepts no more requests".into()))
    }

    /// Ends every request, by dropping the sender of its channel.
    fn fail(&self, why: &str) {
        let mut state = lock(&self.state);
        state.gone.get_or_insert_with(|| why.to_string());
        state.pending.clear();
        self.changed.notify_all();
    }

    /// Waits until the time limit for the end of the daemon, then kills the daemon.
    fn wait(&self, limit: Duration) -> std::io::Result<ExitStatus> {
        let until = Instant::now() + limit;
        loop {
            let mut child = lock(&self.child);
            if let Some(status) = child.try_wait()? {
                return Ok(status);
            }
            if Instant::now() >= until {
                child.kill()?;
                return child.wait();
            }
            drop(child);
            thread::sleep(Duration::from_millis(5));
        }
    }

    /// Reads until the output ends. If it ends within a frame, returns where.
    fn read(&self, mut stdout: impl std::io::BufRead, tell: &Sender<Event>) -> String {
        loop {
            match frames::read(&mut stdout) {
                Ok(Some(message)) => self.take(message, tell),
                Ok(None) => return String::new(),
                Err(error) if error.kind() == std::io::ErrorKind::UnexpectedEof => {
                    return format!(" {error}");
                }
                Err(error) => {
                    self.fail(&format!("the daemon sent {error}"));
                    // Killing fails if the daemon has ended meanwhile.
                    drop(lock(&self.child).kill());
                    return String::new();
                }
            }
        }
    }

    /// Called when the output has ended. The daemon has ended too, or is useless and is killed.
    fn ended(&self, place: &str) {
        let status = match self.wait(CLOSE) {
            Ok(status) => status.to_string(),
            Err(error) => error.to_string(),
        };
        let words = String::from_utf8_lossy(&lock(&self.stderr_end))
            .trim()
            .to_string();
        let colon = if words.is_empty() { "" } else { ": " };
        self.fail(&format!(
            "the daemon ended with {status}{place}{colon}{words}"
        ));
    }

    fn keep_stderr(&self, mut stderr: impl Read) {
        let mut chunk = [0; 4096];
        while let Ok(count @ 1..) = stderr.read(&mut chunk) {
            let mut end = lock(&self.stderr_end);
            end.extend_from_slice(&chunk[..count]);
            let over = end.len().saturating_sub(STDERR_BYTES);
            end.drain(..over);
        }
    }

    fn take(&self, mut message: Value, tell: &Sender<Event>) {
        if let Some(method) = message["method"].as_str().map(str::to_string) {
            let params = message["params"].take();
            if method == "$/progress" {
                self.progress(params);
            } else {
                // Sending fails if the client was dropped.
                drop(tell.send(Event { method, params }));
            }
            return;
        }
        let Some(id) = message["id"].as_u64() else {
            return;
        };
        let Some(waiting) = lock(&self.state).pending.remove(&id) else {
            return;
        };
        let answer = match message.get_mut("result") {
            Some(result) => Ok(result.take()),
            None => Err(Box::new(failure(&message["error"]))),
        };
        // Sending fails if the call was dropped.
        drop(waiting.send(Update::Answer(answer)));
        self.changed.notify_all();
    }

    fn progress(&self, mut params: Value) {
        let Some(token) = params["token"].as_u64() else {
            return;
        };
        let Ok(value) = serde_json::from_value(params["value"].take()) else {
            return;
        };
        if let Some(waiting) = lock(&self.state).pending.get(&token) {
            drop(waiting.send(Update::Progress(value)));
        }
    }
}

fn failure(error: &Value) -> Failure {
    Failure {
        code: error["code"].as_i64().unwrap_or_default(),
        message: error["message"].as_str().unwrap_or_default().to_string(),
        data: serde_json::from_value(error["data"].clone()).ok(),
    }
}
