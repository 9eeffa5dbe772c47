//! `steward doctor`: checks the configuration, clock, database, keys and image storage, and reports what to fix.

use std::fmt::Display;

use anyhow::{Context as _, bail};
use steward_crypto::SystemClock;
use steward_domain::kernel::{Clock as _, Time};

use crate::config::{Blobs, Config, Database, absolute};
use crate::files::private_files;
use crate::{terminal, wiring};

/// 2026-01-01T00:00:00Z as a Unix timestamp. A clock that shows an earlier time is wrong.
const EARLIEST_PLAUSIBLE_TIME: i64 = 1_767_225_600;

/// Prints one line per check. Fails if a check failed.
pub async fn run(config: &Config) -> anyhow::Result<()> {
    let mut failed = false;
    let mut report = |check: &str, result: anyhow::Result<String>| {
        failed |= result.is_err();
        match result {
            Ok(text) => terminal::print(&format!("ok      {check}: {text}")),
            Err(error) => terminal::print(&format!("FAILED  {check}: {error:#}")),
        }
    };

    let database = match &config.database {
        Database::Sqlite(path) => format!("SQLite at {}", absolute(path).display()),
        Database::Postgres(_) => "PostgreSQL".to_owned(),
    };
    report("configuration", Ok(format!("{database}, public URL {}", config.public_url.as_str())))?;
    report("clock", clock(SystemClock.now()))?;
    for warning in &config.warnings {
        warn("configuration", warning)?;
    }
    let exposed = private_files::exposed(config);
    if exposed.is_empty() {
        report("files", Ok("only their owner can access them".to_owned()))?;
    }
    for file in exposed {
        warn("files", file)?;
    }
    report("database", wiring::check_schema(config).map(|()| format!("{database} is reachable and up to date")))?;
    match wiring::wire(config).await {
        Ok(steward) => {
            report("connections", steward.health.check().await.map(|()| "open".to_owned()).map_err(Into::into))?;
            let published = steward.tokens.published_keys();
            let count = published.get("keys").and_then(|keys| keys.as_array()).map_or(0, Vec::len);
            report("keys", Ok(format!("decrypted; {count} for signing")))?;
            let (location, result) = (location(&config.blobs), steward.images.self_test().await);
            let result = result.map(|()| format!("can be stored in {location}"));
            report("images", result.with_context(|| format!("Cannot store images in {location}")))?;
        }
        Err(error) => report("keys", Err(error))?,
    }
    if failed {
        bail!("Some checks failed.");
    }
    Ok(())
}

/// Prints a problem with which the service works.
fn warn(check: &str, problem: impl Display) -> anyhow::Result<()> {
    terminal::print(&format!("WARNING {check}: {problem}"))
}

fn location(blobs: &Blobs) -> String {
    match blobs {
        Blobs::Directory(path) => path.display().to_string(),
        Blobs::S3(settings) => format!("s3://{}/{}", settings.bucket, settings.prefix),
    }
}

fn clock(now: Time) -> anyhow::Result<String> {
    if now.timestamp() < EARLIEST_PLAUSIBLE_TIME {
        bail!("The system time is {now}, which is in the past. Set the clock.");
    }
    Ok(now.to_rfc3339_opts(chrono::SecondsFormat::Secs, true))
}
