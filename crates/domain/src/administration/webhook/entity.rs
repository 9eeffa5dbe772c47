//! Webhooks and their deliveries (Standard Webhooks 1.0).

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use url::{Host, Url};

use crate::administration::{AuditEvent, WebhookOrdering};
use crate::kernel::text::characters::check_text;
use crate::kernel::{
    AccountId, InvalidText, InvalidValue, ProjectId, ReplacedValue, ReplacedValues, ResourceKind, ResourceScope,
    Revision, TeamId, Time, WebhookId, as_text, audited, debug_only,
};

/// The URL that events are sent to: an https URL of at most 2,048 characters, without username and password.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WebhookUrl(String);

impl WebhookUrl {
    /// The maximum length, in bytes.
    pub const MAX_LENGTH: usize = 2048;

    /// Trims and validates the text. `allow_private` also allows http and private networks, for tests and closed
    /// networks.
    pub fn parse(text: &str, allow_private: bool) -> Result<Self, InvalidText> {
        let url = Self::stored(text, allow_private)?;
        check_text(&url.0)?;
        Ok(url)
    }

    /// Parses a stored text. Earlier versions accepted characters that people cannot see.
    pub fn stored(text: &str, allow_private: bool) -> Result<Self, InvalidValue> {
        const ERROR: InvalidValue =
            InvalidValue("must be an https URL of at most 2,048 characters, like https://example.com/hook");
        let text = text.trim();
        let url = Url::parse(text).ok().filter(|_| text.len() <= Self::MAX_LENGTH).ok_or(ERROR)?;
        let scheme = url.scheme() == "https" || allow_private && url.scheme() == "http";
        if !scheme || !url.username().is_empty() || url.password().is_some() || url.fragment().is_some() {
            return Err(ERROR);
        }
        let address = match url.host().ok_or(ERROR)? {
            Host::Domain(_) => None,
            Host::Ipv4(address) => Some(IpAddr::V4(address)),
            Host::Ipv6(address) => Some(IpAddr::V6(address)),
        };
        if address.is_some_and(|address| !allow_private && !is_public(address)) {
            return Err(InvalidValue("must not be a private network address"));
        }
        Ok(Self(text.to_owned()))
    }
}

as_text!(WebhookUrl);

/// Networks that are not part of the public internet (RFC 6890, and the multicast and documentation ranges), as first
/// address and prefix length.
const NOT_PUBLIC_V4: [(Ipv4Addr, u32); 14] = [
    (Ipv4Addr::new(0, 0, 0, 0), 8),
    (Ipv4Addr::new(10, 0, 0, 0), 8),
    (Ipv4Addr::new(100, 64, 0, 0), 10),
    (Ipv4Addr::new(127, 0, 0, 0), 8),
    (Ipv4Addr::new(169, 254, 0, 0), 16),
    (Ipv4Addr::new(172, 16, 0, 0), 12),
    (Ipv4Addr::new(192, 0, 0, 0), 24),
    (Ipv4Addr::new(192, 0, 2, 0), 24),
    (Ipv4Addr::new(192, 168, 0, 0), 16),
    (Ipv4Addr::new(198, 18, 0, 0), 15),
    (Ipv4Addr::new(198, 51, 100, 0), 24),
    (Ipv4Addr::new(203, 0, 113, 0), 24),
    (Ipv4Addr::new(224, 0, 0, 0), 4),
    (Ipv4Addr::new(240, 0, 0, 0), 4),
];

/// Returns whether an address is on the public internet: neither private nor link-local, nor otherwise limited to this
/// machine or its network.
pub fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => {
            let inside = |(network, length): &(Ipv4Addr, u32)| {
                let mask = u32::MAX.checked_shl(32_u32.saturating_sub(*length)).unwrap_or(0);
                address.to_bits() & mask == network.to_bits()
            };
            !NOT_PUBLIC_V4.iter().any(inside)
        }
        IpAddr::V6(address) => is_public_v6(address),
    }
}

/// Only global unicast (2000::/3) is public in IPv6, except the ranges for documentation and benchmarks. An address
/// that embeds an IPv4 address is public only if the IPv4 address is.
fn is_public_v6(address: Ipv6Addr) -> bool {
    let [first, second, third, ..] = address.segments();
    let embedded = |high: u16, low: u16| {
        let ([a, b], [c, d]) = (high.to_be_bytes(), low.to_be_bytes());
        is_public(IpAddr::V4(Ipv4Addr::new(a, b, c, d)))
    };
    match (first, second) {
        (0x2001, 0..=0x01ff | 0x0db8) => false,
        (0x2002, _) => embedded(second, third),
        _ => first & 0xe000 == 0x2000,
    }
}

