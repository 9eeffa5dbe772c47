//! Prints text for people and programs. Text from a service or a repository may come from anyone: on a terminal, it
//! must not control the terminal or hide what is printed.

mod output_file;
mod progress;
pub mod prompt;
mod usage_error;

use std::io::Write as _;

use steward_domain::kernel::is_control;

pub use self::output_file::OutputFile;
pub use self::progress::Progress;
pub use self::usage_error::UsageError;

/// Replaces the characters that control a terminal or change the direction of text. Line feeds stay, and a tab is a space.
pub fn printable(text: &str) -> String {
    let shown = |c: char| match c {
        '\t' => ' ',
        '\n' => c,
        _ if is_control(c) => char::REPLACEMENT_CHARACTER,
        _ => c,
    };
    text.chars().map(shown).collect()
}

/// Escapes in JSON the characters that control a terminal or change the direction of text. The values stay the same:
/// JSON contains these characters only in strings.
pub fn printable_json(json: &str) -> String {
    let mut printable = String::with_capacity(json.len());
    for c in json.chars() {
        if is_control(c) && c != '\n' {
            let mut units = [0; 2];
            printable.extend(c.encode_utf16(&mut units).iter().map(|unit| format!("\\u{unit:04x}")));
        } else {
            printable.push(c);
        }
    }
    printable
}

/// Prints a line for people to standard error. Errors are ignored, because it may be closed.
pub fn note(text: &str) {
    drop(writeln!(std::io::stderr().lock(), "{}", printable(text)));
}

/// Prints a line to standard output.
pub fn print(text: &str) -> anyhow::Result<()> {
    Ok(writeln!(std::io::stdout().lock(), "{text}")?)
}

/// Prints a text to standard output as it is.
pub fn print_text(text: &str) -> anyhow::Result<()> {
    Ok(std::io::stdout().lock().write_all(text.as_bytes())?)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Characters of each kind: C0, DEL, C1, a line separator, an override and an isolate.
    const CONTROLS: &str = "\u{1b}\u{7f}\u{9b}\u{2028}\u{202e}\u{2066}";

    #[test]
    fn characters_that_control_a_terminal_are_replaced() {
        let text = printable(&format!("a{CONTROLS}b\n\tשלום\u{200f}"));
        assert_eq!(text, format!("a{}b\n שלום\u{200f}", "\u{fffd}".repeat(6)));
    }

    #[test]
    fn json_on_a_terminal_has_the_same_values() {
        let value = serde_json::json!({"a": format!("x{CONTROLS}😀")});
        let text = printable_json(&serde_json::to_string_pretty(&value).unwrap());
        assert!(!text.chars().any(|c| is_control(c) && c != '\n'), "{text:?}");
        assert_eq!(serde_json::from_str::<serde_json::Value>(&text).unwrap(), value);
    }
}
