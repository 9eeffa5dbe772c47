//! Entities that are written as a whole.

use crate::administration::{ApiKey, Invite, Member, Project, Team, Webhook};
use crate::data::ProjectUser;
use crate::data::schema::SchemaVersion;
use crate::identity::{
    Account, AuthenticatorApp, AuthorizationCode, AuthorizationRequest, DeviceAuthorization, EmailLink, Grant,
    IdentityProvider, LinkedIdentity, LogoutDelivery, Passkey, PersonalToken, ProjectClient, RecoveryCodes,
    RefreshToken, ServerKey, Session, TokenFamily,
};
use crate::kernel::error::ResourceKind;
use crate::kernel::{AuditView, Audited, OwnerIds};

/// Passes all entities to a macro, as `Variant(Type): Replace Remove;` with the writes that the entity has besides the
/// insert. For stores, which need no list of their own.
#[macro_export]
macro_rules! with_entities {
    ($then:ident) => {
        $then! {
            Account(Account): Replace Remove;
            Team(Team): Replace Remove;
            Member(Member): Replace Remove;
            Invite(Invite): Replace Remove;
            Project(Project): Replace Remove;
            Client(ProjectClient): Replace Remove;
            ApiKey(ApiKey): Replace Remove;
            Schema(SchemaVersion): ;
            ProjectUser(ProjectUser): Replace Remove;
            ServerKey(ServerKey): Replace Remove;
            AuthorizationRequest(AuthorizationRequest): Remove;
            DeviceAuthorization(DeviceAuthorization): Replace Remove;
            AuthorizationCode(AuthorizationCode): Replace;
            Grant(Grant): Replace Remove;
            TokenFamily(TokenFamily): Replace;
            RefreshToken(RefreshToken): Replace;
            Session(Session): Remove;
            EmailLink(EmailLink): Remove;
            PersonalToken(PersonalToken): Remove;
            Webhook(Webhook): Replace Remove;
            LogoutDelivery(LogoutDelivery): ;
            AuthenticatorApp(AuthenticatorApp): Replace Remove;
            RecoveryCodes(RecoveryCodes): Replace Remove;
            Passkey(Passkey): Replace Remove;
            IdentityProvider(IdentityProvider): Replace Remove;
            LinkedIdentity(LinkedIdentity): Replace Remove;
        }
    };
}

/// An entity that can be replaced. Some cannot, such as a session:
///
/// ```compile_fail
/// use steward_domain::kernel::changes::Changes;
/// use steward_domain::identity::Session;
///
/// fn replace(changes: Changes, session: Session) -> Changes {
///     changes.replace(session.clone(), session)
/// }
/// ```
pub trait Replace: Into<Entity> {}

/// An entity that can be removed. Some cannot, such as a published schema.
pub trait Remove: Into<Entity> {}

macro_rules! entities {
    ($($variant:ident($entity:ident): $($verb:ident)*;)+) => {
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

            $(impl $verb for $entity {})*
        )+
    };
}

with_entities!(entities);

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