/// The events of teams and projects to which webhooks can subscribe: the verbs of each resource kind.
const EVENTS: &[(ResourceKind, &[&str])] = &[
    (ResourceKind::Team, &["created", "updated", "deleted", AuditEvent::REFUSED]),
    (ResourceKind::Member, &["created", "updated", "deleted"]),
    (ResourceKind::Invite, &["created", "updated", "deleted"]),
    (
        ResourceKind::Project,
        &["created", "updated", "deleted", AuditEvent::REFUSED, AuditEvent::CLIENT_REQUEST_REFUSED],
    ),
    (ResourceKind::ApiKey, &["created", "updated", "deleted"]),
    (ResourceKind::Client, &["created", "updated", "deleted"]),
    (ResourceKind::IdentityProvider, &["created", "updated", "deleted", AuditEvent::SIGN_IN_FAILED]),
    (ResourceKind::Schema, &["created"]),
    (ResourceKind::ProjectUser, &["created", "updated", "deleted"]),
    (ResourceKind::Item, &["created", "updated", "deleted"]),
    (ResourceKind::Grant, &["created", "updated", "deleted"]),
    (ResourceKind::Webhook, &["created", "updated", "deleted"]),
];

/// The events that a webhook receives.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EventSelection {
    /// All events, including those added by later versions.
    All,
    /// Only events with these names.
    Names(Vec<String>),
}

impl EventSelection {
    /// The maximum number of names in a selection.
    pub const MAX_NAMES: usize = 100;

    /// Returns the names of all events to which webhooks can subscribe, such as `team.updated`.
    pub fn known_names() -> Vec<String> {
        Self::known().map(|(kind, verb)| format!("{}.{verb}", kind.as_str())).collect()
    }

    /// Returns all events to which webhooks can subscribe: the kind of the resource, and the verb.
    pub fn known() -> impl Iterator<Item = (ResourceKind, &'static str)> {
        EVENTS.iter().flat_map(|(kind, verbs)| verbs.iter().map(|verb| (*kind, *verb)))
    }

    /// Parses `["*"]` or a list of event names.
    pub fn parse(texts: &[String]) -> Result<Self, String> {
        if texts.len() > Self::MAX_NAMES {
            return Err(format!("must contain at most {} names", Self::MAX_NAMES));
        }
        if texts.iter().any(|text| text == "*") {
            return Ok(Self::All);
        }
        let known = Self::known_names();
        let mut names: Vec<String> = texts.iter().map(|text| text.trim().to_owned()).collect();
        names.sort_unstable();
        names.dedup();
        if names.is_empty() || !names.iter().all(|name| known.contains(name)) {
            return Err(format!("must be [\"*\"] or contain only these names: {}", known.join(", ")));
        }
        Ok(Self::Names(names))
    }

    /// Restores a stored selection. Keeps unknown names, which a newer version may have stored; they match no event in
    /// this version.
    pub fn from_stored(texts: Vec<String>) -> Self {
        if texts.iter().any(|text| text == "*") { Self::All } else { Self::Names(texts) }
    }

    /// Returns the selection as it is returned in responses and stored.
    pub fn texts(&self) -> Vec<String> {
        match self {
            Self::All => vec!["*".to_owned()],
            Self::Names(names) => names.clone(),
        }
    }

    /// Returns whether the selection contains an event.
    pub fn matches(&self, event: &AuditEvent) -> bool {
        match self {
            Self::All => true,
            Self::Names(names) => names.contains(&event.action),
        }
    }
}

/// A webhook of a team or project.
#[derive(Clone, PartialEq, Eq)]
pub struct Webhook {
    /// Unique ID of the webhook.
    pub id: WebhookId,
    /// The team whose events are sent, or the team of the project.
    pub team_id: TeamId,
    /// The project whose events are sent; `None` if the webhook receives the events of the team and its projects.
    pub project_id: Option<ProjectId>,
    /// The URL that events are sent to.
    pub url: WebhookUrl,
    /// The events to send.
    pub events: EventSelection,
    /// Which events wait for each other.
    pub ordering: WebhookOrdering,
    /// The signing secret, encrypted with the server secret.
    pub secret: Vec<u8>,
    /// The encrypted secrets before it, with which deliveries are signed, too, while they work.
    pub replaced: ReplacedValues<Vec<u8>>,
    /// Set while the webhook is paused.
    pub pause: Option<WebhookPause>,
    /// The position of the last event before the webhook was created. Only later events are sent.
    pub begins_after: i64,
    /// The account that created the webhook.
    pub created_by: AccountId,
    /// The account that authorizes the webhook: the one that created it, last changed its URL or last resumed it. No
    /// events are sent once this account may no longer manage webhooks in the team.
    pub authorized_by: AccountId,
    /// When the webhook was created.
    pub created_at: Time,
    /// The revision, for compare-and-set.
    pub revision: Revision,
}

