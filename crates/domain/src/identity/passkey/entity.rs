//! Passkeys: keys in a device or a password manager, with which a person signs in without a password (WebAuthn Level
//! 3).

use crate::kernel::{AccountId, Label, PasskeyId, Revision, Time, audited};

/// Maximum number of passkeys of an account.
pub const MAX_PASSKEYS: usize = 20;

/// A passkey of an account.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Passkey {
    /// Unique ID of the passkey.
    pub id: PasskeyId,
    /// The account that signs in with it.
    pub account_id: AccountId,
    /// The ID that the authenticator gave it (WebAuthn §5.4.3). No two passkeys have the same one.
    pub credential_id: Vec<u8>,
    /// What the person calls it.
    pub name: Label,
    /// The public key, the counter and the properties of the authenticator, as the implementation of
    /// [`PasskeyCeremonies`](crate::identity::PasskeyCeremonies) stores them.
    pub credential: String,
    /// Whether it is backed up, for example synced by a password manager (backup state, WebAuthn §6.1.3).
    pub is_synced: bool,
    /// When the last challenge that it answered was issued. Only later challenges are accepted, so that each is answered
    /// once, on any replica.
    pub last_challenge: Time,
    /// When it was set up.
    pub created_at: Time,
    /// When it was last used.
    pub last_used: Time,
    /// The revision, for compare-and-set: of several requests with the same response, one succeeds.
    pub revision: Revision,
}

impl Passkey {
    /// Returns whether it has answered neither a challenge that was issued at this time nor a later one.
    pub(crate) fn accepts(&self, challenge_at: Time) -> bool {
        challenge_at > self.last_challenge
    }

    /// Returns the passkey after it answered a challenge, or `None` if it answered this challenge or a later one before.
    pub(crate) fn used(&self, challenge_at: Time, credential: String, is_synced: bool, now: Time) -> Option<Self> {
        self.accepts(challenge_at).then(|| Self {
            last_challenge: challenge_at,
            credential,
            is_synced,
            last_used: now,
            ..self.clone()
        })
    }
}

audited!(Passkey as Passkey of nobody, |passkey| {
    "account_id": passkey.account_id.to_string(),
    "is_synced": passkey.is_synced,
    "last_used": passkey.last_used.to_rfc3339(),
});

#[cfg(test)]
mod tests {
    use chrono::TimeDelta;

    use super::*;
    use crate::mocks::{id_of, instant};

    #[test]
    fn a_challenge_is_answered_once_and_not_after_a_later_one() {
        let passkey = Passkey {
            id: id_of("passkey").into(),
            account_id: id_of("ann").into(),
            credential_id: vec![1],
            name: Label::parse("Phone").unwrap(),
            credential: "{}".into(),
            is_synced: false,
            last_challenge: instant(),
            created_at: instant(),
            last_used: instant(),
            revision: Revision::FIRST,
        };
        let at = |seconds| instant() + TimeDelta::seconds(seconds);
        assert_eq!(passkey.used(at(0), "{}".into(), false, at(9)), None);
        let used = passkey.used(at(5), "{}".into(), true, at(9)).unwrap();
        assert_eq!((used.last_challenge, used.last_used, used.is_synced), (at(5), at(9), true));
        assert_eq!(used.used(at(4), "{}".into(), true, at(9)), None);
    }
}
