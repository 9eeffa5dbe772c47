//! URLs of documents, such as the terms of service, to which the pages of a sign-in link.

use url::Url;

use crate::kernel::text::characters::check_text;
use crate::kernel::{InvalidText, InvalidValue, as_text, is_control};

const MAX_CHARACTERS: usize = 2048;

/// An https URL without credentials, of at most 2,048 characters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DocumentUrl(String);

as_text!(DocumentUrl);

impl DocumentUrl {
    /// Trims and validates the text.
    pub fn parse(text: &str) -> Result<Self, InvalidText> {
        let url = Self::stored(text)?;
        check_text(&url.0)?;
        Ok(url)
    }

    /// Parses a stored text. Earlier versions accepted characters that people cannot see.
    pub fn stored(text: &str) -> Result<Self, InvalidValue> {
        const ERROR: InvalidValue =
            InvalidValue("must be an https URL of at most 2,048 characters, without user name and password");
        let text = text.trim();
        let is_text = text.chars().count() <= MAX_CHARACTERS && !text.contains(|c| is_control(c) || c == ' ');
        let url = Url::parse(text).ok().filter(|_| is_text).ok_or(ERROR)?;
        // Credentials before the host make a URL look like one of another host.
        let is_plain =
            url.scheme() == "https" && url.has_host() && url.username().is_empty() && url.password().is_none();
        if is_plain { Ok(Self(text.to_owned())) } else { Err(ERROR) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_an_https_url_without_credentials_is_valid() {
        assert_eq!(
            DocumentUrl::parse(" https://a.example/terms?v=2#x ").unwrap().as_str(),
            "https://a.example/terms?v=2#x"
        );
        let long = format!("https://a.example/{}", "a".repeat(MAX_CHARACTERS));
        for invalid in [
            "",
            "x",
            "/terms",
            "http://a.example/",
            "javascript:alert(1)",
            "java\nscript:alert(1)",
            "data:text/html,x",
            "https:",
            "https://",
            "https://steward.example@evil.example/",
            "https://a:b@evil.example/",
            "https://a.example/\u{202e}x",
            "https://a.example/ b",
            long.as_str(),
        ] {
            assert!(DocumentUrl::parse(invalid).is_err(), "{invalid}");
        }
        let accepted_before = "https://a.example/ter\u{200b}ms";
        assert!(DocumentUrl::parse(accepted_before).is_err() && DocumentUrl::stored(accepted_before).is_ok());
    }
}
