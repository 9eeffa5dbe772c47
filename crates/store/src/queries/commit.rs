//! One change: its writes and its audit events in one transaction.

use diesel::Connection as _;
use steward_domain::changes::{Changes, Subject, Write};
use steward_domain::error::ResourceKind;
use steward_domain::model::Time;
use steward_domain::policy::Quota;
use steward_domain::ports::Committed;

use super::{
    Conn, access_epoch, account, api_key, audit, authorization, email_link, idempotency, invite, item, personal_token,
    project, project_user, quota, schema, server_key, session, team, token_family, webhook,
};
use crate::error::JobError;
use crate::sql_types::Id;
use item::Keys;
use quota::Sharing;

/// Stores all of it, or nothing. Inside another transaction it is a savepoint of that one.
pub(super) fn commit(conn: &mut Conn, changes: &Changes) -> Result<Committed, JobError> {
    match attempt(conn, changes) {
        Err(error) if quota::used_up(&error).is_some() => commit_with_new_shares(conn, changes),
        done => done,
    }
}

/// Tries again with the rest of the quotas shared out anew: first evenly, then all of it to this change. Shares are given out
/// in a transaction of their own: within it, who holds an item and waits for a count would wait in a circle. While enough is
/// left for the change others may take it first, so it goes on trying; where too little is left it tries once, as it may
/// replace what takes as much.
fn commit_with_new_shares(conn: &mut Conn, changes: &Changes) -> Result<Committed, JobError> {
    const ROUNDS: usize = 64;
    let mut met = Quota::ItemsPerProject;
    let mut sharing = Sharing::Evenly;
    for _ in 0..ROUNDS {
        let short = conn.transaction(|conn| quota::share_out(conn, changes, sharing))?;
        match attempt(conn, changes) {
            // While another change holds all that is left, this one has a share of neither quota: `short` says which is met.
            Err(error) => {
                let used_up = quota::used_up(&error).ok_or(error)?;
                met = short.unwrap_or(used_up);
            }
            done => return done,
        }
        if short.is_some() && sharing == Sharing::AllToOne {
            break;
        }
        sharing = Sharing::AllToOne;
    }
    Err(JobError::OverQuota(met, changes.limit(met).unwrap_or(u64::MAX)))
}

fn attempt(conn: &mut Conn, changes: &Changes) -> Result<Committed, JobError> {
    let lone_item = matches!(changes.writes(), [Write::PutItem(..) | Write::RemoveItem(..)]);
    let unclaimed = changes.permit().request().claim.is_none();
    if lone_item && unclaimed && super::SINGLE_STATEMENT_ITEMS {
        return apply_all(conn, changes);
    }
    conn.transaction(|conn| apply_all(conn, changes))
}

fn apply_all(conn: &mut Conn, changes: &Changes) -> Result<Committed, JobError> {
    let mut committed = Committed::default();
    if let Some(claim) = changes.permit().request().claim.filter(|_| !changes.writes().is_empty()) {
        idempotency::take_effect(conn, claim)?;
    }
    quota::lock(conn, changes.bounds())?;
    let shard = quota::shard(changes);
    let mut item_changes = audit::item_changes(changes);
    let mut next_event =
        || item_changes.next().ok_or_else(|| JobError::corrupt("a write of an item without its event"));
    for write in changes.writes() {
        match write {
            Write::Insert(subject) => insert(conn, subject)?,
            Write::Replace(subject) => replace(conn, subject)?,
            Write::Remove(subject) => remove(conn, subject, changes.at())?,
            Write::Lock(locked) => team::lock(conn, locked)?,
            Write::Hold(member) => team::lock_member(conn, member)?,
            Write::PutItem(item, when) => {
                committed.items.push(item::put(
                    conn,
                    item,
                    when,
                    changes.at(),
                    item::Recording {
                        event: next_event()?,
                        project: Id(item.project_id.uuid()),
                        shard,
                        keys: if changes.has_indexed_fields() { Keys::Stored } else { Keys::None },
                        basis: changes.permit().basis(),
                    },
                )?);
            }
            Write::EraseItems(project, user, most) => committed.erased += item::erase(conn, *project, *user, *most)?,
            Write::RemoveItem(place, when) => committed.items.push(item::remove(
                conn,
                place,
                when,
                item::Recording {
                    event: next_event()?,
                    project: Id(place.project_id.uuid()),
                    shard,
                    keys: Keys::Deleted,
                    basis: changes.permit().basis(),
                },
            )?),
        }
    }
    access_epoch::raise(conn, changes.writes())?;
    quota::verify(conn, changes.bounds())?;
    audit::record(conn, changes)?;
    Ok(committed)
}

