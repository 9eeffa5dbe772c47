//! Invites: offering membership, and taking the offer.

use std::sync::Arc;

use chrono::TimeDelta;

use crate::changes::Changes;
use crate::error::{AuthenticationFault, Conflict, Error, Forbidden, Kind};
use crate::model::{
    AccountId, Caller, Invite, InviteId, InviteState, Member, Page, PageRequest, Recipient, Revision, RoleName, TeamId,
    Time,
};
use crate::policy::{Operation, Permit, RoleSet};
use crate::ports::{AccountReader, Clock, CommitError, IdGenerator, InviteReader, TeamReader, Unique, UnitOfWork};

use super::accounts::account_of;
use super::{Access, Attempt, retry_stale};

/// How long an invite lasts unless said otherwise, and at most (contract 8).
const LASTS: TimeDelta = TimeDelta::days(7);
const LASTS_AT_MOST: TimeDelta = TimeDelta::days(30);

/// What an invite is made with.
#[derive(Debug, Clone)]
#[expect(missing_docs, reason = "each field is the value it is named after")]
pub struct CreateInvite {
    pub recipient: Recipient,
    pub roles: RoleSet,
    pub role_name: RoleName,
    pub expires_at: Option<Time>,
}

/// An invite as whoever made it sees it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Invited {
    /// The invite.
    pub invite: Invite,
    /// The account it names by username. An address tells nothing: whether it has an account is nobody's business.
    pub account: Option<AccountId>,
}

/// The use cases of invites.
pub struct Invites {
    access: Access,
    invites: Arc<dyn InviteReader>,
    accounts: Arc<dyn AccountReader>,
    teams: Arc<dyn TeamReader>,
    store: Arc<dyn UnitOfWork>,
    clock: Arc<dyn Clock>,
    ids: Arc<dyn IdGenerator>,
}

impl Invites {
    /// Over these ports.
    pub fn new(
        access: Access,
        invites: Arc<dyn InviteReader>,
        accounts: Arc<dyn AccountReader>,
        teams: Arc<dyn TeamReader>,
        store: Arc<dyn UnitOfWork>,
        clock: Arc<dyn Clock>,
        ids: Arc<dyn IdGenerator>,
    ) -> Self {
        Self { access, invites, accounts, teams, store, clock, ids }
    }

    /// The team's pending invites.
    pub async fn list(&self, caller: &Caller, team: TeamId, page: &PageRequest) -> Result<Page<Invite>, Error> {
        self.access.team(caller, team).await?.permit(Operation::InviteList).await?;

        Ok(self.invites.pending_invites(team, self.clock.now(), page).await?)
    }

    /// Offers membership. A pending offer to the same person is renewed instead.
    pub async fn create(&self, caller: &Caller, team: TeamId, command: CreateInvite) -> Result<Invited, Error> {
        retry_stale(|| self.create_once(caller, team, command.clone())).await
    }

    async fn create_once(&self, caller: &Caller, team: TeamId, command: CreateInvite) -> Result<Invited, Attempt> {
        let access = self.access.team(caller, team).await?;
        let permit = access.permit(Operation::InviteCreate).await?;
        access.may_grant(&permit, &command.roles).await?;

        let now = self.clock.now();
        let expires_at = expiry(command.expires_at, now)?;
        let account = self.named(team, &command.recipient).await?;
        let pending = self.invites.pending_invite_for(team, &command.recipient).await?;
        let invite = Invite {
            id: pending.as_ref().map_or_else(|| InviteId::from(self.ids.next()), |invite| invite.id),
            team_id: team,
            recipient: command.recipient,
            roles: command.roles,
            role_name: command.role_name,
            invited_by: caller.person().ok_or(Forbidden::KeyRefused)?,
            created_at: now,
            expires_at,
            state: InviteState::Pending,
            revision: pending.as_ref().map_or(Revision::FIRST, |invite| invite.revision),
        };

        let changes = Changes::by(permit, now);
        let changes = match pending {
            Some(loaded) => changes.replace(loaded, invite.clone()),
            None => changes.insert(invite.clone()),
        };
        match self.store.commit(changes).await {
            Ok(_) => Ok(Invited { invite, account }),
            Err(CommitError::Taken(Unique::PendingInvite)) => Err(Attempt::Stale(Kind::Invite)),
            Err(CommitError::Orphaned) => Err(Error::NotFound(Kind::Team).into()),
            Err(other) => Err(Attempt::of_commit(other, Error::from)),
        }
    }

