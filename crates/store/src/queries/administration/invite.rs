//! Queries for invites.

use async_trait::async_trait;
use const_format::concatcp;
use diesel::dsl::sql;
use diesel::expression::SqlLiteral;
use diesel::prelude::*;
use diesel::sql_types::Bool;
use steward_domain::administration::{EmailDelivery, Invite, InviteReader, InviteWithTeam, Recipient};
use steward_domain::identity::EmailDeliveryStore;
use steward_domain::kernel::error::ResourceKind;
use steward_domain::kernel::{AccountId, InviteId, Page, PageRequest, StoreError, TeamId, Time, TokenDigest};

use super::kernel::page;
use super::{Backend, Conn, Database};
use crate::error::{JobError, expect_one};
use crate::sql_types::{At, Id};
use crate::tables::{ColumnValue as _, InviteRow, PENDING, RECIPIENT_KINDS, invites, teams};

/// Not a parameter, so that the databases know that the indexes of pending invites contain what is requested.
const IS_PENDING: &str = concatcp!("invites.state = '", PENDING, "'");

#[async_trait]
impl InviteReader for Database {
    async fn pending_invites(&self, team: TeamId, now: Time, page: &PageRequest) -> Result<Page<Invite>, StoreError> {
        self.page(newest_pending(team, now, page), page, |invite: &Invite| page::cursor(invite.created_at, invite.id))
            .await
    }

    async fn pending_invites_naming(
        &self,
        recipients: &[Recipient],
        now: Time,
        page: &PageRequest,
    ) -> Result<Page<InviteWithTeam>, StoreError> {
        let recipients: Vec<String> = recipients.iter().map(Recipient::folded).collect();
        let found = pending(now).inner_join(teams::table).filter(invites::recipient_folded.eq_any(recipients));
        let found = found.select((InviteRow::as_select(), teams::name, teams::slug));
        let found = page::listed!(newest first, found, page, page.rows(), invites::created_at, invites::id);
        let parse = |(invite, name, slug): (InviteRow, String, String)| {
            Ok(InviteWithTeam { invite: invite.try_into()?, team_name: name.load()?, team_slug: slug.load()? })
        };
        let cursor = |found: &InviteWithTeam| page::cursor(found.invite.created_at, found.invite.id);
        self.page_as(found, page, parse, cursor).await
    }

    async fn pending_invites_by(&self, team: TeamId, account: AccountId, now: Time) -> Result<Vec<Invite>, StoreError> {
        let invites = pending(now).filter(invites::team_id.eq(Id(team.uuid())));
        self.all(invites.filter(invites::invited_by.eq(Id(account.uuid()))).order(invites::id.asc())).await
    }

    async fn invite(&self, id: InviteId) -> Result<Option<Invite>, StoreError> {
        let invite = invites::table.find(Id(id.uuid()));
        self.first(invite.filter(invites::recipient_kind.eq_any(RECIPIENT_KINDS))).await
    }

    async fn pending_invite_for(&self, team: TeamId, recipient: &Recipient) -> Result<Option<Invite>, StoreError> {
        let pending = invites::table
            .filter(invites::team_id.eq(Id(team.uuid())))
            .filter(invites::recipient_folded.eq(recipient.folded()))
            .filter(sql::<Bool>(IS_PENDING))
            .filter(invites::recipient_kind.eq_any(RECIPIENT_KINDS));
        self.first(pending).await
    }
}

#[async_trait]
impl EmailDeliveryStore for Database {
    async fn record_email_delivery(&self, id: InviteId, at: Time, delivery: EmailDelivery) -> Result<(), StoreError> {
        let target = invites::table.filter(invites::id.eq(Id(id.uuid()))).filter(invites::created_at.eq(At(at)));
        self.execute(diesel::update(target).set(invites::delivery.eq(delivery.as_str()))).await
    }
}

/// Subquery for the time at which the next pending invite of a team expires.
#[diesel::dsl::auto_type(no_type_alias)]
pub(crate) fn next_expiry(team: Id, now: At) -> _ {
    let is_pending: SqlLiteral<Bool> = sql(IS_PENDING);
    let pending = invites::team_id.eq(team).and(is_pending);
    let valid = invites::table.filter(pending).filter(invites::expires_at.gt(now)).select(invites::expires_at);
    valid.order(invites::expires_at.asc()).limit(1_i64).single_value()
}

/// Selects the invites on a page of the pending ones of a team.
pub(crate) fn newest_pending(team: TeamId, now: Time, page: &PageRequest) -> invites::BoxedQuery<'static, Backend> {
    let own = pending(now).filter(invites::team_id.eq(Id(team.uuid())));
    page::listed!(newest first, own, page, page.rows(), invites::created_at, invites::id)
}

/// Selects the pending invites that have not expired.
#[diesel::dsl::auto_type(no_type_alias)]
pub(crate) fn pending(now: Time) -> _ {
    let (now, is_pending): (At, SqlLiteral<Bool>) = (At(now), sql(IS_PENDING));
    let kinds: [&'static str; 2] = RECIPIENT_KINDS;
    let pending = invites::table.filter(is_pending).filter(invites::expires_at.gt(now));
    pending.filter(invites::recipient_kind.eq_any(kinds))
}

/// Removes the proof of an invite. Fails if the invite no longer has it.
pub(crate) fn use_proof(conn: &mut Conn, id: InviteId, proof: &TokenDigest) -> Result<(), JobError> {
    let target = invites::table.filter(invites::id.eq(Id(id.uuid()))).filter(invites::proof_digest.eq(&proof.0));
    let cleared = invites::proof_digest.eq(None::<String>);
    expect_one(diesel::update(target).set(cleared).execute(conn)?, ResourceKind::Invite)
}
