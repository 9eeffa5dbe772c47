//! Redirect URIs: where a client receives the authorization response. Compared exactly, because looser matching leaks
//! codes (RFC 9700 §2.1).

use url::{Host, Url, form_urlencoded};

use crate::identity::client::app_scheme;
use crate::kernel::error::FieldViolations;
use crate::kernel::violations::Violation;
use crate::kernel::{InvalidValue, as_text};

/// The maximum number of URIs of a longer list that are checked, so that their violations are reported too.
const MAX_CHECKED_URIS: usize = 1_000;

/// A URI that may receive authorization codes: https, http on loopback, or a private-use scheme (RFC 8252 §7.1),
/// without fragment, credentials or wildcard (docs/contract.md#clients).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RedirectUri(String);

impl RedirectUri {
    /// The maximum number of URIs in a list of a project or client.
    pub const MAX_URIS: usize = 50;
    /// The maximum length, in bytes.
    pub const MAX_BYTES: usize = 2048;
    /// The permitted characters after a scheme, as a regular expression (ECMA-262).
    pub const PATTERN: &str = r"^[A-Za-z][0-9A-Za-z+.-]*:[!\x22$-)+-\[\]-~]*$";

    /// Parses the text. It must be normalized as a browser would normalize it, so that all parsers agree on its
    /// meaning. A private-use scheme must have a dot.
    pub fn parse(text: &str) -> Result<Self, InvalidValue> {
        const ERROR: InvalidValue = InvalidValue(
            "must be an https URL, an http URL on localhost, 127.0.0.1 or [::1], or a URL of a private-use scheme such \
             as com.example.app:/callback, in normalized form, without username, password, fragment or wildcard",
        );
        Self::parse_of_client(text).ok().filter(|uri| !uri.has_scheme_of_app()).ok_or(ERROR)
    }

    /// Parses the URI of a registered client. A public one can also have the scheme of an app, without a dot, such as
    /// `cursor://callback`. The settings of the client refuse it for others.
    pub fn parse_of_client(text: &str) -> Result<Self, InvalidValue> {
        const ERROR: InvalidValue = InvalidValue(
            "must be an https URL, an http URL on localhost, 127.0.0.1 or [::1], or a URL of a private-use scheme such \
             as com.example.app:/callback or, for a public client, example://callback, in normalized form, without \
             username, password, fragment or wildcard",
        );
        const HANDLED: InvalidValue =
            InvalidValue("must have another scheme, because browsers or operating systems handle this one");
        let has_other = text.contains(['#', '*', '\\']) || !text.bytes().all(|b| b.is_ascii_graphic());
        if text.len() > Self::MAX_BYTES || has_other {
            return Err(ERROR);
        }
        let url = Url::parse(text).map_err(|_| ERROR)?;
        if app_scheme::is_handled(url.scheme()) {
            return Err(HANDLED);
        }
        let is_normalized = url.as_str() == text || url.as_str().strip_suffix('/') == Some(text);
        let has_no_credentials = url.username().is_empty() && url.password().is_none();
        let has_allowed_scheme = url.scheme() == "https"
            || url.scheme() == "http" && is_loopback(&url)
            || is_private_use(&url)
            || is_of_app(&url);
        if is_normalized && has_no_credentials && has_allowed_scheme { Ok(Self(text.to_owned())) } else { Err(ERROR) }
    }

    /// Parses a URI that was stored. Which clients may have it was decided when it was registered.
    pub fn stored(text: &str) -> Result<Self, InvalidValue> {
        Self::parse_of_client(text)
    }

    /// Returns whether the URI is on loopback: the machine of the browser.
    pub fn is_loopback(&self) -> bool {
        Url::parse(&self.0).is_ok_and(|url| is_loopback(&url))
    }

    /// Returns whether only an app on the person's device can receive the response: http on loopback, or a private-use
    /// scheme.
    pub fn is_native(&self) -> bool {
        Url::parse(&self.0).is_ok_and(|url| url.scheme() != "https")
    }

    /// Returns whether the URI has a scheme without a dot, other than http and https.
    pub(crate) fn has_scheme_of_app(&self) -> bool {
        Url::parse(&self.0).is_ok_and(|url| is_of_app(&url))
    }

    /// Returns whether the URI is an http or https URL.
    pub fn is_web(&self) -> bool {
        Url::parse(&self.0).is_ok_and(|url| is_web(&url))
    }

    /// Returns whether the URI is an https URL of another machine, which only the owner of its domain can serve.
    pub fn is_on_the_web(&self) -> bool {
        Url::parse(&self.0).is_ok_and(|url| {
            url.scheme() == "https"
                && match url.host() {
                    Some(Host::Domain(name)) => name != "localhost" && !name.ends_with(".localhost"),
                    Some(Host::Ipv4(address)) => !address.is_loopback(),
                    Some(Host::Ipv6(address)) => !address.to_canonical().is_loopback(),
                    None => false,
                }
        })
    }

