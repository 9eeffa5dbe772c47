//! The table of operations: names, accepted credentials, required permissions, lanes and confirmations. Access checks, the
//! OpenAPI document and the tests read it.

use super::{Confirmation, Lane, Permission};
use crate::model::Scope;

use Callers::{Account, AccountOrKey, AccountOrUser, Anyone, Credential, Key, Operator, Page, System, User};
use Confirmation::{Always, IfWidening};
use Effect::{Read, Write};
use Lane::{Heavy, Interactive};
use Permission as P;
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
    /// An API key, or the token of a client that acts on its own behalf.
    Key,
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

/// Whether an operation can change data.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effect {
    /// The operation changes nothing, so it can be repeated.
    Read,
    /// The operation can change data.
    Write,
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
    /// Whether the operation can change data.
    pub effect: Effect,
    /// Lane in which the operation runs.
    pub lane: Lane,
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
        $variant:ident $name:literal $callers:expr, $requirement:expr, $effect:expr, $lane:expr
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
                        effect: $effect,
                        lane: $lane,
                        confirmation: confirmation!($($confirmation)?),
                    }),+
                }
            }
        }
    };
}

operations! {
    SignUp "signUp" Anyone, Nothing, Write, Interactive;
    LogIn "logIn" Anyone, Nothing, Write, Interactive;
    UserInfo "getUserInfo" AccountOrUser, Nothing, Read, Interactive;
    UserInfoPost "postUserInfo" AccountOrUser, Nothing, Read, Interactive;
    Authorize "authorize" Anyone, Nothing, Write, Interactive;
    AuthorizePost "authorizeByForm" Anyone, Nothing, Write, Interactive;
    AuthorizationPush "pushAuthorizationRequest" Anyone, Nothing, Write, Interactive;
    DeviceAuthorize "authorizeDevice" Anyone, Nothing, Write, Interactive;
    TokenExchange "exchangeToken" Anyone, Nothing, Write, Interactive;
    TokenRevoke "revokeToken" Anyone, Nothing, Write, Interactive;
    TokenIntrospect "introspectToken" AccountOrKey, Nothing, Read, Interactive;
    SessionGet "getSession" AccountOrUser, Nothing, Read, Interactive;
    CredentialGet "getOwnCredential" Credential, Nothing, Read, Interactive;
    PersonalTokenList "listPersonalTokens" Account, Nothing, Read, Interactive;
    PersonalTokenCreate "createPersonalToken" Account, Nothing, Write, Interactive, Always;
    PersonalTokenRevoke "revokePersonalToken" Account, Nothing, Write, Interactive;

    TeamList "listTeams" Account, Nothing, Read, Interactive;
    TeamCreate "createTeam" Account, Nothing, Write, Interactive;
    TeamSlug "checkTeamSlug" Anyone, Nothing, Read, Interactive;
    TeamGet "getTeam" AccountOrKey, OfTeam(P::TeamRead), Read, Interactive;
    TeamUpdate "updateTeam" Account, OfTeam(P::TeamWrite), Write, Interactive, IfWidening;
    TeamDelete "deleteTeam" Account, OfTeam(P::TeamDelete), Write, Interactive, Always;
    TeamAudit "listTeamAudit" AccountOrKey, OfTeam(P::AuditRead), Read, Heavy;
    TeamEvents "listTeamEvents" AccountOrKey, OfTeam(P::AuditRead), Read, Heavy;
    MemberList "listMembers" AccountOrKey, OfTeam(P::MemberRead), Read, Interactive;
    MemberUpdate "updateMember" Account, OfTeam(P::MemberWrite), Write, Interactive, IfWidening;
    MemberRemove "removeMember" Account, OfTeam(P::MemberWrite), Write, Interactive, IfWidening;
    InviteList "listInvites" AccountOrKey, OfTeam(P::InviteRead), Read, Interactive;
    InviteCreate "createInvite" Account, OfTeam(P::InviteWrite), Write, Interactive, IfWidening;
    InviteRevoke "deleteInvite" Account, OfTeam(P::InviteWrite), Write, Interactive;
    InviteAccept "acceptInvite" Account, Nothing, Write, Interactive;
    InviteDecline "declineInvite" Account, Nothing, Write, Interactive;
    OwnInviteList "listOwnInvites" Account, Nothing, Read, Interactive;

    ProjectList "listProjects" AccountOrKey, Nothing, Read, Interactive;
    ProjectCreate "createProject" Account, OfTeam(P::ProjectCreate), Write, Interactive;
    ProjectGet "getProject" AccountOrKey, OfProject(P::ProjectRead), Read, Interactive;
    ProjectUpdate "updateProject" AccountOrKey, OfProject(P::ProjectWrite), Write, Interactive;
    ProjectDelete "deleteProject" Account, OfProject(P::ProjectDelete), Write, Interactive, Always;
    RequestStats "getRequestStats" AccountOrKey, OfProject(P::ProjectRead), Read, Interactive;
    RequestLog "listRequests" AccountOrKey, OfProject(P::AuditRead), Read, Interactive;
    ProjectSlug "checkProjectSlug" Anyone, Nothing, Read, Interactive;
    ProjectProfile "getProjectProfile" Anyone, Nothing, Read, Interactive;
    SettingsGet "getSettings" AccountOrKey, OfProject(P::ProjectRead), Read, Interactive;
    SettingsUpdate "updateSettings" AccountOrKey, OfProject(P::ProjectWrite), Write, Interactive, IfWidening;
    SettingsReset "resetSettings" AccountOrKey, OfProject(P::ProjectWrite), Write, Interactive, IfWidening;

    IdentityProviderList "listIdentityProviders" Account, OfProject(P::ProjectRead), Read, Interactive;
    IdentityProviderCreate "createIdentityProvider" Account, OfProject(P::ProjectWrite), Write, Interactive, Always;
    IdentityProviderGet "getIdentityProvider" Account, OfProject(P::ProjectRead), Read, Interactive;
    IdentityProviderUpdate "updateIdentityProvider" Account, OfProject(P::ProjectWrite), Write, Interactive, Always;
    IdentityProviderDelete "deleteIdentityProvider" Account, OfProject(P::ProjectWrite), Write, Interactive, Always;

    ClientList "listClients" Account, OfProject(P::ProjectRead), Read, Interactive;
    ClientCreate "createClient" Account, OfProjectBoth(P::ProjectWrite, P::KeyWrite), Write, Interactive, Always;
    ClientRegister "registerClient" Key, OfProject(P::ClientRegister), Write, Interactive;
    ClientGet "getClient" Account, OfProject(P::ProjectRead), Read, Interactive;
    ClientUpdate "updateClient" Account, OfProjectBoth(P::ProjectWrite, P::KeyWrite), Write, Interactive, Always;
    ClientDelete "deleteClient" Account, OfProjectBoth(P::ProjectWrite, P::KeyWrite), Write, Interactive, Always;
    ClientSecretRotate "rotateClientSecret" Account, OfProjectBoth(P::ProjectWrite, P::KeyWrite), Write, Interactive,
        Always;
    ClientLogoUpload "uploadClientLogo" Account, OfProjectBoth(P::ProjectWrite, P::KeyWrite), Write, Interactive;
    ClientLogoDelete "deleteClientLogo" Account, OfProjectBoth(P::ProjectWrite, P::KeyWrite), Write, Interactive;

    ImageList "listImages" AccountOrKey, OfProject(P::ProjectRead), Read, Interactive;
    IconUpload "uploadIcon" AccountOrKey, OfProject(P::ProjectWrite), Write, Interactive;
    IconDelete "deleteIcon" AccountOrKey, OfProject(P::ProjectWrite), Write, Interactive;
    BackgroundUpload "uploadBackground" AccountOrKey, OfProject(P::ProjectWrite), Write, Interactive;
    BackgroundDelete "deleteBackground" AccountOrKey, OfProject(P::ProjectWrite), Write, Interactive;
    ProjectAudit "listProjectAudit" AccountOrKey, OfProject(P::AuditRead), Read, Heavy;
    ProjectEvents "listProjectEvents" AccountOrKey, OfProject(P::AuditRead), Read, Heavy;

    KeyList "listKeys" AccountOrKey, OfProject(P::KeyRead), Read, Interactive;
    KeyCreate "createKey" Account, OfProject(P::KeyWrite), Write, Interactive, Always;
    KeyGet "getKey" AccountOrKey, OfProject(P::KeyRead), Read, Interactive;
    KeyUpdate "updateKey" Account, OfProject(P::KeyWrite), Write, Interactive, IfWidening;
    KeyDelete "deleteKey" Account, OfProject(P::KeyWrite), Write, Interactive, Always;
    KeyVerify "verifyKey" AccountOrKey, OfProject(P::KeyRead), Read, Interactive;
    KeyRegenerate "regenerateKey" AccountOrKey, OfProject(P::KeyWrite), Write, Interactive, Always;

    SchemaGet "getSchema" Anyone, Nothing, Read, Interactive;
    SchemaPublish "publishSchema" AccountOrKey, OfProject(P::SchemaWrite), Write, Heavy;
    SchemaPatch "patchSchema" AccountOrKey, OfProject(P::SchemaWrite), Write, Heavy;
    SchemaRollback "rollbackSchema" AccountOrKey, OfProject(P::SchemaWrite), Write, Heavy;
    SchemaCompare "compareSchema" Anyone, Nothing, Read, Heavy;
    SchemaVerify "verifyUpdateSchema" Anyone, Nothing, Read, Heavy;

    UserList "listUsers" AccountOrKey, OfProject(P::UserRead), Read, Interactive;
    UserStats "getUserStats" AccountOrKey, OfProject(P::UserRead), Read, Heavy;
    UserGet "getUser" AccountOrKey, OfProject(P::UserRead), Read, Interactive;
    UserConnect "connectUser" Anyone, Nothing, Write, Interactive;
    UserUpdate "updateUser" AccountOrKey, OfProject(P::UserWrite), Write, Interactive;
    UserDelete "deleteUser" AccountOrKey, OfProjectBoth(P::UserWrite, P::DbWrite), Write, Interactive, Always;
    UserSessionList "listUserSessions" AccountOrKey, OfProject(P::UserRead), Read, Interactive;
    UserSignOut "signOutUser" AccountOrKey, OfProject(P::UserWrite), Write, Interactive, Always;
    SyncRejectionList "listSyncRejections" AccountOrKey, OfProject(P::DbRead), Read, Interactive;
    UserExport "exportUser" AccountOrKey, OfProjectBoth(P::UserRead, P::DbRead), Read, Heavy;

    ItemList "listItems" AccountOrKey, OfProject(P::DbRead), Read, Interactive;
    ItemCreate "createItem" AccountOrKey, OfProject(P::DbWrite), Write, Interactive;
    ItemGet "getItem" AccountOrKey, OfProject(P::DbRead), Read, Interactive;
    ItemPut "putItem" AccountOrKey, OfProject(P::DbWrite), Write, Interactive;
    ItemPatch "patchItem" AccountOrKey, OfProject(P::DbWrite), Write, Interactive;
    ItemDelete "deleteItem" AccountOrKey, OfProject(P::DbWrite), Write, Interactive;
    ItemBatch "batchItems" AccountOrKey, OfProject(P::DbWrite), Write, Interactive;

    OwnApp "getOwnApp" User, Nothing, Read, Interactive;
    OwnAppLeave "leaveOwnApp" User, Nothing, Write, Interactive;
    OwnExport "exportOwnData" User, OfScope(Scope::DbRead), Read, Heavy;
    OwnItemList "listOwnItems" User, OfScope(Scope::DbRead), Read, Interactive;
    OwnItemCreate "createOwnItem" User, OfScope(Scope::DbWrite), Write, Interactive;
    OwnItemGet "getOwnItem" User, OfScope(Scope::DbRead), Read, Interactive;
    OwnItemPut "putOwnItem" User, OfScope(Scope::DbWrite), Write, Interactive;
    OwnItemPatch "patchOwnItem" User, OfScope(Scope::DbWrite), Write, Interactive;
    OwnItemDelete "deleteOwnItem" User, OfScope(Scope::DbWrite), Write, Interactive;
    OwnItemBatch "batchOwnItems" User, OfScope(Scope::DbWrite), Write, Interactive;

    TeamWebhookList "listTeamWebhooks" Account, OfTeam(P::WebhookRead), Read, Interactive;
    TeamWebhookCreate "createTeamWebhook" Account, OfTeam(P::WebhookWrite), Write, Interactive, Always;
    TeamWebhookGet "getTeamWebhook" Account, OfTeam(P::WebhookRead), Read, Interactive;
    TeamWebhookUpdate "updateTeamWebhook" Account, OfTeam(P::WebhookWrite), Write, Interactive, IfWidening;
    TeamWebhookDelete "deleteTeamWebhook" Account, OfTeam(P::WebhookWrite), Write, Interactive, Always;
    TeamWebhookRotate "rotateTeamWebhookSecret" Account, OfTeam(P::WebhookWrite), Write, Interactive, Always;
    TeamWebhookDeliveries "listTeamWebhookDeliveries" Account, OfTeam(P::WebhookRead), Read, Interactive;
    TeamWebhookRedeliver "redeliverTeamWebhook" Account, OfTeam(P::WebhookWrite), Write, Interactive;
    TeamWebhookTest "testTeamWebhook" Account, OfTeam(P::WebhookWrite), Write, Interactive;

    ProjectWebhookList "listProjectWebhooks" Account, OfProject(P::WebhookRead), Read, Interactive;
    ProjectWebhookCreate "createProjectWebhook" Account, OfProject(P::WebhookWrite), Write, Interactive, Always;
    ProjectWebhookGet "getProjectWebhook" Account, OfProject(P::WebhookRead), Read, Interactive;
    ProjectWebhookUpdate "updateProjectWebhook" Account, OfProject(P::WebhookWrite), Write, Interactive, IfWidening;
    ProjectWebhookDelete "deleteProjectWebhook" Account, OfProject(P::WebhookWrite), Write, Interactive, Always;
    ProjectWebhookRotate "rotateProjectWebhookSecret" Account, OfProject(P::WebhookWrite), Write, Interactive, Always;
    ProjectWebhookDeliveries "listProjectWebhookDeliveries" Account, OfProject(P::WebhookRead), Read, Interactive;
    ProjectWebhookRedeliver "redeliverProjectWebhook" Account, OfProject(P::WebhookWrite), Write, Interactive;
    ProjectWebhookTest "testProjectWebhook" Account, OfProject(P::WebhookWrite), Write, Interactive;

    Slugify "slugify" Anyone, Nothing, Read, Interactive;

    AccountProvision "provisionAccount" System, Nothing, Write, Interactive;
    AccountPasswordSet "setAccountPassword" System, Nothing, Write, Interactive;
    OperatorAdd "addOperator" System, Nothing, Write, Interactive;
    OperatorRemove "removeOperator" System, Nothing, Write, Interactive;
    AccountList "listAccounts" Operator, Nothing, Read, Interactive;
    AccountDisable "disableAccount" Operator, Nothing, Write, Interactive, Always;
    AccountEnable "enableAccount" Operator, Nothing, Write, Interactive, Always;
    AccountSignOut "signOutAccount" Operator, Nothing, Write, Interactive, Always;
    AccountDelete "deleteAccount" Operator, Nothing, Write, Heavy, Always;
    SecondFactorsRemove "removeSecondFactors" Operator, Nothing, Write, Interactive, Always;
    SecondFactorsKeep "keepSecondFactors" Operator, Nothing, Write, Interactive;
    ServiceProviderList "listServiceProviders" Operator, Nothing, Read, Interactive;
    ServiceProviderCreate "createServiceProvider" Operator, Nothing, Write, Interactive, Always;
    ServiceProviderUpdate "updateServiceProvider" Operator, Nothing, Write, Interactive, Always;
    ServiceProviderDelete "deleteServiceProvider" Operator, Nothing, Write, Interactive, Always;
    SizeList "listSizes" Operator, Nothing, Read, Heavy;
    InstanceGet "getInstance" Operator, Nothing, Read, Interactive;
    EmailTest "sendTestEmail" Operator, Nothing, Write, Interactive;
    ServerKeyGenerate "generateServerKey" System, Nothing, Write, Interactive;
    SigningKeyRotate "rotateSigningKey" System, Nothing, Write, Interactive;
    SigningKeyRevoke "revokeSigningKey" System, Nothing, Write, Interactive;
    SigningKeyRetire "retireSigningKey" System, Nothing, Write, Interactive;
    SignIn "signIn" Page, Nothing, Write, Interactive;
    SignOut "signOut" Page, Nothing, Write, Interactive;
    SessionEnd "endSession" Page, Nothing, Write, Interactive, IfWidening;
    Consent "consent" Page, Nothing, Write, Interactive;
    GrantRevoke "revokeGrant" Page, Nothing, Write, Interactive;
    TokenReuse "detectTokenReuse" System, Nothing, Write, Interactive;
    EmailLinkSend "sendEmailLink" Page, Nothing, Write, Interactive;
    EmailVerify "verifyEmail" Page, Nothing, Write, Interactive;
    EmailCodeVerify "verifyEmailCode" Page, Nothing, Write, Interactive;
    PasswordReset "resetPassword" Page, Nothing, Write, Interactive;
    OwnAccountUpdate "updateOwnAccount" Page, Nothing, Write, Interactive;
    OwnAccountEventList "listOwnAccountEvents" Page, Nothing, Read, Interactive;
    OwnAccountExport "exportOwnAccount" Page, Nothing, Read, Heavy, Always;
    OwnAccountDelete "deleteOwnAccount" Page, Nothing, Write, Heavy, Always;
    EmailChange "changeEmail" Page, Nothing, Write, Interactive, Always;
    PasswordChange "changePassword" Page, Nothing, Write, Interactive;
    SecondFactorVerify "verifySecondFactor" Page, Nothing, Write, Interactive;
    AuthenticatorAppAdd "addAuthenticatorApp" Page, Nothing, Write, Interactive, Always;
    AuthenticatorAppRemove "removeAuthenticatorApp" Page, Nothing, Write, Interactive, Always;
    RecoveryCodesReplace "replaceRecoveryCodes" Page, Nothing, Write, Interactive, Always;
    OwnFactorsRemove "removeOwnFactors" Page, Nothing, Write, Interactive, Always;
    OwnFactorsKeep "keepOwnFactors" Page, Nothing, Write, Interactive;
    PasskeyVerify "verifyPasskey" Page, Nothing, Write, Interactive;
    PasskeyAdd "addPasskey" Page, Nothing, Write, Interactive, Always;
    PasskeyRename "renamePasskey" Page, Nothing, Write, Interactive;
    PasskeyRemove "removePasskey" Page, Nothing, Write, Interactive, Always;
    ProviderSignIn "signInAtProvider" Page, Nothing, Write, Interactive;
    IdentityLink "linkIdentity" Page, Nothing, Write, Interactive, Always;
    IdentityUnlink "unlinkIdentity" Page, Nothing, Write, Interactive, Always;
}

impl Operation {
    /// Returns the operation with a name: the `operationId` of the OpenAPI document.
    pub fn named(name: &str) -> Option<Self> {
        Self::RULES.iter().find(|rule| rule.name == name).map(|rule| rule.operation)
    }

    /// Returns whether the operation can change data.
    pub const fn is_write(self) -> bool {
        matches!(self.rule().effect, Write)
    }

    /// Returns whether the API offers the operation.
    pub const fn is_public(self) -> bool {
        !matches!(self.rule().callers, Page | Operator | System)
    }
}