audited!(Webhook as Webhook of |webhook| (Some(webhook.team_id), webhook.project_id), |webhook| {
    "url": webhook.url.as_str(), "events": webhook.events.texts(), "ordering": webhook.ordering.as_str(),
    "status": webhook.status().as_str(),
});

impl Webhook {
    /// Returns the team or project whose events are sent.
    pub fn scope(&self) -> ResourceScope {
        ResourceScope::of(self.team_id, self.project_id)
    }

    /// Returns the webhook with a new encrypted secret. Deliveries are signed with the old one until `expires_at`, too, and
    /// with those before it as long as they were to.
    pub fn with_new_secret(self, encrypted: Vec<u8>, expires_at: Time, now: Time) -> Self {
        let old = ReplacedValue { stored: self.secret, expires_at, last_used: None };
        Self { secret: encrypted, replaced: self.replaced.after_rotation(old, now), ..self }
    }

    /// Returns the encrypted secrets with which a delivery at `now` is signed, newest first.
    pub fn secrets_at(&self, now: Time) -> Vec<&[u8]> {
        let replaced = self.replaced.iter().filter(|(_, replaced)| replaced.expires_at > now);
        [self.secret.as_slice()].into_iter().chain(replaced.map(|(_, replaced)| replaced.stored.as_slice())).collect()
    }
}

debug_only!(Webhook: id, url);

/// The pause of a webhook. No events are sent while it is paused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WebhookPause {
    /// When the webhook was paused.
    pub at: Time,
    /// The reason, for display.
    pub reason: String,
}

#[cfg(test)]
mod tests {
    use chrono::TimeDelta;

    use super::*;
    use crate::administration::WebhookDelivery;
    use crate::mocks::{a_webhook, id_of, instant};

    #[test]
    fn a_message_is_signed_with_the_two_newest_old_secrets_while_they_work() {
        let at = |hour| instant() + TimeDelta::hours(hour);
        let rotated = |webhook: Webhook, secret, hour| webhook.with_new_secret(vec![secret], at(hour + 24), at(hour));
        let first = a_webhook(id_of("team").into(), None);
        let third = rotated(rotated(first.clone(), 22, 0), 33, 1);
        let secrets = |webhook: &Webhook, hour| webhook.secrets_at(at(hour)).concat();
        assert_eq!(secrets(&third, 23), [[33_u8, 22].as_slice(), first.secret.as_slice()].concat());
        assert_eq!((secrets(&third, 24), secrets(&third, 25)), (vec![33_u8, 22], vec![33_u8]));
        assert_eq!(secrets(&rotated(third, 44, 2), 2), vec![44_u8, 33, 22]);
    }

    #[test]
    fn webhook_urls_must_be_public_and_use_https() {
        for valid in ["https://example.com/hook?a=b", "https://8.8.8.8:8443/", "https://[2606:4700::1111]/"] {
            assert!(WebhookUrl::parse(valid, false).is_ok(), "{valid}");
        }
        for invalid in [
            "http://example.com",
            "https://user:pass@example.com",
            "https://example.com/#x",
            "https://127.0.0.1/",
            "https://2130706433/",
            "https://0x7f.1/",
            "https://10.1.2.3/",
            "https://169.254.169.254/latest/meta-data",
            "https://[::1]/",
            "https://[::ffff:10.0.0.1]/",
            "https://[fe80::1]/",
            "https://[fd00::1]/",
            "https://[64:ff9b::a00:1]/",
            "https://[2002:a00:1::]/",
            "ftp://example.com",
            "example.com",
            &format!("https://example.com/{}", "x".repeat(2048)),
        ] {
            assert!(WebhookUrl::parse(invalid, false).is_err(), "{invalid}");
        }
        assert!(WebhookUrl::parse("http://127.0.0.1:9/hook", true).is_ok());
    }

    #[test]
    fn a_selection_accepts_only_known_event_names() {
        let of = |names: &[&str]| EventSelection::parse(&names.iter().map(ToString::to_string).collect::<Vec<_>>());
        assert_eq!(of(&["*", "x"]), Ok(EventSelection::All));
        let names = of(&["team.updated", "api_key.created", "team.updated"]).unwrap();
        assert_eq!(names.texts(), ["api_key.created", "team.updated"]);
        assert!(of(&[]).is_err() && of(&[WebhookDelivery::TEST_EVENT]).is_err());
        assert!(of(&["team.exploded"]).unwrap_err().contains("team.updated"));
        let stored = EventSelection::from_stored(vec!["team.exploded".into(), "team.updated".into()]);
        assert_eq!(stored.texts(), ["team.exploded", "team.updated"], "a newer version may have stored the name");
        assert_eq!(EventSelection::from_stored(vec!["*".into()]), EventSelection::All);
    }
}
