//! `steward completions`.

use std::io::Write as _;

use clap::CommandFactory as _;

use crate::cli::{Arguments, Completions};

/// Prints the script that completes commands in a shell.
pub fn print(arguments: &Completions) -> anyhow::Result<()> {
    let mut script = Vec::new();
    clap_complete::generate(arguments.shell, &mut Arguments::command(), "steward", &mut script);
    Ok(std::io::stdout().lock().write_all(&script)?)
}
