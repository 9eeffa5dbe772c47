//! Progress of long work, on standard error. It is shown only on a terminal.

use std::time::Duration;

use anyhow::Context as _;
use indicatif::{ProgressBar, ProgressStyle};

const TICK: Duration = Duration::from_millis(200);

/// Shows progress until it is dropped.
pub struct Progress(ProgressBar);

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
        Ok(Self(bar))
    }

    /// Shows nothing.
    pub fn hidden() -> Self {
        Self(ProgressBar::hidden())
    }

    /// Shows the current position, and what is done.
    pub fn update(&self, position: u64, message: String) {
        self.0.set_message(message);
        self.0.set_position(position);
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}
