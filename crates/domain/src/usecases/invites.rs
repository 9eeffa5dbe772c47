//! Invites: offering membership, and taking the offer.

use std::sync::Arc;

use chrono::TimeDelta;

use crate::changes::Changes;
use crate::error::{AuthenticationError, Conflict, Error, Forbidden, ResourceKind};
use crate::model::{
    Account, AccountId, Caller, EmailDelivery, EmailKind, EmailMessage, Invite, InviteId, InviteOfTeam, InviteState,
    Member, Page, PageRequest, Recipient, Revision, RoleName, Secret, ServiceAddress, Slug, TeamId, Time,
};
use crate::policy::{LimitedAction, Operation, Permission, Permit, RoleSet};
use crate::ports::{
    AccountReader, Clock, CommitError, IdGenerator, InviteReader, Mailer, TeamReader, Unique, UnitOfWork,
};

use super::accounts::account_of;
use super::{Access, RateLimiter, RetryError, retry_stale};

/// How long an invite lasts unless said otherwise, and at most (contract 8).
const DEFAULT_TTL: TimeDelta = TimeDelta::days(7);
const MAX_TTL: TimeDelta = TimeDelta::days(30);

/// What an invite is made with.
#[derive(Debug, Clone)]
#[expect(missing_docs, reason = "each field is the value it is named after")]
pub struct CreateInvite {
    pub recipient: Recipient,
    pub roles: RoleSet,
    pub role_name: RoleName,
    pub expires_at: Option<Time>,
}

/// An invite as its team sees it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TeamInvite {
    /// The invite.
    pub invite: Invite,
    /// How it gets to whom it names, as far as is known.
    pub delivery: EmailDelivery,
    /// The address of the page where it is answered, for those who may invite. It holds no secret and grants nothing.
    pub link: Option<String>,
}

/// An invite as whoever made it sees it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Invited {
    /// The invite.
    pub offer: TeamInvite,
    /// The account it names by username. An address tells nothing: whether it has an account is nobody's business.
    pub account: Option<AccountId>,
}

/// The use cases of invites.
pub struct Invites {
    pub(super) access: Access,
    pub(super) address: ServiceAddress,
    pub(super) invites: Arc<dyn InviteReader>,
    pub(super) accounts: Arc<dyn AccountReader>,
    pub(super) teams: Arc<dyn TeamReader>,
    pub(super) store: Arc<dyn UnitOfWork>,
    pub(super) mailer: Arc<dyn Mailer>,
    pub(super) rate_limiter: Arc<RateLimiter>,
    pub(super) clock: Arc<dyn Clock>,
    pub(super) ids: Arc<dyn IdGenerator>,
}

impl Invites {
    /// The team's pending invites.
    pub async fn list(&self, caller: &Caller, team: TeamId, page: &PageRequest) -> Result<Page<TeamInvite>, Error> {
        let access = self.access.team(caller, team).await?;
        access.permit(Operation::InviteList).await?;

        let (now, may_invite) = (self.clock.now(), access.holds(Permission::InviteWrite));
        let pending = self.invites.pending_invites(team, now, page).await?;
        Ok(pending.map(|invite| self.offer(invite, now, may_invite)))
    }

