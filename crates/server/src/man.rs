//! `steward man`.

use std::fs;
use std::io::Write as _;
use std::path::Path;

use anyhow::Context as _;
use clap::CommandFactory as _;
use clap_mangen::Man;

use crate::cli::{Arguments, ManualPages};

/// Prints the manual page of `steward`, or writes those of all commands to a directory.
pub fn write(arguments: &ManualPages) -> anyhow::Result<()> {
    match &arguments.directory {
        Some(directory) => write_all(directory),
        None => print(),
    }
}

fn print() -> anyhow::Result<()> {
    let mut page = Vec::new();
    Man::new(Arguments::command().disable_help_subcommand(true)).render(&mut page)?;
    Ok(std::io::stdout().lock().write_all(&page)?)
}

fn write_all(directory: &Path) -> anyhow::Result<()> {
    let cannot_write = || format!("Cannot write to {}", directory.display());
    fs::create_dir_all(directory).with_context(cannot_write)?;
    clap_mangen::generate_to(Arguments::command(), directory).with_context(cannot_write)
}
