//! A clock of the service, and of PostgreSQL, that a test moves.

use std::fs::{OpenOptions, Permissions};
use std::os::unix::fs::{FileExt as _, PermissionsExt as _};
use std::path::Path;
use std::process::{Command, Stdio};

use tempfile::NamedTempFile;

use crate::install_once;

/// The library that shifts the clock of a program.
const FILES: &[(&str, &str)] = &[("clock.c", include_str!("clock.c"))];

/// A clock that is ahead of the real one.
pub struct Clock {
    library: String,
    shift: NamedTempFile,
}

impl Clock {
    /// Creates a clock that is not shifted. `parent`: the directory for what tests build.
    pub async fn new(parent: &'static str) -> Self {
        let build = move || install_once(parent, "clock", FILES, compile);
        let directory = tokio::task::spawn_blocking(build).await.unwrap();
        let library = directory.join("clock.so").display().to_string();
        let clock = Self { library, shift: NamedTempFile::new().unwrap() };
        // PostgreSQL runs as another user.
        clock.shift.as_file().set_permissions(Permissions::from_mode(0o644)).unwrap();
        clock.set(0);
        clock
    }

    /// Settings of a program with this clock. Its timers are not affected: with `CLOCK_SHIFT_TIMERS` they are.
    pub fn settings(&self) -> [(&str, &str); 2] {
        [("LD_PRELOAD", self.library.as_str()), ("CLOCK_SHIFT", self.shift.path().to_str().unwrap())]
    }

    /// Shifts the clock by this number of seconds.
    pub fn set(&self, seconds: u32) {
        // Programs read the file at any time, so each text has the same length and is written at once.
        let file = OpenOptions::new().write(true).open(self.shift.path()).unwrap();
        file.write_all_at(format!("{seconds:09}").as_bytes(), 0).unwrap();
    }
}

fn compile(directory: &Path) {
    let mut compiler = Command::new("cc");
    compiler.args(["-shared", "-fPIC", "-o", "clock.so", "clock.c"]).current_dir(directory).stdin(Stdio::null());
    let output = compiler.output().unwrap_or_else(|error| panic!("cc failed to start: {error}"));
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}
