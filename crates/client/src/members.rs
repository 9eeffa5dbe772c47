//! Members of a team.

use std::fmt::Display;

use steward_api::{ListMembers, Member, MemberChanges, RemoveMember, RemovedMember, UpdateMember, UpdatedMember};

use crate::{Call, Client, List};

/// Operations of the members of a team.
#[derive(Debug, Clone)]
pub struct Members {
    pub(crate) client: Client,
    pub(crate) team_id: String,
}

impl Members {
    /// Lists the members, oldest first.
    pub fn list(&self) -> List<Member> {
        self.client.list::<ListMembers>(&[&self.team_id])
    }

    /// Updates a member. The role `owner` makes the member an owner of the team. The query parameter `end` deletes what
    /// depends on permissions which the member loses: `.query("end", "keys,clients,identity_providers")`.
    pub fn update(&self, account_id: impl Display, changes: &MemberChanges) -> Call<MemberChanges, UpdatedMember> {
        self.client.call::<UpdateMember>(&[&self.team_id, &account_id]).body(changes)
    }

    /// Removes a member. The query parameter `end` deletes what the member leaves behind, as with
    /// [`update`](Self::update).
    pub fn remove(&self, account_id: impl Display) -> Call<(), RemovedMember> {
        self.client.call::<RemoveMember>(&[&self.team_id, &account_id])
    }
}
