//! The table of operations: names, accepted credentials, required permissions, conditions of the account, lanes and
//! confirmations. Access checks, the OpenAPI document and the tests read it.

use super::{Conditions, Confirmation, Lane, Permission, Replay};
use crate::identity::Scope;

use Callers::{Account, AccountOrKey, AccountOrUser, Anyone, Credential, Key, Operator, Page, System, User};
use Conditions::{All, AnyAccount, Confirmed, NoAccount, WithFactor};
use Confirmation::{Always, IfWidening};
use Effect::{Read, Write};
use Lane::{Heavy, Interactive};
use Permission as P;
use Replay::{ToFormerMember, WithRoles};
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
    /// Conditions that the account must meet with which the operation is performed.
    pub conditions: Conditions,
    /// Whether the operation can change data.
    pub effect: Effect,
    /// Lane in which the operation runs.
    pub lane: Lane,
    /// Whether a signed-in person must have entered the password recently. Absent: never.
    pub confirmation: Confirmation,
    /// Who receives the stored response of a repeated request. The last column; absent: who may send the request now.
    pub replay: Replay,
}

/// The value of a column that can be absent.
macro_rules! value_or {
    ($default:expr) => {
        $default
    };
    ($default:expr, $value:expr) => {
        $value
    };
}

macro_rules! operations {
    ($(
        $variant:ident $name:literal $callers:expr, $requirement:expr, $conditions:expr, $effect:expr, $lane:expr
            $(, $confirmation:expr $(, $replay:expr)?)?;
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
                        conditions: $conditions,
                        effect: $effect,
                        lane: $lane,
                        confirmation: value_or!(Confirmation::Never $(, $confirmation)?),
                        replay: value_or!(Replay::WithAccess $($(, $replay)?)?),
                    }),+
                }
            }
        }
    };
}

