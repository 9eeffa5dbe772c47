//! Queries for invites.

use async_trait::async_trait;
use diesel::prelude::*;
use steward_domain::error::ResourceKind;
use steward_domain::model::{
    AccountId, Cursor, Email, EmailDelivery, Invite, InviteId, InviteState, InviteWithTeam, Name, Page, PageRequest,
    Recipient, Revision, RoleName, Slug, TeamId, Time, TokenDigest, Username,
};
use steward_domain::policy::RoleSet;
use steward_domain::ports::{EmailDeliveryStore, InviteReader, StoreError};

use super::{Conn, Database, page};
use crate::error::{JobError, expect_one};
use crate::sql_types::{At, Id};
use crate::tables::{invites, teams};

const EMAIL: &str = "email";
const USERNAME: &str = "username";
/// A newer version of the service may have stored invites with other kinds of recipients, which are skipped.
const RECIPIENT_KINDS: [&str; 2] = [EMAIL, USERNAME];
const PENDING: &str = "pending";
const ACCEPTED: &str = "accepted";
const DECLINED: &str = "declined";
const REVOKED: &str = "revoked";

#[derive(Queryable, Selectable, Insertable, AsChangeset)]
#[diesel(table_name = invites, treat_none_as_null = true)]
struct Row {
    id: Id,
    team_id: Id,
    recipient_kind: String,
    recipient: String,
    recipient_folded: String,
    roles: String,
    role_name: String,
    invited_by: Id,
    created_at: At,
    expires_at: At,
    state: String,
    delivery: String,
    decided_by: Option<Id>,
    decided_at: Option<At>,
    revision: i64,
    proof_digest: Option<String>,
}

impl TryFrom<Row> for Invite {
    type Error = JobError;

    fn try_from(row: Row) -> Result<Self, JobError> {
        let recipient = match row.recipient_kind.as_str() {
            EMAIL => Recipient::Email(Email::parse(&row.recipient).map_err(JobError::corrupt)?),
            USERNAME => Recipient::Username(Username::parse(&row.recipient).map_err(JobError::corrupt)?),
            other => return Err(JobError::corrupt(format_args!("an invite with unknown recipient kind `{other}`"))),
        };
        let state = match (row.state.as_str(), row.decided_by, row.decided_at) {
            (PENDING, _, _) => InviteState::Pending,
            (ACCEPTED, Some(by), Some(at)) => InviteState::Accepted { by: by.0.into(), at: at.0 },
            (DECLINED, Some(by), Some(at)) => InviteState::Declined { by: by.0.into(), at: at.0 },
            (REVOKED, _, Some(at)) => InviteState::Revoked { at: at.0 },
            (ACCEPTED | DECLINED | REVOKED, _, _) => {
                return Err(JobError::corrupt("a decided invite without `decided_by` or `decided_at`"));
            }
            // An unknown state, written by a newer version of the service: the invite is treated as revoked.
            (_, _, at) => InviteState::Revoked { at: at.unwrap_or(row.created_at).0 },
        };
        Ok(Self {
            id: row.id.0.into(),
            team_id: row.team_id.0.into(),
            recipient,
            roles: RoleSet::from_stored(&row.roles),
            role_name: RoleName::stored(&row.role_name).map_err(JobError::corrupt)?,
            invited_by: row.invited_by.0.into(),
            created_at: row.created_at.0,
            expires_at: row.expires_at.0,
            state,
            delivery: EmailDelivery::from_stored(&row.delivery),
            proof: row.proof_digest.map(TokenDigest),
            revision: Revision(row.revision),
        })
    }
}

