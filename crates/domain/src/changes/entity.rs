//! Entities that are written as a whole.

use crate::error::ResourceKind;
use crate::model::schema::SchemaVersion;
use crate::model::{
    Account, ApiKey, AuditView, Audited, AuthenticatorApp, AuthorizationCode, AuthorizationRequest,
    DeviceAuthorization, EmailLink, Grant, IdentityProvider, Invite, LinkedIdentity, LogoutDelivery, Member, OwnerIds,
    Passkey, PersonalToken, Project, ProjectClient, ProjectUser, RecoveryCodes, RefreshToken, ServerKey, Session, Team,
    TokenFamily, Webhook,
};

macro_rules! entities {
    ($($variant:ident($entity:ty))+) => {
        /// An entity that is written as a whole.
        #[derive(Debug, Clone, PartialEq)]
        #[expect(missing_docs, reason = "each variant holds the entity it is named after")]
        pub enum Entity {
            $($variant($entity),)+
        }

        impl Entity {
            /// Returns the resource kind of the entity.
            pub fn kind(&self) -> ResourceKind {
                match self {
                    $(Self::$variant(_) => <$entity as Audited>::KIND,)+
                }
            }

            /// Returns the team and the project that the entity belongs to. `None` for those that it does not name.
            pub(super) fn owner_ids(&self) -> OwnerIds {
                match self {
                    $(Self::$variant(entity) => entity.owner_ids(),)+
                }
            }

            /// Returns what the audit log records of the entity; `None` if it records nothing.
            pub(super) fn audit_view(&self) -> Option<AuditView> {
                match self {
                    $(Self::$variant(entity) => entity.audit_view(),)+
                }
            }
        }

        $(
            impl From<$entity> for Entity {
                fn from(entity: $entity) -> Self {
                    Self::$variant(entity)
                }
            }
        )+
    };
}

entities! {
    Account(Account) Team(Team) Member(Member) Invite(Invite) Project(Project) Client(ProjectClient)
    ApiKey(ApiKey) Schema(SchemaVersion) ProjectUser(ProjectUser) ServerKey(ServerKey)
    AuthorizationRequest(AuthorizationRequest) DeviceAuthorization(DeviceAuthorization)
    AuthorizationCode(AuthorizationCode) Grant(Grant) TokenFamily(TokenFamily) RefreshToken(RefreshToken)
    Session(Session) EmailLink(EmailLink) PersonalToken(PersonalToken) Webhook(Webhook) LogoutDelivery(LogoutDelivery)
    AuthenticatorApp(AuthenticatorApp) RecoveryCodes(RecoveryCodes) Passkey(Passkey)
    IdentityProvider(IdentityProvider) LinkedIdentity(LinkedIdentity)
}

impl Entity {
    /// Returns the verb of the event that records the change of a loaded entity to this one.
    pub(super) fn verb_after(&self, loaded: &Self) -> &'static str {
        match (loaded, self) {
            (Self::Account(before), Self::Account(after)) if before.is_operator != after.is_operator => {
                if after.is_operator { "operator_added" } else { "operator_removed" }
            }
            (Self::AuthenticatorApp(_), Self::AuthenticatorApp(_)) => "used",
            (Self::Passkey(before), Self::Passkey(after)) if after.last_challenge != before.last_challenge => "used",
            (Self::LinkedIdentity(_), Self::LinkedIdentity(_)) => "used",
            (Self::RecoveryCodes(before), Self::RecoveryCodes(after)) if after.created_at == before.created_at => {
                "used"
            }
            _ => "updated",
        }
    }
}
