//! What the pages say about an invite.

use steward_domain::administration::InviteWithTeam;
use steward_domain::identity::Account;

use crate::console::frame::Timestamp;

/// What the pages say about an invite.
pub(crate) struct InviteDetails {
    pub(crate) team: String,
    pub(crate) slug: String,
    /// The person who invited.
    pub(crate) inviter: String,
    pub(crate) roles: String,
    pub(crate) role_name: Option<String>,
    pub(crate) until: Timestamp,
}

impl InviteDetails {
    pub(crate) fn of(found: &InviteWithTeam, inviter: &Account) -> Self {
        let invite = &found.invite;
        Self {
            team: found.team_name.to_string(),
            slug: found.team_slug.to_string(),
            inviter: name_of(inviter),
            roles: invite.roles.to_string().replace(',', ", "),
            role_name: Some(invite.role_name.to_string()).filter(|label| !label.is_empty()),
            until: invite.expires_at.into(),
        }
    }
}

/// Returns how a page names a person.
fn name_of(account: &Account) -> String {
    account
        .name
        .as_ref()
        .map_or_else(|| account.email.shown().to_owned(), |name| format!("{name} ({})", account.email.shown()))
}
