//! Logs, on standard error: JSON lines by default.

use std::str::FromStr as _;

use anyhow::Context as _;
use tracing_subscriber::EnvFilter;
use tracing_subscriber::filter::Directive;

use crate::config::{Config, LogFormat};

/// Starts logging as configured.
pub fn start(config: &Config) -> anyhow::Result<()> {
    let filter = EnvFilter::builder()
        .parse(&config.log)
        .with_context(|| format!("STEWARD_LOG: \"{}\" is no level or filter", config.log))?
        // What is no HTTP at all is no error of ours: anybody could fill the log with it.
        .add_directive(Directive::from_str("actix_http::h1=off")?);
    let logs = tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr);
    match config.log_format {
        LogFormat::Json => logs.json().flatten_event(true).with_current_span(false).with_span_list(false).init(),
        LogFormat::Text => logs.init(),
    }
    for warning in &config.warnings {
        tracing::warn!("{warning}");
    }
    Ok(())
}
