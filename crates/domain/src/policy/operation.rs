//! The one table of operations: what each is called, who may call it and which permission it needs. Checks, the OpenAPI
//! document and the tests read it.

use std::time::Duration;

use super::Permission;
use crate::model::Scope;

use Callers::{Account, AccountOrKey, AccountOrUser, Anyone, Credential, User};
use IdempotencyRule::{Keyed, Own, Safe};
use Lane::{Heavy, Interactive};
use Permission as P;
use RateClass::{Costly, Reads, SignIns, Unlimited, Writes};
use Requirement::{Nothing, OfProject, OfProjectBoth, OfScope, OfTeam};

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
pub enum Requirement {
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

impl Requirement {
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
pub enum IdempotencyRule {
    /// Nothing: it changes nothing.
    Safe,
    /// With the same `Idempotency-Key`, nothing: the first answer is given again.
    Keyed,
    /// What its own protocol says: it has no caller whose keys could be told apart, or it ends the credential it came with.
    Own,
}

impl IdempotencyRule {
    /// The name in the OpenAPI document.
    pub const fn as_str(self) -> &'static str {
        match self {
            Safe => "safe",
            Keyed => "key",
            Own => "none",
        }
    }
}

/// A group of workers with connections and time limits of their own, so that no kind of work starves another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Lane {
    /// Point reads and writes: a person or a program waits for each.
    Interactive,
    /// What no index bounds: dry runs, free queries, statistics, exports, logs.
    Heavy,
    /// What nobody waits for: sealing, webhooks, cleaning, filling indexes.
    Background,
}

impl Lane {
    /// All lanes.
    pub const ALL: [Self; 3] = [Self::Interactive, Self::Heavy, Self::Background];

    /// How long a request of this lane may wait for the store in all; in the background, each step. Interactive requests
    /// are answered within 5 s whatever happens to the store.
    pub const fn time_limit(self) -> Duration {
        match self {
            Interactive => Duration::from_millis(4_500),
            Heavy => Duration::from_millis(9_000),
            Self::Background => Duration::from_millis(15_000),
        }
    }

    /// The name in metrics, logs and docs.
    pub const fn as_str(self) -> &'static str {
        match self {
            Interactive => "interactive",
            Heavy => "heavy",
            Self::Background => "background",
        }
    }
}

/// A class of operations that share a rate limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RateClass {
    /// Cheap reads.
    Reads,
    /// Writes.
    Writes,
    /// Operations of the heavy lane.
    Costly,
    /// Operations that present or issue secrets: signing in and up, codes, tokens, links.
    SignIns,
    /// Operations that no client can request.
    Unlimited,
}

impl RateClass {
    /// The classes that have a limit.
    pub const LIMITED: [Self; 4] = [Reads, Writes, Costly, SignIns];

