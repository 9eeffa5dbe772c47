//! Webhooks: who wants to be told of what, and what became of telling them (Standard Webhooks 1.0).

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use url::{Host, Url};

use crate::changes::event_names;

use super::{AccountId, AuditEvent, AuditScope, DeliveryId, InvalidValue, Revision, Time, WebhookId};

/// Where events are sent: an https URL up to 2,048 characters, without a name and password in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WebhookUrl(String);

impl WebhookUrl {
    /// Checks the text. `allow_private` lets http and the machine's own network pass: for tests and closed networks.
    pub fn parse(text: &str, allow_private: bool) -> Result<Self, InvalidValue> {
        const ERROR: InvalidValue =
            InvalidValue("must be an https URL of at most 2,048 characters, like https://example.com/hook");
        let text = text.trim();
        let url = Url::parse(text).ok().filter(|_| text.len() <= 2048).ok_or(ERROR)?;
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
            return Err(InvalidValue("must not be an address of a private network"));
        }
        Ok(Self(text.to_owned()))
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Networks that are not the internet at large (RFC 6890, and the multicast and documentation ranges): first address and
/// length of the prefix.
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

/// Whether an address is of the internet at large: neither private nor link-local nor anything else that only means
/// something on this machine or beside it.
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

/// Of IPv6 only global unicast is public (2000::/3), less the ranges for documentation and benchmarks, and those in which an
/// IPv4 address is wrapped unless that one is public.
fn is_public_v6(address: Ipv6Addr) -> bool {
    let [first, second, third, ..] = address.segments();
    let wrapped = |high: u16, low: u16| {
        let ([a, b], [c, d]) = (high.to_be_bytes(), low.to_be_bytes());
        is_public(IpAddr::V4(Ipv4Addr::new(a, b, c, d)))
    };
    match (first, second) {
        (0x2001, 0..=0x01ff | 0x0db8) => false,
        (0x2002, _) => wrapped(second, third),
        _ => first & 0xe000 == 0x2000,
    }
}

/// How many names a selection may have.
const MAX_NAMES: usize = 100;

/// Which events are wanted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EventSelection {
    /// All of them, also those that come with later versions.
    All,
    /// Those with these names.
    Names(Vec<String>),
}

impl EventSelection {
    /// Reads `["*"]`, or names of events.
    pub fn parse(texts: &[String]) -> Result<Self, String> {
        if texts.len() > MAX_NAMES {
            return Err(format!("must be at most {MAX_NAMES} names"));
        }
        if texts.iter().any(|text| text == "*") {
            return Ok(Self::All);
        }
        let known = event_names();
        let mut names: Vec<String> = texts.iter().map(|text| text.trim().to_owned()).collect();
        names.sort_unstable();
        names.dedup();
        if names.is_empty() || !names.iter().all(|name| known.contains(name)) {
            return Err(format!("must be [\"*\"] or names among: {}", known.join(", ")));
        }
        Ok(Self::Names(names))
    }

    /// Reads what is kept. Names that this version does not know stay: a newer one may have stored them, and they choose
    /// nothing here.
    pub fn read(texts: Vec<String>) -> Self {
        if texts.iter().any(|text| text == "*") { Self::All } else { Self::Names(texts) }
    }

    /// As it is answered and kept.
    pub fn texts(&self) -> Vec<String> {
        match self {
            Self::All => vec!["*".to_owned()],
            Self::Names(names) => names.clone(),
        }
    }

    /// Whether an event is among them.
    pub fn wants(&self, event: &AuditEvent) -> bool {
        match self {
            Self::All => true,
            Self::Names(names) => names.contains(&event.action),
        }
    }
}

/// A signing secret that was replaced and is still signed with.
#[derive(Clone, PartialEq, Eq)]
pub struct PreviousSecret {
    /// The secret, encrypted under the server secret.
    pub encrypted: Vec<u8>,
    /// Until when it is signed with.
    pub expires_at: Time,
}

/// Why a webhook is paused whose authority has ended.
pub const UNAUTHORIZED: &str = "The member who authorized this webhook can no longer manage webhooks in the team. \
     Set its status to active to authorize it yourself.";

