//! Invites in rows.

use diesel::prelude::*;
use steward_domain::error::ResourceKind;
use steward_domain::model::{
    AccountId, Cursor, Email, EmailDelivery, Invite, InviteId, InviteOfTeam, InviteState, Name, Page, PageRequest,
    Recipient, Revision, RoleName, Slug, TeamId, Time, Username,
};
use steward_domain::policy::RoleSet;

use super::authorization::MAX_ROWS;
use super::{Conn, page};
use crate::error::JobError;
use crate::sql_types::{At, Id};
use crate::tables::{invites, teams};

const EMAIL: &str = "email";
const USERNAME: &str = "username";
const PENDING: &str = "pending";
const ACCEPTED: &str = "accepted";
const DECLINED: &str = "declined";
const REVOKED: &str = "revoked";

#[derive(Queryable, Selectable, Insertable)]
#[diesel(table_name = invites)]
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
}

impl TryFrom<Row> for Invite {
    type Error = JobError;

    fn try_from(row: Row) -> Result<Self, JobError> {
        let recipient = match row.recipient_kind.as_str() {
            EMAIL => Recipient::Email(Email::parse(&row.recipient).map_err(JobError::corrupt)?),
            USERNAME => Recipient::Username(Username::parse(&row.recipient).map_err(JobError::corrupt)?),
            other => return Err(JobError::corrupt(format_args!("an invite for a {other}"))),
        };
        let state = match (row.state.as_str(), row.decided_by, row.decided_at) {
            (PENDING, _, _) => InviteState::Pending,
            (ACCEPTED, Some(by), Some(at)) => InviteState::Accepted { by: by.0.into(), at: at.0 },
            (DECLINED, Some(by), Some(at)) => InviteState::Declined { by: by.0.into(), at: at.0 },
            (REVOKED, _, Some(at)) => InviteState::Revoked { at: at.0 },
            // A state of a newer version: one that decided something ends the invite here.
            (ACCEPTED | DECLINED | REVOKED, _, _) => return Err(JobError::corrupt("half of a decision on an invite")),
            (_, _, at) => InviteState::Revoked { at: at.unwrap_or(row.created_at).0 },
        };
        Ok(Self {
            id: row.id.0.into(),
            team_id: row.team_id.0.into(),
            recipient,
            roles: RoleSet::read(&row.roles),
            role_name: RoleName::parse(&row.role_name).map_err(JobError::corrupt)?,
            invited_by: row.invited_by.0.into(),
            created_at: row.created_at.0,
            expires_at: row.expires_at.0,
            state,
            delivery: EmailDelivery::read(&row.delivery),
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
        }
    }
}

pub(super) fn pending(
    conn: &mut Conn,
    team: TeamId,
    now: Time,
    request: &PageRequest,
) -> Result<Page<Invite>, JobError> {
    let mut query = invites::table
        .filter(invites::team_id.eq(Id(team.uuid())))
        .filter(invites::state.eq(PENDING))
        .filter(invites::expires_at.gt(At(now)))
        .select(Row::as_select())
        .order((invites::created_at.desc(), invites::id.desc()))
        .limit(page::limit(request))
        .into_boxed();
    if let Some((at, id)) = page::after(request) {
        let earlier = invites::created_at.lt(at);
        query = query.filter(earlier.or(invites::created_at.eq(at).and(invites::id.lt(id))));
    }
    let place = |invite: &Invite| Cursor { at: invite.created_at, id: invite.id.to_string() };
    page::parsed(query.load(conn)?, request, place)
}

pub(super) fn pending_naming(
    conn: &mut Conn,
    recipients: &[Recipient],
    now: Time,
    request: &PageRequest,
) -> Result<Page<InviteOfTeam>, JobError> {
    let mut query = invites::table
        .inner_join(teams::table)
        .filter(invites::recipient_folded.eq_any(recipients.iter().map(Recipient::folded)))
        .filter(invites::state.eq(PENDING))
        .filter(invites::expires_at.gt(At(now)))
        .select((Row::as_select(), teams::name, teams::slug))
        .order((invites::created_at.desc(), invites::id.desc()))
        .limit(page::limit(request))
        .into_boxed();
    if let Some((at, id)) = page::after(request) {
        let earlier = invites::created_at.lt(at);
        query = query.filter(earlier.or(invites::created_at.eq(at).and(invites::id.lt(id))));
    }
    let rows: Vec<(Row, String, String)> = query.load(conn)?;
    let found = rows.into_iter().map(|(invite, name, slug)| {
        Ok(InviteOfTeam {
            invite: invite.try_into()?,
            team_name: Name::parse(&name).map_err(JobError::corrupt)?,
            team_slug: Slug::parse(&slug).map_err(JobError::corrupt)?,
        })
    });
    let found: Vec<InviteOfTeam> = found.collect::<Result<_, JobError>>()?;
    let place = |found: &InviteOfTeam| Cursor { at: found.invite.created_at, id: found.invite.id.to_string() };
    Ok(Page::of(found, request, place))
}

pub(super) fn pending_by(
    conn: &mut Conn,
    team: TeamId,
    account: AccountId,
    now: Time,
) -> Result<Vec<Invite>, JobError> {
    let rows: Vec<Row> = invites::table
        .filter(invites::team_id.eq(Id(team.uuid())))
        .filter(invites::invited_by.eq(Id(account.uuid())))
        .filter(invites::state.eq(PENDING))
        .filter(invites::expires_at.gt(At(now)))
        .select(Row::as_select())
        .order(invites::id.asc())
        .limit(MAX_ROWS)
        .load(conn)?;
    rows.into_iter().map(TryInto::try_into).collect()
}

pub(super) fn by_id(conn: &mut Conn, id: InviteId) -> Result<Option<Invite>, JobError> {
    let row = invites::table.find(Id(id.uuid())).select(Row::as_select()).first(conn).optional()?;
    row.map(TryInto::try_into).transpose()
}

pub(super) fn pending_for(conn: &mut Conn, team: TeamId, recipient: &Recipient) -> Result<Option<Invite>, JobError> {
    let row = invites::table
        .filter(invites::team_id.eq(Id(team.uuid())))
        .filter(invites::recipient_folded.eq(recipient.folded()))
        .filter(invites::state.eq(PENDING))
        .select(Row::as_select())
        .first(conn)
        .optional()?;
    row.map(TryInto::try_into).transpose()
}

pub(super) fn insert(conn: &mut Conn, invite: &Invite) -> Result<(), JobError> {
    diesel::insert_into(invites::table).values(Row::from(invite)).execute(conn)?;
    Ok(())
}

pub(super) fn replace(conn: &mut Conn, invite: &Invite) -> Result<(), JobError> {
    let row = Row::from(invite);
    let target = invites::table.filter(invites::id.eq(row.id)).filter(invites::revision.eq(row.revision));
    let changed = diesel::update(target)
        .set((
            invites::recipient.eq(row.recipient),
            invites::roles.eq(row.roles),
            invites::role_name.eq(row.role_name),
            invites::invited_by.eq(row.invited_by),
            invites::created_at.eq(row.created_at),
            invites::expires_at.eq(row.expires_at),
            invites::state.eq(row.state),
            invites::delivery.eq(row.delivery),
            invites::decided_by.eq(row.decided_by),
            invites::decided_at.eq(row.decided_at),
            invites::revision.eq(invites::revision + 1),
        ))
        .execute(conn)?;
    super::commit::one(changed, ResourceKind::Invite)
}

pub(super) fn record_email_delivery(
    conn: &mut Conn,
    id: InviteId,
    at: Time,
    delivery: EmailDelivery,
) -> Result<(), JobError> {
    let target = invites::table.filter(invites::id.eq(Id(id.uuid()))).filter(invites::created_at.eq(At(at)));
    diesel::update(target).set(invites::delivery.eq(delivery.as_str())).execute(conn)?;
    Ok(())
}

pub(super) fn remove(conn: &mut Conn, invite: &Invite) -> Result<(), JobError> {
    let target = invites::table.filter(invites::id.eq(Id(invite.id.uuid())));
    let gone = diesel::delete(target.filter(invites::revision.eq(invite.revision.0))).execute(conn)?;
    super::commit::one(gone, ResourceKind::Invite)
}
