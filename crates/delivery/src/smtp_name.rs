//! The name with which the service greets a mail server.

use std::net::Ipv4Addr;

use lettre::transport::smtp::extension::ClientId;
use steward_domain::kernel::ServiceAddress;
use url::Host;

/// The name with which the service greets a mail server (`EHLO`, RFC 5321 §4.1.4): a host name with a dot, or an IP
/// address. Mail servers refuse other names, such as that of a container.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SmtpName {
    /// The parameter of the command.
    pub(crate) client: ClientId,
    /// Whether the operator configured the name.
    pub(crate) is_configured: bool,
}

impl SmtpName {
    /// Parses the name that the operator configures.
    pub fn parse(text: &str) -> Result<Self, &'static str> {
        let client = client(text).ok_or("must be a host name such as mail.example.com, or an IP address")?;
        Ok(Self { client, is_configured: true })
    }

    /// Returns the host of the service, or the address of this machine if mail servers do not accept the host.
    pub fn of_service(address: &ServiceAddress) -> Self {
        let client = client(address.hostname()).unwrap_or(ClientId::Ipv4(Ipv4Addr::LOCALHOST));
        Self { client, is_configured: false }
    }
}

fn client(text: &str) -> Option<ClientId> {
    match Host::parse(text).ok()? {
        Host::Domain(name) => Some(name).filter(|name| is_full_name(name)).map(ClientId::Domain),
        Host::Ipv4(address) => Some(ClientId::Ipv4(address)),
        Host::Ipv6(address) => Some(ClientId::Ipv6(address)),
    }
}

fn is_full_name(name: &str) -> bool {
    let is_label =
        |label: &str| !label.is_empty() && label.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
    name.contains('.') && name.split('.').all(is_label)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_that_of_the_service_unless_it_is_configured() {
        let of_service = |url: &str| SmtpName::of_service(&ServiceAddress::parse(url).unwrap()).client.to_string();
        assert_eq!(of_service("https://steward.example.com"), "steward.example.com");
        assert_eq!(of_service("https://müller.example:8443"), "xn--mller-kva.example");
        assert_eq!(of_service("http://192.0.2.1"), "[192.0.2.1]");
        assert_eq!(of_service("http://[2001:db8::1]:3003"), "[IPv6:2001:db8::1]");
        for bare in ["http://localhost:3003", "http://intranet"] {
            assert_eq!(of_service(bare), "[127.0.0.1]", "{bare}");
        }
        assert_eq!(SmtpName::parse("Mail.Example.com").unwrap().client.to_string(), "mail.example.com");
        for invalid in
            ["", "mail", "f3a1c9d2b7e4", "mail.example.com:25", "https://mail.example.com", "a.b\r\nQUIT", "a_b.c"]
        {
            assert!(SmtpName::parse(invalid).is_err(), "{invalid:?}");
        }
    }
}
