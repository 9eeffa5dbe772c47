//! Invites to teams: those that a team sent, and those that the caller received.

use std::fmt::Display;

use steward_api::{
    AcceptInvite, CreateInvite, CreatedInvite, Data, DeclineInvite, DeleteInvite, Invite, InviteReference, ListInvites,
    ListOwnInvites, Membership, NewInvite, OwnInvite, Success,
};

use crate::{Call, Client, List};

/// Operations of the invites of a team.
#[derive(Debug, Clone)]
pub struct Invites {
    pub(crate) client: Client,
    pub(crate) team_id: String,
}

impl Invites {
    /// Lists the pending invites, newest first.
    pub fn list(&self) -> List<Invite> {
        self.client.list::<ListInvites>(&[&self.team_id])
    }

    /// Creates an invite, or renews the pending one for the same recipient.
    pub fn create(&self, invite: &NewInvite) -> Call<NewInvite, Data<CreatedInvite>> {
        self.client.call::<CreateInvite>(&[&self.team_id]).body(invite)
    }

    /// Revokes an invite.
    pub fn delete(&self, invite_id: impl Display) -> Call<(), Success> {
        self.client.call::<DeleteInvite>(&[&self.team_id, &invite_id])
    }
}

/// Operations of the invites that the caller received.
#[derive(Debug, Clone)]
pub struct OwnInvites {
    pub(crate) client: Client,
}

impl OwnInvites {
    /// Lists the pending invites, newest first.
    pub fn list(&self) -> List<OwnInvite> {
        self.client.list::<ListOwnInvites>(&[])
    }

    /// Accepts an invite.
    pub fn accept(&self, invite_id: impl Display) -> Call<InviteReference, Data<Membership>> {
        self.client.call::<AcceptInvite>(&[]).body(&InviteReference { invite_id: invite_id.to_string() })
    }

    /// Declines an invite.
    pub fn decline(&self, invite_id: impl Display) -> Call<InviteReference, Success> {
        self.client.call::<DeclineInvite>(&[]).body(&InviteReference { invite_id: invite_id.to_string() })
    }
}