    /// The name in `RateLimit-Policy`, metrics and docs.
    pub const fn as_str(self) -> &'static str {
        match self {
            Reads => "reads",
            Writes => "writes",
            Costly => "costly",
            SignIns => "sign-ins",
            Unlimited => "unlimited",
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
    pub needs: Requirement,
    /// What happens when it is asked for again.
    pub repeats: IdempotencyRule,
    /// Which workers serve it.
    pub lane: Lane,
    /// Which rate limit counts it.
    pub rate: RateClass,
}

macro_rules! operations {
    ($($variant:ident $name:literal $callers:expr, $needs:expr, $repeats:expr, $lane:expr, $rate:expr;)+) => {
        /// Something that a caller can ask for.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        #[expect(missing_docs, reason = "the names say it; the OpenAPI document describes each")]
        pub enum Operation { $($variant),+ }

        impl Operation {
            /// The table.
            pub const RULES: &[Rule] = &[
                $(Self::$variant.rule()),+
            ];

            /// The operation's row.
            pub const fn rule(self) -> Rule {
                match self {
                    $(Self::$variant => Rule {
                        operation: self,
                        name: $name,
                        callers: $callers,
                        needs: $needs,
                        repeats: $repeats,
                        lane: $lane,
                        rate: $rate,
                    }),+
                }
            }
        }
    };
}

operations! {
    SignUp "signUp" Anyone, Nothing, Own, Interactive, SignIns;
    LogIn "logIn" Anyone, Nothing, Own, Interactive, SignIns;
    UserInfo "getUserInfo" AccountOrUser, Nothing, Safe, Interactive, Reads;
    UserInfoPost "postUserInfo" AccountOrUser, Nothing, Safe, Interactive, Reads;
    Authorize "authorize" Anyone, Nothing, Own, Interactive, SignIns;
    AuthorizePost "authorizeByForm" Anyone, Nothing, Own, Interactive, SignIns;
    TokenExchange "exchangeToken" Anyone, Nothing, Own, Interactive, SignIns;
    TokenRevoke "revokeToken" Anyone, Nothing, Own, Interactive, SignIns;
    TokenIntrospect "introspectToken" AccountOrKey, Nothing, Safe, Interactive, Reads;
    CredentialGet "getOwnCredential" Credential, Nothing, Safe, Interactive, Reads;
    PersonalTokenList "listPersonalTokens" Account, Nothing, Safe, Interactive, Reads;
    PersonalTokenCreate "createPersonalToken" Account, Nothing, Keyed, Interactive, Writes;
    PersonalTokenRevoke "revokePersonalToken" Account, Nothing, Keyed, Interactive, Writes;

    TeamList "listTeams" Account, Nothing, Safe, Interactive, Reads;
    TeamCreate "createTeam" Account, Nothing, Keyed, Interactive, Writes;
    TeamSlug "checkTeamSlug" Anyone, Nothing, Safe, Interactive, Reads;
    TeamGet "getTeam" AccountOrKey, OfTeam(P::TeamRead), Safe, Interactive, Reads;
    TeamUpdate "updateTeam" Account, OfTeam(P::TeamWrite), Keyed, Interactive, Writes;
    TeamDelete "deleteTeam" Account, OfTeam(P::TeamDelete), Keyed, Interactive, Writes;
    TeamAudit "listTeamAudit" AccountOrKey, OfTeam(P::AuditRead), Safe, Heavy, Costly;
    TeamEvents "listTeamEvents" AccountOrKey, OfTeam(P::AuditRead), Safe, Heavy, Costly;
    MemberList "listMembers" AccountOrKey, OfTeam(P::MemberRead), Safe, Interactive, Reads;
    MemberUpdate "updateMember" Account, OfTeam(P::MemberWrite), Keyed, Interactive, Writes;
    MemberRemove "removeMember" Account, OfTeam(P::MemberWrite), Keyed, Interactive, Writes;
    InviteList "listInvites" AccountOrKey, OfTeam(P::InviteRead), Safe, Interactive, Reads;
    InviteCreate "createInvite" Account, OfTeam(P::InviteWrite), Keyed, Interactive, Writes;
    InviteRevoke "deleteInvite" Account, OfTeam(P::InviteWrite), Keyed, Interactive, Writes;
    InviteAccept "acceptInvite" Account, Nothing, Keyed, Interactive, Writes;
    InviteDecline "declineInvite" Account, Nothing, Keyed, Interactive, Writes;
    OwnInviteList "listOwnInvites" Account, Nothing, Safe, Interactive, Reads;

    ProjectList "listProjects" AccountOrKey, Nothing, Safe, Interactive, Reads;
    ProjectCreate "createProject" Account, OfTeam(P::ProjectCreate), Keyed, Interactive, Writes;
    ProjectGet "getProject" AccountOrKey, OfProject(P::ProjectRead), Safe, Interactive, Reads;
    ProjectUpdate "updateProject" AccountOrKey, OfProject(P::ProjectWrite), Keyed, Interactive, Writes;
    ProjectDelete "deleteProject" Account, OfProject(P::ProjectDelete), Keyed, Interactive, Writes;
    ProjectSlug "checkProjectSlug" Anyone, Nothing, Safe, Interactive, Reads;
    ProjectProfile "getProjectProfile" Anyone, Nothing, Safe, Interactive, Reads;
    SettingsGet "getSettings" AccountOrKey, OfProject(P::ProjectRead), Safe, Interactive, Reads;
    SettingsUpdate "updateSettings" AccountOrKey, OfProject(P::ProjectWrite), Keyed, Interactive, Writes;
    SettingsReset "resetSettings" AccountOrKey, OfProject(P::ProjectWrite), Keyed, Interactive, Writes;

    ImageList "listImages" AccountOrKey, OfProject(P::ProjectRead), Safe, Interactive, Reads;
    IconUpload "uploadIcon" AccountOrKey, OfProject(P::ProjectWrite), Keyed, Interactive, Writes;
    IconDelete "deleteIcon" AccountOrKey, OfProject(P::ProjectWrite), Keyed, Interactive, Writes;
    BackgroundUpload "uploadBackground" AccountOrKey, OfProject(P::ProjectWrite), Keyed, Interactive, Writes;
    BackgroundDelete "deleteBackground" AccountOrKey, OfProject(P::ProjectWrite), Keyed, Interactive, Writes;
    ProjectAudit "listProjectAudit" AccountOrKey, OfProject(P::AuditRead), Safe, Heavy, Costly;
    ProjectEvents "listProjectEvents" AccountOrKey, OfProject(P::AuditRead), Safe, Heavy, Costly;

    KeyList "listKeys" AccountOrKey, OfProject(P::KeyRead), Safe, Interactive, Reads;
    KeyCreate "createKey" Account, OfProject(P::KeyWrite), Keyed, Interactive, Writes;
    KeyGet "getKey" AccountOrKey, OfProject(P::KeyRead), Safe, Interactive, Reads;
    KeyUpdate "updateKey" Account, OfProject(P::KeyWrite), Keyed, Interactive, Writes;
    KeyDelete "deleteKey" Account, OfProject(P::KeyWrite), Keyed, Interactive, Writes;
    KeyVerify "verifyKey" AccountOrKey, OfProject(P::KeyRead), Safe, Interactive, Reads;
    KeyRegenerate "regenerateKey" AccountOrKey, OfProject(P::KeyWrite), Keyed, Interactive, Writes;

    SchemaGet "getSchema" Anyone, Nothing, Safe, Interactive, Reads;
    SchemaPublish "publishSchema" AccountOrKey, OfProject(P::SchemaWrite), Keyed, Heavy, Costly;
    SchemaPatch "patchSchema" AccountOrKey, OfProject(P::SchemaWrite), Keyed, Heavy, Costly;
    SchemaRollback "rollbackSchema" AccountOrKey, OfProject(P::SchemaWrite), Keyed, Heavy, Costly;
    SchemaCompare "compareSchema" Anyone, Nothing, Safe, Heavy, Costly;
    SchemaVerify "verifyUpdateSchema" Anyone, Nothing, Safe, Heavy, Costly;

    UserList "listUsers" AccountOrKey, OfProject(P::UserRead), Safe, Interactive, Reads;
    UserStats "getUserStats" AccountOrKey, OfProject(P::UserRead), Safe, Heavy, Costly;
    UserGet "getUser" AccountOrKey, OfProject(P::UserRead), Safe, Interactive, Reads;
    UserConnect "connectUser" Anyone, Nothing, Own, Interactive, Writes;
    UserUpdate "updateUser" AccountOrKey, OfProject(P::UserWrite), Keyed, Interactive, Writes;
    UserDelete "deleteUser" AccountOrKey, OfProjectBoth(P::UserWrite, P::DbWrite), Keyed, Interactive, Writes;
    UserExport "exportUser" AccountOrKey, OfProjectBoth(P::UserRead, P::DbRead), Safe, Heavy, Costly;

    ItemList "listItems" AccountOrKey, OfProject(P::DbRead), Safe, Interactive, Reads;
    ItemCreate "createItem" AccountOrKey, OfProject(P::DbWrite), Keyed, Interactive, Writes;
    ItemGet "getItem" AccountOrKey, OfProject(P::DbRead), Safe, Interactive, Reads;
    ItemPut "putItem" AccountOrKey, OfProject(P::DbWrite), Keyed, Interactive, Writes;
    ItemPatch "patchItem" AccountOrKey, OfProject(P::DbWrite), Keyed, Interactive, Writes;
    ItemDelete "deleteItem" AccountOrKey, OfProject(P::DbWrite), Keyed, Interactive, Writes;
    ItemBatch "batchItems" AccountOrKey, OfProject(P::DbWrite), Keyed, Interactive, Writes;

    OwnApp "getOwnApp" User, Nothing, Safe, Interactive, Reads;
    OwnAppLeave "leaveOwnApp" User, Nothing, Own, Interactive, Writes;
    OwnExport "exportOwnData" User, OfScope(Scope::DbRead), Safe, Heavy, Costly;
    OwnItemList "listOwnItems" User, OfScope(Scope::DbRead), Safe, Interactive, Reads;
    OwnItemCreate "createOwnItem" User, OfScope(Scope::DbWrite), Keyed, Interactive, Writes;
    OwnItemGet "getOwnItem" User, OfScope(Scope::DbRead), Safe, Interactive, Reads;
    OwnItemPut "putOwnItem" User, OfScope(Scope::DbWrite), Keyed, Interactive, Writes;
    OwnItemPatch "patchOwnItem" User, OfScope(Scope::DbWrite), Keyed, Interactive, Writes;
    OwnItemDelete "deleteOwnItem" User, OfScope(Scope::DbWrite), Keyed, Interactive, Writes;
    OwnItemBatch "batchOwnItems" User, OfScope(Scope::DbWrite), Keyed, Interactive, Writes;

    TeamWebhookList "listTeamWebhooks" Account, OfTeam(P::WebhookRead), Safe, Interactive, Reads;
    TeamWebhookCreate "createTeamWebhook" Account, OfTeam(P::WebhookWrite), Keyed, Interactive, Writes;
    TeamWebhookGet "getTeamWebhook" Account, OfTeam(P::WebhookRead), Safe, Interactive, Reads;
    TeamWebhookUpdate "updateTeamWebhook" Account, OfTeam(P::WebhookWrite), Keyed, Interactive, Writes;
    TeamWebhookDelete "deleteTeamWebhook" Account, OfTeam(P::WebhookWrite), Keyed, Interactive, Writes;
    TeamWebhookRotate "rotateTeamWebhookSecret" Account, OfTeam(P::WebhookWrite), Keyed, Interactive, Writes;
    TeamWebhookDeliveries "listTeamWebhookDeliveries" Account, OfTeam(P::WebhookRead), Safe, Interactive, Reads;
    TeamWebhookRedeliver "redeliverTeamWebhook" Account, OfTeam(P::WebhookWrite), Keyed, Interactive, Writes;

    ProjectWebhookList "listProjectWebhooks" Account, OfProject(P::WebhookRead), Safe, Interactive, Reads;
    ProjectWebhookCreate "createProjectWebhook" Account, OfProject(P::WebhookWrite), Keyed, Interactive, Writes;
    ProjectWebhookGet "getProjectWebhook" Account, OfProject(P::WebhookRead), Safe, Interactive, Reads;
    ProjectWebhookUpdate "updateProjectWebhook" Account, OfProject(P::WebhookWrite), Keyed, Interactive, Writes;
    ProjectWebhookDelete "deleteProjectWebhook" Account, OfProject(P::WebhookWrite), Keyed, Interactive, Writes;
    ProjectWebhookRotate "rotateProjectWebhookSecret" Account, OfProject(P::WebhookWrite), Keyed, Interactive, Writes;
    ProjectWebhookDeliveries "listProjectWebhookDeliveries" Account, OfProject(P::WebhookRead), Safe, Interactive, Reads;
    ProjectWebhookRedeliver "redeliverProjectWebhook" Account, OfProject(P::WebhookWrite), Keyed, Interactive, Writes;

    Slugify "slugify" Anyone, Nothing, Safe, Interactive, Reads;

    AccountProvision "provisionAccount" Anyone, Nothing, Own, Interactive, Unlimited;
    AccountDisable "disableAccount" Anyone, Nothing, Own, Interactive, Unlimited;
    AccountEnable "enableAccount" Anyone, Nothing, Own, Interactive, Unlimited;
    AccountPasswordSet "setAccountPassword" Anyone, Nothing, Own, Interactive, Unlimited;
    AccountDelete "deleteAccount" Anyone, Nothing, Own, Interactive, Unlimited;
    ServerKeyForge "forgeServerKey" Anyone, Nothing, Own, Interactive, Unlimited;
    SigningKeyRotate "rotateSigningKey" Anyone, Nothing, Own, Interactive, Unlimited;
    SigningKeyRevoke "revokeSigningKey" Anyone, Nothing, Own, Interactive, Unlimited;
    SigningKeyRetire "retireSigningKey" Anyone, Nothing, Own, Interactive, Unlimited;
    SignIn "signIn" Anyone, Nothing, Own, Interactive, SignIns;
    SignOut "signOut" Account, Nothing, Own, Interactive, SignIns;
    SessionEnd "endSession" Account, Nothing, Own, Interactive, SignIns;
    Consent "consent" Account, Nothing, Own, Interactive, SignIns;
    GrantRevoke "revokeGrant" Account, Nothing, Own, Interactive, SignIns;
    TokenReuse "noticeTokenReuse" Anyone, Nothing, Own, Interactive, Unlimited;
    EmailLinkSend "sendEmailLink" Anyone, Nothing, Own, Interactive, SignIns;
    EmailVerify "verifyEmail" Anyone, Nothing, Own, Interactive, SignIns;
    PasswordReset "resetPassword" Anyone, Nothing, Own, Interactive, SignIns;
}

/// What callers of the API cannot ask for: the server's own doings, and what people do at the pages.
const NOT_PUBLIC: &[Operation] = &[
    Operation::AccountProvision,
    Operation::AccountDisable,
    Operation::AccountEnable,
    Operation::AccountPasswordSet,
    Operation::AccountDelete,
    Operation::ServerKeyForge,
    Operation::SigningKeyRotate,
    Operation::SigningKeyRevoke,
    Operation::SigningKeyRetire,
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