impl From<&Invite> for Row {
    fn from(invite: &Invite) -> Self {
        let (decided_by, decided_at) = match invite.state {
            InviteState::Pending => (None, None),
            InviteState::Accepted { by, at } | InviteState::Declined { by, at } => (Some(Id(by.uuid())), Some(At(at))),
            InviteState::Revoked { at } => (None, Some(At(at))),
        };
        let kind = match invite.recipient {
            Recipient::Email(_) => EMAIL,
            Recipient::Username(_) => USERNAME,
        };
        Self {
            id: Id(invite.id.uuid()),
            team_id: Id(invite.team_id.uuid()),
            recipient_kind: kind.to_owned(),
            recipient: invite.recipient.to_string(),
            recipient_folded: invite.recipient.folded(),
            roles: invite.roles.to_string(),
            role_name: invite.role_name.to_string(),
            invited_by: Id(invite.invited_by.uuid()),
            created_at: At(invite.created_at),
            expires_at: At(invite.expires_at),
            state: invite.state.as_str().to_owned(),
            delivery: invite.delivery.as_str().to_owned(),
            decided_by,
            decided_at,
            revision: invite.revision.0,
            proof_digest: invite.proof.as_ref().map(|digest| digest.0.clone()),
        }
    }
}

#[async_trait]
impl InviteReader for Database {
    async fn pending_invites(&self, team: TeamId, now: Time, page: &PageRequest) -> Result<Page<Invite>, StoreError> {
        let page = page.clone();
        self.read(move |conn| pending(conn, team, now, &page)).await
    }

    async fn pending_invites_naming(
        &self,
        recipients: &[Recipient],
        now: Time,
        page: &PageRequest,
    ) -> Result<Page<InviteWithTeam>, StoreError> {
        let (recipients, page) = (recipients.to_vec(), page.clone());
        self.read(move |conn| pending_naming(conn, &recipients, now, &page)).await
    }

    async fn pending_invites_by(&self, team: TeamId, account: AccountId, now: Time) -> Result<Vec<Invite>, StoreError> {
        self.read(move |conn| {
            let rows: Vec<Row> = invites::table
                .filter(invites::team_id.eq(Id(team.uuid())))
                .filter(invites::invited_by.eq(Id(account.uuid())))
                .filter(invites::state.eq(PENDING))
                .filter(invites::expires_at.gt(At(now)))
                .filter(invites::recipient_kind.eq_any(RECIPIENT_KINDS))
                .select(Row::as_select())
                .order(invites::id.asc())
                .load(conn)?;
            rows.into_iter().map(TryInto::try_into).collect()
        })
        .await
    }

    async fn invite(&self, id: InviteId) -> Result<Option<Invite>, StoreError> {
        self.read(move |conn| {
            let row = invites::table
                .find(Id(id.uuid()))
                .filter(invites::recipient_kind.eq_any(RECIPIENT_KINDS))
                .select(Row::as_select())
                .first(conn)
                .optional()?;
            row.map(TryInto::try_into).transpose()
        })
        .await
    }

    async fn pending_invite_for(&self, team: TeamId, recipient: &Recipient) -> Result<Option<Invite>, StoreError> {
        let recipient = recipient.clone();
        self.read(move |conn| {
            let row = invites::table
                .filter(invites::team_id.eq(Id(team.uuid())))
                .filter(invites::recipient_folded.eq(recipient.folded()))
                .filter(invites::state.eq(PENDING))
                .filter(invites::recipient_kind.eq_any(RECIPIENT_KINDS))
                .select(Row::as_select())
                .first(conn)
                .optional()?;
            row.map(TryInto::try_into).transpose()
        })
        .await
    }
}

#[async_trait]
impl EmailDeliveryStore for Database {
    async fn record_email_delivery(&self, id: InviteId, at: Time, delivery: EmailDelivery) -> Result<(), StoreError> {
        self.write(move |conn| {
            let target = invites::table.filter(invites::id.eq(Id(id.uuid()))).filter(invites::created_at.eq(At(at)));
            diesel::update(target).set(invites::delivery.eq(delivery.as_str())).execute(conn)?;
            Ok(())
        })
        .await
    }
}

/// Subquery for the time at which the next pending invite of a team expires.
#[diesel::dsl::auto_type(no_type_alias)]
pub(super) fn next_expiry(team: Id, now: At) -> _ {
    let pending = invites::team_id.eq(team).and(invites::state.eq(PENDING));
    let valid = invites::table.filter(pending).filter(invites::expires_at.gt(now)).select(invites::expires_at);
    valid.order(invites::expires_at.asc()).limit(1_i64).single_value()
}

