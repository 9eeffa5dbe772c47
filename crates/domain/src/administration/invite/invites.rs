//! Invites: offering team membership, and accepting or declining it.

use chrono::TimeDelta;

use crate::administration::{
    AdministrationCore, EmailDelivery, Invite, InviteOffer, InviteProofs, InviteState, InviteWithTeam, Member,
    Recipient,
};
use crate::identity::email::deliverable::check_deliverable;
use crate::identity::{Account, EmailKind, EmailMessage};
use crate::kernel::changes::Changes;
use crate::kernel::error::{AuthenticationError, Conflict, Error, Forbidden, ResourceKind};
use crate::kernel::policy::{AuthorityChange, LimitedAction, Operation, Permission, Permit, RoleSet};
use crate::kernel::{
    AccountId, Caller, CommitError, InviteId, Locale, Page, PageRequest, Precondition, RetryError, Revision, RoleName,
    Secret, Slug, TeamAccess, TeamId, Time, Unique, account_of, retry_stale, use_cases,
};

/// Default and maximum lifetime of an invite (docs/contract.md#invites).
const DEFAULT_TTL: TimeDelta = TimeDelta::days(7);
const MAX_TTL: TimeDelta = TimeDelta::days(30);

/// Values of a new invite.
#[derive(Debug, Clone)]
#[expect(missing_docs, reason = "each field is named after its value")]
pub struct CreateInvite {
    pub recipient: Recipient,
    pub roles: RoleSet,
    pub role_name: RoleName,
    pub expires_at: Option<Time>,
}

/// An invite as shown to its team.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TeamInvite {
    /// The stored invite.
    pub invite: Invite,
    /// How the invite reaches its recipient.
    pub delivery: EmailDelivery,
    /// URL of the page that shows the invite; `None` unless the caller may invite. With a mail server, or for a username,
    /// it contains no secret and grants nothing.
    pub link: Option<String>,
    /// Whether the link has a secret with which any one account joins.
    pub is_for_anyone: bool,
}

/// A new invite as returned to its creator.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Invited {
    /// The invite as shown to its team.
    pub offer: TeamInvite,
    /// The recipient's account if it is named by username. `None` for an email address, so that the response does not
    /// reveal whether the address has an account.
    pub account: Option<AccountId>,
}

use_cases! {
    /// Use cases of invites.
    pub struct Invites { core: AdministrationCore, proofs: InviteProofs }
}

impl Invites {
    /// Lists the team's pending invites.
    pub async fn list(&self, caller: &Caller, team: TeamId, page: &PageRequest) -> Result<Page<TeamInvite>, Error> {
        let access = self.core.access.team(caller, team).await?;
        access.permit(Operation::InviteList).await?;

        let now = self.core.now();
        let pending = self.core.ports.invites.pending_invites(team, now, page).await?;
        Ok(pending.map(|invite| self.team_invite(invite, now, caller, &access)))
    }

    /// Returns a pending invite of the team. One that has expired can still be renewed, and is returned too.
    pub async fn get(&self, caller: &Caller, team: TeamId, id: InviteId) -> Result<TeamInvite, Error> {
        let access = self.core.access.team(caller, team).await?;
        access.permit(Operation::InviteList).await?;

        let found = self.core.ports.invites.invite(id).await?.filter(|invite| invite.team_id == team);
        let pending = found.filter(|invite| invite.state == InviteState::Pending);
        let invite = pending.ok_or(Error::NotFound(ResourceKind::Invite))?;
        Ok(self.team_invite(invite, self.core.now(), caller, &access))
    }

