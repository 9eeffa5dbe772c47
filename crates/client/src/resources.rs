//! The groups of operations that a client has.

use std::fmt::Display;

use steward_api::{ListSyncRejections, SyncRejection};

use crate::mounted::{Mounted, Place};
use crate::{
    Account, Apps, AuditLog, Client, IdentityProviders, Images, Invites, Items, Keys, List, Members, OAuthClients,
    OwnInvites, Projects, Schemas, Sessions, Settings, Teams, Tokens, Users, Webhooks,
};

impl Client {
    /// Returns the operations of the caller's own account and credential.
    pub fn account(&self) -> Account {
        Account { client: self.clone() }
    }

    /// Returns the operations of teams.
    pub fn teams(&self) -> Teams {
        Teams { client: self.clone() }
    }

    /// Returns the operations of the members of a team.
    pub fn members(&self, team_id: impl Display) -> Members {
        Members { client: self.clone(), team_id: team_id.to_string() }
    }

    /// Returns the operations of the invites of a team.
    pub fn invites(&self, team_id: impl Display) -> Invites {
        Invites { client: self.clone(), team_id: team_id.to_string() }
    }

    /// Returns the operations of the invites that the caller received.
    pub fn own_invites(&self) -> OwnInvites {
        OwnInvites { client: self.clone() }
    }

    /// Returns the operations of projects.
    pub fn projects(&self) -> Projects {
        Projects { client: self.clone() }
    }

    /// Returns the operations of the settings of a project.
    pub fn settings(&self, project_id: impl Display) -> Settings {
        Settings { client: self.clone(), project_id: project_id.to_string() }
    }

    /// Returns the operations of the identity providers of a project.
    pub fn identity_providers(&self, project_id: impl Display) -> IdentityProviders {
        IdentityProviders { client: self.clone(), project_id: project_id.to_string() }
    }

    /// Returns the operations of the OAuth clients that a project registers.
    pub fn oauth_clients(&self, project_id: impl Display) -> OAuthClients {
        OAuthClients { client: self.clone(), project_id: project_id.to_string() }
    }

    /// Returns the operations of the images of a project.
    pub fn images(&self, project_id: impl Display) -> Images {
        Images { client: self.clone(), project_id: project_id.to_string() }
    }

    /// Returns the operations of the API keys of a project.
    pub fn keys(&self, project_id: impl Display) -> Keys {
        Keys { client: self.clone(), project_id: project_id.to_string() }
    }

    /// Returns the operations of the schema of a project.
    pub fn schemas(&self, project_id: impl Display) -> Schemas {
        Schemas { client: self.clone(), project_id: project_id.to_string() }
    }

    /// Returns the operations of the audit log of a team, with its projects.
    pub fn team_audit_log(&self, team_id: impl Display) -> AuditLog {
        AuditLog(self.mounted(Place::First, &[&team_id]))
    }

    /// Returns the operations of the audit log of a project.
    pub fn project_audit_log(&self, project_id: impl Display) -> AuditLog {
        AuditLog(self.mounted(Place::Second, &[&project_id]))
    }

    /// Returns the operations of the webhooks of a team.
    pub fn team_webhooks(&self, team_id: impl Display) -> Webhooks {
        Webhooks(self.mounted(Place::First, &[&team_id]))
    }

    /// Returns the operations of the webhooks of a project.
    pub fn project_webhooks(&self, project_id: impl Display) -> Webhooks {
        Webhooks(self.mounted(Place::Second, &[&project_id]))
    }

    /// Returns the operations of personal access tokens, and the introspection of tokens.
    pub fn tokens(&self) -> Tokens {
        Tokens { client: self.clone() }
    }

    /// Returns the operations of sign-ins.
    pub fn sessions(&self) -> Sessions {
        Sessions { client: self.clone() }
    }

    /// Returns the operations of projects that the caller granted access to.
    pub fn apps(&self) -> Apps {
        Apps { client: self.clone() }
    }

    /// Returns the operations of the users of a project.
    pub fn users(&self, project_id: impl Display) -> Users {
        Users { client: self.clone(), project_id: project_id.to_string() }
    }

    /// Returns the operations of a table's items of one user of a project.
    pub fn items(&self, project_id: impl Display, user_id: impl Display, table: &str) -> Items {
        Items(self.mounted(Place::First, &[&project_id, &user_id, &table]))
    }

    /// Returns the operations of a table's items of the signed-in user. The token must be one of the user for this
    /// project.
    pub fn own_items(&self, project_id: impl Display, table: &str) -> Items {
        Items(self.mounted(Place::Second, &[&project_id, &table]))
    }

    /// Lists the changes of the users' devices that were rejected, newest first.
    pub fn sync_rejections(&self, project_id: impl Display) -> List<SyncRejection> {
        self.list::<ListSyncRejections>(&[&project_id])
    }

    fn mounted(&self, place: Place, ids: &[&dyn Display]) -> Mounted {
        Mounted { client: self.clone(), place, ids: ids.iter().map(ToString::to_string).collect() }
    }
}