fn pending(conn: &mut Conn, team: TeamId, now: Time, request: &PageRequest) -> Result<Page<Invite>, JobError> {
    let mut query = invites::table
        .filter(invites::team_id.eq(Id(team.uuid())))
        .filter(invites::state.eq(PENDING))
        .filter(invites::expires_at.gt(At(now)))
        .filter(invites::recipient_kind.eq_any(RECIPIENT_KINDS))
        .select(Row::as_select())
        .order((invites::created_at.desc(), invites::id.desc()))
        .limit(request.rows())
        .into_boxed();
    if let Some((at, id)) = page::after(request) {
        let earlier = invites::created_at.lt(at);
        query = query.filter(earlier.or(invites::created_at.eq(at).and(invites::id.lt(id))));
    }
    let cursor = |invite: &Invite| Cursor { at: invite.created_at, id: invite.id.to_string() };
    page::parse_page(query.load(conn)?, request, cursor)
}

fn pending_naming(
    conn: &mut Conn,
    recipients: &[Recipient],
    now: Time,
    request: &PageRequest,
) -> Result<Page<InviteWithTeam>, JobError> {
    let mut query = invites::table
        .inner_join(teams::table)
        .filter(invites::recipient_folded.eq_any(recipients.iter().map(Recipient::folded)))
        .filter(invites::state.eq(PENDING))
        .filter(invites::expires_at.gt(At(now)))
        .filter(invites::recipient_kind.eq_any(RECIPIENT_KINDS))
        .select((Row::as_select(), teams::name, teams::slug))
        .order((invites::created_at.desc(), invites::id.desc()))
        .limit(request.rows())
        .into_boxed();
    if let Some((at, id)) = page::after(request) {
        let earlier = invites::created_at.lt(at);
        query = query.filter(earlier.or(invites::created_at.eq(at).and(invites::id.lt(id))));
    }
    let rows: Vec<(Row, String, String)> = query.load(conn)?;
    let found = rows.into_iter().map(|(invite, name, slug)| {
        Ok(InviteWithTeam {
            invite: invite.try_into()?,
            team_name: Name::stored(&name).map_err(JobError::corrupt)?,
            team_slug: Slug::parse(&slug).map_err(JobError::corrupt)?,
        })
    });
    let found: Vec<InviteWithTeam> = found.collect::<Result<_, JobError>>()?;
    let cursor = |found: &InviteWithTeam| Cursor { at: found.invite.created_at, id: found.invite.id.to_string() };
    Ok(Page::of(found, request, cursor))
}

pub(super) fn insert(conn: &mut Conn, invite: &Invite) -> Result<(), JobError> {
    diesel::insert_into(invites::table).values(Row::from(invite)).execute(conn)?;
    Ok(())
}

pub(super) fn replace(conn: &mut Conn, invite: &Invite) -> Result<(), JobError> {
    let row = Row::from(invite);
    let target = invites::table.find(row.id).filter(invites::revision.eq(row.revision));
    let row = Row { revision: row.revision + 1, ..row };
    expect_one(diesel::update(target).set(row).execute(conn)?, ResourceKind::Invite)
}

pub(super) fn remove(conn: &mut Conn, invite: &Invite) -> Result<(), JobError> {
    let target = invites::table.filter(invites::id.eq(Id(invite.id.uuid())));
    let deleted = diesel::delete(target.filter(invites::revision.eq(invite.revision.0))).execute(conn)?;
    expect_one(deleted, ResourceKind::Invite)
}

/// Removes the proof of an invite. Fails if the invite no longer has it.
pub(super) fn use_proof(conn: &mut Conn, id: InviteId, proof: &TokenDigest) -> Result<(), JobError> {
    let target = invites::table.filter(invites::id.eq(Id(id.uuid()))).filter(invites::proof_digest.eq(&proof.0));
    let cleared = invites::proof_digest.eq(None::<String>);
    expect_one(diesel::update(target).set(cleared).execute(conn)?, ResourceKind::Invite)
}
