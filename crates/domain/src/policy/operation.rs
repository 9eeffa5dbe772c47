//! The one table of operations: what each is called, who may call it and which permission it needs. Checks, the OpenAPI
//! document and the tests read it.

use super::Permission;
use crate::model::Scope;

use Callers::{Account, AccountOrKey, AccountOrUser, Anyone, Credential, User};
use Needs::{Nothing, OfProject, OfProjectBoth, OfScope, OfTeam};
use Permission as P;
use Repeats::{Keyed, Own, Safe};

/// Which credential an operation takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Callers {
    /// None is needed.
    Anyone,
    /// A person's token.
    Account,
    /// A person's token or a project's API key.
    AccountOrKey,
    /// A person's token for a project.
    User,
    /// A person's token, be it for a project.
    AccountOrUser,
    /// Any that there is.
    Credential,
}

/// What the caller must hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Needs {
    /// Nothing beyond the credential.
    Nothing,
    /// A permission in the team it is about.
    OfTeam(Permission),
    /// A permission in the project it is about.
    OfProject(Permission),
    /// Two permissions in the project it is about.
    OfProjectBoth(Permission, Permission),
    /// A scope of the person's token for the project it is about.
    OfScope(Scope),
}

impl Needs {
    /// The permissions that are needed: none, one, or both.
    pub fn permissions(self) -> impl Iterator<Item = Permission> {
        let (first, second) = match self {
            Nothing | OfScope(_) => (None, None),
            OfTeam(permission) | OfProject(permission) => (Some(permission), None),
            OfProjectBoth(first, second) => (Some(first), Some(second)),
        };
        first.into_iter().chain(second)
    }

    /// The scope, if one is needed.
    pub const fn scope(self) -> Option<Scope> {
        match self {
            OfScope(scope) => Some(scope),
            Nothing | OfTeam(_) | OfProject(_) | OfProjectBoth(..) => None,
        }
    }
}

/// What happens when an operation is asked for again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Repeats {
    /// Nothing: it changes nothing.
    Safe,
    /// With the same `Idempotency-Key`, nothing: the first answer is given again.
    Keyed,
    /// What its own protocol says: it has no caller whose keys could be told apart, or it ends the credential it came with.
    Own,
}

impl Repeats {
    /// The name in the OpenAPI document.
    pub const fn as_str(self) -> &'static str {
        match self {
            Safe => "safe",
            Keyed => "key",
            Own => "none",
        }
    }
}

/// One row of the table.
#[derive(Debug, Clone, Copy)]
pub struct Rule {
    /// The operation.
    pub operation: Operation,
    /// Its name: the `operationId` of the OpenAPI document and the action of the audit trail.
    pub name: &'static str,
    /// Which credential it takes.
    pub callers: Callers,
    /// What the caller must hold.
    pub needs: Needs,
    /// What happens when it is asked for again.
    pub repeats: Repeats,
}

macro_rules! operations {
    ($($variant:ident $name:literal $callers:expr, $needs:expr, $repeats:expr;)+) => {
        /// Something that a caller can ask for.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        #[expect(missing_docs, reason = "the names say it; the OpenAPI document describes each")]
        pub enum Operation { $($variant),+ }

        impl Operation {
            /// The table.
            pub const RULES: &[Rule] = &[
                $(Rule { operation: Self::$variant, name: $name, callers: $callers, needs: $needs, repeats: $repeats }),+
            ];

            /// The operation's row.
            pub const fn rule(self) -> Rule {
                match self {
                    $(Self::$variant => Rule { operation: self, name: $name, callers: $callers, needs: $needs, repeats: $repeats }),+
                }
            }
        }
    };
}

