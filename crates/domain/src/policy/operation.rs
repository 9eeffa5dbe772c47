//! The table of operations: names, accepted credentials, required permissions, idempotency, lanes and rate limits.
//! Access checks, the OpenAPI document and the tests read it.

use std::time::Duration;

use super::{Confirmation, Permission};
use crate::model::Scope;

use Callers::{Account, AccountOrKey, AccountOrUser, Anyone, Credential, Operator, Page, System, User};
use Confirmation::{Always, IfWidening};
use IdempotencyRule::{Keyed, Safe, Unsupported};
use Lane::{Heavy, Interactive};
use Permission as P;
use RateClass::{Costly, Reads, SignIns, Unlimited, Writes};
use Requirement::{Nothing, OfProject, OfProjectBoth, OfScope, OfTeam};

/// Credentials that an operation accepts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Callers {
    /// No credential is required.
    Anyone,
    /// A token of an account for this service.
    Account,
    /// A token of an account for this service, or an API key.
    AccountOrKey,
    /// An access token of a project user.
    User,
    /// A token of an account, for this service or for a project.
    AccountOrUser,
    /// Any credential.
    Credential,
    /// A session of the web pages. The API does not offer the operation.
    Page,
    /// The operator of the service: on the command line, or signed in to the web pages with an account that is marked
    /// as operator. The API does not offer the operation.
    Operator,
    /// The service itself, or its operator on the command line. The API does not offer the operation.
    System,
}

/// What the caller needs beyond a valid credential.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Requirement {
    /// Nothing.
    Nothing,
    /// A permission in the team.
    OfTeam(Permission),
    /// A permission in the project.
    OfProject(Permission),
    /// Two permissions in the project.
    OfProjectBoth(Permission, Permission),
    /// A scope of the project user's access token.
    OfScope(Scope),
}

impl Requirement {
    /// Returns the required permissions: none, one or two.
    pub fn permissions(self) -> impl Iterator<Item = Permission> {
        let (first, second) = match self {
            Nothing | OfScope(_) => (None, None),
            OfTeam(permission) | OfProject(permission) => (Some(permission), None),
            OfProjectBoth(first, second) => (Some(first), Some(second)),
        };
        first.into_iter().chain(second)
    }

    /// Returns the required scope, if any.
    pub const fn scope(self) -> Option<Scope> {
        match self {
            OfScope(scope) => Some(scope),
            Nothing | OfTeam(_) | OfProject(_) | OfProjectBoth(..) => None,
        }
    }
}

/// How an operation handles a request that is sent again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IdempotencyRule {
    /// The operation changes nothing, so it can be repeated.
    Safe,
    /// A request with the same `Idempotency-Key` has no further effect and receives the first response.
    Keyed,
    /// The operation does not support `Idempotency-Key`: it has no caller that could own a key, or it invalidates
    /// the credential of the request. Its own protocol defines what a repetition does.
    Unsupported,
}

impl IdempotencyRule {
    /// Returns the name used in the OpenAPI document.
    pub const fn as_str(self) -> &'static str {
        match self {
            Safe => "safe",
            Keyed => "key",
            Unsupported => "none",
        }
    }
}

/// A group of workers with separate connections and time limits, so that no kind of work starves another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Lane {
    /// Point reads and writes for which a caller waits.
    Interactive,
    /// Reads that no index bounds: dry runs, free queries, statistics, exports and logs.
    Heavy,
    /// Work for which no caller waits: sealing the audit log, webhooks, cleanup and building indexes.
    Background,
}

impl Lane {
    /// All lanes.
    pub const ALL: [Self; 3] = [Self::Interactive, Self::Heavy, Self::Background];

    /// Returns how long a request of this lane may wait for the store in total, or each step in the background lane.
    /// Interactive requests are answered within 5 seconds whatever happens to the store.
    pub const fn time_limit(self) -> Duration {
        match self {
            Interactive => Duration::from_millis(4_500),
            Heavy => Duration::from_millis(9_000),
            Self::Background => Duration::from_millis(15_000),
        }
    }

    /// Returns the name used in metrics, logs and docs.
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
    /// Operations that accept or issue secrets: sign-in, sign-up, codes, tokens and links.
    SignIns,
    /// Operations that API clients cannot request.
    Unlimited,
}

impl RateClass {
    /// The classes that have a rate limit.
    pub const LIMITED: [Self; 4] = [Reads, Writes, Costly, SignIns];

