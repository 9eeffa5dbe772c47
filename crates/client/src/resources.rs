//! The groups of operations that a client has.

use crate::{
    Account, Apps, AuditLog, Client, Images, Invites, Items, Keys, List, Members, OwnInvites, Projects, Schemas,
    Sessions, Settings, SyncRejection, Teams, Tokens, Users, Webhooks,
};

impl Client {
    /// Returns the operations of the caller's own account and credential.
    pub fn account(&self) -> Account {
        Account::new(self.clone())
    }

    /// Returns the operations of teams.
    pub fn teams(&self) -> Teams {
        Teams::new(self.clone())
    }

    /// Returns the operations of the members of a team.
    pub fn members(&self, team_id: &str) -> Members {
        Members::new(self.clone(), team_id)
    }

    /// Returns the operations of the invites of a team.
    pub fn invites(&self, team_id: &str) -> Invites {
        Invites::new(self.clone(), team_id)
    }

    /// Returns the operations of the invites that the caller received.
    pub fn own_invites(&self) -> OwnInvites {
        OwnInvites::new(self.clone())
    }

    /// Returns the operations of projects.
    pub fn projects(&self) -> Projects {
        Projects::new(self.clone())
    }

    /// Returns the operations of the settings of a project.
    pub fn settings(&self, project_id: &str) -> Settings {
        Settings::new(self.clone(), project_id)
    }

    /// Returns the operations of the images of a project.
    pub fn images(&self, project_id: &str) -> Images {
        Images::new(self.clone(), project_id)
    }

    /// Returns the operations of the API keys of a project.
    pub fn keys(&self, project_id: &str) -> Keys {
        Keys::new(self.clone(), project_id)
    }

    /// Returns the operations of the schema of a project.
    pub fn schemas(&self, project_id: &str) -> Schemas {
        Schemas::new(self.clone(), project_id)
    }

    /// Returns the operations of the audit log of a team, with its projects.
    pub fn team_audit_log(&self, team_id: &str) -> AuditLog {
        AuditLog::new(self.clone(), "team", team_id)
    }

    /// Returns the operations of the audit log of a project.
    pub fn project_audit_log(&self, project_id: &str) -> AuditLog {
        AuditLog::new(self.clone(), "project", project_id)
    }

    /// Returns the operations of the webhooks of a team.
    pub fn team_webhooks(&self, team_id: &str) -> Webhooks {
        Webhooks::new(self.clone(), "team", team_id)
    }

    /// Returns the operations of the webhooks of a project.
    pub fn project_webhooks(&self, project_id: &str) -> Webhooks {
        Webhooks::new(self.clone(), "project", project_id)
    }

    /// Returns the operations of personal access tokens, and the introspection of tokens.
    pub fn tokens(&self) -> Tokens {
        Tokens::new(self.clone())
    }

    /// Returns the operations of sign-ins.
    pub fn sessions(&self) -> Sessions {
        Sessions::new(self.clone())
    }

    /// Returns the operations of projects that the caller granted access to.
    pub fn apps(&self) -> Apps {
        Apps::new(self.clone())
    }

    /// Returns the operations of the users of a project.
    pub fn users(&self, project_id: &str) -> Users {
        Users::new(self.clone(), project_id)
    }

    /// Returns the operations of a table's items of one user of a project.
    pub fn items(&self, project_id: &str, user_id: &str, table: &str) -> Items {
        Items::of_user(self.clone(), project_id, user_id, table)
    }

    /// Returns the operations of a table's items of the signed-in user. The token must be one of the user for this
    /// project.
    pub fn own_items(&self, project_id: &str, table: &str) -> Items {
        Items::own(self.clone(), project_id, table)
    }

    /// Lists the changes of the users' devices that were rejected, newest first.
    pub fn sync_rejections(&self, project_id: &str) -> List<SyncRejection> {
        List::new(self.clone(), &["project", project_id, "sync", "rejections"])
    }
}
