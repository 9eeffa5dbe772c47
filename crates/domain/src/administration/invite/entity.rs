//! Invites: offers of team membership to one person, accepted at most once.

use std::fmt;

use chrono::TimeDelta;

use crate::administration::Member;
use crate::identity::{Account, Email, Username};
use crate::kernel::policy::RoleSet;
use crate::kernel::{AccountId, InviteId, Name, Revision, RoleName, Slug, TeamId, Time, TokenDigest, audited, named};

/// A queued email whose delivery is not reported within this time is lost: the queue is in memory, and no email waits
/// in it for this long.
const EMAIL_QUEUE_TTL: TimeDelta = TimeDelta::hours(1);

/// The recipient of an invite.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Recipient {
    /// The holder of this verified email address, whether or not an account exists yet.
    Email(Email),
    /// The account with this username.
    Username(Username),
}

impl Recipient {
    /// Returns whether the account is the recipient. An email address counts only if it is verified.
    pub fn is(&self, account: &Account) -> bool {
        match self {
            Self::Email(email) => account.email_verified && account.email == *email,
            Self::Username(username) => account.username.as_ref() == Some(username),
        }
    }

    /// Returns every recipient value that matches the account.
    pub fn of(account: &Account) -> Vec<Self> {
        let email = account.email_verified.then(|| Self::Email(account.email.clone()));
        email.into_iter().chain(account.username.clone().map(Self::Username)).collect()
    }

    /// Returns the recipient as people read it.
    pub fn shown(&self) -> &str {
        match self {
            Self::Email(email) => email.shown(),
            Self::Username(username) => username.as_str(),
        }
    }

    /// Returns the normalized form for comparing recipients. An email address and a username never collide: only the
    /// address contains `@`.
    pub fn folded(&self) -> String {
        match self {
            Self::Email(email) => email.folded(),
            Self::Username(username) => username.folded(),
        }
    }
}

impl fmt::Display for Recipient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Email(email) => email.fmt(f),
            Self::Username(username) => username.fmt(f),
        }
    }
}

/// The state of an invite. Expiry is not a state: it is computed from the clock.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum InviteState {
    /// The recipient has not responded yet.
    Pending,
    /// The recipient accepted it.
    Accepted {
        /// The account that accepted it.
        by: AccountId,
        /// When it was accepted.
        at: Time,
    },
    /// The recipient declined it.
    Declined {
        /// The account that declined it.
        by: AccountId,
        /// When it was declined.
        at: Time,
    },
    /// The team revoked it.
    Revoked {
        /// When it was revoked.
        at: Time,
    },
}

impl InviteState {
    /// Returns the name used in the database and in the audit log.
    pub const fn as_str(&self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Accepted { .. } => "accepted",
            Self::Declined { .. } => "declined",
            Self::Revoked { .. } => "revoked",
        }
    }
}

named! {
    /// How an invite reaches its recipient.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum EmailDelivery: "the name used in the API and in the database" {
        /// No email is sent: the inviter passes on the link.
        Link = "link",
        /// An email is waiting to be sent.
        Queued = "queued",
        /// The mail server accepted the email. Whether the recipient reads it is unknown.
        Sent = "sent",
        /// The email could not be sent. The inviter can still pass on the link.
        Failed = "failed",
    }
}

impl EmailDelivery {
    /// Parses a stored name. Maps an unknown name, stored by a newer version, to [`Self::Link`]: only the link is
    /// certain.
    pub fn from_stored(text: &str) -> Self {
        Self::parse(text).unwrap_or(Self::Link)
    }
}

/// Why an invite cannot be accepted, declined or revoked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InviteError {
    /// The invite has expired.
    Expired,
    /// The invite is for another recipient.
    NotForYou,
    /// The invite was accepted, declined or revoked before.
    NotPending,
}

