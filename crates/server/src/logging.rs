//! Logs, on standard error: JSON lines by default.

use anyhow::Context as _;
use tracing_subscriber::EnvFilter;

use crate::config::{Config, LogFormat};

/// Starts logging as configured.
pub fn start(config: &Config) -> anyhow::Result<()> {
    let filter = EnvFilter::builder()
        .parse(&config.log)
        .with_context(|| format!("STEWARD_LOG: \"{}\" is no level or filter", config.log))?;
    let logs = tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr);
    match config.log_format {
        LogFormat::Json => logs.json().flatten_event(true).with_current_span(false).with_span_list(false).init(),
        LogFormat::Text => logs.init(),
    }
    Ok(())
}
