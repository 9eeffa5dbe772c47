//! `steward completions`.

use std::io::Write as _;

use clap::CommandFactory as _;
use clap_complete::Shell;

use crate::cli::Arguments;

/// Prints the script that completes commands in a shell.
pub fn print(shell: Shell) -> anyhow::Result<()> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Arguments::command(), "steward", &mut script);
    Ok(std::io::stdout().lock().write_all(&script)?)
}
