//! Logs to standard error, as JSON lines by default, and traces if a collector is configured.

mod json;
mod lines;
#[cfg_attr(not(feature = "traces"), path = "no_traces.rs")]
mod traces;

use std::io::{IsTerminal as _, stderr};
use std::str::FromStr as _;
use std::sync::Arc;

use anyhow::Context as _;
use tracing_subscriber::filter::{Directive, FilterExt as _, filter_fn};
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::util::SubscriberInitExt as _;
use tracing_subscriber::{EnvFilter, Layer as _, Registry};

use self::json::JsonLines;
use self::lines::{LastLines, Lines};
use self::traces::Traces;
use crate::config::{Config, LogFormat};

/// Maximum length of the lines that wait for the output: some 8,000 requests. Further lines are dropped and counted.
const MAX_WAITING_BYTES: usize = 4 * 1024 * 1024;

/// Logs and traces. Dropping it writes the waiting lines and sends the queued spans.
pub struct Logging {
    /// Dropped first, because it may log that spans were lost.
    _traces: Option<Traces>,
    lines: Arc<Lines>,
    _last_lines: LastLines,
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
        let (lines, last_lines) = Lines::written_to(stderr(), MAX_WAITING_BYTES)?;
        let is_terminal = stderr().is_terminal();
        let by_output = if is_terminal { LogFormat::Text } else { LogFormat::Json };
        let logs = match config.values.log_format.unwrap_or(by_output) {
            LogFormat::Json => JsonLines(lines.clone()).boxed(),
            LogFormat::Text => {
                let logs = tracing_subscriber::fmt::layer::<Registry>().with_writer(lines.clone());
                // On a terminal, the layer itself honors NO_COLOR.
                if is_terminal { logs.boxed() } else { logs.with_ansi(false).boxed() }
            }
        };
        // Spans are only for traces: without a collector they are disabled and cost nothing.
        let logs = logs.with_filter(filter.and(filter_fn(|metadata| metadata.is_event())));
        let traces = config.values.trace_collector.as_ref().map(Traces::start).transpose()?;
        let subscriber = tracing_subscriber::registry().with(logs);
        match &traces {
            Some(traces) => subscriber.with(traces.layer()).init(),
            // An absent layer would enable them.
            None => subscriber.init(),
        }
        for warning in &config.warnings {
            tracing::warn!("{warning}");
        }
        Ok(Self { _traces: traces, lines, _last_lines: last_lines })
    }

    /// Returns a function that returns the number of dropped lines.
    pub fn dropped_lines(&self) -> impl Fn() -> u64 + Send + Sync + 'static {
        let lines = self.lines.clone();
        move || lines.dropped()
    }
}