    /// Returns whether the URI has this path and no query.
    pub fn is_at(&self, path: &str) -> bool {
        Url::parse(&self.0).is_ok_and(|url| url.path() == path && url.query().is_none())
    }

    /// Returns whether a client that registered this URI may use the other one: the texts are equal, equal except for
    /// the slash that browsers add to a URI without a path, or, on loopback, equal except for the port (RFC 8252 §7.3).
    pub fn covers(&self, other: &Self) -> bool {
        self == other
            || self.has_no_path() && other.0.strip_suffix('/') == Some(self.as_str())
            || self.is_loopback() && self.without_port() == other.without_port()
    }

    fn has_no_path(&self) -> bool {
        Url::parse(&self.0).is_ok_and(|url| is_web(&url) && url.as_str().strip_suffix('/') == Some(self.as_str()))
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

    /// Parses a list with a parser of URIs, without duplicates. Reports violations in `field`, and those of a URI in
    /// `field[index]`.
    pub(crate) fn parse_list<'a>(
        texts: impl ExactSizeIterator<Item = &'a str>,
        parse: fn(&str) -> Result<Self, InvalidValue>,
        field: &str,
        errors: &mut FieldViolations,
    ) -> Vec<Self> {
        let mut parsed = Vec::new();
        if texts.len() > Self::MAX_URIS {
            errors.add(Violation::invalid(field, format_args!("must contain at most {} URIs", Self::MAX_URIS)));
        }
        for (index, text) in texts.enumerate().take(MAX_CHECKED_URIS) {
            match parse(text) {
                Ok(uri) if parsed.len() <= Self::MAX_URIS && !parsed.contains(&uri) => parsed.push(uri),
                Ok(_) => {}
                Err(violation) => errors.add(Violation::invalid(format!("{field}[{index}]"), violation)),
            }
        }
        parsed
    }

    /// Returns whether one of the registered URIs covers this one.
    pub(crate) fn is_covered_by(&self, registered: &[Self]) -> bool {
        registered.iter().any(|one| one.covers(self))
    }

    /// Returns whether only the client that registered the URIs receives what is sent to this one: an https URI that they
    /// cover. Any program on a device can listen on loopback or register a private-use scheme (RFC 8252 §8.6).
    pub(crate) fn is_proof_of(&self, registered: &[Self]) -> bool {
        self.is_on_the_web() && self.is_covered_by(registered)
    }

    /// Returns the URI with these parameters in its fragment.
    pub fn with_fragment(&self, parameters: &[(&str, &str)]) -> String {
        let Ok(mut url) = Url::parse(&self.0) else { return self.0.clone() };
        let encoded = form_urlencoded::Serializer::new(String::new()).extend_pairs(parameters).finish();
        url.set_fragment(Some(&encoded));
        url.into()
    }

    /// Returns where the response is sent, for display: scheme, host and port, or only a private-use scheme.
    pub fn origin(&self) -> String {
        match Url::parse(&self.0) {
            Ok(url) if is_web(&url) => url.origin().ascii_serialization(),
            Ok(url) => format!("{}:", url.scheme()),
            Err(_) => String::new(),
        }
    }
}

fn is_web(url: &Url) -> bool {
    matches!(url.scheme(), "http" | "https")
}

fn is_loopback(url: &Url) -> bool {
    let is_local = match url.host() {
        Some(Host::Domain(name)) => name == "localhost",
        Some(Host::Ipv4(address)) => address == std::net::Ipv4Addr::LOCALHOST,
        Some(Host::Ipv6(address)) => address == std::net::Ipv6Addr::LOCALHOST,
        None => false,
    };
    is_local && is_web(url)
}

/// Returns whether the scheme is a reversed domain name, so that no browser and no system gives it a meaning of its own
/// (RFC 8252 §7.1).
fn is_private_use(url: &Url) -> bool {
    let labels: Vec<&str> = url.scheme().split('.').collect();
    let is_label = |label: &&str| !label.is_empty() && label.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-');
    labels.len() > 1 && labels.iter().all(is_label) && !url.cannot_be_a_base()
}

/// Returns whether the scheme is one that an app chose, and the URI has a host, as browsers require to pass it on.
fn is_of_app(url: &Url) -> bool {
    !is_web(url) && app_scheme::is_of_app(url.scheme()) && url.host_str().is_some_and(|host| !host.is_empty())
}

