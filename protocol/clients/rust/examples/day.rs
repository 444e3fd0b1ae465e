use checkpointd_client::types::*;
use checkpointd_client::{Client, Error, Options};

fn main() -> Result<(), Error> {
    let work = std::env::args().nth(1).unwrap_or_else(|| ".".into());
    let client = Client::start(Options::default())?;
    let open = SessionOpenParams::new(work);
    let session = client.request::<SessionOpenRequest>(open)?.session;
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