    /// Offers membership. A pending offer to the same person is renewed instead. Where mail is set up, an email goes to
    /// whom is named by email once the offer is stored.
    pub async fn create(&self, caller: &Caller, team: TeamId, command: CreateInvite) -> Result<Invited, Error> {
        let (invited, email) = retry_stale(async || {
            let command = command.clone();
            let access = self.access.team(caller, team).await?;
            let permit = access.permit(Operation::InviteCreate).await?;
            access.may_grant(&permit, &command.roles).await?;

            let now = self.clock.now();
            let expires_at = expiry(command.expires_at, now)?;
            let account = self.named(team, &command.recipient).await?;
            let pending = self.invites.pending_invite_for(team, &command.recipient).await?;
            let invited_by = caller.person().ok_or(Forbidden::KeyRefused)?;
            let delivery = self.delivery(&command.recipient, invited_by, now).await;
            let invite = Invite {
                id: pending.as_ref().map_or_else(|| InviteId::from(self.ids.next()), |invite| invite.id),
                team_id: team,
                recipient: command.recipient,
                roles: command.roles,
                role_name: command.role_name,
                invited_by,
                created_at: now,
                expires_at,
                state: InviteState::Pending,
                delivery,
                revision: pending.as_ref().map_or(Revision::FIRST, |invite| invite.revision),
            };

            let changes = Changes::by(permit, now);
            let changes = match pending {
                Some(loaded) => changes.replace(loaded, invite.clone()),
                None => changes.insert(invite.clone()),
            };
            match self.store.commit(changes).await {
                Ok(_) => {
                    let email = self.email(&invite, access.membership()?.team.slug.clone());
                    Ok((Invited { offer: self.offer(invite, now, true), account }, email))
                }
                Err(CommitError::Taken(Unique::PendingInvite)) => Err(RetryError::Stale(ResourceKind::Invite)),
                Err(CommitError::Orphaned) => Err(Error::NotFound(ResourceKind::Team).into()),
                Err(other) => Err(other.into()),
            }
        })
        .await?;
        if let Some(email) = email {
            self.mailer.send(email);
        }
        Ok(invited)
    }

    /// How the invite is to get to whom it names. Letters that somebody has had enough of are not sent: the link can be
    /// handed on all the same.
    async fn delivery(&self, recipient: &Recipient, by: AccountId, now: Time) -> EmailDelivery {
        let Recipient::Email(email) = recipient else { return EmailDelivery::Link };
        let by_letter = self.mailer.reaches_people()
            && self.rate_limiter.take(LimitedAction::InviteBy, &by.to_string(), now).await.is_ok()
            && self.rate_limiter.take(LimitedAction::InviteTo, &email.folded(), now).await.is_ok();
        if by_letter { EmailDelivery::Queued } else { EmailDelivery::Link }
    }

    fn email(&self, invite: &Invite, team: Slug) -> Option<EmailMessage> {
        let Recipient::Email(to) = &invite.recipient else { return None };
        let kind = EmailKind::Invite { id: invite.id, at: invite.created_at, team, expires_at: invite.expires_at };
        let email = EmailMessage { to: to.clone(), kind, link: Secret::new(self.link(invite.id)) };
        (invite.delivery == EmailDelivery::Queued).then_some(email)
    }

    fn offer(&self, invite: Invite, now: Time, may_invite: bool) -> TeamInvite {
        let link = may_invite.then(|| self.link(invite.id));
        TeamInvite { delivery: invite.delivery_at(now), link, invite }
    }

    fn link(&self, id: InviteId) -> String {
        self.address.at(&format!("/auth/invite?invite={id}"))
    }

