//! Progress of long work, on standard error. It is shown only on a terminal.

use std::time::{Duration, Instant};

use anyhow::Context as _;
use indicatif::{ProgressBar, ProgressStyle};

/// How often the line is updated.
const TICK: Duration = Duration::from_millis(200);

/// Shows progress until it is dropped.
pub struct Progress {
    bar: ProgressBar,
    /// Earliest time at which [`Progress::show`] changes the message again.
    next: Instant,
}

impl Progress {
    /// Shows a bar up to a total, or only a message if the total is unknown.
    pub fn start(total: Option<u64>) -> anyhow::Result<Self> {
        let (bar, template) = match total {
            Some(total) => (ProgressBar::new(total), "{wide_bar} {percent:>3}%  {msg}  {eta} left"),
            None => (ProgressBar::no_length(), "{spinner} {msg}  {elapsed}"),
        };
        bar.set_style(ProgressStyle::with_template(template).context("Cannot show progress")?);
        if !bar.is_hidden() {
            bar.enable_steady_tick(TICK);
        }
        Ok(Self { bar, next: Instant::now() })
    }

    /// Shows nothing.
    pub fn hidden() -> Self {
        Self { bar: ProgressBar::hidden(), next: Instant::now() }
    }

    /// Shows the current position, and what is done.
    pub fn update(&self, position: u64, message: String) {
        self.bar.set_message(message);
        self.bar.set_position(position);
    }

    /// Changes the message, at most once per tick, so that it can follow every row.
    pub fn show(&mut self, message: impl FnOnce() -> String) {
        let now = Instant::now();
        if !self.bar.is_hidden() && now >= self.next {
            self.next = now + TICK;
            self.bar.set_message(message());
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
