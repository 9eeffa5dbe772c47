//! `steward man` and `steward completions`, which follow from the command line.

use std::fs;
use std::io::{self, Write as _};
use std::path::Path;

use anyhow::Context as _;
use clap::CommandFactory as _;
use clap_complete::Shell;
use clap_mangen::Man;

use crate::cli::Arguments;
use crate::terminal::prompt;

/// Prints the script that completes commands in a shell.
pub fn print_completions(shell: Shell) -> anyhow::Result<()> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Arguments::command(), "steward", &mut script);
    Ok(io::stdout().lock().write_all(&script)?)
}

/// Prints the manual page of `steward`, or writes those of all commands to a directory.
pub fn write(directory: Option<&Path>, is_confirmed: bool) -> anyhow::Result<()> {
    match directory {
        Some(directory) => write_all(directory, is_confirmed),
        None => print(),
    }
}

fn print() -> anyhow::Result<()> {
    let mut page = Vec::new();
    Man::new(Arguments::command().disable_help_subcommand(true)).render(&mut page)?;
    Ok(io::stdout().lock().write_all(&page)?)
}

/// Asks once before existing pages are replaced.
fn write_all(directory: &Path, is_confirmed: bool) -> anyhow::Result<()> {
    let cannot_write = || format!("Cannot write to {}", directory.display());
    fs::create_dir_all(directory).with_context(cannot_write)?;
    let complete = tempfile::tempdir_in(directory).with_context(cannot_write)?;
    clap_mangen::generate_to(Arguments::command(), complete.path()).with_context(cannot_write)?;
    let pages: Vec<_> = fs::read_dir(complete.path())?.map(|page| Ok(page?.file_name())).collect::<io::Result<_>>()?;
    let existing = pages.iter().filter(|page| directory.join(page).symlink_metadata().is_ok()).count();
    if existing > 0 && !is_confirmed {
        prompt::confirm(&format!("{} has {existing} of these manual pages. Replace them?", directory.display()))?;
    }
    let replace = |page| fs::rename(complete.path().join(page), directory.join(page));
    pages.iter().try_for_each(replace).with_context(cannot_write)
}