/// Why nothing is sent any more.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WebhookPause {
    /// Since when.
    pub at: Time,
    /// What happened, in words.
    pub reason: String,
}

impl Webhook {
    /// Pauses it because nobody answers for it any more.
    pub fn unauthorized(self, now: Time) -> Self {
        Self { pause: Some(WebhookPause { at: now, reason: UNAUTHORIZED.to_owned() }), ..self }
    }
}

/// Somebody who wants to be told.
#[derive(Clone, PartialEq, Eq)]
pub struct Webhook {
    /// Its id.
    pub id: WebhookId,
    /// Whose events it is told.
    pub scope: AuditScope,
    /// Where they are sent.
    pub url: WebhookUrl,
    /// Which of them.
    pub events: EventSelection,
    /// The signing secret, encrypted under the server secret.
    pub secret: Vec<u8>,
    /// The one before, for a while.
    pub previous: Option<PreviousSecret>,
    /// Set when nothing is sent any more.
    pub pause: Option<WebhookPause>,
    /// The position of the last event before it was created: later ones are sent.
    pub begins_after: i64,
    /// Who made it.
    pub created_by: AccountId,
    /// Whose authority it rests on: who made it, or last changed its URL or resumed it. Nothing is sent once they may not
    /// manage webhooks in the team any more.
    pub authorized_by: AccountId,
    /// When it was made.
    pub created_at: Time,
    /// For compare-and-set.
    pub revision: Revision,
}

impl fmt::Debug for Webhook {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Webhook").field("id", &self.id).field("url", &self.url).finish_non_exhaustive()
    }
}

/// One attempt to tell somebody of one event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WebhookDelivery {
    /// Its id.
    pub id: DeliveryId,
    /// Who was told.
    pub webhook_id: WebhookId,
    /// The position of the event in the audit log.
    pub position: i64,
    /// The event's name.
    pub event: String,
    /// The how-manieth attempt; 0 for one that a person asked for.
    pub attempt: u32,
    /// When it was made.
    pub at: Time,
    /// How long it took, in milliseconds.
    pub took_ms: i64,
    /// What the receiver answered; `None`: nothing.
    pub status: Option<u16>,
    /// Why it counts as failed.
    pub error: Option<String>,
}

/// What is sent: the headers and the body of Standard Webhooks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WebhookMessage {
    /// `webhook-id`: the same for every attempt.
    pub id: String,
    /// `webhook-timestamp`: of this attempt, in seconds of Unix time.
    pub timestamp: i64,
    /// `webhook-signature`: one for each secret, with a space between.
    pub signature: String,
    /// The event as JSON.
    pub body: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_go_to_the_internet_over_tls_only() {
        for good in ["https://example.com/hook?a=b", "https://8.8.8.8:8443/", "https://[2606:4700::1111]/"] {
            assert!(WebhookUrl::parse(good, false).is_ok(), "{good}");
        }
        for bad in [
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
            assert!(WebhookUrl::parse(bad, false).is_err(), "{bad}");
        }
        assert!(WebhookUrl::parse("http://127.0.0.1:9/hook", true).is_ok());
    }

    #[test]
    fn names_of_events_are_those_that_there_are() {
        let of = |names: &[&str]| EventSelection::parse(&names.iter().map(ToString::to_string).collect::<Vec<_>>());
        assert_eq!(of(&["*", "x"]), Ok(EventSelection::All));
        let names = of(&["team.updated", "api_key.created", "team.updated"]).unwrap();
        assert_eq!(names.texts(), ["api_key.created", "team.updated"]);
        assert!(of(&[]).is_err());
        assert!(of(&["team.exploded"]).unwrap_err().contains("team.updated"));
        let kept = EventSelection::read(vec!["team.exploded".into(), "team.updated".into()]);
        assert_eq!(kept.texts(), ["team.exploded", "team.updated"], "a newer version may have stored it");
        assert_eq!(EventSelection::read(vec!["*".into()]), EventSelection::All);
    }
}
