//! Identifiers: distinct types, so that a team's can never be passed for a project's.

use std::fmt;

use uuid::Uuid;

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident)+) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $name(Uuid);

        impl $name {
            /// Reads the one accepted spelling: lower-case and hyphenated (contract 1.7).
            /// `None` for any other text; to a caller such an id is as unknown as a wrong one.
            pub fn parse(text: &str) -> Option<Self> {
                let id = Uuid::try_parse(text).ok()?;
                (id.as_hyphenated().to_string() == text).then_some(Self(id))
            }

            /// Reads the 32 lower-case hexadecimal digits that DIDs carry (contract 2).
            pub fn parse_hex(text: &str) -> Option<Self> {
                let id = Self(Uuid::try_parse(text).ok()?);
                (id.hex() == text).then_some(id)
            }

            /// The UUID itself.
            pub const fn uuid(self) -> Uuid {
                self.0
            }

            /// The 32 hexadecimal digits without hyphens, as DIDs carry them (contract 2).
            pub fn hex(self) -> String {
                self.0.as_simple().to_string()
            }
        }

        impl From<Uuid> for $name {
            fn from(id: Uuid) -> Self {
                Self(id)
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.as_hyphenated().fmt(f)
            }
        }
    )+};
}

ids! {
    /// Identifies an account: a person who can sign in.
    AccountId
    /// Identifies a team.
    TeamId
    /// Identifies an invite.
    InviteId
    /// Identifies a project.
    ProjectId
    /// Identifies an API key; it stays when the value is regenerated.
    ApiKeyId
    /// Identifies a webhook.
    WebhookId
    /// Identifies one attempt to tell a webhook of an event.
    DeliveryId
    /// Identifies a claim on an idempotency key.
    IdempotentRequestId
    /// Identifies a personal access token.
    PersonalTokenId
    /// Identifies one published version of a project's schema.
    SchemaVersionId
    /// Identifies an account's part in one project.
    ProjectUserId
    /// Identifies a key of the server's own; a token-signing key's is its `kid`.
    ServerKeyId
    /// Identifies a request that waits for a person to sign in.
    AuthorizationRequestId
    /// Identifies what a person allowed a project.
    GrantId
    /// Identifies all tokens that follow from one sign-in.
    TokenFamilyId
    /// Identifies a refresh token.
    RefreshTokenId
    /// Identifies a browser's session.
    SessionId
    /// Identifies a link in an email.
    EmailLinkId
    /// Identifies an image that was uploaded.
    ImageId
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_lower_case_hyphenated_spelling_is_an_id() {
        let text = "01940000-0000-7000-8000-00000000abcd";
        assert_eq!(TeamId::parse_hex("0194000000007000800000000000abcd"), TeamId::parse(text));
        assert_eq!(TeamId::parse_hex(text), None);
        assert_eq!(TeamId::parse(text).map(|id| id.to_string()).as_deref(), Some(text));
        for other in [
            "01940000-0000-7000-8000-00000000ABCD",
            "0194000000007000800000000000abcd",
            "{01940000-0000-7000-8000-00000000abcd}",
            "",
            "..",
        ] {
            assert_eq!(TeamId::parse(other), None, "{other}");
        }
    }
}
