//! Where people report vulnerabilities of the service (RFC 9116).

use chrono::{SecondsFormat, TimeDelta};
use url::Url;

use crate::identity::Email;
use crate::kernel::{InvalidValue, ServiceAddress, Time};

/// How long a reader may rely on the file. RFC 9116 §2.5.5 recommends less than a year.
const TTL: TimeDelta = TimeDelta::days(180);
/// Maximum number of contacts.
const MAX_CONTACTS: usize = 10;

/// Where people report vulnerabilities of the service, in the order in which the operator prefers it. It may be empty.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SecurityContacts(Vec<Url>);

impl SecurityContacts {
    /// The path of the file.
    pub const PATH: &'static str = "/.well-known/security.txt";

    /// Parses email addresses and URLs that are separated by commas. An empty text has none.
    pub fn parse(text: &str) -> Result<Self, InvalidValue> {
        let contacts = text.split(',').map(str::trim).filter(|contact| !contact.is_empty()).map(contact);
        let contacts = contacts.collect::<Option<Vec<Url>>>().filter(|contacts| contacts.len() <= MAX_CONTACTS);
        contacts.map(Self).ok_or(InvalidValue(
            "must be at most 10 email addresses or https: URLs, such as security@example.com,https://example.com/x",
        ))
    }

    /// Returns whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the text of the file.
    pub fn file(&self, address: &ServiceAddress, now: Time) -> String {
        let contacts: String = self.0.iter().map(|contact| format!("Contact: {contact}\n")).collect();
        let expires = (now + TTL).to_rfc3339_opts(SecondsFormat::Secs, true);
        format!("{contacts}Expires: {expires}\nCanonical: {}\n", address.at(Self::PATH))
    }
}

fn contact(text: &str) -> Option<Url> {
    if Email::parse(text).is_ok() {
        let url = Url::parse(&format!("mailto:{text}")).ok()?;
        return Some(url).filter(|url| url.query().is_none() && url.fragment().is_none());
    }
    Url::parse(text).ok().filter(|url| matches!(url.scheme(), "https" | "mailto" | "tel"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mocks::instant;

    #[test]
    fn the_file_lists_contacts_in_order_and_expires_within_a_year() {
        let contacts = SecurityContacts::parse("security@example.com, https://example.com/report,tel:+1-201-555-0123");
        let address = ServiceAddress::parse("https://steward.example").unwrap();
        let text = contacts.unwrap().file(&address, instant());
        let lines: Vec<&str> = text.lines().collect();
        let [mail, web, telephone, expires, canonical] = lines.as_slice() else { panic!("{text}") };
        assert_eq!(*mail, "Contact: mailto:security@example.com");
        assert_eq!(*web, "Contact: https://example.com/report");
        assert_eq!(*telephone, "Contact: tel:+1-201-555-0123");
        let expires: Time = expires.strip_prefix("Expires: ").unwrap().parse().unwrap();
        assert!(expires > instant() && expires < instant() + TimeDelta::days(365));
        assert_eq!(*canonical, "Canonical: https://steward.example/.well-known/security.txt");
    }

    #[test]
    fn contacts_are_email_addresses_and_secure_urls() {
        assert!(SecurityContacts::parse(" ").unwrap().is_empty());
        let many = "a@b.c,".repeat(11);
        for invalid in ["example.com", "http://example.com", "security@", "javascript:x", "a@b.c,x", many.as_str()] {
            assert!(SecurityContacts::parse(invalid).is_err(), "{invalid}");
        }
        let text = SecurityContacts::parse("https://example.com/a\r\nExpires: x")
            .map(|contacts| contacts.file(&ServiceAddress::parse("https://a.example").unwrap(), instant()));
        assert!(text.is_err() || text.unwrap().matches("\nExpires:").count() == 1, "A contact is one line.");
    }
}
