//! Queries for invites.

use async_trait::async_trait;
use diesel::prelude::*;
use steward_domain::administration::{EmailDelivery, Invite, InviteReader, InviteWithTeam, Recipient};
use steward_domain::identity::EmailDeliveryStore;
use steward_domain::kernel::error::ResourceKind;
use steward_domain::kernel::{
    AccountId, Cursor, InviteId, Name, Page, PageRequest, Slug, StoreError, TeamId, Time, TokenDigest,
};

use super::kernel::page;
use super::{Conn, Database};
use crate::error::{JobError, expect_one};
use crate::sql_types::{At, Id};
use crate::tables::{InviteRow, PENDING, RECIPIENT_KINDS, invites, teams};

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
        self.read_all(move |conn| {
            invites::table
                .filter(invites::team_id.eq(Id(team.uuid())))
                .filter(invites::invited_by.eq(Id(account.uuid())))
                .filter(invites::state.eq(PENDING))
                .filter(invites::expires_at.gt(At(now)))
                .filter(invites::recipient_kind.eq_any(RECIPIENT_KINDS))
                .select(InviteRow::as_select())
                .order(invites::id.asc())
                .load(conn)
        })
        .await
    }

    async fn invite(&self, id: InviteId) -> Result<Option<Invite>, StoreError> {
        self.read_one(move |conn| {
            invites::table
                .find(Id(id.uuid()))
                .filter(invites::recipient_kind.eq_any(RECIPIENT_KINDS))
                .select(InviteRow::as_select())
                .first(conn)
        })
        .await
    }

    async fn pending_invite_for(&self, team: TeamId, recipient: &Recipient) -> Result<Option<Invite>, StoreError> {
        let recipient = recipient.clone();
        self.read_one(move |conn| {
            invites::table
                .filter(invites::team_id.eq(Id(team.uuid())))
                .filter(invites::recipient_folded.eq(recipient.folded()))
                .filter(invites::state.eq(PENDING))
                .filter(invites::recipient_kind.eq_any(RECIPIENT_KINDS))
                .select(InviteRow::as_select())
                .first(conn)
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
pub(crate) fn next_expiry(team: Id, now: At) -> _ {
    let state: &'static str = PENDING;
    let pending = invites::team_id.eq(team).and(invites::state.eq(state));
    let valid = invites::table.filter(pending).filter(invites::expires_at.gt(now)).select(invites::expires_at);
    valid.order(invites::expires_at.asc()).limit(1_i64).single_value()
}

fn pending(conn: &mut Conn, team: TeamId, now: Time, request: &PageRequest) -> Result<Page<Invite>, JobError> {
    let mut query = invites::table
        .filter(invites::team_id.eq(Id(team.uuid())))
        .filter(invites::state.eq(PENDING))
        .filter(invites::expires_at.gt(At(now)))
        .filter(invites::recipient_kind.eq_any(RECIPIENT_KINDS))
        .select(InviteRow::as_select())
        .order((invites::created_at.desc(), invites::id.desc()))
        .limit(request.rows())
        .into_boxed();
    query = page::before_cursor!(query, request, invites::created_at, invites::id);
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
        .select((InviteRow::as_select(), teams::name, teams::slug))
        .order((invites::created_at.desc(), invites::id.desc()))
        .limit(request.rows())
        .into_boxed();
    query = page::before_cursor!(query, request, invites::created_at, invites::id);
    let rows: Vec<(InviteRow, String, String)> = query.load(conn)?;
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

/// Removes the proof of an invite. Fails if the invite no longer has it.
pub(crate) fn use_proof(conn: &mut Conn, id: InviteId, proof: &TokenDigest) -> Result<(), JobError> {
    let target = invites::table.filter(invites::id.eq(Id(id.uuid()))).filter(invites::proof_digest.eq(&proof.0));
    let cleared = invites::proof_digest.eq(None::<String>);
    expect_one(diesel::update(target).set(cleared).execute(conn)?, ResourceKind::Invite)
}