    /// Creates an invite, or renews a pending invite to the same recipient. If email is configured and the recipient is
    /// an email address, the invite is emailed after it is stored.
    pub async fn create(&self, caller: &Caller, team: TeamId, command: CreateInvite) -> Result<Invited, Error> {
        let (invited, email) = retry_stale(async || {
            let command = command.clone();
            let access = self.core.access.team(caller, team).await?;
            let permit = access.permit(Operation::InviteCreate).await?;
            access.may_grant(&permit, &command.roles).await?;
            permit.confirm(AuthorityChange::Member { before: None, after: Some(&command.roles) })?;

            let now = self.core.now();
            let expires_at = expiry(command.expires_at, now)?;
            let (account, language) = self.recipient_account(team, &command.recipient).await?;
            let language = language.or(caller.request.language).unwrap_or_default();
            let pending = self.core.ports.invites.pending_invite_for(team, &command.recipient).await?;
            let invited_by = caller.person().ok_or(Forbidden::ApiKeyNotAccepted)?;
            let (delivery, is_emailed) = self.delivery(&command.recipient, invited_by, now).await;
            let stored_revision = pending.as_ref().map_or(Revision::FIRST, |invite| invite.revision.next());
            let id = pending.as_ref().map_or_else(|| InviteId::from(self.core.next_id()), |invite| invite.id);
            let (secret, digest) = is_emailed.then(|| self.proofs.issue(id)).unzip();
            let invite = Invite {
                id,
                team_id: team,
                recipient: command.recipient,
                roles: command.roles,
                role_name: command.role_name,
                invited_by,
                created_at: now,
                expires_at,
                state: InviteState::Pending,
                delivery,
                // Without a new email, the last one stays valid.
                proof: digest.or_else(|| pending.as_ref().and_then(|invite| invite.proof.clone())),
                revision: pending.as_ref().map_or(Revision::FIRST, |invite| invite.revision),
            };

            let changes = Changes::by(permit, now);
            let changes = match pending {
                Some(loaded) => changes.replace(loaded, invite.clone()),
                None => changes.insert(invite.clone()),
            };
            match self.core.commit(changes).await {
                Ok(_) => {
                    let team = access.membership()?.team.slug.clone();
                    let email = secret.and_then(|proof| self.email(&invite, &proof, team, language));
                    let invite = Invite { revision: stored_revision, ..invite };
                    Ok((Invited { offer: self.team_invite(invite, now, caller, &access), account }, email))
                }
                Err(CommitError::Taken(Unique::PendingInvite)) => Err(RetryError::Stale(ResourceKind::Invite)),
                Err(CommitError::Orphaned) => Err(Error::NotFound(ResourceKind::Team).into()),
                Err(other) => Err(other.into()),
            }
        })
        .await?;
        if let Some(email) = email {
            self.core.ports.mailer.send(email);
        }
        Ok(invited)
    }

    /// Decides how the invite is delivered, and whether an email is written: without a mail server it is in the log,
    /// and the inviter passes on the link. Above the rate limits none is written; the link can still be shared.
    async fn delivery(&self, recipient: &Recipient, by: AccountId, now: Time) -> (EmailDelivery, bool) {
        let Recipient::Email(email) = recipient else { return (EmailDelivery::Link, false) };
        let is_emailed = self.core.action_limiter.take(LimitedAction::InviteBy, &by.to_string(), now).await.is_ok()
            && self.core.action_limiter.take(LimitedAction::InviteTo, &email.folded(), now).await.is_ok();
        let is_sent = is_emailed && self.core.ports.mailer.is_configured();
        (if is_sent { EmailDelivery::Queued } else { EmailDelivery::Link }, is_emailed)
    }

    /// Returns the email with the link that proves the address.
    fn email(&self, invite: &Invite, proof: &Secret, team: Slug, language: Locale) -> Option<EmailMessage> {
        let Recipient::Email(to) = &invite.recipient else { return None };
        let kind = EmailKind::Invite { id: invite.id, at: invite.created_at, team, expires_at: invite.expires_at };
        let link = Secret::new(format!("{}.{}", self.link(invite.id), proof.expose()));
        Some(EmailMessage::new(to.clone(), kind, link, language))
    }

    fn team_invite(&self, invite: Invite, now: Time, caller: &Caller, access: &TeamAccess<'_>) -> TeamInvite {
        // Otherwise a member could join again with more roles, or after being removed, which revokes only their own invites.
        let is_shown = caller.person() == Some(invite.invited_by) && access.may_give(&invite.roles);
        let secret = if is_shown { self.proofs.link_secret(&invite) } else { None };
        let is_for_anyone = secret.is_some();
        let suffix = secret.map(|secret| format!(".{secret}")).unwrap_or_default();
        let link = access.holds(Permission::InviteWrite).then(|| self.link(invite.id) + &suffix);
        TeamInvite { delivery: invite.delivery_at(now), link, is_for_anyone, invite }
    }

    fn link(&self, id: InviteId) -> String {
        self.core.address.at(&format!("/auth/invite?invite={id}"))
    }

