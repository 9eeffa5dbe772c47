//! Questions to a person, and secrets on standard input. Questions are asked only on a terminal.

use std::io::{BufRead as _, IsTerminal as _};

use anyhow::bail;

use super::{UsageError, note, printable};

/// Whether a person can be asked.
pub fn is_possible() -> bool {
    std::io::stdin().is_terminal() && std::io::stderr().is_terminal()
}

/// Asks for confirmation, and fails unless a person confirms.
pub fn confirm(question: &str) -> anyhow::Result<()> {
    if !is_possible() {
        bail!(UsageError(format!("{question} Pass --yes to confirm.")));
    }
    match answer(&format!("{question} [y/N]"))?.to_ascii_lowercase().as_str() {
        "y" | "yes" => Ok(()),
        _ => bail!("Canceled. Nothing was changed."),
    }
}

/// Asks a person to choose one of these, by its number. Returns its place.
pub fn choose(question: &str, choices: &[String]) -> anyhow::Result<usize> {
    for (place, choice) in choices.iter().enumerate() {
        note(&format!("{:>4}  {choice}", place.saturating_add(1)));
    }
    let answer = text(&format!("{question} [1-{}]", choices.len()))?;
    let number = answer.parse::<usize>().ok().filter(|number| (1..=choices.len()).contains(number));
    match number.and_then(|number| number.checked_sub(1)) {
        Some(place) => Ok(place),
        None => bail!("{answer:?} is not a number from 1 to {}. Run the command again.", choices.len()),
    }
}

/// Asks a person for a line of text, which is not empty.
pub fn text(question: &str) -> anyhow::Result<String> {
    let answer = answer(&format!("{question}:"))?;
    if answer.is_empty() {
        bail!("Canceled. Nothing was changed.");
    }
    Ok(answer)
}

fn answer(question: &str) -> anyhow::Result<String> {
    eprint!("{} ", printable(question));
    let mut answer = String::new();
    std::io::stdin().lock().read_line(&mut answer)?;
    Ok(answer.trim().to_owned())
}

/// Reads a secret from standard input: on a terminal, asks for it. `name` is what it is, such as "the value of the key".
pub fn secret(name: &str) -> anyhow::Result<String> {
    let input = std::io::stdin().lock();
    if input.is_terminal() {
        note(&format!("Enter {name}, then press Ctrl-D:"));
    }
    match std::io::read_to_string(input)?.trim() {
        "" => bail!(UsageError(format!("Pass {name} on standard input."))),
        secret => Ok(secret.to_owned()),
    }
}
