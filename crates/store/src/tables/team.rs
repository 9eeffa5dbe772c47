//! Tables for teams, their members and their invites.

use diesel::sql_types::{BigInt, Nullable, Text};
use steward_domain::administration::{Invite, InviteState, Member, Recipient, Team};
use steward_domain::identity::{Email, Username};

use super::column::ColumnValue;
use super::row::{row, table};
use crate::error::JobError;
use crate::sql_types::{At, Id, Instant, Uid};

row! {
    struct TeamRow for Team in teams (id; revision) {
        id -> Uid,
        name -> Text,
        slug -> Text,
        owner: owner_id -> Uid,
        second_factor_from -> Nullable<Instant>,
        created_at -> Instant,
        revision -> BigInt,
    }
    others { contents_revision -> BigInt }
}

table! {
    team_slugs (slug) {
        slug -> Text,
        team_id -> Uid,
    }
}

row! {
    struct MemberRow for Member in members (team_id, account_id; revision) {
        team_id -> Uid,
        account_id -> Uid,
        roles -> Text,
        role_name -> Text,
        created_at -> Instant,
        revision -> BigInt,
    }
}

row! {
    struct InviteRow for Invite in invites (id; revision) {
        id -> Uid,
        team_id -> Uid,
        roles -> Text,
        role_name -> Text,
        invited_by -> Uid,
        created_at -> Instant,
        expires_at -> Instant,
        delivery -> Text,
        proof: proof_digest -> Nullable<Text>,
        revision -> BigInt,
    }
    store |invite| {
        recipient_kind -> Text = recipient_kind(&invite.recipient).to_owned(),
        recipient -> Text = invite.recipient.to_string(),
        recipient_folded -> Text = invite.recipient.folded(),
        state -> Text = invite.state.as_str().to_owned(),
        decided_by -> Nullable<Uid> = match invite.state {
            InviteState::Accepted { by, .. } | InviteState::Declined { by, .. } => Some(Id(by.uuid())),
            InviteState::Pending | InviteState::Revoked { .. } => None,
        },
        decided_at -> Nullable<Instant> = match invite.state {
            InviteState::Accepted { at, .. } | InviteState::Declined { at, .. } | InviteState::Revoked { at } => {
                Some(At(at))
            }
            InviteState::Pending => None,
        },
    }
    load {
        recipient = parse_recipient(&recipient_kind, recipient)?,
        state = parse_state(&state, decided_by, decided_at, created_at)?,
    }
}

const EMAIL: &str = "email";
const USERNAME: &str = "username";
/// A newer version of the service may have stored invites with other kinds of recipients, which are skipped.
pub(crate) const RECIPIENT_KINDS: [&str; 2] = [EMAIL, USERNAME];
/// The state of an invite that the recipient has not answered.
pub(crate) const PENDING: &str = "pending";

fn recipient_kind(recipient: &Recipient) -> &'static str {
    match recipient {
        Recipient::Email(_) => EMAIL,
        Recipient::Username(_) => USERNAME,
    }
}

fn parse_recipient(kind: &str, text: String) -> Result<Recipient, JobError> {
    match kind {
        EMAIL => ColumnValue::<Email>::load(text).map(Recipient::Email),
        USERNAME => ColumnValue::<Username>::load(text).map(Recipient::Username),
        other => Err(JobError::corrupt(format_args!("an invite with unknown recipient kind `{other}`"))),
    }
}

fn parse_state(state: &str, by: Option<Id>, at: Option<At>, created_at: At) -> Result<InviteState, JobError> {
    Ok(match (state, by, at) {
        (PENDING, _, _) => InviteState::Pending,
        ("accepted", Some(by), Some(at)) => InviteState::Accepted { by: by.0.into(), at: at.0 },
        ("declined", Some(by), Some(at)) => InviteState::Declined { by: by.0.into(), at: at.0 },
        ("revoked", _, Some(at)) => InviteState::Revoked { at: at.0 },
        ("accepted" | "declined" | "revoked", _, _) => {
            return Err(JobError::corrupt("a decided invite without `decided_by` or `decided_at`"));
        }
        // An unknown state, written by a newer version of the service: the invite is treated as revoked.
        (_, _, at) => InviteState::Revoked { at: at.unwrap_or(created_at).0 },
    })
}
