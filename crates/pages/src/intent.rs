//! The reason for a sign-in, carried from page to page until the person is signed in.

use steward_domain::model::InviteId;
use url::form_urlencoded;

/// Why a person signs in.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum SignInIntent<'a> {
    /// To answer a client's authorization request. Holds its one-time ID.
    Request(&'a str),
    /// To view an invite.
    Invite(InviteId),
}

impl SignInIntent<'_> {
    /// Returns the name of its form field or query parameter.
    pub(crate) fn name(&self) -> &'static str {
        match self {
            Self::Request(_) => "request",
            Self::Invite(_) => "invite",
        }
    }

    /// Returns the value of that field.
    pub(crate) fn value(&self) -> String {
        match self {
            Self::Request(id) => (*id).to_owned(),
            Self::Invite(id) => id.to_string(),
        }
    }

    /// Returns the path with the intent as a query parameter.
    pub(crate) fn at(&self, path: &str) -> String {
        let query = form_urlencoded::Serializer::new(String::new()).append_pair(self.name(), &self.value()).finish();
        format!("{path}?{query}")
    }
}