/// An offer of team membership.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Invite {
    /// Unique ID of the invite.
    pub id: InviteId,
    /// The team that the invite is for.
    pub team_id: TeamId,
    /// The person who can accept it.
    pub recipient: Recipient,
    /// The roles that the new member gets.
    pub roles: RoleSet,
    /// The role label that the new member gets.
    pub role_name: RoleName,
    /// The account that sent the invite.
    pub invited_by: AccountId,
    /// When the invite was created or last renewed.
    pub created_at: Time,
    /// When the invite expires.
    pub expires_at: Time,
    /// The current state.
    pub state: InviteState,
    /// The last recorded delivery status of its email. [`Invite::delivery_at`] returns the status at a given time.
    pub delivery: EmailDelivery,
    /// The digest of the secret in its last email, which proves the address once. `None` if no email was sent, or after
    /// the proof was used.
    pub proof: Option<TokenDigest>,
    /// The revision, for compare-and-set.
    pub revision: Revision,
}

audited!(Invite as Invite of |invite| (Some(invite.team_id), None), |invite| {
    "recipient": invite.recipient.to_string(), "roles": invite.roles.to_string(),
    "role_name": invite.role_name.as_str(), "expires_at": invite.expires_at.to_rfc3339(),
    "state": invite.state.as_str(),
});

impl Invite {
    /// Accepts the invite. The account becomes a member.
    pub fn accept(self, account: &Account, now: Time) -> Result<(Self, Member), InviteError> {
        self.check_can_respond(account, now)?;
        self.accept_with_link(account.id, now)
    }

    /// Accepts the invite for a person who has the link that the inviter passed on, with any account.
    pub(crate) fn accept_with_link(self, by: AccountId, now: Time) -> Result<(Self, Member), InviteError> {
        self.check_open(now)?;
        let member = Member {
            team_id: self.team_id,
            account_id: by,
            roles: self.roles.clone(),
            role_name: self.role_name.clone(),
            created_at: now,
            revision: Revision::first_at(now),
        };
        let state = InviteState::Accepted { by, at: now };
        Ok((Self { state, ..self }, member))
    }

    /// Declines the invite. It cannot be accepted afterwards.
    pub fn decline(self, account: &Account, now: Time) -> Result<Self, InviteError> {
        self.check_can_respond(account, now)?;
        Ok(Self { state: InviteState::Declined { by: account.id, at: now }, ..self })
    }

    /// Checks that the account can accept or decline the invite.
    pub fn check_can_respond(&self, account: &Account, now: Time) -> Result<(), InviteError> {
        let is_of_another = self.state == InviteState::Pending && !self.recipient.is(account);
        if is_of_another { Err(InviteError::NotForYou) } else { self.check_open(now) }
    }

    /// Checks that nobody has responded to the invite, and that it has not ended.
    pub(crate) fn check_open(&self, now: Time) -> Result<(), InviteError> {
        match self.state {
            InviteState::Pending if self.expires_at <= now => Err(InviteError::Expired),
            InviteState::Pending => Ok(()),
            InviteState::Accepted { .. } | InviteState::Declined { .. } | InviteState::Revoked { .. } => {
                Err(InviteError::NotPending)
            }
        }
    }

    /// Returns the address that this proof proves; `None` if the invite has another proof, or has ended.
    pub fn proven_email(&self, proof: &TokenDigest, now: Time) -> Option<&Email> {
        match &self.recipient {
            Recipient::Email(email) if self.check_open(now).is_ok() && self.proof.as_ref() == Some(proof) => {
                Some(email)
            }
            Recipient::Email(_) | Recipient::Username(_) => None,
        }
    }

    /// Returns the delivery status at `now`. An email that is still queued after an hour counts as failed.
    pub fn delivery_at(&self, now: Time) -> EmailDelivery {
        match self.delivery {
            EmailDelivery::Queued if self.created_at + EMAIL_QUEUE_TTL <= now => EmailDelivery::Failed,
            known => known,
        }
    }

    /// Revokes the invite.
    pub fn revoke(self, now: Time) -> Result<Self, InviteError> {
        self.check_open(now)?;
        Ok(Self { state: InviteState::Revoked { at: now }, ..self })
    }
}

/// An invite with the name and slug of its team, as its recipient sees it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InviteWithTeam {
    /// The invite.
    pub invite: Invite,
    /// The team's name.
    pub team_name: Name,
    /// The team's slug.
    pub team_slug: Slug,
}

#[cfg(test)]
mod tests {
    use chrono::Duration;

    use super::*;
    use crate::mocks::{an_account, an_invite, instant};

