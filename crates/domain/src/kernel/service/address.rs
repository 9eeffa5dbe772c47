//! The public URL of this service, and the DIDs derived from it (docs/contract.md#dids).

use url::Url;

use crate::kernel::{AccountId, InvalidValue, ProjectId};

/// The public base URL of this service, without a trailing slash. It is the issuer of tokens.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServiceAddress {
    base: String,
    /// Host and port in `did:web` format: the colon before a port is encoded as `%3A`.
    did_host: String,
    /// The host without its port.
    hostname: String,
}

impl ServiceAddress {
    /// Parses an absolute http or https URL without query, fragment or credentials, and without a path: cookies with
    /// `__Host-` and passkeys are those of all paths, so pages of other programs on the host could use them.
    pub fn parse(text: &str) -> Result<Self, InvalidValue> {
        const ERROR: InvalidValue =
            InvalidValue("must be an absolute http(s) URL without query, fragment or credentials");
        const PATH: InvalidValue = InvalidValue(
            "must not have a path: cookies with __Host- and passkeys belong to the whole host, so pages of other \
             programs on it could use them. Give the service a host name of its own, such as \
             https://steward.example.com",
        );
        let url = Url::parse(text.trim()).map_err(|_| ERROR)?;
        let plain = matches!(url.scheme(), "http" | "https")
            && url.query().is_none()
            && url.fragment().is_none()
            && url.username().is_empty()
            && url.password().is_none();
        let host = url.host_str().filter(|_| plain).ok_or(ERROR)?;
        if !url.path().trim_end_matches('/').is_empty() {
            return Err(PATH);
        }
        let did_host = url.port().map_or_else(|| host.to_owned(), |port| format!("{host}%3A{port}"));
        Ok(Self { base: url.as_str().trim_end_matches('/').to_owned(), did_host, hostname: host.to_owned() })
    }

    /// Returns the base URL.
    pub fn as_str(&self) -> &str {
        &self.base
    }

    /// Returns the host without its port.
    pub fn hostname(&self) -> &str {
        &self.hostname
    }

    /// Returns the URL of a path, which must start with a slash.
    pub fn at(&self, path: &str) -> String {
        format!("{}{path}", self.base)
    }

    /// Returns the DID of an account of this service (docs/contract.md#dids).
    pub fn account_did(&self, account: AccountId) -> String {
        format!("did:web:{}:u:{}", self.did_host, account.hex())
    }

    /// Returns the DID of a project of this service (docs/contract.md#dids).
    pub fn project_did(&self, project: ProjectId) -> String {
        format!("did:web:{}:projects:{}", self.did_host, project.hex())
    }

    /// Returns whether browsers reach the service over TLS.
    pub fn is_https(&self) -> bool {
        self.base.starts_with("https:")
    }

    /// Returns whether the text is the UUID or the DID of the project.
    pub fn names_project(&self, text: &str, project: ProjectId) -> bool {
        self.project_named(text) == Some(project)
    }

    /// Parses the UUID or the DID of a project of this service. A DID may come from a path, where its `%3A` is decoded,
    /// or from a program that omits the port (docs/contract.md#clients).
    pub fn project_named(&self, text: &str) -> Option<ProjectId> {
        let of = |host: &str| text.strip_prefix("did:web:")?.strip_prefix(host)?.strip_prefix(":projects:");
        let decoded = self.did_host.replace("%3A", ":");
        let hex = of(&self.did_host).or_else(|| of(&decoded)).or_else(|| of(&self.hostname));
        hex.map_or_else(|| ProjectId::parse(text), ProjectId::parse_hex)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_project_is_identified_by_its_uuid_or_by_its_did_of_this_service() {
        let address = ServiceAddress::parse("http://localhost:3003/").unwrap();
        let id = ProjectId::parse("01940000-0000-7000-8000-00000000abcd").unwrap();
        let did = address.project_did(id);
        assert_eq!(did, "did:web:localhost%3A3003:projects:0194000000007000800000000000abcd");
        assert_eq!(address.project_named(&did), Some(id));
        assert_eq!(address.project_named(&id.to_string()), Some(id));
        assert_eq!(address.project_named(&did.replace("%3A", ":")), Some(id));
        let without_port = did.replace("%3A3003", "");
        assert_eq!(address.project_named(&without_port), Some(id));
        assert!(address.names_project(&did, id) && address.names_project(&without_port, id));
        assert_eq!(address.project_named(&did.replace("3003", "3004")), None);
        assert_eq!(address.project_named(&did.replace("localhost", "elsewhere")), None);
    }

    #[test]
    fn an_address_has_no_trailing_slash_and_no_extras() {
        assert_eq!(ServiceAddress::parse("https://a.example/").unwrap().as_str(), "https://a.example");
        for invalid in ["", "ftp://a", "https://u:p@a", "https://a?x", "https://a#x", "a.example"] {
            assert!(ServiceAddress::parse(invalid).is_err(), "{invalid}");
        }
    }

    #[test]
    fn an_address_with_a_path_is_refused_with_the_way_out() {
        for invalid in ["https://a.example/steward", "http://localhost:3003/x/", "https://a.example//x"] {
            let error = ServiceAddress::parse(invalid).unwrap_err().to_string();
            assert!(error.contains("path") && error.contains("host name of its own"), "{invalid}: {error}");
        }
    }
}
