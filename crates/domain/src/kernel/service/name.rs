//! The names of the service itself, which nobody may give to something else: people would trust it as they trust the
//! service (docs/contract.md#text).

use icu_normalizer::DecomposingNormalizerBorrowed;
use unicode_security::confusable_detection::skeleton;

use crate::kernel::error::Error;

/// The name of this service's own client, which the consent page shows.
pub const COMMAND_LINE_NAME: &str = "Steward command line";

const SERVICE: &str = "steward";

/// Words that, with the name of the service, name the service or a part of it. They are compared with the
/// [`appearances`] of a name, so each is its own appearance.
const WORDS: [&str; 26] = [
    SERVICE,
    "account",
    "accounts",
    "admin",
    "administration",
    "administrator",
    "api",
    "app",
    "cli",
    "client",
    "command",
    "console",
    "documentation",
    "help",
    "line",
    "login",
    "official",
    "operator",
    "security",
    "server",
    "service",
    "signin",
    "support",
    "system",
    "team",
    "the",
];

/// Refuses a name of the service for something else. `current`: the name that it has already, which it keeps.
pub fn check_new_name(field: &'static str, name: &str, current: Option<&str>) -> Result<(), Error> {
    if current == Some(name) || !is_of_service(name) {
        return Ok(());
    }
    Err(Error::invalid(field, "is a name of the service itself. Choose another name"))
}

/// Returns whether people can take a name for one of the service: it contains that of the command line, or consists of
/// words for the service and its parts.
fn is_of_service(name: &str) -> bool {
    let command_line = COMMAND_LINE_NAME.to_lowercase().replace(' ', "");
    let is_own =
        |letters: &String| letters.contains(&command_line) || letters.contains(SERVICE) && consists_of_words(letters);
    appearances(name).iter().any(is_own)
}

/// Returns the letters and digits of a name as people see them, in lowercase: those that look alike are the same (UTS
/// 39 §4, skeleton). Of `I`, which looks like both, one result has an `i` and the other an `l`.
fn appearances(name: &str) -> [String; 2] {
    let name = DecomposingNormalizerBorrowed::new_nfkd().normalize(name);
    let letters = |text: &str| -> String {
        let alike = skeleton(text).flat_map(char::to_lowercase).filter(|c| c.is_alphanumeric());
        // The skeleton of an `m`.
        alike.collect::<String>().replace("rn", "m")
    };
    [letters(&name), letters(&name.to_lowercase())]
}

/// Returns whether a text consists of [`WORDS`].
fn consists_of_words(text: &str) -> bool {
    // The parts of the text that follow some words.
    let mut rests = vec![text];
    let mut next = 0;
    while let Some(rest) = rests.get(next).copied() {
        for shorter in WORDS.iter().filter_map(|word| rest.strip_prefix(*word)) {
            if !rests.contains(&shorter) {
                rests.push(shorter);
            }
        }
        next += 1;
    }
    rests.contains(&"")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_of_the_service_is_recognized_in_every_spelling() {
        for name in [
            "Steward",
            "STEWARD",
            "steward",
            " S t e w a r d ",
            "S.T.E.W.A.R.D.",
            "Steward®",
            "The Steward",
            "Stéward",
            "Ｓｔｅｗａｒｄ",
            "𝐒𝐭𝐞𝐰𝐚𝐫𝐝",
            "Ⓢⓣⓔⓦⓐⓡⓓ",
            "Ѕtеwаrd",
            "Stewаrd",
            "Steward command line",
            "steward-command-line",
            "Steward CommandLine",
            "STEWARD COMMAND LINE",
            "Steward command Iine",
            "Steward c0mmand 1ine",
            "Steward cornmand line",
            "Stеwаrd соmmаnd linе",
            "Steward command line (new)",
            "My Steward command line 2",
            "Steward CLI",
            "Steward Console",
            "Steward: Sign-in",
            "Official Steward Support",
            "Steward Security Team",
        ] {
            assert!(is_of_service(name), "{name}");
        }
    }

    #[test]
    fn other_names_with_these_words_are_valid() {
        for name in [
            "Acme",
            "Command line",
            "Console",
            "Support Team",
            "Stewart",
            "Stewardship",
            "Steward & Sons",
            "Steward Health Care",
            "Rocket for Steward",
            "Ann Steward",
            "Steward tests",
            "стюард",
            "執事",
            "👩\u{200d}🚀",
        ] {
            assert!(!is_of_service(name), "{name}");
        }
    }

    #[test]
    fn a_name_that_something_has_already_is_kept() {
        assert!(check_new_name("name", "Steward", None).is_err());
        assert!(check_new_name("name", "Steward", Some("Acme")).is_err());
        assert!(check_new_name("name", "Steward", Some("Steward")).is_ok());
        assert!(check_new_name("name", "Acme", Some("Steward")).is_ok());
    }

    #[test]
    fn the_words_are_what_they_look_like() {
        for word in WORDS {
            assert_eq!(appearances(word), [word, word], "{word}");
        }
        assert!(appearances(COMMAND_LINE_NAME).iter().all(|letters| consists_of_words(letters)));
    }
}
