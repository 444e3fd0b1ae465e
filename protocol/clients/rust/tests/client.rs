//! Tests the hand-written core: start and end of the daemon, cancelling, errors, and daemons that misbehave.

mod rig;

use checkpointd_client::types::*;
use checkpointd_client::{Client, Error, Options};
use rig::{options, Folder};
use serde_json::json;
use std::time::{Duration, Instant};

fn open(client: &Client, folder: &Folder) -> SessionOpenResult {
    let params = SessionOpenParams {
        storage_dir: Some(folder.path().join("storage").to_string_lossy().into_owned()),
        init: Some(InitMode::Force),
        ..SessionOpenParams::new(folder.path().join("work").to_string_lossy())
    };
    client
        .request::<SessionOpenRequest>(params)
        .expect("a session")
}

#[test]
fn one_client_serves_many_threads() {
    let client = Client::start(options(vec![])).expect("a daemon");
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                let list = client.request::<SessionListRequest>(SessionListParams::default());
                list.expect("a list");
                assert!(client.events().try_recv().is_err());
            });
        }
    });
    assert_eq!(client.close().expect("an end").code(), Some(0));
}

#[test]
fn close_ends_the_daemon_with_0() {
    let client = Client::start(options(vec![])).expect("a daemon");
    assert_eq!(client.server().server_info.name, "checkpointd");
    assert_eq!(client.server().protocol_version, PROTOCOL_VERSION);
    assert_eq!(client.close().expect("an end").code(), Some(0));
}

#[cfg(target_os = "linux")]
#[test]
fn drop_ends_the_daemon() {
    let client = Client::start(options(vec![])).expect("a daemon");
    let process = std::path::PathBuf::from(format!("/proc/{}", client.pid()));
    assert!(process.exists());
    drop(client);
    assert!(!process.exists());
}

#[test]
fn a_day_with_types() {
    let folder = Folder::new();
    let file = folder.path().join("work").join("a.txt");
    std::fs::write(&file, "one").expect("a file");
    let client = Client::start(options(vec![EventName::CheckpointDidCreate])).expect("a daemon");
    let session = open(&client, &folder).session;
    std::fs::write(&file, "two").expect("a file");
    let turn = CheckpointCreateParams {
        message: Some("Make it two".into()),
        ..CheckpointCreateParams::new(&session, CreateKind::Turn)
    };
    let made = client
        .request::<CheckpointCreateRequest>(turn)
        .expect("a checkpoint");
    let made = made.checkpoint;
    assert_eq!((made.kind, made.stats.modified), (CheckpointKind::Turn, 1));
    let events = client.events();
    let told = events
        .try_iter()
        .filter_map(|event| event.of::<CheckpointDidCreateNotification>());
    assert_eq!(
        told.last()
            .expect("an event before the answer")
            .checkpoint
            .id,
        made.id
    );
    let restored = client
        .request::<CheckpointRestoreRequest>(CheckpointRestoreParams::new(&session, "0"))
        .expect("a restore");
    assert_eq!(restored.restored[0].path, "a.txt");
    assert_eq!(std::fs::read_to_string(&file).expect("a file"), "one");
    let refused = client
        .request::<CheckpointGetRequest>(CheckpointGetParams {
            session,
            tag: "9".into(),
        })
        .expect_err("a refusal");
    assert_eq!(refused.kind(), Some(&ErrorKind::UnknownCheckpoint));
    assert_eq!(refused.effects(), Effects::None);
    assert!(!refused.retryable());
    assert!(matches!(&refused, Error::Refused(failure) if failure.code == 1002));
}

#[test]
fn more_requests_than_the_daemon_takes_wait_their_turn() {
    let client = Client::start(options(vec![])).expect("a daemon");
    let many = usize::try_from(client.server().limits.max_in_flight).expect("a number") * 5;
    let calls: Vec<_> = (0..many)
        .map(|_| {
            client
                .call::<SessionListRequest>(SessionListParams::default())
                .expect("a call")
        })
        .collect();
    for call in calls {
        call.wait().expect("an answer");
    }
}

#[test]
fn values_of_tomorrow_are_kept() {
    let progress: ProgressValue =
        serde_json::from_value(json!({"kind": "pause", "why": 1})).expect("a value");
    assert_eq!(
        progress,
        ProgressValue::Unknown(json!({"kind": "pause", "why": 1}))
    );
    let data: ErrorData = serde_json::from_value(
        json!({"kind": "Brandnew", "retryable": true, "effects": "postponed", "more": {}, "issues": null}),
    )
    .expect("data");
    assert_eq!(
        (data.kind, data.effects),
        (
            ErrorKind::Other("Brandnew".into()),
            Effects::Other("postponed".into())
        )
    );
}

#[test]
fn a_program_that_is_not_there() {
    let command = vec!["/no/such".into()];
    let error = Client::start(Options {
        command,
        ..Options::default()
    })
    .err()
    .expect("an error");
    assert!(
        error.to_string().starts_with("could not start /no/such"),
        "{error}"
    );
}

