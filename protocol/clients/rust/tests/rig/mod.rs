//! The parts that all tests share: the daemon's command, and temporary folders.

use checkpointd_client::types::EventName;
use checkpointd_client::Options;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

/// Returns options with the command in `CHECKPOINTD_COMMAND` (a JSON array), or else with `checkpointd`.
pub fn options(events: Vec<EventName>) -> Options {
    let mut options = Options {
        events,
        ..Options::default()
    };
    if let Ok(words) = std::env::var("CHECKPOINTD_COMMAND") {
        let words: Vec<String> = serde_json::from_str(&words).expect("an array of strings");
        options.command = words.into_iter().map(Into::into).collect();
    }
    options
}

/// A temporary folder, which is removed when dropped.
pub struct Folder(PathBuf);

impl Folder {
    pub fn new() -> Folder {
        static LAST: AtomicU32 = AtomicU32::new(0);
        let number = LAST.fetch_add(1, Ordering::Relaxed);
        let name = format!("checkpointd-rust-{}-{number}", std::process::id());
        let root = std::env::temp_dir()
            .canonicalize()
            .expect("a folder for temporary files");
        std::fs::create_dir_all(root.join(&name).join("work")).expect("a folder");
        Folder(root.join(name))
    }

    pub fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        drop(std::fs::remove_dir_all(&self.0));
    }
}