    #[test]
    fn only_the_recipient_can_accept_an_invite_before_it_expires() {
        let (now, ann) = (instant(), an_account("ann"));
        let invite = an_invite(Recipient::Username(Username::parse("ANN").unwrap()));

        let (accepted, member) = invite.clone().accept(&ann, now).unwrap();
        assert_eq!(accepted.state, InviteState::Accepted { by: ann.id, at: now });
        assert_eq!((member.account_id, &member.roles), (ann.id, &invite.roles));

        assert_eq!(accepted.accept(&ann, now), Err(InviteError::NotPending));
        assert_eq!(invite.clone().accept(&an_account("bob"), now), Err(InviteError::NotForYou));
        assert_eq!(invite.clone().accept(&ann, now + Duration::days(8)), Err(InviteError::Expired));
        let (joined, member) = invite.clone().accept_with_link(an_account("bob").id, now).unwrap();
        assert_eq!(
            (&joined.state, member.account_id),
            (&InviteState::Accepted { by: member.account_id, at: now }, an_account("bob").id)
        );
        assert_eq!(joined.accept_with_link(ann.id, now), Err(InviteError::NotPending));
        assert_eq!(invite.clone().accept_with_link(ann.id, now + Duration::days(8)), Err(InviteError::Expired));
        let declined = invite.clone().decline(&ann, now).unwrap();
        assert_eq!(declined.state, InviteState::Declined { by: ann.id, at: now });
        assert_eq!(declined.accept(&ann, now), Err(InviteError::NotPending));
        assert_eq!(invite.clone().decline(&an_account("bob"), now), Err(InviteError::NotForYou));
        let revoked = invite.revoke(now).unwrap();
        assert_eq!(revoked.clone().decline(&ann, now), Err(InviteError::NotPending));
        assert_eq!(revoked.accept(&ann, now), Err(InviteError::NotPending));
    }

    #[test]
    fn an_email_address_counts_only_if_it_is_verified() {
        let mut ann = an_account("ann");
        let invite = an_invite(Recipient::Email(ann.email.clone()));
        assert!(invite.clone().accept(&ann, instant()).is_ok());
        ann.email_verified = false;
        assert_eq!(invite.accept(&ann, instant()), Err(InviteError::NotForYou));
    }

    #[test]
    fn a_proof_proves_the_address_while_the_invite_is_open() {
        let (email, proof) = (an_account("ann").email, TokenDigest("d".into()));
        let invite = Invite { proof: Some(proof.clone()), ..an_invite(Recipient::Email(email.clone())) };
        assert_eq!(invite.proven_email(&proof, instant()), Some(&email));
        assert_eq!(invite.proven_email(&TokenDigest("e".into()), instant()), None);
        assert_eq!(invite.proven_email(&proof, invite.expires_at), None);
        let by_username = Recipient::Username(Username::parse("ann").unwrap());
        assert_eq!(Invite { recipient: by_username, ..invite.clone() }.proven_email(&proof, instant()), None);
        assert_eq!(Invite { proof: None, ..invite.clone() }.proven_email(&proof, instant()), None);
        assert_eq!(invite.revoke(instant()).unwrap().proven_email(&proof, instant()), None);
    }

    #[test]
    fn an_account_matches_by_its_username_and_its_verified_email_address() {
        let mut ann = an_account("ann");
        assert_eq!(Recipient::of(&ann).len(), 2);
        assert!(Recipient::of(&ann).iter().all(|recipient| recipient.is(&ann)));
        (ann.email_verified, ann.username) = (false, None);
        assert_eq!(Recipient::of(&ann), []);
    }

    #[test]
    fn an_email_that_stays_queued_counts_as_failed() {
        let queued = Invite { delivery: EmailDelivery::Queued, ..an_invite(Recipient::Email(an_account("ann").email)) };
        assert_eq!(queued.delivery_at(instant()), EmailDelivery::Queued);
        assert_eq!(queued.delivery_at(instant() + EMAIL_QUEUE_TTL), EmailDelivery::Failed);
        let sent = Invite { delivery: EmailDelivery::Sent, ..queued };
        assert_eq!(sent.delivery_at(instant() + EMAIL_QUEUE_TTL), EmailDelivery::Sent);
    }
}