    /// Returns the account of a recipient that is named by username, and the language of the recipient. An unknown username
    /// is refused, because someone could register it later and accept the invite. A recipient who is already a member is
    /// refused too, and so is an address that the mail server does not send to.
    async fn recipient_account(
        &self,
        team: TeamId,
        recipient: &Recipient,
    ) -> Result<(Option<AccountId>, Option<Locale>), Error> {
        let account = match recipient {
            Recipient::Username(username) => {
                let account = self.core.ports.accounts.account_by_username(username).await?;
                Some(account.ok_or(Error::NotFound(ResourceKind::Account))?)
            }
            Recipient::Email(email) => {
                check_deliverable(&*self.core.ports.mailer, email).await?;
                self.core.ports.accounts.account_by_email(email).await?
            }
        };
        if let Some(account) = account.as_ref().filter(|account| recipient.is(account))
            && self.core.ports.teams.member(team, account.id).await?.is_some()
        {
            return Err(Conflict::AlreadyMember.into());
        }
        let language = account.as_ref().and_then(|account| account.language);
        let by_username = matches!(recipient, Recipient::Username(_));
        Ok((account.filter(|_| by_username).map(|account| account.id), language))
    }

    /// Revokes a pending invite.
    pub async fn revoke(&self, caller: &Caller, team: TeamId, id: InviteId, when: &Precondition) -> Result<(), Error> {
        retry_stale(async || {
            let permit = self.core.access.team(caller, team).await?.permit(Operation::InviteRevoke).await?;

            let loaded = self.core.ports.invites.invite(id).await?.filter(|invite| invite.team_id == team);
            let loaded = loaded.ok_or(Error::NotFound(ResourceKind::Invite))?;
            let now = self.core.now();
            let revoked = loaded.clone().revoke(now).map_err(|_| Error::NotFound(ResourceKind::Invite))?;
            when.check(ResourceKind::Invite, loaded.revision)?;

            self.core.save(Changes::by(permit, now).replace(loaded, revoked)).await
        })
        .await
    }

    /// Accepts an invite: the caller becomes a member, exactly once. An invite that is missing, expired, used,
    /// addressed to someone else, or created by a member who may no longer create it is not found
    /// (docs/contract.md#invites). `secret`: that of the link which the inviter passed on, if the caller has it.
    pub async fn accept(&self, caller: &Caller, id: InviteId, secret: Option<&str>) -> Result<Member, Error> {
        retry_stale(async || {
            let account = self.account(caller).await?;
            let loaded = self.core.ports.invites.invite(id).await?.ok_or(Error::NotFound(ResourceKind::Invite))?;
            let permit = Permit::own(Operation::InviteAccept, caller)?.in_team(loaded.team_id);
            let now = self.core.now();
            let accepted = match secret.is_some_and(|secret| self.proofs.opens(&loaded, secret)) {
                true => loaded.clone().accept_with_link(account.id, now),
                false => loaded.clone().accept(&account, now),
            };
            let (accepted, member) = accepted.map_err(|_| Error::NotFound(ResourceKind::Invite))?;
            let (inviter, _) = self.inviter(&loaded).await?;

            let changes = Changes::by(permit, now).hold(inviter).replace(loaded, accepted).insert(member.clone());
            match self.core.commit(changes).await {
                Ok(_) => Ok(member),
                Err(CommitError::Taken(Unique::Member)) => Err(Conflict::AlreadyMember.into()),
                Err(CommitError::Orphaned) => Err(Error::NotFound(ResourceKind::Invite).into()),
                Err(other) => Err(other.into()),
            }
        })
        .await
    }

    /// Declines an invite. An invite that is not open to the caller is not found.
    pub async fn decline(&self, caller: &Caller, id: InviteId) -> Result<(), Error> {
        retry_stale(async || {
            let account = self.account(caller).await?;
            let loaded = self.core.ports.invites.invite(id).await?.ok_or(Error::NotFound(ResourceKind::Invite))?;
            let permit = Permit::own(Operation::InviteDecline, caller)?.in_team(loaded.team_id);
            let now = self.core.now();
            let declined = loaded.clone().decline(&account, now).map_err(|_| Error::NotFound(ResourceKind::Invite))?;

            self.core.save(Changes::by(permit, now).replace(loaded, declined)).await
        })
        .await
    }

    /// Lists the caller's pending invites: those to their username or their verified email address.
    pub async fn list_own(&self, caller: &Caller, page: &PageRequest) -> Result<Page<InviteWithTeam>, Error> {
        let recipients = Recipient::of(&self.account(caller).await?);
        Ok(self.core.ports.invites.pending_invites_naming(&recipients, self.core.now(), page).await?)
    }

