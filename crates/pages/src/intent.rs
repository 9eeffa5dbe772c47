//! What a person came for, carried from page to page until they are signed in.

use steward_domain::model::InviteId;
use url::form_urlencoded;

/// What a person came for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum SignInIntent<'a> {
    /// To answer a client's request, by its one-time id.
    Request(&'a str),
    /// To look at an invite.
    Invite(InviteId),
}

impl SignInIntent<'_> {
    /// The name of the field that carries it.
    pub(crate) fn name(&self) -> &'static str {
        match self {
            Self::Request(_) => "request",
            Self::Invite(_) => "invite",
        }
    }

    /// What that field holds.
    pub(crate) fn value(&self) -> String {
        match self {
            Self::Request(id) => (*id).to_owned(),
            Self::Invite(id) => id.to_string(),
        }
    }

    /// A path of this service that goes on with it.
    pub(crate) fn at(&self, path: &str) -> String {
        let query = form_urlencoded::Serializer::new(String::new()).append_pair(self.name(), &self.value()).finish();
        format!("{path}?{query}")
    }
}