    /// The account behind a recipient who is named by username. A username nobody has is refused: whoever took it later
    /// could take the offer. A member is refused too.
    async fn named(&self, team: TeamId, recipient: &Recipient) -> Result<Option<AccountId>, Error> {
        let account = match recipient {
            Recipient::Username(username) => {
                let account = self.accounts.account_by_username(username).await?;
                Some(account.ok_or(Error::NotFound(ResourceKind::Account))?)
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
        retry_stale(async || {
            let permit = self.access.team(caller, team).await?.permit(Operation::InviteRevoke).await?;

            let loaded = self.invites.invite(id).await?.filter(|invite| invite.team_id == team);
            let loaded = loaded.ok_or(Error::NotFound(ResourceKind::Invite))?;
            let now = self.clock.now();
            let revoked = loaded.clone().revoke(now).map_err(|_| Error::NotFound(ResourceKind::Invite))?;

            let changes = Changes::by(permit, now).replace(loaded, revoked);
            self.store.commit(changes).await?;
            Ok(())
        })
        .await
    }

    /// Takes an offer: the caller becomes a member, exactly once. One that is missing, over, spent, somebody else's or made
    /// by who may not make it any more looks the same (contract 8).
    pub async fn accept(&self, caller: &Caller, id: InviteId) -> Result<Member, Error> {
        retry_stale(async || {
            let account = self.account(caller).await?;
            let loaded = self.invites.invite(id).await?.ok_or(Error::NotFound(ResourceKind::Invite))?;
            let permit = Permit::for_holder(Operation::InviteAccept, &loaded, &account, caller.request.clone());
            let now = self.clock.now();
            let (accepted, member) =
                loaded.clone().accept(&account, now).map_err(|_| Error::NotFound(ResourceKind::Invite))?;
            let maker = self.maker(&loaded).await?;

            let changes = Changes::by(permit, now).hold(maker).replace(loaded, accepted).insert(member.clone());
            match self.store.commit(changes).await {
                Ok(_) => Ok(member),
                Err(CommitError::Taken(Unique::Member)) => Err(Conflict::AlreadyMember.into()),
                Err(CommitError::Orphaned) => Err(Error::NotFound(ResourceKind::Invite).into()),
                Err(other) => Err(other.into()),
            }
        })
        .await
    }

    /// Turns an offer down. What cannot be taken cannot be turned down either, and looks the same.
    pub async fn decline(&self, caller: &Caller, id: InviteId) -> Result<(), Error> {
        retry_stale(async || {
            let account = self.account(caller).await?;
            let loaded = self.invites.invite(id).await?.ok_or(Error::NotFound(ResourceKind::Invite))?;
            let permit = Permit::for_holder(Operation::InviteDecline, &loaded, &account, caller.request.clone());
            let now = self.clock.now();
            let declined = loaded.clone().decline(&account, now).map_err(|_| Error::NotFound(ResourceKind::Invite))?;

            let changes = Changes::by(permit, now).replace(loaded, declined);
            self.store.commit(changes).await?;
            Ok(())
        })
        .await
    }

    /// The offers that wait for the caller: those that name their username or their verified address.
    pub async fn list_own(&self, caller: &Caller, page: &PageRequest) -> Result<Page<InviteOfTeam>, Error> {
        let recipients = Recipient::of(&self.account(caller).await?);
        Ok(self.invites.pending_invites_naming(&recipients, self.clock.now(), page).await?)
    }

    /// An offer that waits for the caller: what they cannot take is not found.
    pub async fn own(&self, caller: &Caller, id: InviteId) -> Result<InviteOfTeam, Error> {
        let gone = || Error::NotFound(ResourceKind::Invite);
        let account = self.account(caller).await?;
        let invite = self.invites.invite(id).await?.ok_or_else(gone)?;
        invite.open_to(&account, self.clock.now()).map_err(|_| gone())?;
        self.maker(&invite).await?;
        let team = self.teams.team(invite.team_id).await?.ok_or_else(gone)?;
        Ok(InviteOfTeam { invite, team_name: team.name, team_slug: team.slug })
    }

    /// The member who made the invite, as long as they may make it: without them it is gone.
    async fn maker(&self, invite: &Invite) -> Result<Member, Error> {
        let maker = self.teams.member(invite.team_id, invite.invited_by).await?;
        let maker = maker.filter(|maker| maker.roles.may_invite_into(&invite.roles));
        let account = self.accounts.account(invite.invited_by).await?.filter(Account::is_active);
        maker.filter(|_| account.is_some()).ok_or(Error::NotFound(ResourceKind::Invite))
    }

    async fn account(&self, caller: &Caller) -> Result<Account, Error> {
        let account = self.accounts.account(account_of(caller)?).await?;
        Ok(account.ok_or(AuthenticationError::UnknownAccount)?)
    }
}

fn expiry(asked: Option<Time>, now: Time) -> Result<Time, Error> {
    match asked {
        None => Ok(now + DEFAULT_TTL),
        Some(at) if at > now && at <= now + MAX_TTL => Ok(at),
        Some(_) => Err(Error::invalid("expires_at", "must be in the future and at most 30 days away")),
    }
}
