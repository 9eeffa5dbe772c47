//! How hard a password is to guess, as zxcvbn estimates it (Wheeler, "zxcvbn: Low-Budget Password Strength Estimation",
//! USENIX Security 2016).

use zxcvbn::feedback::Warning;
use zxcvbn::{Score, zxcvbn};

use crate::identity::{Account, Email, Password, Username};
use crate::kernel::{InvalidValue, Name};

/// The number of characters that are estimated. The time grows with the third power of the length, and a password is hard
/// to guess if its beginning is.
const MAX_ESTIMATED: usize = 40;
/// At least 10^8 guesses, so that hashes that were stolen protect most passwords.
const REQUIRED: Score = Score::Three;
/// The 3,000 most used passwords of at least ten ASCII characters, in lower case (OWASP ASVS 5, 6.2.4): of the ten million that Mark
/// Burnett published in the public domain.
const COMMON_PASSWORDS: &str = include_str!("common_passwords.txt");
const IS_COMMON: &str = "is easy to guess, because it is like a common password. Use several uncommon words";
/// Shorter parts of names and addresses occur in unrelated words.
const MIN_WORD: usize = 3;

/// The words that someone who knows a person tries first.
#[derive(Debug, Clone, Default)]
pub struct PersonalWords(Vec<String>);

impl PersonalWords {
    /// Returns the words of a new account.
    pub fn new(email: &Email, name: Option<&Name>, username: Option<&Username>) -> Self {
        let texts = [Some(email.shown()), name.map(Name::as_str), username.map(Username::as_str)];
        let words = texts.into_iter().flatten().flat_map(|text| {
            let local_part = text.split_once('@').map(|(local_part, _)| local_part);
            [Some(text), local_part].into_iter().flatten().chain(text.split(|c: char| !c.is_alphanumeric()))
        });
        Self(words.filter(|word| word.chars().count() >= MIN_WORD).map(str::to_owned).collect())
    }

    /// Returns the words of an account.
    pub fn of(account: &Account) -> Self {
        Self::new(&account.email, account.name.as_ref(), account.username.as_ref())
    }
}

impl Password {
    /// Checks that the password is hard to guess, also for someone who knows the words. Takes up to some 100 ms.
    pub fn check_strength(&self, words: &PersonalWords) -> Result<(), InvalidValue> {
        let is_given = |common: &str| common.eq_ignore_ascii_case(self.secret().expose());
        if COMMON_PASSWORDS.lines().any(is_given) {
            return Err(InvalidValue(IS_COMMON));
        }
        let estimated: String = self.secret().expose().chars().take(MAX_ESTIMATED).collect();
        let words: Vec<&str> = words.0.iter().map(String::as_str).collect();
        let estimate = zxcvbn(&estimated, &words);
        if estimate.score() >= REQUIRED {
            return Ok(());
        }
        Err(InvalidValue(reason(estimate.feedback().and_then(|feedback| feedback.warning()))))
    }
}

fn reason(warning: Option<Warning>) -> &'static str {
    match warning {
        Some(
            Warning::ThisIsATop10Password
            | Warning::ThisIsATop100Password
            | Warning::ThisIsACommonPassword
            | Warning::ThisIsSimilarToACommonlyUsedPassword,
        ) => IS_COMMON,
        Some(Warning::StraightRowsOfKeysAreEasyToGuess | Warning::ShortKeyboardPatternsAreEasyToGuess) => {
            "is easy to guess, because it follows the keys of a keyboard. Use several uncommon words"
        }
        Some(
            Warning::RepeatsLikeAaaAreEasyToGuess
            | Warning::RepeatsLikeAbcAbcAreOnlySlightlyHarderToGuess
            | Warning::SequencesLikeAbcAreEasyToGuess,
        ) => "is easy to guess, because it repeats or continues a pattern. Use several uncommon words",
        Some(Warning::RecentYearsAreEasyToGuess | Warning::DatesAreOftenEasyToGuess) => {
            "is easy to guess, because it is like a date. Use several uncommon words"
        }
        Some(
            Warning::AWordByItselfIsEasyToGuess
            | Warning::NamesAndSurnamesByThemselvesAreEasyToGuess
            | Warning::CommonNamesAndSurnamesAreEasyToGuess,
        ) => "is easy to guess, because it is like a single word or name. Use several uncommon words",
        None => "is easy to guess. Use several uncommon words that have nothing to do with you",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::Secret;

    fn check(text: &str) -> Result<(), InvalidValue> {
        let email = Email::parse("ann.smith@globex.example").unwrap();
        let (name, username) = (Name::parse("Ann Zimmermann").unwrap(), Username::parse("annie77").unwrap());
        let words = PersonalWords::new(&email, Some(&name), Some(&username));
        Password::parse(Secret::new(text.to_owned())).unwrap().check_strength(&words)
    }

    #[test]
    fn passwords_that_are_easy_to_guess_are_rejected() {
        for easy in [
            "Password123!",
            "Ｐａｓｓｗｏｒｄ１２３！",
            "Summer2026!",
            "password12",
            "qwertyuiop[]",
            "abcdefghijk",
            "aaaaaaaaaaaa",
        ] {
            let error = check(easy).unwrap_err();
            assert!(error.0.starts_with("is easy to guess"), "{easy}: {error}");
        }
        for hard in ["correct horse battery", "xkcd-ladder-moon", "tr0ub4dor&3 in a tree"] {
            assert_eq!(check(hard), Ok(()), "{hard}");
        }
    }

    #[test]
    fn the_most_used_passwords_are_rejected_in_any_case() {
        let common: Vec<&str> = COMMON_PASSWORDS.lines().collect();
        assert!(common.len() >= 3_000 && common.iter().all(|password| password.len() >= 10));
        for password in common.iter().step_by(100) {
            assert_eq!(check(&password.to_uppercase()), Err(InvalidValue(IS_COMMON)), "{password}");
        }
    }

    #[test]
    fn passwords_made_of_the_words_of_the_person_are_rejected() {
        let own = ["ann.smith@globex.example", "ann.smith2026", "Zimmermann1!", "annie77annie77", "globex2026!"];
        for own in own {
            assert!(check(own).is_err(), "{own}");
        }
    }

    #[test]
    fn only_the_beginning_of_a_long_password_is_estimated() {
        let easy = "a".repeat(MAX_ESTIMATED);
        assert!(check(&format!("{easy}xkcd-ladder-moon")).is_err());
        assert_eq!(check(&format!("xkcd-ladder-moon{easy}")), Ok(()));
    }
}
