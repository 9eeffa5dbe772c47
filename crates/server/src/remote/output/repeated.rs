//! The command line of this process, to be run again with other options.

/// Returns the command with these arguments and a cursor, as a person pastes it into a shell.
pub fn with_cursor(arguments: impl Iterator<Item = String>, cursor: &str) -> String {
    let mut words = vec!["steward".to_owned()];
    let mut is_old_cursor = false;
    for argument in arguments {
        if std::mem::take(&mut is_old_cursor) {
            continue;
        }
        is_old_cursor = argument == "--cursor";
        if !is_old_cursor && !argument.starts_with("--cursor=") {
            words.push(quoted(&argument));
        }
    }
    words.extend(["--cursor".to_owned(), quoted(cursor)]);
    words.join(" ")
}

/// Quotes a word for a POSIX shell if it needs quotes.
fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./:=,@%+".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', "'\\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn next(arguments: &[&str]) -> String {
        with_cursor(arguments.iter().map(|argument| (*argument).to_owned()), "next_1")
    }

    #[test]
    fn the_cursor_of_an_earlier_page_is_replaced() {
        let expected = "steward item list --own --cursor next_1";
        assert_eq!(next(&["item", "list", "--own"]), expected);
        assert_eq!(next(&["item", "list", "--cursor", "a", "--own"]), expected);
        assert_eq!(next(&["item", "list", "--cursor=a", "--own"]), expected);
    }

    #[test]
    fn a_shell_reads_the_same_words() {
        let words = ["it's", "", "title=ilike.*a b*", "$HOME `id`", "plain-1.2"];
        let printed = next(&words);
        let script = format!("steward() {{ printf '%s\\n' \"$@\"; }}; {printed}");
        let output = std::process::Command::new("sh").args(["-c", &script]).output().unwrap();
        let expected = format!("{}\n--cursor\nnext_1\n", words.join("\n"));
        assert_eq!(String::from_utf8(output.stdout).unwrap(), expected);
        assert!(printed.ends_with("plain-1.2 --cursor next_1"), "{printed}");
    }
}
