//! Text from a service or a repository that is shown on a terminal. It may come from anyone, and must not control the
//! terminal or hide what is printed.

use steward_domain::model::is_control;

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