as_text!(RedirectUri);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_normalized_https_loopback_and_private_use_uris_are_accepted() {
        for valid in [
            "https://app.example",
            "https://app.example/",
            "https://app.example/cb?x=1",
            "http://localhost:3000/cb",
            "http://127.0.0.1/cb",
            "http://[::1]:8080/cb",
            "https://app.example/@ann/cb?to=b@c.example",
            "com.example.app:/callback",
            "com.example.app://callback",
            "com.example.app:///callback?x=1",
            "com.example-2.app:/",
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
            "https://@app.example/cb",
            "javascript:alert(1)",
            "javascript://app.example/%0aalert(1)",
            "data:text/html,x",
            "file:///etc/passwd",
            "ftp://app.example/cb",
            "ws://localhost/cb",
            "myapp://callback",
            "com.example.app:callback",
            "com.example.app:",
            "com.example.app:/a/../callback",
            "com.example.app://user@host/callback",
            "com.example.app://@host/callback",
            "com..app:/callback",
            "com.example.:/callback",
            "COM.example.app:/callback",
            "com.example+app:/callback",
        ] {
            assert!(RedirectUri::parse(invalid).is_err(), "{invalid}");
        }
    }

    #[test]
    fn only_a_registered_client_can_have_the_scheme_of_an_app() {
        for valid in [
            "cursor://anysphere.cursor-mcp/oauth/callback",
            "vscode://publisher.extension",
            "vscode-insiders://callback?x=1",
            "com.example.app:/callback",
            "https://app.example/cb",
            "http://127.0.0.1/cb",
        ] {
            assert!(
                RedirectUri::parse_of_client(valid).is_ok_and(|uri| RedirectUri::stored(valid) == Ok(uri)),
                "{valid}"
            );
        }
        let app = RedirectUri::parse_of_client("cursor://localhost/callback").unwrap();
        assert!(app.is_native() && !app.is_loopback() && !app.is_web() && app.origin() == "cursor:");
        assert!(!app.is_proof_of(std::slice::from_ref(&app)), "Every program on the device can have the scheme.");
        assert!(RedirectUri::parse(app.as_str()).is_err(), "A project cannot.");
        for invalid in [
            "cursor:/callback",
            "cursor:callback",
            "cursor://",
            "cursor:///callback",
            "cursor://user@host/callback",
            "cursor://host/a/../b",
            "cursor://host/#x",
            "Cursor://host/callback",
            "ab://host/callback",
            "http://app.example/cb",
        ] {
            assert!(RedirectUri::parse_of_client(invalid).is_err(), "{invalid}");
        }
        for handled in ["intent://host/x", "ms-word://host/x", "javascript://host/%0aalert(1)", "web+cursor://host/x"] {
            let error = RedirectUri::parse_of_client(handled).unwrap_err();
            assert!(error.0.contains("another scheme"), "{handled}: {error}");
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
        assert!(uri("https://app.example").covers(&uri("https://app.example/")));
        assert!(!uri("https://app.example/").covers(&uri("https://app.example")));
        for other in ["https://app.example/cb", "https://app.example:8443/", "https://app.example/?x"] {
            assert!(!uri("https://app.example").covers(&uri(other)), "{other}");
        }
        let native = uri("com.example.app://callback");
        assert!(native.covers(&native));
        for other in ["com.example.app://callback/", "com.example.app:/callback", "com.example.app://callback:1"] {
            assert!(!native.covers(&uri(other)), "{other}");
        }
        let loopback = uri("http://127.0.0.1/cb");
        assert!(loopback.covers(&uri("http://127.0.0.1:49152/cb")));
        for other in ["http://localhost:49152/cb", "http://127.0.0.1:1/other", "https://127.0.0.1:1/cb"] {
            assert!(!loopback.covers(&uri(other)), "{other}");
        }
    }

    #[test]
    fn a_private_use_uri_is_never_a_web_address() {
        let uri = |text| RedirectUri::parse(text).unwrap();
        let native = uri("com.example.app://localhost/cb");
        assert!(!native.is_loopback() && !native.covers(&uri("com.example.app://localhost:1/cb")));
        assert_eq!(native.origin(), "com.example.app:");
        assert_eq!(uri("com.example.app:/cb").with(&[("state", "a b")]), "com.example.app:/cb?state=a+b");
        assert_eq!(uri("https://app.example:8443/cb").origin(), "https://app.example:8443");
    }

    #[test]
    fn added_parameters_cannot_escape_the_query() {
        let uri = RedirectUri::parse("https://app.example/cb?x=1").unwrap().with(&[("state", "a&b=c\r\nd#e")]);
        assert_eq!(uri, "https://app.example/cb?x=1&state=a%26b%3Dc%0D%0Ad%23e");
        let uri = RedirectUri::parse("https://app.example/cb?x=1").unwrap().with_fragment(&[("state", "a&b=c\r\nd#e")]);
        assert_eq!(uri, "https://app.example/cb?x=1#state=a%26b%3Dc%0D%0Ad%23e");
    }
}
