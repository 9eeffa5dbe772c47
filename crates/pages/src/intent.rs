//! The reason for a sign-in, carried from page to page until the person is signed in.

use steward_domain::kernel::{InviteId, OpaqueKind};
use url::form_urlencoded;

/// Maximum length of the secret in a link that an inviter passed on, in hexadecimal digits.
const MAX_SECRET_LENGTH: usize = 300;
/// Maximum length of the address of a page to return to, in bytes.
const MAX_PAGE_LENGTH: usize = 1024;

/// Why a person signs in.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum SignInIntent<'a> {
    /// To answer a client's authorization request. Holds its one-time ID.
    Request(&'a str),
    /// To view an invite.
    Invite(InviteLink<'a>),
    /// To open a page of the console. Holds its path and query.
    Page(&'a str),
}

/// The link of an invite.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct InviteLink<'a> {
    pub(crate) id: InviteId,
    /// Proves the invited address, if the link was emailed. In a link that the inviter passed on without a mail server,
    /// the secret with which any account joins.
    pub(crate) proof: Option<&'a str>,
}

impl<'a> InviteLink<'a> {
    /// Parses the value of the link's parameter: the ID, and after a dot the proof.
    pub(crate) fn parse(text: &'a str) -> Option<Self> {
        let (id, proof) = text.split_once('.').map_or((text, None), |(id, proof)| (id, Some(proof)));
        let is_secret = |text: &str| {
            text.len() <= MAX_SECRET_LENGTH && !text.is_empty() && text.bytes().all(|b| b.is_ascii_hexdigit())
        };
        let is_well_formed = proof.is_none_or(|proof| OpaqueKind::EmailLink.parse(proof).is_some() || is_secret(proof));
        InviteId::parse(id).filter(|_| is_well_formed).map(|id| Self { id, proof })
    }
}

impl From<InviteId> for InviteLink<'_> {
    fn from(id: InviteId) -> Self {
        Self { id, proof: None }
    }
}

impl<'a> SignInIntent<'a> {
    /// Returns the intent to open a page of the console, or `None` if the address is not one. The address comes from a
    /// query, so that anyone can choose it.
    pub(crate) fn page(address: &'a str) -> Option<Self> {
        let is_console = address.starts_with("/console/") && !address.contains("..");
        let is_plain = address.len() <= MAX_PAGE_LENGTH && address.bytes().all(|b| b.is_ascii_graphic() && b != b'\\');
        (is_console && is_plain).then_some(Self::Page(address))
    }

    /// Returns the name of its form field or query parameter.
    pub(crate) fn name(&self) -> &'static str {
        match self {
            Self::Request(_) => "request",
            Self::Invite(_) => "invite",
            Self::Page(_) => "next",
        }
    }

    /// Returns the value of that field.
    pub(crate) fn value(&self) -> String {
        match self {
            Self::Request(text) | Self::Page(text) => (*text).to_owned(),
            Self::Invite(InviteLink { id, proof: None }) => id.to_string(),
            Self::Invite(InviteLink { id, proof: Some(proof) }) => format!("{id}.{proof}"),
        }
    }

    /// Returns the path with the intent as a query parameter.
    pub(crate) fn at(&self, path: &str) -> String {
        let query = form_urlencoded::Serializer::new(String::new()).append_pair(self.name(), &self.value()).finish();
        format!("{path}?{query}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_pages_of_the_console_can_be_returned_to() {
        for address in ["/console/start", "/console/teams/t1?after=1_x"] {
            assert!(SignInIntent::page(address).is_some(), "{address}");
        }
        let long = format!("/console/{}", "a".repeat(MAX_PAGE_LENGTH));
        for address in ["", "/", "//evil.example", "/console", "/console/../auth", "/console/\\x", "/console/ x", &long]
        {
            assert!(SignInIntent::page(address).is_none(), "{address}");
        }
    }
}
