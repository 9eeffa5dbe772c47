//! The URL of a service, over which no one else can read the tokens.

use url::{Host, Url};

use crate::Error;

/// URL of a service or of one of its endpoints. It uses HTTPS, or HTTP on this machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServiceUrl {
    url: Url,
    text: String,
}

impl ServiceUrl {
    /// Parses a URL.
    ///
    /// # Errors
    ///
    /// [`Error::InvalidServer`] if it is not a URL, or uses HTTP and is not on this machine.
    pub fn parse(text: &str) -> Result<Self, Error> {
        let text = text.trim_end_matches('/');
        let invalid = || Error::InvalidServer(format!("{text:?} is not a valid URL, such as https://host"));
        let url = Self { url: Url::parse(text).map_err(|_| invalid())?, text: text.to_owned() };
        match url.url.scheme() {
            "https" => Ok(url),
            "http" if url.is_local() => Ok(url),
            "http" => Err(Error::InvalidServer(format!(
                "{text} must use HTTPS. Over HTTP, others on the network can read the tokens."
            ))),
            // In `localhost:3003`, the part before the colon is a scheme.
            _ => Err(invalid()),
        }
    }

    /// Returns whether the URL is on this machine.
    pub fn is_local(&self) -> bool {
        match self.url.host() {
            Some(Host::Domain(name)) => name == "localhost",
            Some(Host::Ipv4(address)) => address.is_loopback(),
            Some(Host::Ipv6(address)) => address.is_loopback(),
            None => false,
        }
    }

    /// Returns the URL without a slash at the end.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Returns the host, with the port if the URL has one.
    pub fn host(&self) -> String {
        let host = self.url.host_str().unwrap_or_default();
        self.url.port().map_or_else(|| host.to_owned(), |port| format!("{host}:{port}"))
    }

    /// Returns the URL of a path. The path starts with a slash and may have a query.
    pub(crate) fn at_path(&self, path: &str) -> Result<Url, Error> {
        let invalid = || Error::InvalidRequest(format!("{path:?} is not a valid path, such as /team."));
        if !path.starts_with('/') {
            return Err(invalid());
        }
        Url::parse(&format!("{}{path}", self.text)).map_err(|_| invalid())
    }

    /// Returns the URL of a path with these segments, which are encoded.
    pub(crate) fn at_segments<S: AsRef<str>>(&self, segments: &[S]) -> Result<Url, Error> {
        let mut url = self.url.clone();
        let not_a_base = |()| Error::InvalidServer(format!("{} is not a valid URL, such as https://host", self.text));
        let mut path = url.path_segments_mut().map_err(not_a_base)?;
        path.pop_if_empty();
        for segment in segments {
            let segment: &str = segment.as_ref();
            // These would name another resource.
            if matches!(segment, "" | "." | "..") {
                return Err(Error::InvalidRequest(format!("{segment:?} is not a valid ID.")));
            }
            path.push(segment);
        }
        drop(path);
        Ok(url)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_sent_over_tls_or_stay_on_this_machine() {
        for valid in ["https://steward.example", "http://localhost:3003", "http://127.0.0.1:1", "http://[::1]:1"] {
            assert!(ServiceUrl::parse(valid).is_ok(), "{valid}");
        }
        assert!(!ServiceUrl::parse("https://steward.example").unwrap().is_local());
        assert!(ServiceUrl::parse("http://localhost:3003").unwrap().is_local());
        for invalid in
            ["http://steward.example", "http://localhost.evil.example", "file:///etc/hostname", "steward.example"]
        {
            assert!(ServiceUrl::parse(invalid).is_err(), "{invalid}");
        }
        let without_scheme = ServiceUrl::parse("localhost:3003").unwrap_err().to_string();
        assert!(without_scheme.contains("such as https://host"), "{without_scheme}");
    }

    #[test]
    fn an_id_cannot_change_the_path() {
        let service = ServiceUrl::parse("https://steward.example/").unwrap();
        assert_eq!(service.at_segments(&["team", "a/b?c"]).unwrap().as_str(), "https://steward.example/team/a%2Fb%3Fc");
        for id in ["", ".", ".."] {
            assert!(service.at_segments(&["team", id]).is_err(), "{id:?}");
        }
        assert!(service.at_path("team").is_err() && service.at_path("@evil.example/").is_err());
        assert_eq!(service.at_path("/team?limit=1").unwrap().as_str(), "https://steward.example/team?limit=1");
    }
}
