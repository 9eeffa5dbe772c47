//! The one table of operations: what each is called, who may call it and which permission it needs. Checks, the OpenAPI
//! document and the tests read it.

use super::Permission;

use Callers::{Account, AccountOrKey, Anyone};
use Needs::{Nothing, OfProject, OfTeam};
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
}

impl Needs {
    /// The permission, if one is needed.
    pub const fn permission(self) -> Option<Permission> {
        match self {
            Nothing => None,
            OfTeam(permission) | OfProject(permission) => Some(permission),
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
    UserInfo "getUserInfo" Account, Nothing;

    TeamList "listTeams" Account, Nothing;
    TeamCreate "createTeam" Account, Nothing;
    TeamSlug "checkTeamSlug" Anyone, Nothing;
    TeamUpdate "updateTeam" Account, OfTeam(P::TeamWrite);
    MemberList "listMembers" AccountOrKey, OfTeam(P::MemberRead);
    MemberUpdate "updateMember" Account, OfTeam(P::MemberWrite);
    InviteList "listInvites" AccountOrKey, OfTeam(P::InviteRead);
    InviteCreate "createInvite" Account, OfTeam(P::InviteWrite);
    InviteRevoke "deleteInvite" Account, OfTeam(P::InviteWrite);
    InviteAccept "acceptInvite" Account, Nothing;

    ProjectList "listProjects" AccountOrKey, Nothing;
    ProjectCreate "createProject" Account, OfTeam(P::ProjectCreate);
    ProjectGet "getProject" AccountOrKey, OfProject(P::ProjectRead);

    KeyList "listKeys" AccountOrKey, OfProject(P::KeyRead);
    KeyCreate "createKey" Account, OfProject(P::KeyWrite);
    KeyRegenerate "regenerateKey" AccountOrKey, OfProject(P::KeyWrite);

    SchemaGet "getSchema" Anyone, Nothing;
    SchemaPublish "publishSchema" AccountOrKey, OfProject(P::SchemaWrite);
    SchemaCompare "compareSchema" Anyone, Nothing;
    SchemaVerify "verifyUpdateSchema" Anyone, Nothing;

    UserList "listUsers" AccountOrKey, OfProject(P::UserRead);
    UserConnect "connectUser" Anyone, Nothing;
    UserUpdate "updateUser" AccountOrKey, OfProject(P::UserWrite);

    ItemList "listItems" AccountOrKey, OfProject(P::DbRead);
    ItemCreate "createItem" AccountOrKey, OfProject(P::DbWrite);
    ItemGet "getItem" AccountOrKey, OfProject(P::DbRead);
    ItemPut "putItem" AccountOrKey, OfProject(P::DbWrite);
    ItemPatch "patchItem" AccountOrKey, OfProject(P::DbWrite);
    ItemDelete "deleteItem" AccountOrKey, OfProject(P::DbWrite);

    Slugify "slugify" Anyone, Nothing;

    AccountProvision "provisionAccount" Anyone, Nothing;
    ServerKeyForge "forgeServerKey" Anyone, Nothing;
}

impl Operation {
    /// Whether callers reach it over HTTP. The others are the server's own.
    pub fn is_public(self) -> bool {
        !matches!(self, Self::AccountProvision | Self::ServerKeyForge)
    }
}
