//! Members of a team (docs/contract.md#members).

use crate::openapi::{IntoParams, ToSchema};
use serde::{Deserialize, Serialize};

use crate::list::PageParameters;
use crate::operation::operations;
use crate::values::{
    AccountId, ClientId, IdentityProviderId, InviteId, KeyId, ProjectId, TeamId, Timestamp, WebhookId,
};

operations! {
    ROWS, "teams";

    /// List members
    ///
    /// Returns the members of the team, oldest first.
    ListMembers Get "/team/{team_id}/member", Reads Safe, at(Team), query(PageParameters),
        200(list Member, "The members of the team."), command("member list");

    /// Update a member
    ///
    /// Changes the roles or the role label of a member. The response lists the API keys, OAuth clients, identity
    /// providers, invites and webhooks that depend on permissions which the member no longer has, and what ended.
    UpdateMember Patch "/team/{team_id}/member/{member_id}", Writes Keyed, at(Team, Member), query(EndParameter),
        body(MemberChanges), 200(UpdatedMember, "The member after the update."), shows(Member),
        deviates("docs/contract.md#members: what lost its authority"), errors("last_owner", "precondition_failed"),
        command("member update");

    /// Remove a member
    ///
    /// Removes a member from the team. Members can remove themselves to leave the team. The response lists the API
    /// keys, OAuth clients, identity providers, invites and webhooks that depend on permissions which the member no
    /// longer has, and what ended.
    RemoveMember Delete "/team/{team_id}/member/{member_id}", Writes Keyed, at(Team, Member), query(EndParameter),
        200(RemovedMember, "The member was removed."), deviates("docs/contract.md#members: what lost its authority"),
        errors("last_owner", "precondition_failed"), command("member delete");
}

/// A member of a team.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct Member {
    /// Account ID of the member.
    pub account_id: AccountId,
    /// Comma-separated roles of the member.
    pub roles: String,
    /// Label of the member's role. It grants no permissions. If none is set, the name of the role, or `Custom`.
    pub role_name: String,
    /// When the account became a member.
    pub created_at: Timestamp,
    /// Name of the person. Absent without a name, and for API keys, which do not see who the members are.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "Ann")]
    pub name: Option<String>,
    /// Public username. Absent without one, and for API keys.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub username: Option<String>,
    /// Email address. Absent for API keys, and while the account is being deleted.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(format = Email)]
    pub email: Option<String>,
}

/// Membership of an account in a team.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct Membership {
    /// ID of the team.
    pub team_id: TeamId,
    /// Account ID of the member.
    pub account_id: AccountId,
    /// Comma-separated roles of the member.
    pub roles: String,
    /// Label of the member's role. It grants no permissions. If none is set, the name of the role, or `Custom`.
    pub role_name: String,
}

/// Changes to a member. At least one field is required; absent fields stay unchanged.
#[derive(Debug, Clone, Default, Serialize, Deserialize, ToSchema)]
pub struct MemberChanges {
    /// Comma-separated role names (`owner`, `admin`, `developer`, `viewer`) and permissions such as `project:read`. At
    /// least one of `roles` and `role_name` is required.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub roles: Option<String>,
    /// Label of the member's role: at most 64 characters. It grants no permissions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub role_name: Option<String>,
}

/// What ends with the permissions of the member.
#[derive(Debug, Clone, Default, Serialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct EndParameter {
    /// Comma-separated list of what is deleted in the same change: `keys`, `clients` and `identity_providers`, those of
    /// `affected_keys`, `affected_clients` and `affected_identity_providers`. Requires the permission to delete them.
    /// Default: nothing.
    #[param(example = "keys,clients,identity_providers")]
    pub end: Option<String>,
}

/// A member after a change, and the resources that lost its authority.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct UpdatedMember {
    /// The membership after the update.
    pub data: Membership,
    /// The resources that lost its authority.
    #[serde(flatten)]
    pub affected: AffectedResources,
}

/// The resources that lost the authority of a removed member.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct RemovedMember {
    /// Always `true`.
    pub success: bool,
    /// The resources that lost its authority.
    #[serde(flatten)]
    pub affected: AffectedResources,
}

/// Resources that depend on permissions which the member lost.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct AffectedResources {
    /// API keys with a value that the member knows and with permissions that the member no longer has. They continue to
    /// work unless they ended: rotate them.
    pub affected_keys: Vec<AffectedKey>,
    /// OAuth clients that the member registered, or whose secret, keys or redirect URIs the member last set, and that
    /// the member may no longer register. They continue to work unless they ended.
    pub affected_clients: Vec<AffectedClient>,
    /// Identity providers that the member added or last configured and may no longer add. People can still sign in
    /// there unless they ended.
    pub affected_identity_providers: Vec<AffectedIdentityProvider>,
    /// Pending invites of the member that the member may no longer create. They are revoked.
    pub affected_invites: Vec<AffectedInvite>,
    /// Webhooks that the member authorized and may no longer authorize. They are paused.
    pub affected_webhooks: Vec<AffectedWebhook>,
}

/// A pending invite that the member sent.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct AffectedInvite {
    /// ID of the invite.
    pub id: InviteId,
    /// Comma-separated roles of the invite.
    #[schema(example = "admin")]
    pub roles: String,
}

/// A webhook that the member authorized.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct AffectedWebhook {
    /// ID of the webhook.
    pub id: WebhookId,
    /// ID of the webhook's project; null if the webhook belongs to the team.
    pub project_id: Option<ProjectId>,
}

/// A key that the member created or regenerated.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct AffectedKey {
    /// ID of the API key.
    pub id: KeyId,
    /// ID of the key's project.
    pub project_id: ProjectId,
    /// Display name of the key.
    pub label: String,
    /// Whether the key was deleted.
    pub ended: bool,
}

/// An OAuth client that the member registered or configured.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct AffectedClient {
    /// ID of the client.
    pub id: ClientId,
    /// ID of the client's project.
    pub project_id: ProjectId,
    /// Name of the client.
    pub name: String,
    /// Whether the client was deleted.
    pub ended: bool,
}

/// An identity provider that the member added or configured.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct AffectedIdentityProvider {
    /// ID of the provider.
    pub id: IdentityProviderId,
    /// ID of the provider's project.
    pub project_id: ProjectId,
    /// Name of the provider.
    pub name: String,
    /// Whether the provider was deleted.
    pub ended: bool,
}