fn insert(conn: &mut Conn, subject: &Subject) -> Result<(), JobError> {
    match subject {
        Subject::Account(account) => account::insert(conn, account),
        Subject::Team(team) => team::insert(conn, team),
        Subject::Member(member) => team::insert_member(conn, member),
        Subject::Invite(invite) => invite::insert(conn, invite),
        Subject::Project(project) => project::insert(conn, project),
        Subject::ApiKey(key) => api_key::insert(conn, key),
        Subject::Schema(version) => schema::insert(conn, version),
        Subject::ProjectUser(user) => project_user::insert(conn, user),
        Subject::ServerKey(key) => server_key::insert(conn, key),
        Subject::AuthorizationRequest(request) => authorization::insert_request(conn, request),
        Subject::AuthorizationCode(code) => authorization::insert_code(conn, code),
        Subject::Grant(grant) => authorization::insert_grant(conn, grant),
        Subject::TokenFamily(family) => token_family::insert(conn, family),
        Subject::RefreshToken(token) => token_family::insert_refresh_token(conn, token),
        Subject::Session(session) => session::insert(conn, session),
        Subject::EmailLink(link) => email_link::insert(conn, link),
        Subject::PersonalToken(token) => personal_token::insert(conn, token),
        Subject::Webhook(hook) => webhook::insert(conn, hook),
    }
}

fn replace(conn: &mut Conn, subject: &Subject) -> Result<(), JobError> {
    match subject {
        Subject::Account(account) => account::replace(conn, account),
        Subject::Team(team) => team::replace(conn, team),
        Subject::Member(member) => team::replace_member(conn, member),
        Subject::Invite(invite) => invite::replace(conn, invite),
        Subject::Project(project) => project::replace(conn, project),
        Subject::ApiKey(key) => api_key::replace(conn, key),
        Subject::ProjectUser(user) => project_user::replace(conn, user),
        Subject::AuthorizationCode(code) => authorization::replace_code(conn, code),
        Subject::Grant(grant) => authorization::replace_grant(conn, grant),
        Subject::TokenFamily(family) => token_family::replace(conn, family),
        Subject::RefreshToken(token) => token_family::replace_refresh_token(conn, token),
        Subject::ServerKey(key) => server_key::replace(conn, key),
        Subject::Webhook(hook) => webhook::replace(conn, hook),
        Subject::Schema(_)
        | Subject::AuthorizationRequest(_)
        | Subject::Session(_)
        | Subject::EmailLink(_)
        | Subject::PersonalToken(_) => Err(never(subject, "replaced")),
    }
}

fn remove(conn: &mut Conn, subject: &Subject, at: Time) -> Result<(), JobError> {
    match subject {
        Subject::Account(account) => account::remove(conn, account, at),
        Subject::Team(team) => team::remove(conn, team),
        Subject::Member(member) => team::remove_member(conn, member),
        Subject::Invite(invite) => invite::remove(conn, invite),
        Subject::Project(project) => project::remove(conn, project, at),
        Subject::ApiKey(key) => api_key::remove(conn, key),
        Subject::ProjectUser(user) => project_user::remove(conn, user),
        Subject::ServerKey(key) => server_key::remove(conn, key),
        Subject::AuthorizationRequest(request) => authorization::remove_request(conn, request),
        Subject::Grant(grant) => authorization::remove_grant(conn, grant),
        Subject::Session(session) => session::remove(conn, session),
        Subject::EmailLink(link) => email_link::remove(conn, link),
        Subject::PersonalToken(token) => personal_token::remove(conn, token),
        Subject::Webhook(hook) => webhook::remove(conn, hook),
        Subject::Schema(_) | Subject::AuthorizationCode(_) | Subject::TokenFamily(_) | Subject::RefreshToken(_) => {
            Err(never(subject, "removed"))
        }
    }
}

fn never(subject: &Subject, what: &str) -> JobError {
    JobError::corrupt(format_args!("a {} that should be {what}, which it never is", subject.kind()))
}

/// Whether a conditional statement found its one row.
pub(super) fn one(rows: usize, kind: ResourceKind) -> Result<(), JobError> {
    if rows == 1 { Ok(()) } else { Err(JobError::Stale(kind)) }
}
