//! Progress of long work, on a terminal.

use std::io::{IsTerminal as _, Write as _};
use std::time::{Duration, Instant};

/// How often the line is updated.
const INTERVAL: Duration = Duration::from_millis(100);

/// A line on standard error that is updated. Shows nothing if standard error is not a terminal.
pub struct Progress {
    is_terminal: bool,
    next: Instant,
}

impl Progress {
    pub fn new() -> Self {
        Self { is_terminal: std::io::stderr().is_terminal(), next: Instant::now() }
    }

    /// Replaces the line. Most calls do nothing, so that it can be called for every row.
    pub fn show(&mut self, text: impl FnOnce() -> String) {
        if !self.is_terminal || Instant::now() < self.next {
            return;
        }
        self.next = Instant::now() + INTERVAL;
        // The progress is of no importance to the work.
        drop(write!(std::io::stderr().lock(), "\r\x1b[K{}", text()));
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if self.is_terminal {
            drop(write!(std::io::stderr().lock(), "\r\x1b[K"));
        }
    }
}
