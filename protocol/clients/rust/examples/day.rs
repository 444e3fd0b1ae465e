use checkpointd_client::types::*;
use checkpointd_client::{Client, Options};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // A work tree is named by an absolute path.
    let work = std::fs::canonicalize(std::env::args().nth(1).unwrap_or_else(|| ".".into()))?;
    let client = Client::start(Options::default())?;
    let open = SessionOpenParams::new(work.to_string_lossy());
    let opened = client.request::<SessionOpenRequest>(open)?;
    let session = opened.session;
    if !opened.checkpoints.enabled {
        // Outside a repository the daemon makes checkpoints only on request.
        client.request::<CheckpointInitRequest>(CheckpointInitParams::new(&session))?;
    }
    let turn = CheckpointCreateParams::new(&session, CreateKind::Turn);
    let call = client.call::<CheckpointCreateRequest>(turn)?;
    let made = call.wait_with(|progress| println!("{progress:?}"))?;
    println!("made {:?}", made.checkpoint);
    let restore = CheckpointRestoreParams::new(&session, "7");
    match client.request::<CheckpointRestoreRequest>(restore) {
        Err(e) if e.kind() == Some(&ErrorKind::UnknownCheckpoint) => println!("refused: {e}"),
        other => println!("{:?}", other?.restored),
    }
    Ok(())
}
