//! The one table of operations: what each is called, who may call it and which permission it needs. Checks, the OpenAPI
//! document and the tests read it.

use super::Permission;
use crate::model::Scope;

use Callers::{Account, AccountOrKey, AccountOrUser, Anyone, User};
use Needs::{Nothing, OfProject, OfScope, OfTeam};
use Permission as P;

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
    /// A scope of the person's token for the project it is about.
    OfScope(Scope),
}

impl Needs {
    /// The permission, if one is needed.
    pub const fn permission(self) -> Option<Permission> {
        match self {
            Nothing | OfScope(_) => None,
            OfTeam(permission) | OfProject(permission) => Some(permission),
        }
    }

    /// The scope, if one is needed.
    pub const fn scope(self) -> Option<Scope> {
        match self {
            OfScope(scope) => Some(scope),
            Nothing | OfTeam(_) | OfProject(_) => None,
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
}

macro_rules! operations {
    ($($variant:ident $name:literal $callers:expr, $needs:expr;)+) => {
        /// Something that a caller can ask for.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        #[expect(missing_docs, reason = "the names say it; the OpenAPI document describes each")]
        pub enum Operation { $($variant),+ }

        impl Operation {
            /// The table.
            pub const RULES: &[Rule] = &[
                $(Rule { operation: Self::$variant, name: $name, callers: $callers, needs: $needs }),+
            ];

            /// The operation's row.
            pub const fn rule(self) -> Rule {
                match self {
                    $(Self::$variant => Rule { operation: self, name: $name, callers: $callers, needs: $needs }),+
                }
            }
        }
    };
}

operations! {
    SignUp "signUp" Anyone, Nothing;
    LogIn "logIn" Anyone, Nothing;
    UserInfo "getUserInfo" AccountOrUser, Nothing;
    UserInfoPost "postUserInfo" AccountOrUser, Nothing;
    Authorize "authorize" Anyone, Nothing;
    AuthorizePost "authorizeByForm" Anyone, Nothing;
    TokenExchange "exchangeToken" Anyone, Nothing;
    TokenRevoke "revokeToken" Anyone, Nothing;
    TokenIntrospect "introspectToken" AccountOrKey, Nothing;

    TeamList "listTeams" Account, Nothing;
    TeamCreate "createTeam" Account, Nothing;
    TeamSlug "checkTeamSlug" Anyone, Nothing;
    TeamGet "getTeam" AccountOrKey, OfTeam(P::TeamRead);
    TeamUpdate "updateTeam" Account, OfTeam(P::TeamWrite);
    TeamDelete "deleteTeam" Account, OfTeam(P::TeamDelete);
    MemberList "listMembers" AccountOrKey, OfTeam(P::MemberRead);
    MemberUpdate "updateMember" Account, OfTeam(P::MemberWrite);
    MemberRemove "removeMember" Account, OfTeam(P::MemberWrite);
    InviteList "listInvites" AccountOrKey, OfTeam(P::InviteRead);
    InviteCreate "createInvite" Account, OfTeam(P::InviteWrite);
    InviteRevoke "deleteInvite" Account, OfTeam(P::InviteWrite);
    InviteAccept "acceptInvite" Account, Nothing;

    ProjectList "listProjects" AccountOrKey, Nothing;
    ProjectCreate "createProject" Account, OfTeam(P::ProjectCreate);
    ProjectGet "getProject" AccountOrKey, OfProject(P::ProjectRead);
    ProjectUpdate "updateProject" AccountOrKey, OfProject(P::ProjectWrite);
    ProjectSlug "checkProjectSlug" Anyone, Nothing;
    ProjectProfile "getProjectProfile" Anyone, Nothing;
    SettingsGet "getSettings" AccountOrKey, OfProject(P::ProjectRead);
    SettingsUpdate "updateSettings" AccountOrKey, OfProject(P::ProjectWrite);
    SettingsReset "resetSettings" AccountOrKey, OfProject(P::ProjectWrite);

    KeyList "listKeys" AccountOrKey, OfProject(P::KeyRead);
    KeyCreate "createKey" Account, OfProject(P::KeyWrite);
    KeyGet "getKey" AccountOrKey, OfProject(P::KeyRead);
    KeyUpdate "updateKey" Account, OfProject(P::KeyWrite);
    KeyDelete "deleteKey" Account, OfProject(P::KeyWrite);
    KeyVerify "verifyKey" AccountOrKey, OfProject(P::KeyRead);
    KeyRegenerate "regenerateKey" AccountOrKey, OfProject(P::KeyWrite);

    SchemaGet "getSchema" Anyone, Nothing;
    SchemaPublish "publishSchema" AccountOrKey, OfProject(P::SchemaWrite);
    SchemaCompare "compareSchema" Anyone, Nothing;
    SchemaVerify "verifyUpdateSchema" Anyone, Nothing;

    UserList "listUsers" AccountOrKey, OfProject(P::UserRead);
    UserGet "getUser" AccountOrKey, OfProject(P::UserRead);
    UserConnect "connectUser" Anyone, Nothing;
    UserUpdate "updateUser" AccountOrKey, OfProject(P::UserWrite);
    UserDelete "deleteUser" AccountOrKey, OfProject(P::UserWrite);

    ItemList "listItems" AccountOrKey, OfProject(P::DbRead);
    ItemCreate "createItem" AccountOrKey, OfProject(P::DbWrite);
    ItemGet "getItem" AccountOrKey, OfProject(P::DbRead);
    ItemPut "putItem" AccountOrKey, OfProject(P::DbWrite);
    ItemPatch "patchItem" AccountOrKey, OfProject(P::DbWrite);
    ItemDelete "deleteItem" AccountOrKey, OfProject(P::DbWrite);
    ItemBatch "batchItems" AccountOrKey, OfProject(P::DbWrite);

    OwnApp "getOwnApp" User, Nothing;
    OwnItemList "listOwnItems" User, OfScope(Scope::DbRead);
    OwnItemCreate "createOwnItem" User, OfScope(Scope::DbWrite);
    OwnItemGet "getOwnItem" User, OfScope(Scope::DbRead);
    OwnItemPut "putOwnItem" User, OfScope(Scope::DbWrite);
    OwnItemPatch "patchOwnItem" User, OfScope(Scope::DbWrite);
    OwnItemDelete "deleteOwnItem" User, OfScope(Scope::DbWrite);
    OwnItemBatch "batchOwnItems" User, OfScope(Scope::DbWrite);

    Slugify "slugify" Anyone, Nothing;

    AccountProvision "provisionAccount" Anyone, Nothing;
    ServerKeyForge "forgeServerKey" Anyone, Nothing;
    SignIn "signIn" Anyone, Nothing;
    SignOut "signOut" Account, Nothing;
    SessionEnd "endSession" Account, Nothing;
    Consent "consent" Account, Nothing;
    GrantRevoke "revokeGrant" Account, Nothing;
    TokenReuse "noticeTokenReuse" Anyone, Nothing;
    EmailLinkSend "sendEmailLink" Anyone, Nothing;
    EmailVerify "verifyEmail" Anyone, Nothing;
    PasswordReset "resetPassword" Anyone, Nothing;
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
    /// Whether callers of the API can ask for it.
    pub fn is_public(self) -> bool {
        !NOT_PUBLIC.contains(&self)
    }
}
