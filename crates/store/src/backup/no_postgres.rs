//! Takes the place of backups of PostgreSQL in a build without the feature `postgres`.

use super::rows::{RowSink, RowSource};
use crate::PostgresStore;

pub(super) fn export(url: &str, _: &mut dyn RowSink) -> anyhow::Result<()> {
    check_empty(url)
}

pub(super) fn check_empty(url: &str) -> anyhow::Result<()> {
    Ok(PostgresStore::check_schema(url)?)
}

pub(super) fn import(url: &str, _: &mut dyn RowSource) -> anyhow::Result<()> {
    check_empty(url)
}