    /// The account behind a recipient who is named by username. A username nobody has is refused: whoever took it later
    /// could take the offer. A member is refused too.
    async fn named(&self, team: TeamId, recipient: &Recipient) -> Result<Option<AccountId>, Error> {
        let account = match recipient {
            Recipient::Username(username) => {
                let account = self.accounts.account_by_username(username).await?;
                Some(account.ok_or(Error::NotFound(Kind::Account))?)
            }
            Recipient::Email(email) => self.accounts.account_by_email(email).await?,
        };
        if let Some(account) = account.as_ref().filter(|account| recipient.is(account))
            && self.teams.member(team, account.id).await?.is_some()
        {
            return Err(Conflict::AlreadyMember.into());
        }
        let by_username = matches!(recipient, Recipient::Username(_));
        Ok(account.filter(|_| by_username).map(|account| account.id))
    }

    /// Withdraws an offer.
    pub async fn revoke(&self, caller: &Caller, team: TeamId, id: InviteId) -> Result<(), Error> {
        retry_stale(|| self.revoke_once(caller, team, id)).await
    }

    async fn revoke_once(&self, caller: &Caller, team: TeamId, id: InviteId) -> Result<(), Attempt> {
        let permit = self.access.team(caller, team).await?.permit(Operation::InviteRevoke).await?;

        let loaded = self.invites.invite(id).await?.filter(|invite| invite.team_id == team);
        let loaded = loaded.ok_or(Error::NotFound(Kind::Invite))?;
        let now = self.clock.now();
        let revoked = loaded.clone().revoke(now).map_err(|_| Error::NotFound(Kind::Invite))?;

        let changes = Changes::by(permit, now).replace(loaded, revoked);
        self.store.commit(changes).await.map_err(|error| Attempt::of_commit(error, Error::from))?;
        Ok(())
    }

    /// Takes an offer: the caller becomes a member, exactly once. One that is missing, over, spent or somebody else's looks
    /// the same (contract 8).
    pub async fn accept(&self, caller: &Caller, id: InviteId) -> Result<Member, Error> {
        retry_stale(|| self.accept_once(caller, id)).await
    }

    async fn accept_once(&self, caller: &Caller, id: InviteId) -> Result<Member, Attempt> {
        let account = self.accounts.account(account_of(caller)?).await?.ok_or(AuthenticationFault::UnknownAccount)?;
        let loaded = self.invites.invite(id).await?.ok_or(Error::NotFound(Kind::Invite))?;
        let permit = Permit::for_holder(&loaded, &account, caller.request.clone());
        let now = self.clock.now();
        let (accepted, member) = loaded.clone().accept(&account, now).map_err(|_| Error::NotFound(Kind::Invite))?;

        let changes = Changes::by(permit, now).replace(loaded, accepted).insert(member.clone());
        match self.store.commit(changes).await {
            Ok(_) => Ok(member),
            Err(CommitError::Taken(Unique::Member)) => Err(Conflict::AlreadyMember.into()),
            Err(CommitError::Orphaned) => Err(Error::NotFound(Kind::Invite).into()),
            Err(other) => Err(Attempt::of_commit(other, Error::from)),
        }
    }
}

fn expiry(asked: Option<Time>, now: Time) -> Result<Time, Error> {
    match asked {
        None => Ok(now + LASTS),
        Some(at) if at > now && at <= now + LASTS_AT_MOST => Ok(at),
        Some(_) => Err(Error::invalid("expires_at", "must be in the future and at most 30 days away")),
    }
}
