//! Redirect addresses: where a client gets its answer. Compared exactly, because whatever is looser leaks codes (RFC 9700 §2.1).

use std::fmt;

use url::{Host, Url};

use super::InvalidValue;

/// The longest address, in bytes.
const MAX_BYTES: usize = 2048;

/// An address that may get codes: https, or http on this very machine; no fragment, no credentials, no wildcard (contract 3).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RedirectUri(String);

impl RedirectUri {
    /// Checks the text. It must be spelled as a browser would spell it, so that no two readers take it for two places.
    pub fn parse(text: &str) -> Result<Self, InvalidValue> {
        const ERROR: InvalidValue = InvalidValue(
            "must be an https address (http on localhost, 127.0.0.1 or [::1]) in its normal spelling, without \
             credentials, fragment or wildcard",
        );
        if text.len() > MAX_BYTES || text.contains(['#', '*', '\\']) || !text.bytes().all(|b| b.is_ascii_graphic()) {
            return Err(ERROR);
        }
        let url = Url::parse(text).map_err(|_| ERROR)?;
        let spelled_normally = url.as_str() == text || url.as_str().strip_suffix('/') == Some(text);
        let plain = url.username().is_empty() && url.password().is_none() && !text.contains('@');
        let good_scheme = url.scheme() == "https" || url.scheme() == "http" && is_loopback(&url);
        if spelled_normally && plain && good_scheme { Ok(Self(text.to_owned())) } else { Err(ERROR) }
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether it is on the very machine of the browser.
    pub fn is_loopback(&self) -> bool {
        Url::parse(&self.0).is_ok_and(|url| is_loopback(&url))
    }

    /// Whether it has this path, and no query.
    pub fn is_at(&self, path: &str) -> bool {
        Url::parse(&self.0).is_ok_and(|url| url.path() == path && url.query().is_none())
    }

    /// Whether a client that registered this may be answered at the other: the same text, on loopback of any port
    /// (RFC 8252 §7.3).
    pub fn covers(&self, other: &Self) -> bool {
        self == other || self.is_loopback() && self.without_port() == other.without_port()
    }

    fn without_port(&self) -> Option<Url> {
        let mut url = Url::parse(&self.0).ok()?;
        url.set_port(None).ok()?;
        Some(url)
    }

    /// The address with these parameters added to its query.
    pub fn with(&self, parameters: &[(&str, &str)]) -> String {
        let Ok(mut url) = Url::parse(&self.0) else { return self.0.clone() };
        url.query_pairs_mut().extend_pairs(parameters);
        url.into()
    }

    /// Scheme, host and port: what a person is told and a browser is allowed.
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
    fn only_https_and_loopback_in_their_normal_spelling_are_taken() {
        for good in [
            "https://app.example",
            "https://app.example/",
            "https://app.example/cb?x=1",
            "http://localhost:3000/cb",
            "http://127.0.0.1/cb",
            "http://[::1]:8080/cb",
        ] {
            assert!(RedirectUri::parse(good).is_ok(), "{good}");
        }
        for bad in [
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
            assert!(RedirectUri::parse(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn an_address_covers_itself_and_on_loopback_other_ports() {
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
    fn what_is_added_cannot_leave_the_query() {
        let answer = RedirectUri::parse("https://app.example/cb?x=1").unwrap().with(&[("state", "a&b=c\r\nd#e")]);
        assert_eq!(answer, "https://app.example/cb?x=1&state=a%26b%3Dc%0D%0Ad%23e");
    }
}
