//! Identifiers: distinct types, so that a team ID cannot be passed as a project ID.

use std::fmt;

use uuid::Uuid;

/// The one accepted format of an ID, as a regular expression (ECMA-262).
pub const ID_PATTERN: &str = "^[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}$";

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident)+) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $name(Uuid);

        impl $name {
            /// Parses the one accepted format: hyphenated, in upper or lower case (docs/contract.md#ids).
            /// Returns `None` for any other text. Callers get the same response for it as for an unknown ID.
            pub fn parse(text: &str) -> Option<Self> {
                let id = Uuid::try_parse(text).ok()?;
                id.as_hyphenated().to_string().eq_ignore_ascii_case(text).then_some(Self(id))
            }

            /// Parses the 32 hexadecimal digits used in DIDs, in upper or lower case (docs/contract.md#dids).
            pub fn parse_hex(text: &str) -> Option<Self> {
                let id = Self(Uuid::try_parse(text).ok()?);
                id.hex().eq_ignore_ascii_case(text).then_some(id)
            }

            /// Returns the UUID.
            pub const fn uuid(self) -> Uuid {
                self.0
            }

            /// Returns the 32 hexadecimal digits without hyphens, as used in DIDs (docs/contract.md#dids).
            pub fn hex(self) -> String {
                self.0.as_simple().to_string()
            }
        }

        impl From<Uuid> for $name {
            fn from(id: Uuid) -> Self {
                Self(id)
            }
        }

        impl From<$name> for Uuid {
            fn from(id: $name) -> Self {
                id.0
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
    /// Identifies a client that a project registered: its `client_id`.
    ProjectClientId
    /// Identifies an API key. It does not change when the value is regenerated.
    ApiKeyId
    /// Identifies a webhook.
    WebhookId
    /// Identifies one attempt to deliver an event to a webhook.
    DeliveryId
    /// Identifies a logout token that is to be delivered to a client.
    LogoutDeliveryId
    /// Identifies a request that claimed an idempotency key.
    IdempotentRequestId
    /// Identifies a personal access token.
    PersonalTokenId
    /// Identifies one published version of a project's schema.
    SchemaVersionId
    /// Identifies an account as a user of one project.
    ProjectUserId
    /// Identifies a server key. The ID of a token signing key is its `kid`.
    ServerKeyId
    /// Identifies an authorization request that is waiting for a person to sign in.
    AuthorizationRequestId
    /// Identifies the request of a device that is waiting for a person.
    DeviceAuthorizationId
    /// Identifies the access that a person gave to a project.
    GrantId
    /// Identifies the tokens that derive from one sign-in.
    TokenFamilyId
    /// Identifies a refresh token.
    RefreshTokenId
    /// Identifies a browser session.
    SessionId
    /// Identifies the authenticator app of an account.
    AuthenticatorAppId
    /// Identifies a passkey of an account.
    PasskeyId
    /// Identifies a service at which people sign in.
    IdentityProviderId
    /// Identifies the link of an identity at a provider to an account.
    LinkedIdentityId
    /// Identifies the recovery codes of an account.
    RecoveryCodesId
    /// Identifies a link in an email.
    EmailLinkId
    /// Identifies an uploaded image.
    ImageId
    /// Identifies a rejected change of a device.
    SyncRejectionId
    /// Identifies a deletion of items that can be undone.
    ItemDeletionId
    /// Identifies an import of items that runs in the background.
    ItemImportId
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_hyphenated_uuids_are_valid_ids_in_upper_and_lower_case() {
        let text = "01940000-0000-7000-8000-00000000abcd";
        for hex in ["0194000000007000800000000000abcd", "0194000000007000800000000000ABCD"] {
            assert_eq!(TeamId::parse_hex(hex), TeamId::parse(text));
        }
        assert_eq!(TeamId::parse_hex(text), None);
        for same in [text, "01940000-0000-7000-8000-00000000ABCD", "01940000-0000-7000-8000-00000000aBcD"] {
            assert_eq!(TeamId::parse(same).map(|id| id.to_string()).as_deref(), Some(text), "{same}");
        }
        for other in ["0194000000007000800000000000abcd", "{01940000-0000-7000-8000-00000000abcd}", "", ".."] {
            assert_eq!(TeamId::parse(other), None, "{other}");
        }
    }
}
