//! Redirect URIs: where a client receives the authorization response. Compared exactly, because looser matching leaks
//! codes (RFC 9700 §2.1).

use std::fmt;

use url::{Host, Url};

use super::InvalidValue;

/// The maximum length of a redirect URI, in bytes.
const MAX_BYTES: usize = 2048;

/// A URI that may receive authorization codes: https, or http on loopback, without fragment, credentials or wildcard
/// (contract 3).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RedirectUri(String);

impl RedirectUri {
    /// Parses the text. It must be normalized as a browser would normalize it, so that all parsers agree on its
    /// meaning.
    pub fn parse(text: &str) -> Result<Self, InvalidValue> {
        const ERROR: InvalidValue = InvalidValue(
            "must be an https URL (or http on localhost, 127.0.0.1 or [::1]) in normalized form, without \
             credentials, fragment or wildcard",
        );
        if text.len() > MAX_BYTES || text.contains(['#', '*', '\\']) || !text.bytes().all(|b| b.is_ascii_graphic()) {
            return Err(ERROR);
        }
        let url = Url::parse(text).map_err(|_| ERROR)?;
        let is_normalized = url.as_str() == text || url.as_str().strip_suffix('/') == Some(text);
        let has_no_credentials = url.username().is_empty() && url.password().is_none() && !text.contains('@');
        let has_allowed_scheme = url.scheme() == "https" || url.scheme() == "http" && is_loopback(&url);
        if is_normalized && has_no_credentials && has_allowed_scheme { Ok(Self(text.to_owned())) } else { Err(ERROR) }
    }

    /// Returns the text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns whether the URI is on loopback: the machine of the browser.
    pub fn is_loopback(&self) -> bool {
        Url::parse(&self.0).is_ok_and(|url| is_loopback(&url))
    }

    /// Returns whether the URI has this path and no query.
    pub fn is_at(&self, path: &str) -> bool {
        Url::parse(&self.0).is_ok_and(|url| url.path() == path && url.query().is_none())
    }

    /// Returns whether a client that registered this URI may use the other one: the texts are equal, or, on loopback,
    /// equal except for the port (RFC 8252 §7.3).
    pub fn covers(&self, other: &Self) -> bool {
        self == other || self.is_loopback() && self.without_port() == other.without_port()
    }

    fn without_port(&self) -> Option<Url> {
        let mut url = Url::parse(&self.0).ok()?;
        url.set_port(None).ok()?;
        Some(url)
    }

    /// Returns the URI with these parameters added to its query.
    pub fn with(&self, parameters: &[(&str, &str)]) -> String {
        let Ok(mut url) = Url::parse(&self.0) else { return self.0.clone() };
        url.query_pairs_mut().extend_pairs(parameters);
        url.into()
    }

    /// Returns scheme, host and port, for display and for browser policies.
    pub fn origin(&self) -> String {
        Url::parse(&self.0).map(|url| url.origin().ascii_serialization()).unwrap_or_default()
    }
}

fn is_loopback(url: &Url) -> bool {
    match url.host() {
        Some(Host::Domain(name)) => name == "localhost",
        Some(Host::Ipv4(address)) => address == std::net::Ipv4Addr::LOCALHOST,
        Some(Host::Ipv6(address)) => address == std::net::Ipv6Addr::LOCALHOST,
        None => false,
    }
}

impl fmt::Display for RedirectUri {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_normalized_https_and_loopback_uris_are_accepted() {
        for valid in [
            "https://app.example",
            "https://app.example/",
            "https://app.example/cb?x=1",
            "http://localhost:3000/cb",
            "http://127.0.0.1/cb",
            "http://[::1]:8080/cb",
        ] {
            assert!(RedirectUri::parse(valid).is_ok(), "{valid}");
        }
        for invalid in [
            "",
            "app.example",
            "http://app.example/cb",
            "https://app.example/cb#x",
            "https://*.app.example/cb",
            "https://user@app.example/cb",
            "https://app.example:pass@evil.example/",
            "https://app.example/a/../b",
            "https://app.example/%2e%2e/b",
            "https://APP.example/cb",
            "HTTPS://app.example/cb",
            "https:app.example",
            "https://app.example\\@evil.example",
            "https://app.example/\r\nx: y",
            "https://app.example:443/cb",
            "http://localhost.evil.example/cb",
            "http://127.0.0.2/cb",
            "http://2130706433/cb",
            "javascript:alert(1)",
            "com.example.app:/cb",
        ] {
            assert!(RedirectUri::parse(invalid).is_err(), "{invalid}");
        }
    }

    #[test]
    fn a_redirect_uri_covers_itself_and_other_ports_on_loopback() {
        let uri = |text| RedirectUri::parse(text).unwrap();
        let registered = uri("https://app.example/cb");
        assert!(registered.covers(&uri("https://app.example/cb")));
        for other in ["https://app.example/cb/", "https://app.example/cb?x", "https://app.example:8443/cb"] {
            assert!(!registered.covers(&uri(other)), "{other}");
        }
        let loopback = uri("http://127.0.0.1/cb");
        assert!(loopback.covers(&uri("http://127.0.0.1:49152/cb")));
        for other in ["http://localhost:49152/cb", "http://127.0.0.1:1/other", "https://127.0.0.1:1/cb"] {
            assert!(!loopback.covers(&uri(other)), "{other}");
        }
    }

    #[test]
    fn added_parameters_cannot_escape_the_query() {
        let uri = RedirectUri::parse("https://app.example/cb?x=1").unwrap().with(&[("state", "a&b=c\r\nd#e")]);
        assert_eq!(uri, "https://app.example/cb?x=1&state=a%26b%3Dc%0D%0Ad%23e");
    }
}
