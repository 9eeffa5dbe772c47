//! Logs, on standard error: JSON lines by default. And traces, when there is a collector.

use std::str::FromStr as _;

use anyhow::Context as _;
use tracing_subscriber::filter::{Directive, FilterExt as _, filter_fn};
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::util::SubscriberInitExt as _;
use tracing_subscriber::{EnvFilter, Layer as _, Registry};

use crate::config::{Config, LogFormat};
use crate::traces::Traces;

/// Starts logging and tracing as configured. Traces are sent until what it returns is dropped.
pub fn start(config: &Config) -> anyhow::Result<Option<Traces>> {
    let filter = EnvFilter::builder()
        .parse(&config.log)
        .with_context(|| format!("STEWARD_LOG: \"{}\" is no level or filter", config.log))?
        // What is no HTTP at all is no error of ours: anybody could fill the log with it.
        .add_directive(Directive::from_str("actix_http::h1=off")?);
    let logs = tracing_subscriber::fmt::layer::<Registry>().with_writer(std::io::stderr);
    let logs = match config.log_format {
        LogFormat::Json => logs.json().flatten_event(true).with_current_span(false).with_span_list(false).boxed(),
        LogFormat::Text => logs.boxed(),
    };
    // Spans are for traces: without a collector nobody wants them, and they cost nothing.
    let logs = logs.with_filter(filter.and(filter_fn(|metadata| metadata.is_event())));
    let traces = config.trace_collector.as_ref().map(Traces::start).transpose()?;
    tracing_subscriber::registry().with(logs).with(traces.as_ref().map(Traces::layer)).init();
    for warning in &config.warnings {
        tracing::warn!("{warning}");
    }
    Ok(traces)
}