/// Starts a shell script as the daemon. The script answers `initialize`, waits for a request, and executes `then`.
#[cfg(unix)]
fn fake(then: &str) -> Result<Client, Error> {
    let answer = json!({"jsonrpc": "2.0", "id": 1, "result": {
        "protocolVersion": "1.0.0", "serverInfo": {"name": "fake", "version": "1"}, "schemaHash": "",
        "capabilities": serde_json::to_value(ServerCapabilities::default()).expect("capabilities"),
        "limits": serde_json::to_value(ServerLimits { max_in_flight: 4, ..ServerLimits::default() }).expect("limits")
    }})
    .to_string();
    // The client drops an answer that comes before its request, so the script first reads the header of `initialize`.
    // The fifth line ends with the header of the third frame, which comes after `initialize` and `initialized`.
    let ask = "for line in 1 2; do read -r text; done";
    let wait = "for line in 3 4 5; do read -r text; done";
    let script = format!(
        "{ask}; printf 'Content-Length: {}\\r\\n\\r\\n%s' \"$0\"; {wait}; {then}",
        answer.len()
    );
    let command = vec!["sh".into(), "-c".into(), script.into(), answer.into()];
    Client::start(Options {
        command,
        ..Options::default()
    })
}

#[cfg(unix)]
#[test]
fn daemons_that_misbehave_end_every_request() {
    for (then, words) in [
        (
            "printf 'Debugger attached.\\r\\n\\r\\n'; sleep 60",
            "not a header line",
        ),
        (
            "printf 'Content-Length: 99000000000\\r\\n\\r\\n'; sleep 60",
            "not a length",
        ),
        (
            "echo no more memory >&2; exit 7",
            "exit status: 7: no more memory",
        ),
        (
            "printf 'Content-Length: 200\\r\\n\\r\\n{'; echo no more memory >&2; exit 3",
            "the daemon ended with exit status: 3 within a frame: no more memory",
        ),
        (
            "printf 'Content-Le'; kill -9 $$",
            "the daemon ended with signal: 9 (SIGKILL) within a header",
        ),
        (
            "exec >&- 2>&-; exec sleep 60",
            "the daemon ended with signal: 9",
        ),
    ] {
        let client = fake(then).expect("a start");
        let call = client
            .call::<SessionListRequest>(SessionListParams::default())
            .expect("a call");
        let error = call.wait().expect_err("an end");
        assert!(
            matches!(error, Error::Gone(_)) && error.to_string().contains(words),
            "{error} for {then}"
        );
        let again = client.request::<SessionListRequest>(SessionListParams::default());
        assert_eq!(again.expect_err("gone").to_string(), error.to_string());
    }
}

#[cfg(unix)]
#[test]
fn a_full_stderr_does_not_stop_the_daemon() {
    let client = fake(
        "yes | head -c 1000000 >&2; printf 'Content-Length: 36\\r\\n\\r\\n{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":[]}  '; sleep 60",
    )
    .expect("a start");
    assert_eq!(
        client
            .call_value("x", json!({}))
            .expect("a call")
            .wait()
            .expect("a result"),
        json!([])
    );
}

#[cfg(unix)]
#[test]
fn a_timeout_without_an_answer_tells_that_it_does_not_know_and_the_daemon_is_killed() {
    let client = fake("exec sleep 60").expect("a start");
    let call = client.call_value("x/y", json!({})).expect("a call");
    let error = call
        .wait_timeout(Duration::from_millis(50))
        .expect_err("a timeout");
    assert!(
        matches!(&error, Error::TimedOut { method, effects: Effects::Unknown } if method == "x/y")
    );
    let began = Instant::now();
    assert_eq!(client.close().expect("an end").code(), None);
    assert!(began.elapsed() < Duration::from_secs(6));
}

#[test]
fn a_timeout_cancels_and_tells_that_nothing_happened() {
    let folder = Folder::new();
    let client = Client::start(options(vec![])).expect("a daemon");
    let session = open(&client, &folder).session;
    for number in 0..400 {
        let name = format!("stuck-{number}");
        std::fs::write(folder.path().join("work").join(name), "x").expect("a file");
    }
    let turn = CheckpointCreateParams::new(&session, CreateKind::Turn);
    let call = client
        .call::<CheckpointCreateRequest>(turn)
        .expect("a call");
    let error = call
        .wait_timeout(Duration::from_millis(20))
        .expect_err("a timeout");
    assert!(
        matches!(
            error,
            Error::TimedOut {
                effects: Effects::None,
                ..
            }
        ),
        "{error:?}"
    );
    let list = CheckpointListParams::new(&session);
    let list = client
        .request::<CheckpointListRequest>(list)
        .expect("a list");
    assert_eq!(list.checkpoints.len(), 1);
}
