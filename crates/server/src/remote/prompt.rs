//! Questions to a person. They are asked only on a terminal.

use std::io::{BufRead as _, IsTerminal as _};

use anyhow::bail;

use crate::terminal;

use super::UsageError;

/// Whether a person can be asked.
pub fn is_possible() -> bool {
    std::io::stdin().is_terminal() && std::io::stderr().is_terminal()
}

/// Asks for confirmation, and fails unless a person confirms.
pub fn confirm(question: &str) -> anyhow::Result<()> {
    if !is_possible() {
        return Err(UsageError(format!("{question} Pass --yes to confirm.")).into());
    }
    eprint!("{} [y/N] ", terminal::printable(question));
    let mut answer = String::new();
    std::io::stdin().lock().read_line(&mut answer)?;
    match answer.trim().to_ascii_lowercase().as_str() {
        "y" | "yes" => Ok(()),
        _ => bail!("Canceled. Nothing was changed."),
    }
}
