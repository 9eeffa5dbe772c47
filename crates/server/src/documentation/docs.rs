//! `steward docs`.

use std::fs;
use std::path::Path;

use anyhow::Context as _;

use crate::terminal::prompt;

/// Writes the documentation as a site of files.
pub fn write(directory: &Path, is_confirmed: bool) -> anyhow::Result<()> {
    let cannot_write = || format!("Cannot write to {}", directory.display());
    fs::create_dir_all(directory).with_context(cannot_write)?;
    if !is_confirmed && fs::read_dir(directory).with_context(cannot_write)?.next().is_some() {
        prompt::confirm(&format!("{} is not empty. Replace files in it?", directory.display()))?;
    }
    let files = steward_pages::docs_files(steward_http::openapi_json())?;
    files.iter().try_for_each(|(path, content)| write_file(&directory.join(path), content)).with_context(cannot_write)
}

fn write_file(path: &Path, content: &str) -> anyhow::Result<()> {
    path.parent().map_or(Ok(()), fs::create_dir_all)?;
    Ok(fs::write(path, content)?)
}
