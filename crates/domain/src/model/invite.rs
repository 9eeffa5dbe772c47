//! Invites: an offer of membership to one person, taken at most once.

use std::fmt;

use crate::policy::RoleSet;

use super::{Account, AccountId, Email, InviteId, Member, Revision, RoleName, TeamId, Time, Username};

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
    /// Withdrawn by the team.
    Revoked {
        /// When.
        at: Time,
    },
}

/// Why an invite cannot be taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refusal {
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
    /// For compare-and-set.
    pub revision: Revision,
}

impl Invite {
    /// Takes the invite: it is spent, and the account becomes a member.
    pub fn accept(self, account: &Account, now: Time) -> Result<(Self, Member), Refusal> {
        match self.state {
            InviteState::Pending if !self.recipient.is(account) => Err(Refusal::NotForYou),
            InviteState::Pending if self.expires_at <= now => Err(Refusal::Expired),
            InviteState::Pending => Ok(self.accepted_by(account, now)),
            InviteState::Accepted { .. } | InviteState::Revoked { .. } => Err(Refusal::NotPending),
        }
    }

    /// Withdraws the invite.
    pub fn revoke(self, now: Time) -> Result<Self, Refusal> {
        match self.state {
            InviteState::Pending if self.expires_at <= now => Err(Refusal::Expired),
            InviteState::Pending => Ok(Self { state: InviteState::Revoked { at: now }, ..self }),
            InviteState::Accepted { .. } | InviteState::Revoked { .. } => Err(Refusal::NotPending),
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

        assert_eq!(accepted.accept(&ann, now), Err(Refusal::NotPending));
        assert_eq!(invite.clone().accept(&an_account("bob"), now), Err(Refusal::NotForYou));
        assert_eq!(invite.clone().accept(&ann, now + Duration::days(8)), Err(Refusal::Expired));
        let revoked = invite.revoke(now).unwrap();
        assert_eq!(revoked.accept(&ann, now), Err(Refusal::NotPending));
    }

    #[test]
    fn an_address_counts_only_once_it_is_verified() {
        let mut ann = an_account("ann");
        let invite = an_invite(Recipient::Email(ann.email.clone()));
        assert!(invite.clone().accept(&ann, instant()).is_ok());
        ann.email_verified = false;
        assert_eq!(invite.accept(&ann, instant()), Err(Refusal::NotForYou));
    }
}
