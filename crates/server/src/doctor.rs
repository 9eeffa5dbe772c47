//! `steward doctor`: checks configuration, database, clock and keys, and says what to mend.

use anyhow::{Context as _, bail};
use steward_crypto::SystemClock;
use steward_domain::model::Time;
use steward_domain::ports::Clock as _;

use crate::cli;
use crate::config::{Blobs, Config, Database};
use crate::wiring;

/// A moment that was past when this was written: a clock that shows an earlier one is wrong.
const EARLIEST_PLAUSIBLE_TIME: i64 = 1_767_225_600;

/// Prints one line for each check; fails when one did.
pub async fn examine(config: &Config) -> anyhow::Result<()> {
    let mut failed = false;
    let mut tell = |what: &str, result: anyhow::Result<String>| {
        failed |= result.is_err();
        match result {
            Ok(text) => cli::print(&format!("ok      {what}: {text}")),
            Err(error) => cli::print(&format!("FAILED  {what}: {error:#}")),
        }
    };

    let database = match &config.database {
        Database::Sqlite(path) => format!("SQLite at {}", path.display()),
        Database::Postgres(_) => "PostgreSQL".to_owned(),
    };
    tell("configuration", Ok(format!("{database}, public address {}", config.public_url.as_str())))?;
    tell("clock", clock(SystemClock.now()))?;
    tell("database", wiring::check_schema(config).map(|()| format!("{database} answers and is up to date")))?;
    match wiring::wire(config).await {
        Ok(steward) => {
            tell("connections", steward.health.check().await.map(|()| "open".to_owned()).map_err(Into::into))?;
            let published = steward.tokens.published_keys();
            let count = published.get("keys").and_then(|keys| keys.as_array()).map_or(0, Vec::len);
            tell("keys", Ok(format!("unsealed; {count} for signing")))?;
            let (place, tried) = (place(&config.blobs), steward.images.try_out().await);
            tell("images", tried.map(|()| format!("can be kept in {place}")).context(format!("in {place}")))?;
        }
        Err(error) => tell("keys", Err(error))?,
    }
    if failed {
        bail!("something is to be mended");
    }
    Ok(())
}

fn place(blobs: &Blobs) -> String {
    match blobs {
        Blobs::Directory(path) => path.display().to_string(),
        Blobs::S3(settings) => format!("s3://{}/{}", settings.bucket, settings.prefix),
    }
}

fn clock(now: Time) -> anyhow::Result<String> {
    if now.timestamp() < EARLIEST_PLAUSIBLE_TIME {
        bail!("the system time is {now}, which is long past; set it");
    }
    Ok(now.to_rfc3339_opts(chrono::SecondsFormat::Secs, true))
}