operations! {
    SignUp "signUp" Anyone, Nothing, Own;
    LogIn "logIn" Anyone, Nothing, Own;
    UserInfo "getUserInfo" AccountOrUser, Nothing, Safe;
    UserInfoPost "postUserInfo" AccountOrUser, Nothing, Safe;
    Authorize "authorize" Anyone, Nothing, Own;
    AuthorizePost "authorizeByForm" Anyone, Nothing, Own;
    TokenExchange "exchangeToken" Anyone, Nothing, Own;
    TokenRevoke "revokeToken" Anyone, Nothing, Own;
    TokenIntrospect "introspectToken" AccountOrKey, Nothing, Safe;
    CredentialGet "getOwnCredential" Credential, Nothing, Safe;
    PersonalTokenList "listPersonalTokens" Account, Nothing, Safe;
    PersonalTokenCreate "createPersonalToken" Account, Nothing, Keyed;
    PersonalTokenRevoke "revokePersonalToken" Account, Nothing, Keyed;

    TeamList "listTeams" Account, Nothing, Safe;
    TeamCreate "createTeam" Account, Nothing, Keyed;
    TeamSlug "checkTeamSlug" Anyone, Nothing, Safe;
    TeamGet "getTeam" AccountOrKey, OfTeam(P::TeamRead), Safe;
    TeamUpdate "updateTeam" Account, OfTeam(P::TeamWrite), Keyed;
    TeamDelete "deleteTeam" Account, OfTeam(P::TeamDelete), Keyed;
    TeamAudit "listTeamAudit" AccountOrKey, OfTeam(P::AuditRead), Safe;
    TeamEvents "listTeamEvents" AccountOrKey, OfTeam(P::AuditRead), Safe;
    MemberList "listMembers" AccountOrKey, OfTeam(P::MemberRead), Safe;
    MemberUpdate "updateMember" Account, OfTeam(P::MemberWrite), Keyed;
    MemberRemove "removeMember" Account, OfTeam(P::MemberWrite), Keyed;
    InviteList "listInvites" AccountOrKey, OfTeam(P::InviteRead), Safe;
    InviteCreate "createInvite" Account, OfTeam(P::InviteWrite), Keyed;
    InviteRevoke "deleteInvite" Account, OfTeam(P::InviteWrite), Keyed;
    InviteAccept "acceptInvite" Account, Nothing, Keyed;
    InviteDecline "declineInvite" Account, Nothing, Keyed;
    OwnInviteList "listOwnInvites" Account, Nothing, Safe;

    ProjectList "listProjects" AccountOrKey, Nothing, Safe;
    ProjectCreate "createProject" Account, OfTeam(P::ProjectCreate), Keyed;
    ProjectGet "getProject" AccountOrKey, OfProject(P::ProjectRead), Safe;
    ProjectUpdate "updateProject" AccountOrKey, OfProject(P::ProjectWrite), Keyed;
    ProjectDelete "deleteProject" Account, OfProject(P::ProjectDelete), Keyed;
    ProjectSlug "checkProjectSlug" Anyone, Nothing, Safe;
    ProjectProfile "getProjectProfile" Anyone, Nothing, Safe;
    SettingsGet "getSettings" AccountOrKey, OfProject(P::ProjectRead), Safe;
    SettingsUpdate "updateSettings" AccountOrKey, OfProject(P::ProjectWrite), Keyed;
    SettingsReset "resetSettings" AccountOrKey, OfProject(P::ProjectWrite), Keyed;

    ImageList "listImages" AccountOrKey, OfProject(P::ProjectRead), Safe;
    IconUpload "uploadIcon" AccountOrKey, OfProject(P::ProjectWrite), Keyed;
    IconDelete "deleteIcon" AccountOrKey, OfProject(P::ProjectWrite), Keyed;
    BackgroundUpload "uploadBackground" AccountOrKey, OfProject(P::ProjectWrite), Keyed;
    BackgroundDelete "deleteBackground" AccountOrKey, OfProject(P::ProjectWrite), Keyed;
    ProjectAudit "listProjectAudit" AccountOrKey, OfProject(P::AuditRead), Safe;
    ProjectEvents "listProjectEvents" AccountOrKey, OfProject(P::AuditRead), Safe;

    KeyList "listKeys" AccountOrKey, OfProject(P::KeyRead), Safe;
    KeyCreate "createKey" Account, OfProject(P::KeyWrite), Keyed;
    KeyGet "getKey" AccountOrKey, OfProject(P::KeyRead), Safe;
    KeyUpdate "updateKey" Account, OfProject(P::KeyWrite), Keyed;
    KeyDelete "deleteKey" Account, OfProject(P::KeyWrite), Keyed;
    KeyVerify "verifyKey" AccountOrKey, OfProject(P::KeyRead), Safe;
    KeyRegenerate "regenerateKey" AccountOrKey, OfProject(P::KeyWrite), Keyed;

    SchemaGet "getSchema" Anyone, Nothing, Safe;
    SchemaPublish "publishSchema" AccountOrKey, OfProject(P::SchemaWrite), Keyed;
    SchemaPatch "patchSchema" AccountOrKey, OfProject(P::SchemaWrite), Keyed;
    SchemaRollback "rollbackSchema" AccountOrKey, OfProject(P::SchemaWrite), Keyed;
    SchemaCompare "compareSchema" Anyone, Nothing, Safe;
    SchemaVerify "verifyUpdateSchema" Anyone, Nothing, Safe;

    UserList "listUsers" AccountOrKey, OfProject(P::UserRead), Safe;
    UserStats "getUserStats" AccountOrKey, OfProject(P::UserRead), Safe;
    UserGet "getUser" AccountOrKey, OfProject(P::UserRead), Safe;
    UserConnect "connectUser" Anyone, Nothing, Own;
    UserUpdate "updateUser" AccountOrKey, OfProject(P::UserWrite), Keyed;
    UserDelete "deleteUser" AccountOrKey, OfProjectBoth(P::UserWrite, P::DbWrite), Keyed;
    UserExport "exportUser" AccountOrKey, OfProjectBoth(P::UserRead, P::DbRead), Safe;

    ItemList "listItems" AccountOrKey, OfProject(P::DbRead), Safe;
    ItemCreate "createItem" AccountOrKey, OfProject(P::DbWrite), Keyed;
    ItemGet "getItem" AccountOrKey, OfProject(P::DbRead), Safe;
    ItemPut "putItem" AccountOrKey, OfProject(P::DbWrite), Keyed;
    ItemPatch "patchItem" AccountOrKey, OfProject(P::DbWrite), Keyed;
    ItemDelete "deleteItem" AccountOrKey, OfProject(P::DbWrite), Keyed;
    ItemBatch "batchItems" AccountOrKey, OfProject(P::DbWrite), Keyed;

    OwnApp "getOwnApp" User, Nothing, Safe;
    OwnAppLeave "leaveOwnApp" User, Nothing, Own;
    OwnExport "exportOwnData" User, OfScope(Scope::DbRead), Safe;
    OwnItemList "listOwnItems" User, OfScope(Scope::DbRead), Safe;
    OwnItemCreate "createOwnItem" User, OfScope(Scope::DbWrite), Keyed;
    OwnItemGet "getOwnItem" User, OfScope(Scope::DbRead), Safe;
    OwnItemPut "putOwnItem" User, OfScope(Scope::DbWrite), Keyed;
    OwnItemPatch "patchOwnItem" User, OfScope(Scope::DbWrite), Keyed;
    OwnItemDelete "deleteOwnItem" User, OfScope(Scope::DbWrite), Keyed;
    OwnItemBatch "batchOwnItems" User, OfScope(Scope::DbWrite), Keyed;

    TeamWebhookList "listTeamWebhooks" Account, OfTeam(P::WebhookRead), Safe;
    TeamWebhookCreate "createTeamWebhook" Account, OfTeam(P::WebhookWrite), Keyed;
    TeamWebhookGet "getTeamWebhook" Account, OfTeam(P::WebhookRead), Safe;
    TeamWebhookUpdate "updateTeamWebhook" Account, OfTeam(P::WebhookWrite), Keyed;
    TeamWebhookDelete "deleteTeamWebhook" Account, OfTeam(P::WebhookWrite), Keyed;
    TeamWebhookRotate "rotateTeamWebhookSecret" Account, OfTeam(P::WebhookWrite), Keyed;
    TeamWebhookDeliveries "listTeamWebhookDeliveries" Account, OfTeam(P::WebhookRead), Safe;
    TeamWebhookRedeliver "redeliverTeamWebhook" Account, OfTeam(P::WebhookWrite), Keyed;

    ProjectWebhookList "listProjectWebhooks" Account, OfProject(P::WebhookRead), Safe;
    ProjectWebhookCreate "createProjectWebhook" Account, OfProject(P::WebhookWrite), Keyed;
    ProjectWebhookGet "getProjectWebhook" Account, OfProject(P::WebhookRead), Safe;
    ProjectWebhookUpdate "updateProjectWebhook" Account, OfProject(P::WebhookWrite), Keyed;
    ProjectWebhookDelete "deleteProjectWebhook" Account, OfProject(P::WebhookWrite), Keyed;
    ProjectWebhookRotate "rotateProjectWebhookSecret" Account, OfProject(P::WebhookWrite), Keyed;
    ProjectWebhookDeliveries "listProjectWebhookDeliveries" Account, OfProject(P::WebhookRead), Safe;
    ProjectWebhookRedeliver "redeliverProjectWebhook" Account, OfProject(P::WebhookWrite), Keyed;

    Slugify "slugify" Anyone, Nothing, Safe;

    AccountProvision "provisionAccount" Anyone, Nothing, Own;
    ServerKeyForge "forgeServerKey" Anyone, Nothing, Own;
    SignIn "signIn" Anyone, Nothing, Own;
    SignOut "signOut" Account, Nothing, Own;
    SessionEnd "endSession" Account, Nothing, Own;
    Consent "consent" Account, Nothing, Own;
    GrantRevoke "revokeGrant" Account, Nothing, Own;
    TokenReuse "noticeTokenReuse" Anyone, Nothing, Own;
    EmailLinkSend "sendEmailLink" Anyone, Nothing, Own;
    EmailVerify "verifyEmail" Anyone, Nothing, Own;
    PasswordReset "resetPassword" Anyone, Nothing, Own;
}

/// What callers of the API cannot ask for: the server's own doings, and what people do at the pages.
const NOT_PUBLIC: &[Operation] = &[
    Operation::AccountProvision,
    Operation::ServerKeyForge,
    Operation::SignIn,
    Operation::SignOut,
    Operation::SessionEnd,
    Operation::Consent,
    Operation::GrantRevoke,
    Operation::TokenReuse,
    Operation::EmailLinkSend,
    Operation::EmailVerify,
    Operation::PasswordReset,
];

impl Operation {
    /// Whether it changes anything.
    pub const fn changes_something(self) -> bool {
        !matches!(self.rule().repeats, Safe)
    }

    /// Whether callers of the API can ask for it.
    pub fn is_public(self) -> bool {
        !NOT_PUBLIC.contains(&self)
    }
}
