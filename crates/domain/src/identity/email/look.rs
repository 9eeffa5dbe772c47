//! What emails show of a project.

use crate::kernel::{Color, Name};

/// What the email of a sign-in to a project shows of the project. Emails about the account itself, and invites, show nothing of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EmailLook {
    /// The name of the project.
    pub name: String,
    /// Its accent color.
    pub accent: Option<Color>,
}

impl EmailLook {
    /// Returns the look of a project. `None` for a name that a mail program could show as a link, an address or a telephone
    /// number.
    pub(super) fn of(name: &Name, accent: Option<Color>) -> Option<Self> {
        let name = name.as_str();
        is_plain(name).then(|| Self { name: name.to_owned(), accent })
    }
}

/// Whether a text contains nothing that mail programs make a link. A period followed by a blank ends an abbreviation.
fn is_plain(text: &str) -> bool {
    const PERIODS: [char; 5] = ['.', '。', '．', '｡', '․'];
    const OF_ADDRESSES: [char; 10] = ['@', '＠', '﹫', '/', '／', '\\', ':', '：', '#', '＃'];
    /// As many digits as the shortest numbers that mail programs recognize.
    const DIGITS: usize = 5;
    let next = text.chars().skip(1).map(Some).chain([None]);
    let joins = |(c, next): (char, Option<char>)| PERIODS.contains(&c) && next.is_some_and(|c| !c.is_whitespace());
    let digits = text.chars().filter(|c| c.is_numeric()).count();
    !text.contains(OF_ADDRESSES) && !text.chars().zip(next).any(joins) && digits < DIGITS
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_that_mail_programs_could_make_a_link_is_not_shown() {
        for plain in ["Acme", "Dr. Smith & Sons", "Acme Inc.", "株式会社アクメ", "Route 66", "Ünïcode 2030"] {
            assert!(is_plain(plain), "{plain}");
        }
        let links =
            ["evil.example", "Call 0800 12345", "a@b", "x：//y", "www.acme", "evil。example", "//acme", "\\\\acme"];
        for link in links {
            assert!(!is_plain(link), "{link}");
        }
    }
}