    /// Returns the name used in `RateLimit-Policy`, metrics and docs.
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

/// A row of the table of operations.
#[derive(Debug, Clone, Copy)]
pub struct Rule {
    /// The operation that the row describes.
    pub operation: Operation,
    /// The `operationId` in the OpenAPI document and the operation in the audit log.
    pub name: &'static str,
    /// Credentials that the operation accepts.
    pub callers: Callers,
    /// Permissions or scope that the caller needs.
    pub requirement: Requirement,
    /// How a request that is sent again is handled.
    pub idempotency: IdempotencyRule,
    /// Lane in which the operation runs.
    pub lane: Lane,
    /// Rate limit that applies to the operation.
    pub rate: RateClass,
    /// Whether a signed-in person must have entered the password recently. The last column; absent: never.
    pub confirmation: Confirmation,
}

macro_rules! confirmation {
    () => {
        Confirmation::Never
    };
    ($confirmation:expr) => {
        $confirmation
    };
}

macro_rules! operations {
    ($(
        $variant:ident $name:literal $callers:expr, $requirement:expr, $idempotency:expr, $lane:expr, $rate:expr
            $(, $confirmation:expr)?;
    )+) => {
        /// An operation that the service performs for a caller or on its own.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        #[expect(missing_docs, reason = "the OpenAPI document describes each operation")]
        pub enum Operation { $($variant),+ }

        impl Operation {
            /// The table of operations.
            pub const RULES: &[Rule] = &[
                $(Self::$variant.rule()),+
            ];

            /// Returns the table row of the operation.
            pub const fn rule(self) -> Rule {
                match self {
                    $(Self::$variant => Rule {
                        operation: self,
                        name: $name,
                        callers: $callers,
                        requirement: $requirement,
                        idempotency: $idempotency,
                        lane: $lane,
                        rate: $rate,
                        confirmation: confirmation!($($confirmation)?),
                    }),+
                }
            }
        }
    };
}

operations! {
    SignUp "signUp" Anyone, Nothing, Unsupported, Interactive, SignIns;
    LogIn "logIn" Anyone, Nothing, Unsupported, Interactive, SignIns;
    UserInfo "getUserInfo" AccountOrUser, Nothing, Safe, Interactive, Reads;
    UserInfoPost "postUserInfo" AccountOrUser, Nothing, Safe, Interactive, Reads;
    Authorize "authorize" Anyone, Nothing, Unsupported, Interactive, SignIns;
    AuthorizePost "authorizeByForm" Anyone, Nothing, Unsupported, Interactive, SignIns;
    TokenExchange "exchangeToken" Anyone, Nothing, Unsupported, Interactive, SignIns;
    TokenRevoke "revokeToken" Anyone, Nothing, Unsupported, Interactive, SignIns;
    TokenIntrospect "introspectToken" AccountOrKey, Nothing, Safe, Interactive, Reads;
    SessionGet "getSession" AccountOrUser, Nothing, Safe, Interactive, Reads;
    CredentialGet "getOwnCredential" Credential, Nothing, Safe, Interactive, Reads;
    PersonalTokenList "listPersonalTokens" Account, Nothing, Safe, Interactive, Reads;
    PersonalTokenCreate "createPersonalToken" Account, Nothing, Keyed, Interactive, Writes, Always;
    PersonalTokenRevoke "revokePersonalToken" Account, Nothing, Keyed, Interactive, Writes;

    TeamList "listTeams" Account, Nothing, Safe, Interactive, Reads;
    TeamCreate "createTeam" Account, Nothing, Keyed, Interactive, Writes;
    TeamSlug "checkTeamSlug" Anyone, Nothing, Safe, Interactive, Reads;
    TeamGet "getTeam" AccountOrKey, OfTeam(P::TeamRead), Safe, Interactive, Reads;
    TeamUpdate "updateTeam" Account, OfTeam(P::TeamWrite), Keyed, Interactive, Writes;
    TeamDelete "deleteTeam" Account, OfTeam(P::TeamDelete), Keyed, Interactive, Writes, Always;
    TeamAudit "listTeamAudit" AccountOrKey, OfTeam(P::AuditRead), Safe, Heavy, Costly;
    TeamEvents "listTeamEvents" AccountOrKey, OfTeam(P::AuditRead), Safe, Heavy, Costly;
    MemberList "listMembers" AccountOrKey, OfTeam(P::MemberRead), Safe, Interactive, Reads;
    MemberUpdate "updateMember" Account, OfTeam(P::MemberWrite), Keyed, Interactive, Writes, IfWidening;
    MemberRemove "removeMember" Account, OfTeam(P::MemberWrite), Keyed, Interactive, Writes, IfWidening;
    InviteList "listInvites" AccountOrKey, OfTeam(P::InviteRead), Safe, Interactive, Reads;
    InviteCreate "createInvite" Account, OfTeam(P::InviteWrite), Keyed, Interactive, Writes, IfWidening;
    InviteRevoke "deleteInvite" Account, OfTeam(P::InviteWrite), Keyed, Interactive, Writes;
    InviteAccept "acceptInvite" Account, Nothing, Keyed, Interactive, Writes;
    InviteDecline "declineInvite" Account, Nothing, Keyed, Interactive, Writes;
    OwnInviteList "listOwnInvites" Account, Nothing, Safe, Interactive, Reads;

    ProjectList "listProjects" AccountOrKey, Nothing, Safe, Interactive, Reads;
    ProjectCreate "createProject" Account, OfTeam(P::ProjectCreate), Keyed, Interactive, Writes;
    ProjectGet "getProject" AccountOrKey, OfProject(P::ProjectRead), Safe, Interactive, Reads;
    ProjectUpdate "updateProject" AccountOrKey, OfProject(P::ProjectWrite), Keyed, Interactive, Writes;
    ProjectDelete "deleteProject" Account, OfProject(P::ProjectDelete), Keyed, Interactive, Writes, Always;
    RequestStats "getRequestStats" AccountOrKey, OfProject(P::ProjectRead), Safe, Interactive, Reads;
    ProjectSlug "checkProjectSlug" Anyone, Nothing, Safe, Interactive, Reads;
    ProjectProfile "getProjectProfile" Anyone, Nothing, Safe, Interactive, Reads;
    SettingsGet "getSettings" AccountOrKey, OfProject(P::ProjectRead), Safe, Interactive, Reads;
    SettingsUpdate "updateSettings" AccountOrKey, OfProject(P::ProjectWrite), Keyed, Interactive, Writes, IfWidening;
    SettingsReset "resetSettings" AccountOrKey, OfProject(P::ProjectWrite), Keyed, Interactive, Writes, IfWidening;

    ImageList "listImages" AccountOrKey, OfProject(P::ProjectRead), Safe, Interactive, Reads;
    IconUpload "uploadIcon" AccountOrKey, OfProject(P::ProjectWrite), Keyed, Interactive, Writes;
    IconDelete "deleteIcon" AccountOrKey, OfProject(P::ProjectWrite), Keyed, Interactive, Writes;
    BackgroundUpload "uploadBackground" AccountOrKey, OfProject(P::ProjectWrite), Keyed, Interactive, Writes;
    BackgroundDelete "deleteBackground" AccountOrKey, OfProject(P::ProjectWrite), Keyed, Interactive, Writes;
    ProjectAudit "listProjectAudit" AccountOrKey, OfProject(P::AuditRead), Safe, Heavy, Costly;
    ProjectEvents "listProjectEvents" AccountOrKey, OfProject(P::AuditRead), Safe, Heavy, Costly;

    KeyList "listKeys" AccountOrKey, OfProject(P::KeyRead), Safe, Interactive, Reads;
    KeyCreate "createKey" Account, OfProject(P::KeyWrite), Keyed, Interactive, Writes, Always;
    KeyGet "getKey" AccountOrKey, OfProject(P::KeyRead), Safe, Interactive, Reads;
    KeyUpdate "updateKey" Account, OfProject(P::KeyWrite), Keyed, Interactive, Writes, IfWidening;
    KeyDelete "deleteKey" Account, OfProject(P::KeyWrite), Keyed, Interactive, Writes, Always;
    KeyVerify "verifyKey" AccountOrKey, OfProject(P::KeyRead), Safe, Interactive, Reads;
    KeyRegenerate "regenerateKey" AccountOrKey, OfProject(P::KeyWrite), Keyed, Interactive, Writes, Always;

    SchemaGet "getSchema" Anyone, Nothing, Safe, Interactive, Reads;
    SchemaPublish "publishSchema" AccountOrKey, OfProject(P::SchemaWrite), Keyed, Heavy, Costly;
    SchemaPatch "patchSchema" AccountOrKey, OfProject(P::SchemaWrite), Keyed, Heavy, Costly;
    SchemaRollback "rollbackSchema" AccountOrKey, OfProject(P::SchemaWrite), Keyed, Heavy, Costly;
    SchemaCompare "compareSchema" Anyone, Nothing, Safe, Heavy, Costly;
    SchemaVerify "verifyUpdateSchema" Anyone, Nothing, Safe, Heavy, Costly;

    UserList "listUsers" AccountOrKey, OfProject(P::UserRead), Safe, Interactive, Reads;
    UserStats "getUserStats" AccountOrKey, OfProject(P::UserRead), Safe, Heavy, Costly;
    UserGet "getUser" AccountOrKey, OfProject(P::UserRead), Safe, Interactive, Reads;
    UserConnect "connectUser" Anyone, Nothing, Unsupported, Interactive, Writes;
    UserUpdate "updateUser" AccountOrKey, OfProject(P::UserWrite), Keyed, Interactive, Writes;
    UserDelete "deleteUser" AccountOrKey, OfProjectBoth(P::UserWrite, P::DbWrite), Keyed, Interactive, Writes, Always;
    UserSessionList "listUserSessions" AccountOrKey, OfProject(P::UserRead), Safe, Interactive, Reads;
    UserSignOut "signOutUser" AccountOrKey, OfProject(P::UserWrite), Keyed, Interactive, Writes, Always;
    SyncRejectionList "listSyncRejections" AccountOrKey, OfProject(P::DbRead), Safe, Interactive, Reads;
    UserExport "exportUser" AccountOrKey, OfProjectBoth(P::UserRead, P::DbRead), Safe, Heavy, Costly;

    ItemList "listItems" AccountOrKey, OfProject(P::DbRead), Safe, Interactive, Reads;
    ItemCreate "createItem" AccountOrKey, OfProject(P::DbWrite), Keyed, Interactive, Writes;
    ItemGet "getItem" AccountOrKey, OfProject(P::DbRead), Safe, Interactive, Reads;
    ItemPut "putItem" AccountOrKey, OfProject(P::DbWrite), Keyed, Interactive, Writes;
    ItemPatch "patchItem" AccountOrKey, OfProject(P::DbWrite), Keyed, Interactive, Writes;
    ItemDelete "deleteItem" AccountOrKey, OfProject(P::DbWrite), Keyed, Interactive, Writes;
    ItemBatch "batchItems" AccountOrKey, OfProject(P::DbWrite), Keyed, Interactive, Writes;

    OwnApp "getOwnApp" User, Nothing, Safe, Interactive, Reads;
    OwnAppLeave "leaveOwnApp" User, Nothing, Unsupported, Interactive, Writes;
    OwnExport "exportOwnData" User, OfScope(Scope::DbRead), Safe, Heavy, Costly;
    OwnItemList "listOwnItems" User, OfScope(Scope::DbRead), Safe, Interactive, Reads;
    OwnItemCreate "createOwnItem" User, OfScope(Scope::DbWrite), Keyed, Interactive, Writes;
    OwnItemGet "getOwnItem" User, OfScope(Scope::DbRead), Safe, Interactive, Reads;
    OwnItemPut "putOwnItem" User, OfScope(Scope::DbWrite), Keyed, Interactive, Writes;
    OwnItemPatch "patchOwnItem" User, OfScope(Scope::DbWrite), Keyed, Interactive, Writes;
    OwnItemDelete "deleteOwnItem" User, OfScope(Scope::DbWrite), Keyed, Interactive, Writes;
    OwnItemBatch "batchOwnItems" User, OfScope(Scope::DbWrite), Keyed, Interactive, Writes;

    TeamWebhookList "listTeamWebhooks" Account, OfTeam(P::WebhookRead), Safe, Interactive, Reads;
    TeamWebhookCreate "createTeamWebhook" Account, OfTeam(P::WebhookWrite), Keyed, Interactive, Writes, Always;
    TeamWebhookGet "getTeamWebhook" Account, OfTeam(P::WebhookRead), Safe, Interactive, Reads;
    TeamWebhookUpdate "updateTeamWebhook" Account, OfTeam(P::WebhookWrite), Keyed, Interactive, Writes, IfWidening;
    TeamWebhookDelete "deleteTeamWebhook" Account, OfTeam(P::WebhookWrite), Keyed, Interactive, Writes, Always;
    TeamWebhookRotate "rotateTeamWebhookSecret" Account, OfTeam(P::WebhookWrite), Keyed, Interactive, Writes, Always;
    TeamWebhookDeliveries "listTeamWebhookDeliveries" Account, OfTeam(P::WebhookRead), Safe, Interactive, Reads;
    TeamWebhookRedeliver "redeliverTeamWebhook" Account, OfTeam(P::WebhookWrite), Keyed, Interactive, Writes;
    TeamWebhookTest "testTeamWebhook" Account, OfTeam(P::WebhookWrite), Keyed, Interactive, Writes;

    ProjectWebhookList "listProjectWebhooks" Account, OfProject(P::WebhookRead), Safe, Interactive, Reads;
    ProjectWebhookCreate "createProjectWebhook" Account, OfProject(P::WebhookWrite), Keyed, Interactive, Writes, Always;
    ProjectWebhookGet "getProjectWebhook" Account, OfProject(P::WebhookRead), Safe, Interactive, Reads;
    ProjectWebhookUpdate "updateProjectWebhook" Account, OfProject(P::WebhookWrite), Keyed, Interactive, Writes, IfWidening;
    ProjectWebhookDelete "deleteProjectWebhook" Account, OfProject(P::WebhookWrite), Keyed, Interactive, Writes, Always;
    ProjectWebhookRotate "rotateProjectWebhookSecret" Account, OfProject(P::WebhookWrite), Keyed, Interactive, Writes, Always;
    ProjectWebhookDeliveries "listProjectWebhookDeliveries" Account, OfProject(P::WebhookRead), Safe, Interactive, Reads;
    ProjectWebhookRedeliver "redeliverProjectWebhook" Account, OfProject(P::WebhookWrite), Keyed, Interactive, Writes;
    ProjectWebhookTest "testProjectWebhook" Account, OfProject(P::WebhookWrite), Keyed, Interactive, Writes;

    Slugify "slugify" Anyone, Nothing, Safe, Interactive, Reads;

    AccountProvision "provisionAccount" System, Nothing, Unsupported, Interactive, Unlimited;
    AccountPasswordSet "setAccountPassword" System, Nothing, Unsupported, Interactive, Unlimited;
    OperatorAdd "addOperator" System, Nothing, Unsupported, Interactive, Unlimited;
    OperatorRemove "removeOperator" System, Nothing, Unsupported, Interactive, Unlimited;
    AccountList "listAccounts" Operator, Nothing, Safe, Interactive, Unlimited;
    AccountDisable "disableAccount" Operator, Nothing, Unsupported, Interactive, Unlimited, Always;
    AccountEnable "enableAccount" Operator, Nothing, Unsupported, Interactive, Unlimited, Always;
    AccountSignOut "signOutAccount" Operator, Nothing, Unsupported, Interactive, Unlimited, Always;
    AccountDelete "deleteAccount" Operator, Nothing, Unsupported, Heavy, Unlimited, Always;
    SizeList "listSizes" Operator, Nothing, Safe, Heavy, Unlimited;
    InstanceGet "getInstance" Operator, Nothing, Safe, Interactive, Unlimited;
    EmailTest "sendTestEmail" Operator, Nothing, Unsupported, Interactive, Unlimited;
    ServerKeyGenerate "generateServerKey" System, Nothing, Unsupported, Interactive, Unlimited;
    SigningKeyRotate "rotateSigningKey" System, Nothing, Unsupported, Interactive, Unlimited;
    SigningKeyRevoke "revokeSigningKey" System, Nothing, Unsupported, Interactive, Unlimited;
    SigningKeyRetire "retireSigningKey" System, Nothing, Unsupported, Interactive, Unlimited;
    SignIn "signIn" Page, Nothing, Unsupported, Interactive, SignIns;
    SignOut "signOut" Page, Nothing, Unsupported, Interactive, SignIns;
    SessionEnd "endSession" Page, Nothing, Unsupported, Interactive, SignIns, IfWidening;
    Consent "consent" Page, Nothing, Unsupported, Interactive, SignIns;
    GrantRevoke "revokeGrant" Page, Nothing, Unsupported, Interactive, SignIns;
    TokenReuse "detectTokenReuse" System, Nothing, Unsupported, Interactive, Unlimited;
    EmailLinkSend "sendEmailLink" Page, Nothing, Unsupported, Interactive, SignIns;
    EmailVerify "verifyEmail" Page, Nothing, Unsupported, Interactive, SignIns;
    PasswordReset "resetPassword" Page, Nothing, Unsupported, Interactive, SignIns;
    OwnAccountUpdate "updateOwnAccount" Page, Nothing, Unsupported, Interactive, SignIns;
    OwnAccountExport "exportOwnAccount" Page, Nothing, Safe, Heavy, Costly, Always;
    OwnAccountDelete "deleteOwnAccount" Page, Nothing, Unsupported, Heavy, SignIns, Always;
    EmailChange "changeEmail" Page, Nothing, Unsupported, Interactive, SignIns, Always;
    PasswordChange "changePassword" Page, Nothing, Unsupported, Interactive, SignIns;
}

impl Operation {
    /// Returns whether the operation can change data.
    pub const fn is_write(self) -> bool {
        !matches!(self.rule().idempotency, Safe)
    }

    /// Returns whether the API offers the operation.
    pub const fn is_public(self) -> bool {
        !matches!(self.rule().callers, Page | Operator | System)
    }
}
