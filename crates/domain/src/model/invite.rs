//! Invites: an offer of membership to one person, taken at most once.

use std::fmt;

use chrono::TimeDelta;

use crate::policy::RoleSet;

use super::{Account, AccountId, Email, InviteId, Member, Name, Revision, RoleName, Slug, TeamId, Time, Username};

/// A email that was not heard of for so long is lost: those that wait to be sent wait in memory, and never as long.
const EMAIL_QUEUE_TTL: TimeDelta = TimeDelta::hours(1);

/// Whom an invite names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Recipient {
    /// Whoever holds this verified address, whether or not an account exists yet.
    Email(Email),
    /// The account with this username.
    Username(Username),
}

impl Recipient {
    /// Whether the account is the one named. An address counts only once it is verified.
    pub fn is(&self, account: &Account) -> bool {
        match self {
            Self::Email(email) => account.email_verified && account.email == *email,
            Self::Username(username) => account.username.as_ref() == Some(username),
        }
    }

    /// Everything by which an invite can name the account.
    pub fn of(account: &Account) -> Vec<Self> {
        let email = account.email_verified.then(|| Self::Email(account.email.clone()));
        email.into_iter().chain(account.username.clone().map(Self::Username)).collect()
    }

    /// The form in which two recipients are compared. An address and a username never collide: only one holds `@`.
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

/// Where an invite stands. Expiry is no state: it is computed from the clock.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum InviteState {
    /// Waiting for its recipient.
    Pending,
    /// Taken.
    Accepted {
        /// By whom.
        by: AccountId,
        /// When.
        at: Time,
    },
    /// Turned down.
    Declined {
        /// By whom.
        by: AccountId,
        /// When.
        at: Time,
    },
    /// Withdrawn by the team.
    Revoked {
        /// When.
        at: Time,
    },
}

impl InviteState {
    /// The name at rest and in the audit trail.
    pub const fn as_str(&self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Accepted { .. } => "accepted",
            Self::Declined { .. } => "declined",
            Self::Revoked { .. } => "revoked",
        }
    }
}

/// How an invite gets to whom it names, as far as that is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EmailDelivery {
    /// By no email: whoever invited hands on its link.
    Link,
    /// A email waits to be sent.
    Queued,
    /// The mail server took the email. Whether it was read is nobody's to know.
    Sent,
    /// No email could be sent; its link can still be handed on.
    Failed,
}

impl EmailDelivery {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Link, Self::Queued, Self::Sent, Self::Failed];

    /// The name on the wire and at rest.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Link => "link",
            Self::Queued => "queued",
            Self::Sent => "sent",
            Self::Failed => "failed",
        }
    }

    /// Reads a name.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|delivery| delivery.as_str() == text)
    }

    /// Reads what is stored. Of what a newer version did only the link is sure.
    pub fn read(text: &str) -> Self {
        Self::parse(text).unwrap_or(Self::Link)
    }
}

/// Why an invite cannot be taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InviteError {
    /// Its time is over.
    Expired,
    /// It names somebody else.
    NotForYou,
    /// It was taken or withdrawn before.
    NotPending,
}

/// An offer of membership.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Invite {
    /// Its id.
    pub id: InviteId,
    /// The team that invites.
    pub team_id: TeamId,
    /// Whom it names.
    pub recipient: Recipient,
    /// The roles it gives.
    pub roles: RoleSet,
    /// The role label it gives.
    pub role_name: RoleName,
    /// Who invited.
    pub invited_by: AccountId,
    /// When it was made, or last renewed.
    pub created_at: Time,
    /// Until when it can be taken.
    pub expires_at: Time,
    /// Where it stands.
    pub state: InviteState,
    /// What was last noted of its email. [`Invite::delivery_at`] tells what that means now.
    pub delivery: EmailDelivery,
    /// For compare-and-set.
    pub revision: Revision,
}

impl Invite {
    /// Takes the invite: it is spent, and the account becomes a member.
    pub fn accept(self, account: &Account, now: Time) -> Result<(Self, Member), InviteError> {
        self.open_to(account, now)?;
        Ok(self.accepted_by(account, now))
    }

    /// Turns the invite down: it is spent.
    pub fn decline(self, account: &Account, now: Time) -> Result<Self, InviteError> {
        self.open_to(account, now)?;
        Ok(Self { state: InviteState::Declined { by: account.id, at: now }, ..self })
    }