operations! {
    SignUp "signUp" Anyone, Nothing, NoAccount, Write, Interactive;
    LogIn "logIn" Anyone, Nothing, All, Write, Interactive;
    UserInfo "getUserInfo" AccountOrUser, Nothing, All, Read, Interactive;
    UserInfoPost "postUserInfo" AccountOrUser, Nothing, All, Read, Interactive;
    Authorize "authorize" Anyone, Nothing, All, Write, Interactive;
    AuthorizePost "authorizeByForm" Anyone, Nothing, All, Write, Interactive;
    AuthorizationPush "pushAuthorizationRequest" Anyone, Nothing, NoAccount, Write, Interactive;
    DeviceAuthorize "authorizeDevice" Anyone, Nothing, NoAccount, Write, Interactive;
    TokenExchange "exchangeToken" Anyone, Nothing, All, Write, Interactive;
    TokenRevoke "revokeToken" Anyone, Nothing, AnyAccount, Write, Interactive;
    TokenIntrospect "introspectToken" AccountOrKey, Nothing, All, Read, Interactive;
    SessionGet "getSession" AccountOrUser, Nothing, AnyAccount, Read, Interactive;
    CredentialGet "getOwnCredential" Credential, Nothing, All, Read, Interactive;
    PersonalTokenList "listPersonalTokens" Account, Nothing, All, Read, Interactive;
    PersonalTokenCreate "createPersonalToken" Account, Nothing, All, Write, Interactive, Always;
    PersonalTokenRevoke "revokePersonalToken" Account, Nothing, All, Write, Interactive;

    TeamList "listTeams" Account, Nothing, All, Read, Interactive;
    TeamCreate "createTeam" Account, Nothing, All, Write, Interactive;
    TeamSlug "checkTeamSlug" Anyone, Nothing, NoAccount, Read, Interactive;
    TeamGet "getTeam" AccountOrKey, OfTeam(P::TeamRead), All, Read, Interactive;
    TeamUpdate "updateTeam" Account, OfTeam(P::TeamWrite), All, Write, Interactive, IfWidening;
    TeamDelete "deleteTeam" Account, OfTeam(P::TeamDelete), All, Write, Interactive, Always, ToFormerMember;
    TeamAudit "listTeamAudit" AccountOrKey, OfTeam(P::AuditRead), All, Read, Heavy;
    TeamEvents "listTeamEvents" AccountOrKey, OfTeam(P::AuditRead), All, Read, Heavy;
    MemberList "listMembers" AccountOrKey, OfTeam(P::MemberRead), All, Read, Interactive;
    MemberUpdate "updateMember" Account, OfTeam(P::MemberWrite), All, Write, Interactive, IfWidening, ToFormerMember;
    MemberRemove "removeMember" Account, OfTeam(P::MemberWrite), All, Write, Interactive, IfWidening, ToFormerMember;
    InviteList "listInvites" AccountOrKey, OfTeam(P::InviteRead), All, Read, Interactive;
    InviteCreate "createInvite" Account, OfTeam(P::InviteWrite), All, Write, Interactive, IfWidening;
    InviteRevoke "deleteInvite" Account, OfTeam(P::InviteWrite), All, Write, Interactive;
    InviteAccept "acceptInvite" Account, Nothing, All, Write, Interactive;
    InviteDecline "declineInvite" Account, Nothing, All, Write, Interactive;
    OwnInviteList "listOwnInvites" Account, Nothing, All, Read, Interactive;

    ProjectList "listProjects" AccountOrKey, Nothing, All, Read, Interactive;
    ProjectCreate "createProject" Account, OfTeam(P::ProjectCreate), All, Write, Interactive;
    ProjectGet "getProject" AccountOrKey, OfProject(P::ProjectRead), All, Read, Interactive;
    ProjectUpdate "updateProject" AccountOrKey, OfProject(P::ProjectWrite), All, Write, Interactive;
    ProjectDelete "deleteProject" Account, OfProject(P::ProjectDelete), All, Write, Interactive, Always, ToFormerMember;
    RequestStats "getRequestStats" AccountOrKey, OfProject(P::ProjectRead), All, Read, Interactive;
    RequestLog "listRequests" AccountOrKey, OfProject(P::AuditRead), All, Read, Interactive;
    ProjectSlug "checkProjectSlug" Anyone, Nothing, NoAccount, Read, Interactive;
    ProjectProfile "getProjectProfile" Anyone, Nothing, NoAccount, Read, Interactive;
    SettingsGet "getSettings" AccountOrKey, OfProject(P::ProjectRead), All, Read, Interactive;
    SettingsUpdate "updateSettings" AccountOrKey, OfProject(P::ProjectWrite), All, Write, Interactive, IfWidening;
    SettingsReset "resetSettings" AccountOrKey, OfProject(P::ProjectWrite), All, Write, Interactive, IfWidening;

    IdentityProviderList "listIdentityProviders" Account, OfProject(P::ProjectRead), All, Read, Interactive;
    IdentityProviderCreate "createIdentityProvider" Account, OfProject(P::ProjectWrite), All, Write, Interactive,
        Always;
    IdentityProviderGet "getIdentityProvider" Account, OfProject(P::ProjectRead), All, Read, Interactive;
    IdentityProviderUpdate "updateIdentityProvider" Account, OfProject(P::ProjectWrite), All, Write, Interactive,
        Always;
    IdentityProviderDelete "deleteIdentityProvider" Account, OfProject(P::ProjectWrite), All, Write, Interactive,
        Always;

    ClientList "listClients" Account, OfProject(P::ProjectRead), All, Read, Interactive;
    ClientCreate "createClient" Account, OfProjectBoth(P::ProjectWrite, P::KeyWrite), All, Write, Interactive,
        Always, WithRoles;
    ClientRegister "registerClient" Key, OfProject(P::ClientRegister), NoAccount, Write, Interactive;
    ClientGet "getClient" Account, OfProject(P::ProjectRead), All, Read, Interactive;
    ClientUpdate "updateClient" Account, OfProjectBoth(P::ProjectWrite, P::KeyWrite), All, Write, Interactive, Always;
    ClientDelete "deleteClient" Account, OfProjectBoth(P::ProjectWrite, P::KeyWrite), All, Write, Interactive, Always;
    ClientSecretRotate "rotateClientSecret" Account, OfProjectBoth(P::ProjectWrite, P::KeyWrite), All, Write,
        Interactive, Always, WithRoles;
    ClientLogoUpload "uploadClientLogo" Account, OfProjectBoth(P::ProjectWrite, P::KeyWrite), All, Write, Interactive;
    ClientLogoDelete "deleteClientLogo" Account, OfProjectBoth(P::ProjectWrite, P::KeyWrite), All, Write, Interactive;

    ImageList "listImages" AccountOrKey, OfProject(P::ProjectRead), All, Read, Interactive;
    IconUpload "uploadIcon" AccountOrKey, OfProject(P::ProjectWrite), All, Write, Interactive;
    IconDelete "deleteIcon" AccountOrKey, OfProject(P::ProjectWrite), All, Write, Interactive;
    BackgroundUpload "uploadBackground" AccountOrKey, OfProject(P::ProjectWrite), All, Write, Interactive;
    BackgroundDelete "deleteBackground" AccountOrKey, OfProject(P::ProjectWrite), All, Write, Interactive;
    ProjectAudit "listProjectAudit" AccountOrKey, OfProject(P::AuditRead), All, Read, Heavy;
    ProjectEvents "listProjectEvents" AccountOrKey, OfProject(P::AuditRead), All, Read, Heavy;

    KeyList "listKeys" AccountOrKey, OfProject(P::KeyRead), All, Read, Interactive;
    KeyCreate "createKey" Account, OfProject(P::KeyWrite), All, Write, Interactive, Always, WithRoles;
    KeyGet "getKey" AccountOrKey, OfProject(P::KeyRead), All, Read, Interactive;
    KeyUpdate "updateKey" Account, OfProject(P::KeyWrite), All, Write, Interactive, IfWidening;
    KeyDelete "deleteKey" Account, OfProject(P::KeyWrite), All, Write, Interactive, Always;
    KeyVerify "verifyKey" AccountOrKey, OfProject(P::KeyRead), All, Read, Interactive;
    KeyPreviousRevoke "revokePreviousKeyValues" Account, OfProject(P::KeyWrite), All, Write, Interactive, Always;
    KeyRegenerate "regenerateKey" AccountOrKey, OfProject(P::KeyWrite), All, Write, Interactive, Always, WithRoles;

    SchemaGet "getSchema" Anyone, Nothing, NoAccount, Read, Interactive;
    SchemaPublish "publishSchema" AccountOrKey, OfProject(P::SchemaWrite), All, Write, Heavy;
    SchemaPatch "patchSchema" AccountOrKey, OfProject(P::SchemaWrite), All, Write, Heavy;
    SchemaRollback "rollbackSchema" AccountOrKey, OfProject(P::SchemaWrite), All, Write, Heavy;
    SchemaCompare "compareSchema" Anyone, Nothing, NoAccount, Read, Heavy;
    SchemaVerify "verifyUpdateSchema" Anyone, Nothing, NoAccount, Read, Heavy;

    UserList "listUsers" AccountOrKey, OfProject(P::UserRead), All, Read, Interactive;
    UserStats "getUserStats" AccountOrKey, OfProject(P::UserRead), All, Read, Heavy;
    UserGet "getUser" AccountOrKey, OfProject(P::UserRead), All, Read, Interactive;
    UserConnect "connectUser" Anyone, Nothing, All, Write, Interactive;
    UserUpdate "updateUser" AccountOrKey, OfProject(P::UserWrite), All, Write, Interactive;
    UserDelete "deleteUser" AccountOrKey, OfProjectBoth(P::UserWrite, P::DbWrite), All, Write, Interactive, Always;
    UserSessionList "listUserSessions" AccountOrKey, OfProject(P::UserRead), All, Read, Interactive;
    UserSignOut "signOutUser" AccountOrKey, OfProject(P::UserWrite), All, Write, Interactive, Always;
    SyncRejectionList "listSyncRejections" AccountOrKey, OfProject(P::DbRead), All, Read, Interactive;
    UserExport "exportUser" AccountOrKey, OfProjectBoth(P::UserRead, P::DbRead), All, Read, Heavy;

    ProjectTableList "listProjectTables" AccountOrKey, OfProject(P::DbRead), All, Read, Heavy;
    ProjectItemList "listProjectItems" AccountOrKey, OfProject(P::DbRead), All, Read, Interactive;
    ItemList "listItems" AccountOrKey, OfProject(P::DbRead), All, Read, Interactive;
    ItemCreate "createItem" AccountOrKey, OfProject(P::DbWrite), All, Write, Interactive;
    ItemGet "getItem" AccountOrKey, OfProject(P::DbRead), All, Read, Interactive;
    ItemPut "putItem" AccountOrKey, OfProject(P::DbWrite), All, Write, Interactive;
    ItemPatch "patchItem" AccountOrKey, OfProject(P::DbWrite), All, Write, Interactive;
    ItemDelete "deleteItem" AccountOrKey, OfProject(P::DbWrite), All, Write, Interactive;
    ItemBatch "batchItems" AccountOrKey, OfProject(P::DbWrite), All, Write, Interactive;

    OwnApp "getOwnApp" User, Nothing, All, Read, Interactive;
    OwnAppLeave "leaveOwnApp" User, Nothing, All, Write, Interactive;
    OwnExport "exportOwnData" User, OfScope(Scope::DbRead), All, Read, Heavy;
    OwnItemList "listOwnItems" User, OfScope(Scope::DbRead), All, Read, Interactive;
    OwnItemCreate "createOwnItem" User, OfScope(Scope::DbWrite), All, Write, Interactive;
    OwnItemGet "getOwnItem" User, OfScope(Scope::DbRead), All, Read, Interactive;
    OwnItemPut "putOwnItem" User, OfScope(Scope::DbWrite), All, Write, Interactive;
    OwnItemPatch "patchOwnItem" User, OfScope(Scope::DbWrite), All, Write, Interactive;
    OwnItemDelete "deleteOwnItem" User, OfScope(Scope::DbWrite), All, Write, Interactive;
    OwnItemBatch "batchOwnItems" User, OfScope(Scope::DbWrite), All, Write, Interactive;

    TeamWebhookList "listTeamWebhooks" Account, OfTeam(P::WebhookRead), All, Read, Interactive;
    TeamWebhookCreate "createTeamWebhook" Account, OfTeam(P::WebhookWrite), All, Write, Interactive, Always;
    TeamWebhookGet "getTeamWebhook" Account, OfTeam(P::WebhookRead), All, Read, Interactive;
    TeamWebhookUpdate "updateTeamWebhook" Account, OfTeam(P::WebhookWrite), All, Write, Interactive, IfWidening;
    TeamWebhookDelete "deleteTeamWebhook" Account, OfTeam(P::WebhookWrite), All, Write, Interactive, Always;
    TeamWebhookRotate "rotateTeamWebhookSecret" Account, OfTeam(P::WebhookWrite), All, Write, Interactive, Always;
    TeamWebhookDeliveries "listTeamWebhookDeliveries" Account, OfTeam(P::WebhookRead), All, Read, Interactive;
    TeamWebhookDeliveryGet "getTeamWebhookDelivery" Account, OfTeam(P::WebhookRead), All, Read, Interactive;
    TeamWebhookRedeliver "redeliverTeamWebhook" Account, OfTeam(P::WebhookWrite), All, Write, Interactive;
    TeamWebhookTest "testTeamWebhook" Account, OfTeam(P::WebhookWrite), All, Write, Interactive;

    ProjectWebhookList "listProjectWebhooks" Account, OfProject(P::WebhookRead), All, Read, Interactive;
    ProjectWebhookCreate "createProjectWebhook" Account, OfProject(P::WebhookWrite), All, Write, Interactive, Always;
    ProjectWebhookGet "getProjectWebhook" Account, OfProject(P::WebhookRead), All, Read, Interactive;
    ProjectWebhookUpdate "updateProjectWebhook" Account, OfProject(P::WebhookWrite), All, Write, Interactive,
        IfWidening;
    ProjectWebhookDelete "deleteProjectWebhook" Account, OfProject(P::WebhookWrite), All, Write, Interactive, Always;
    ProjectWebhookRotate "rotateProjectWebhookSecret" Account, OfProject(P::WebhookWrite), All, Write, Interactive,
        Always;
    ProjectWebhookDeliveries "listProjectWebhookDeliveries" Account, OfProject(P::WebhookRead), All, Read, Interactive;
    ProjectWebhookDeliveryGet "getProjectWebhookDelivery" Account, OfProject(P::WebhookRead), All, Read, Interactive;
    ProjectWebhookRedeliver "redeliverProjectWebhook" Account, OfProject(P::WebhookWrite), All, Write, Interactive;
    ProjectWebhookTest "testProjectWebhook" Account, OfProject(P::WebhookWrite), All, Write, Interactive;

    Slugify "slugify" Anyone, Nothing, NoAccount, Read, Interactive;

    AccountProvision "provisionAccount" System, Nothing, NoAccount, Write, Interactive;
    AccountPasswordSet "setAccountPassword" System, Nothing, NoAccount, Write, Interactive;
    OperatorAdd "addOperator" System, Nothing, NoAccount, Write, Interactive;
    OperatorRemove "removeOperator" System, Nothing, NoAccount, Write, Interactive;
    AccountList "listAccounts" Operator, Nothing, All, Read, Interactive;
    AccountDisable "disableAccount" Operator, Nothing, All, Write, Interactive, Always;
    AccountEnable "enableAccount" Operator, Nothing, All, Write, Interactive, Always;
    AccountSignOut "signOutAccount" Operator, Nothing, All, Write, Interactive, Always;
    AccountEmailConfirm "confirmAccountEmail" Operator, Nothing, All, Write, Interactive, Always;
    AccountDelete "deleteAccount" Operator, Nothing, All, Write, Heavy, Always;
    SecondFactorsRemove "removeSecondFactors" Operator, Nothing, All, Write, Interactive, Always;
    SecondFactorsKeep "keepSecondFactors" Operator, Nothing, All, Write, Interactive;
    ServiceProviderList "listServiceProviders" Operator, Nothing, All, Read, Interactive;
    ServiceProviderCreate "createServiceProvider" Operator, Nothing, All, Write, Interactive, Always;
    ServiceProviderUpdate "updateServiceProvider" Operator, Nothing, All, Write, Interactive, Always;
    ServiceProviderDelete "deleteServiceProvider" Operator, Nothing, All, Write, Interactive, Always;
    SizeList "listSizes" Operator, Nothing, All, Read, Heavy;
    InstanceGet "getInstance" Operator, Nothing, All, Read, Interactive;
    EmailTest "sendTestEmail" Operator, Nothing, All, Write, Interactive;
    ServerKeyGenerate "generateServerKey" System, Nothing, NoAccount, Write, Interactive;
    SigningKeyRotate "rotateSigningKey" System, Nothing, NoAccount, Write, Interactive;
    SigningKeyRevoke "revokeSigningKey" System, Nothing, NoAccount, Write, Interactive;
    SigningKeyRetire "retireSigningKey" System, Nothing, NoAccount, Write, Interactive;
    SignIn "signIn" Page, Nothing, AnyAccount, Write, Interactive;
    SignOut "signOut" Page, Nothing, AnyAccount, Write, Interactive;
    SessionEnd "endSession" Page, Nothing, All, Write, Interactive, IfWidening;
    Consent "consent" Page, Nothing, All, Write, Interactive;
    GrantRevoke "revokeGrant" Page, Nothing, All, Write, Interactive;
    TokenReuse "detectTokenReuse" System, Nothing, NoAccount, Write, Interactive;
    EmailLinkSend "sendEmailLink" Page, Nothing, AnyAccount, Write, Interactive;
    EmailVerify "verifyEmail" Page, Nothing, AnyAccount, Write, Interactive;
    EmailCodeVerify "verifyEmailCode" Page, Nothing, AnyAccount, Write, Interactive;
    PasswordReset "resetPassword" Page, Nothing, AnyAccount, Write, Interactive;
    OwnAccountUpdate "updateOwnAccount" Page, Nothing, All, Write, Interactive;
    OwnAccountEventList "listOwnAccountEvents" Page, Nothing, All, Read, Interactive;
    OwnAccountExport "exportOwnAccount" Page, Nothing, All, Read, Heavy, Always;
    OwnAccountDelete "deleteOwnAccount" Page, Nothing, WithFactor, Write, Heavy, Always;
    EmailChange "changeEmail" Page, Nothing, WithFactor, Write, Interactive, Always;
    PasswordChange "changePassword" Page, Nothing, All, Write, Interactive;
    SecondFactorVerify "verifySecondFactor" Page, Nothing, AnyAccount, Write, Interactive;
    AuthenticatorAppAdd "addAuthenticatorApp" Page, Nothing, Confirmed, Write, Interactive, Always;
    AuthenticatorAppRemove "removeAuthenticatorApp" Page, Nothing, Confirmed, Write, Interactive, Always;
    RecoveryCodesReplace "replaceRecoveryCodes" Page, Nothing, Confirmed, Write, Interactive, Always;
    OwnFactorsRemove "removeOwnFactors" Page, Nothing, Confirmed, Write, Interactive, Always;
    OwnFactorsKeep "keepOwnFactors" Page, Nothing, Confirmed, Write, Interactive;
    PasskeyVerify "verifyPasskey" Page, Nothing, AnyAccount, Write, Interactive;
    PasskeyAdd "addPasskey" Page, Nothing, Confirmed, Write, Interactive, Always;
    PasskeyRename "renamePasskey" Page, Nothing, Confirmed, Write, Interactive;
    PasskeyRemove "removePasskey" Page, Nothing, Confirmed, Write, Interactive, Always;
    ProviderSignIn "signInAtProvider" Page, Nothing, AnyAccount, Write, Interactive;
    IdentityLink "linkIdentity" Page, Nothing, All, Write, Interactive, Always;
    IdentityUnlink "unlinkIdentity" Page, Nothing, All, Write, Interactive, Always;
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_operation_that_accepts_the_credential_of_an_account_requires_all_conditions() {
        for rule in Operation::RULES {
            let (conditions, name) = (rule.conditions, rule.name);
            match rule.callers {
                // It says whether the sign-in has ended, whatever may be done with it.
                _ if rule.operation == Operation::SessionGet => assert_eq!(conditions, AnyAccount),
                Account | AccountOrKey | AccountOrUser | Credential | Operator | User => {
                    assert_eq!(conditions, All, "{name}")
                }
                Key | System => assert_eq!(conditions, NoAccount, "{name}"),
                Page => assert_ne!(conditions, NoAccount, "{name}"),
                // What signs people in and issues tokens uses accounts, and what is public does not.
                Anyone => {}
            }
        }
    }
}
