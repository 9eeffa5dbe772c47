//! Invites in rows.

use diesel::prelude::*;
use steward_domain::error::Kind;
use steward_domain::model::{
    Cursor, Email, Invite, InviteId, InviteState, Page, PageRequest, Recipient, Revision, RoleName, TeamId, Time,
    Username,
};
use steward_domain::policy::RoleSet;

use super::{Conn, page};
use crate::error::Fault;
use crate::sql_types::{At, Id};
use crate::tables::invites;

const EMAIL: &str = "email";
const USERNAME: &str = "username";
const PENDING: &str = "pending";
const ACCEPTED: &str = "accepted";
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
    decided_by: Option<Id>,
    decided_at: Option<At>,
    revision: i64,
}

impl TryFrom<Row> for Invite {
    type Error = Fault;

    fn try_from(row: Row) -> Result<Self, Fault> {
        let recipient = match row.recipient_kind.as_str() {
            EMAIL => Recipient::Email(Email::parse(&row.recipient).map_err(Fault::corrupt)?),
            USERNAME => Recipient::Username(Username::parse(&row.recipient).map_err(Fault::corrupt)?),
            other => return Err(Fault::corrupt(format_args!("an invite for a {other}"))),
        };
        let state = match (row.state.as_str(), row.decided_by, row.decided_at) {
            (PENDING, _, _) => InviteState::Pending,
            (ACCEPTED, Some(by), Some(at)) => InviteState::Accepted { by: by.0.into(), at: at.0 },
            (REVOKED, _, Some(at)) => InviteState::Revoked { at: at.0 },
            (other, _, _) => return Err(Fault::corrupt(format_args!("an invite that is {other}"))),
        };
        Ok(Self {
            id: row.id.0.into(),
            team_id: row.team_id.0.into(),
            recipient,
            roles: RoleSet::parse(&row.roles).map_err(Fault::corrupt)?,
            role_name: RoleName::parse(&row.role_name).map_err(Fault::corrupt)?,
            invited_by: row.invited_by.0.into(),
            created_at: row.created_at.0,
            expires_at: row.expires_at.0,
            state,
            revision: Revision(row.revision),
        })
    }
}

impl From<&Invite> for Row {
    fn from(invite: &Invite) -> Self {
        let (state, decided_by, decided_at) = match invite.state {
            InviteState::Pending => (PENDING, None, None),
            InviteState::Accepted { by, at } => (ACCEPTED, Some(Id(by.uuid())), Some(At(at))),
            InviteState::Revoked { at } => (REVOKED, None, Some(At(at))),
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
            state: state.to_owned(),
            decided_by,
            decided_at,
            revision: invite.revision.0,
        }
    }
}

pub(super) fn pending(conn: &mut Conn, team: TeamId, now: Time, request: &PageRequest) -> Result<Page<Invite>, Fault> {
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

pub(super) fn by_id(conn: &mut Conn, id: InviteId) -> Result<Option<Invite>, Fault> {
    let row = invites::table.find(Id(id.uuid())).select(Row::as_select()).first(conn).optional()?;
    row.map(TryInto::try_into).transpose()
}

pub(super) fn pending_for(conn: &mut Conn, team: TeamId, recipient: &Recipient) -> Result<Option<Invite>, Fault> {
    let row = invites::table
        .filter(invites::team_id.eq(Id(team.uuid())))
        .filter(invites::recipient_folded.eq(recipient.folded()))
        .filter(invites::state.eq(PENDING))
        .select(Row::as_select())
        .first(conn)
        .optional()?;
    row.map(TryInto::try_into).transpose()
}

pub(super) fn insert(conn: &mut Conn, invite: &Invite) -> Result<(), Fault> {
    diesel::insert_into(invites::table).values(Row::from(invite)).execute(conn)?;
    Ok(())
}

pub(super) fn replace(conn: &mut Conn, invite: &Invite) -> Result<(), Fault> {
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
            invites::decided_by.eq(row.decided_by),
            invites::decided_at.eq(row.decided_at),
            invites::revision.eq(invites::revision + 1),
        ))
        .execute(conn)?;
    super::commit::one(changed, Kind::Invite)
}

pub(super) fn remove(conn: &mut Conn, invite: &Invite) -> Result<(), Fault> {
    let target = invites::table.filter(invites::id.eq(Id(invite.id.uuid())));
    let gone = diesel::delete(target.filter(invites::revision.eq(invite.revision.0))).execute(conn)?;
    super::commit::one(gone, Kind::Invite)
}