    /// Whether the account can take it, or turn it down.
    pub fn open_to(&self, account: &Account, now: Time) -> Result<(), InviteError> {
        match self.state {
            InviteState::Pending if !self.recipient.is(account) => Err(InviteError::NotForYou),
            InviteState::Pending if self.expires_at <= now => Err(InviteError::Expired),
            InviteState::Pending => Ok(()),
            InviteState::Accepted { .. } | InviteState::Declined { .. } | InviteState::Revoked { .. } => {
                Err(InviteError::NotPending)
            }
        }
    }

    /// How it gets to whom it names, as far as is known now.
    pub fn delivery_at(&self, now: Time) -> EmailDelivery {
        match self.delivery {
            EmailDelivery::Queued if self.created_at + EMAIL_QUEUE_TTL <= now => EmailDelivery::Failed,
            known => known,
        }
    }

    /// Withdraws the invite.
    pub fn revoke(self, now: Time) -> Result<Self, InviteError> {
        match self.state {
            InviteState::Pending if self.expires_at <= now => Err(InviteError::Expired),
            InviteState::Pending => Ok(Self { state: InviteState::Revoked { at: now }, ..self }),
            InviteState::Accepted { .. } | InviteState::Declined { .. } | InviteState::Revoked { .. } => {
                Err(InviteError::NotPending)
            }
        }
    }

    fn accepted_by(self, account: &Account, now: Time) -> (Self, Member) {
        let member = Member {
            team_id: self.team_id,
            account_id: account.id,
            roles: self.roles.clone(),
            role_name: self.role_name.clone(),
            created_at: now,
            revision: Revision::FIRST,
        };
        let state = InviteState::Accepted { by: account.id, at: now };
        (Self { state, ..self }, member)
    }
}

/// An invite as whom it names sees it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InviteOfTeam {
    /// The invite.
    pub invite: Invite,
    /// What the team is called.
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
    fn only_the_person_named_can_accept_and_only_in_time() {
        let (now, ann) = (instant(), an_account("ann"));
        let invite = an_invite(Recipient::Username(Username::parse("ANN").unwrap()));

        let (accepted, member) = invite.clone().accept(&ann, now).unwrap();
        assert_eq!(accepted.state, InviteState::Accepted { by: ann.id, at: now });
        assert_eq!((member.account_id, &member.roles), (ann.id, &invite.roles));

        assert_eq!(accepted.accept(&ann, now), Err(InviteError::NotPending));
        assert_eq!(invite.clone().accept(&an_account("bob"), now), Err(InviteError::NotForYou));
        assert_eq!(invite.clone().accept(&ann, now + Duration::days(8)), Err(InviteError::Expired));
        let declined = invite.clone().decline(&ann, now).unwrap();
        assert_eq!(declined.state, InviteState::Declined { by: ann.id, at: now });
        assert_eq!(declined.accept(&ann, now), Err(InviteError::NotPending));
        assert_eq!(invite.clone().decline(&an_account("bob"), now), Err(InviteError::NotForYou));
        let revoked = invite.revoke(now).unwrap();
        assert_eq!(revoked.clone().decline(&ann, now), Err(InviteError::NotPending));
        assert_eq!(revoked.accept(&ann, now), Err(InviteError::NotPending));
    }

    #[test]
    fn an_address_counts_only_once_it_is_verified() {
        let mut ann = an_account("ann");
        let invite = an_invite(Recipient::Email(ann.email.clone()));
        assert!(invite.clone().accept(&ann, instant()).is_ok());
        ann.email_verified = false;
        assert_eq!(invite.accept(&ann, instant()), Err(InviteError::NotForYou));
    }

    #[test]
    fn an_account_is_named_by_its_username_and_its_verified_address() {
        let mut ann = an_account("ann");
        assert_eq!(Recipient::of(&ann).len(), 2);
        assert!(Recipient::of(&ann).iter().all(|recipient| recipient.is(&ann)));
        (ann.email_verified, ann.username) = (false, None);
        assert_eq!(Recipient::of(&ann), []);
    }

    #[test]
    fn an_unconfirmed_email_is_lost() {
        let queued = Invite { delivery: EmailDelivery::Queued, ..an_invite(Recipient::Email(an_account("ann").email)) };
        assert_eq!(queued.delivery_at(instant()), EmailDelivery::Queued);
        assert_eq!(queued.delivery_at(instant() + EMAIL_QUEUE_TTL), EmailDelivery::Failed);
        let sent = Invite { delivery: EmailDelivery::Sent, ..queued };
        assert_eq!(sent.delivery_at(instant() + EMAIL_QUEUE_TTL), EmailDelivery::Sent);
    }
}
