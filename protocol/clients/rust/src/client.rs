//! The client: one daemon of its own over stdio, requests and events. It knows the wire and nothing of the daemon.

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

/// How long a daemon may take to answer `initialize`; starting Node on a busy machine takes seconds.
const START: Duration = Duration::from_secs(30);
/// How long each of shutdown and exit may take before the daemon is killed.
const CLOSE: Duration = Duration::from_secs(2);
/// How long the answer to a cancel is awaited.
const CANCEL: Duration = Duration::from_secs(2);
/// How much of the end of stderr is kept, for the words of [`Error::Gone`].
const STDERR_BYTES: usize = 64 * 1024;

/// How to start a daemon.
#[derive(Debug, Clone)]
pub struct Options {
    /// The program and its arguments.
    pub command: Vec<OsString>,
    /// The events to be told of; see [`Client::events`].
    pub events: Vec<EventName>,
    /// Who the client is.
    pub client_info: Option<ClientInfo>,
}

impl Default for Options {
    /// `checkpointd` on the PATH, no events.
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
    /// Its parameters as they came; see [`Event::of`].
    pub params: Value,
}

impl Event {
    /// The parameters, where this is an `N`: `event.of::<CheckpointDidCreateNotification>()`.
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
    /// Why nothing more can be asked.
    gone: Option<String>,
}

struct Shared {
    state: Mutex<State>,
    /// Told when a request was answered, and when the daemon is gone.
    changed: Condvar,
    max_in_flight: Mutex<usize>,
    stdin: Mutex<Option<ChildStdin>>,
    child: Mutex<Child>,
    stderr_end: Mutex<Vec<u8>>,
}

/// A lock that a panic elsewhere does not take away: every state here is whole between two statements.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex
        .lock()
        .unwrap_or_else(|poisoned| poisoned.into_inner())
}

/// A running daemon. Dropping it shuts the daemon down, and kills it when that takes over two seconds.
///
/// It is `Send` and `Sync`: an `Arc<Client>` serves any number of threads.
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
                // Its last words are worth a moment; a grandchild may hold the pipe open for longer.
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

    /// What the daemon said of itself.
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

    /// Sends a request, for its progress, to cancel it, or to wait later.
    ///
    /// Blocks while as many requests are unanswered as the daemon takes at once.
    pub fn call<R: Request>(&self, params: R::Params) -> Result<Call<R::Result>, Error> {
        let params = serde_json::to_value(params).map_err(Error::Encode)?;
        self.send(R::METHOD, params)
    }

    /// The same for any method, without types.
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

    /// The events that were named in [`Options::events`], and `window/logMessage`, in the order in which they came.
    /// They are kept until they are taken; an event of a request is there before the request's answer.
    ///
    /// One thread at a time reads them: the guard is held while it waits, so do not keep it for longer than needed.
    pub fn events(&self) -> MutexGuard<'_, Receiver<Event>> {
        lock(&self.events)
    }

    /// Shuts the daemon down, kills it when that takes over two seconds, and tells how it ended.
    pub fn close(mut self) -> std::io::Result<ExitStatus> {
        self.end()
    }

    fn end(&mut self) -> std::io::Result<ExitStatus> {
        if let Some(status) = self.closed {
            return Ok(status);
        }
        // Past the limit: requests in flight must not keep the daemon alive.
        *lock(&self.shared.max_in_flight) = usize::MAX;
        let answered = self
            .send::<Value>("shutdown", json!({}))
            .and_then(|call| call.wait_timeout(CLOSE));
        if answered.is_ok() {
            // When it is gone already, the exit status says more than a failed write.
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
        // Nobody is left who could be told; the process is reaped or was never ours to reap.
        drop(self.end());
    }
}

/// A request that has been sent. Dropping it neither cancels the request nor waits for it.
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
    /// Asks the daemon to give the request up. It ends with `RequestCancelled` and has changed nothing, or with its
    /// result where it had committed.
    pub fn cancel(&self) -> Result<(), Error> {
        let params = json!({"id": self.id});
        let message = json!({"jsonrpc": "2.0", "method": "$/cancelRequest", "params": params});
        self.shared.write(&message)
    }
}

impl<T: serde::de::DeserializeOwned> Call<T> {
    /// How to cancel it.
    pub fn canceller(&self) -> Canceller {
        self.canceller.clone()
    }

    /// Waits for the result.
    pub fn wait(self) -> Result<T, Error> {
        self.wait_with(|_| ())
    }

    /// Waits for the result and hands over each report of progress, on this thread.
    pub fn wait_with(self, mut progress: impl FnMut(ProgressValue)) -> Result<T, Error> {
        loop {
            match self.updates.recv() {
                Ok(Update::Progress(value)) => progress(value),
                Ok(Update::Answer(answer)) => return self.decode(answer),
                Err(_) => return Err(self.canceller.shared.gone()),
            }
        }
    }

    /// Waits at most this long, then cancels the request. What had committed by then is a result all the same.
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
        // The reader knows more than EPIPE does, and comes to know it at once.
        let state = lock(&self.state);
        drop(
            self.changed
                .wait_timeout_while(state, CLOSE, |state| state.gone.is_none()),
        );
        Err(self.gone())
    }

    fn gone(&self) -> Error {
        let why = lock(&self.state).gone.clone();
        Error::Gone(why.unwrap_or_else(|| "the daemon does not take requests any more".into()))
    }

    /// Ends every request: its channel loses its sender.
    fn fail(&self, why: &str) {
        let mut state = lock(&self.state);
        state.gone.get_or_insert_with(|| why.to_string());
        state.pending.clear();
        self.changed.notify_all();
    }

    /// Waits so long for the end of the daemon, then kills it.
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

    /// Reads until the output ends, and tells where it ended when that was within a frame.
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
                    // It may have ended meanwhile.
                    drop(lock(&self.child).kill());
                    return String::new();
                }
            }
        }
    }

    /// The output has ended: so has the daemon, or it is of no use.
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
                // Nobody listens any more when this fails.
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
        // A call that was dropped does not want its answer.
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