    /// Returns a pending invite of the caller, and the account that sent it. An invite that they cannot accept is not
    /// found.
    pub async fn own(&self, caller: &Caller, id: InviteId) -> Result<(InviteWithTeam, Account), Error> {
        let not_found = || Error::NotFound(ResourceKind::Invite);
        let account = self.account(caller).await?;
        let invite = self.core.ports.invites.invite(id).await?.ok_or_else(not_found)?;
        invite.check_can_respond(&account, self.core.now()).map_err(|_| not_found())?;
        let (_, inviter) = self.inviter(&invite).await?;
        let team = self.core.ports.teams.team(invite.team_id).await?.ok_or_else(not_found)?;
        Ok((InviteWithTeam { invite, team_name: team.name, team_slug: team.slug }, inviter))
    }

    /// Returns what a link of an invite shows before anyone signs in. The invite is not found unless the link has the proof
    /// of its last email, which was not used, or the secret of the link that the inviter passes on.
    pub async fn offered(&self, id: InviteId, proof: &str) -> Result<InviteOffer, Error> {
        let (not_found, now) = (|| Error::NotFound(ResourceKind::Invite), self.core.now());
        let invite = self.core.ports.invites.invite(id).await?.filter(|invite| invite.check_open(now).is_ok());
        let invite = invite.ok_or_else(not_found)?;
        let email = match self.proofs.opens(&invite, proof) {
            true => None,
            false => Some(self.proofs.find(id, proof, now).await?.1),
        };
        let (_, inviter) = self.inviter(&invite).await?;
        let team = self.core.ports.teams.team(invite.team_id).await?.ok_or_else(not_found)?;
        let has_account = match &email {
            Some(email) => self.core.ports.accounts.account_by_email(email).await?.is_some(),
            None => false,
        };
        let found = InviteWithTeam { invite, team_name: team.name, team_slug: team.slug };
        Ok(InviteOffer { found, email, inviter, has_account })
    }

    /// Returns whether the caller could answer the invite if the address of their account were confirmed.
    pub async fn awaits_confirmation(&self, caller: &Caller, id: InviteId) -> Result<bool, Error> {
        let account = Account { email_verified: true, ..self.account(caller).await? };
        let invite = self.core.ports.invites.invite(id).await?;
        Ok(invite.is_some_and(|invite| invite.check_can_respond(&account, self.core.now()).is_ok()))
    }

    /// Confirms the address of a signed-in account with the proof in the emailed link, which works once.
    pub async fn confirm_address(&self, caller: &Caller, id: InviteId, proof: &str) -> Result<(), Error> {
        retry_stale(async || {
            let (now, account) = (self.core.now(), self.account(caller).await?);
            let (_, email, digest) = self.proofs.find(id, proof, now).await?;
            if account.email != email {
                return Err(Error::NotFound(ResourceKind::Invite).into());
            }
            let permit = Permit::authenticated(Operation::EmailVerify, account.id, caller.request.clone())?;
            let changes = Changes::by(permit, now).use_invite_proof(id, digest);
            let changes = match account.email_verified {
                true => changes,
                false => changes.replace(account.clone(), Account { email_verified: true, ..account }),
            };
            self.core.save(changes).await
        })
        .await
    }

    /// Returns the member who created the invite, and their account. The invite is not found if they may no longer
    /// create it, or if a stranger created it who had signed up with their address.
    async fn inviter(&self, invite: &Invite) -> Result<(Member, Account), Error> {
        let inviter = self.core.ports.teams.member(invite.team_id, invite.invited_by).await?;
        let inviter = inviter.filter(|inviter| inviter.roles.may_invite_into(&invite.roles));
        let account = self.core.ports.accounts.account(invite.invited_by).await?;
        let account = account.filter(|account| account.is_active() && account.stands_by(invite.created_at));
        inviter.zip(account).ok_or(Error::NotFound(ResourceKind::Invite))
    }

    async fn account(&self, caller: &Caller) -> Result<Account, Error> {
        let account = self.core.ports.accounts.account(account_of(caller)?).await?;
        Ok(account.ok_or(AuthenticationError::UnknownAccount)?)
    }
}

fn expiry(requested: Option<Time>, now: Time) -> Result<Time, Error> {
    match requested {
        None => Ok(now + DEFAULT_TTL),
        Some(at) if at > now && at <= now + MAX_TTL => Ok(at),
        Some(_) => Err(Error::invalid("expires_at", "must be in the future and at most 30 days from now")),
    }
}
