//! Logs to standard error, as JSON lines by default, and traces if a collector is configured.

#[cfg_attr(not(feature = "traces"), path = "no_traces.rs")]
mod traces;

use std::io::{self, BufWriter, IsTerminal as _, Write, stderr};
use std::str::FromStr as _;
use std::thread;
use std::time::Duration;

use anyhow::Context as _;
use tracing_appender::non_blocking::{ErrorCounter, NonBlocking, NonBlockingBuilder, WorkerGuard};
use tracing_subscriber::filter::{Directive, FilterExt as _, filter_fn};
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::util::SubscriberInitExt as _;
use tracing_subscriber::{EnvFilter, Layer as _, Registry};

use crate::config::{Config, LogFormat};

use traces::Traces;

/// Maximum number of queued lines. Further lines are dropped and counted.
const MAX_WAITING_LINES: usize = 8 * 1024;
/// Pause after lines were written. Those that are logged in it are written together, and wake no thread. Without it, the
/// thread took a tenth of the CPU time of requests without database access.
const PAUSE: Duration = Duration::from_millis(2);

/// Logs and traces. Dropping it writes the queued lines and sends the queued spans.
pub struct Logging {
    /// Dropped first, because it may log that spans were lost.
    _traces: Option<Traces>,
    dropped_lines: ErrorCounter,
    _writer: WorkerGuard,
}

impl Logging {
    /// Starts logging and tracing as configured.
    pub fn start(config: &Config) -> anyhow::Result<Self> {
        let filter = EnvFilter::builder()
            .parse(&config.values.log)
            .with_context(|| format!("STEWARD_LOG is \"{}\", which is not a log level or filter", config.values.log))?
            // Input that is not HTTP is not an error of the service, and anyone could fill the log with it.
            .add_directive(Directive::from_str("actix_http::h1=off")?)
            .add_directive(Directive::from_str("webauthn_rs_core=off")?);
        let (lines, writer) = write_lines_to(stderr(), MAX_WAITING_LINES);
        let dropped_lines = lines.error_counter();
        let logs = tracing_subscriber::fmt::layer::<Registry>().with_writer(lines);
        let by_output = if stderr().is_terminal() { LogFormat::Text } else { LogFormat::Json };
        // On a terminal, the layer itself honors NO_COLOR.
        let logs = if stderr().is_terminal() { logs } else { logs.with_ansi(false) };
        let logs = match config.values.log_format.unwrap_or(by_output) {
            LogFormat::Json => logs.json().flatten_event(true).with_current_span(false).with_span_list(false).boxed(),
            LogFormat::Text => logs.boxed(),
        };
        // Spans are only for traces: without a collector they are disabled and cost nothing.
        let logs = logs.with_filter(filter.and(filter_fn(|metadata| metadata.is_event())));
        let traces = config.values.trace_collector.as_ref().map(Traces::start).transpose()?;
        tracing_subscriber::registry().with(logs).with(traces.as_ref().map(Traces::layer)).init();
        for warning in &config.warnings {
            tracing::warn!("{warning}");
        }
        Ok(Self { _traces: traces, dropped_lines, _writer: writer })
    }

    /// Returns a function that returns the number of dropped lines.
    pub fn dropped_lines(&self) -> impl Fn() -> u64 + Send + Sync + 'static {
        let dropped_lines = self.dropped_lines.clone();
        move || u64::try_from(dropped_lines.dropped_lines()).unwrap_or(u64::MAX)
    }
}

/// Returns a queue of lines that a separate thread writes in batches. Logging never blocks on the output: if the queue
/// is full, the line is dropped.
fn write_lines_to(output: impl Write + Send + 'static, max_waiting: usize) -> (NonBlocking, WorkerGuard) {
    NonBlockingBuilder::default()
        .lossy(true)
        .buffered_lines_limit(max_waiting)
        .thread_name("log")
        .finish(Paced(BufWriter::new(output)))
}

/// An output that pauses after each batch, which ends with a flush.
struct Paced<W: Write>(BufWriter<W>);

impl<W: Write> Write for Paced<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()?;
        thread::sleep(PAUSE);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::{Receiver, Sender, channel};

    use super::*;

    /// An output that blocks until it is released.
    struct Blocked {
        release: Receiver<()>,
        written: Sender<Vec<u8>>,
    }

    impl Write for Blocked {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            // No longer blocks once the sender is dropped.
            let _ = self.release.recv();
            self.written.send(bytes.to_vec()).map_err(io::Error::other)?;
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn lines_beyond_the_queue_limit_are_dropped_and_the_others_are_written_on_drop() {
        const WAITING: usize = 10;
        let (release, released) = channel();
        let (written, lines) = channel();
        let (mut log, guard) = write_lines_to(Blocked { release: released, written }, WAITING);
        // Together the lines are longer than what the thread buffers before it blocks on the output.
        let padding = "x".repeat(100);
        for number in 0..1000 {
            // Each write is one line.
            log.write_all(format!("line {number} {padding}\n").as_bytes()).unwrap();
        }
        let dropped = log.error_counter().dropped_lines();
        drop(release);
        drop((log, guard));

        let written: Vec<u8> = lines.iter().flatten().collect();
        let written = String::from_utf8(written).unwrap();
        assert!(written.starts_with("line 0 ") && written.contains("\nline 1 "), "{written}");
        assert_eq!(written.lines().count() + dropped, 1000);
        assert!(dropped > 0, "{written}");
    }
}
