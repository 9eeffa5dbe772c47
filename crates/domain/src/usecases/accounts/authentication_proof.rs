//! Proof of authentication, and a sign-in that still lacks its second factor.

use crate::model::{Account, AuthenticationMethod, AuthenticationMethods, Time};

/// Proof that a person has just authenticated with everything that the account requires, or has just set the password of a
/// new account. Only use cases construct it.
#[derive(Debug, Clone)]
pub struct AuthenticationProof {
    pub(in crate::usecases) account: Account,
    pub(in crate::usecases) methods: AuthenticationMethods,
    /// When the person used the first factor. Rules about recent sign-ins count from then on: the second factor may follow
    /// minutes later.
    pub(in crate::usecases) at: Time,
}

impl AuthenticationProof {
    /// The authenticated account.
    pub fn account(&self) -> &Account {
        &self.account
    }
}

/// A person who has authenticated with the password or a link, but not yet with the second factor. It gives access to
/// nothing. Only use cases construct it.
#[derive(Debug, Clone)]
pub struct PendingSignIn {
    pub(in crate::usecases) account: Account,
    pub(in crate::usecases) method: AuthenticationMethod,
    /// When the person used the first factor.
    pub(in crate::usecases) at: Time,
}

impl PendingSignIn {
    /// The account that the person signs in to.
    pub fn account(&self) -> &Account {
        &self.account
    }
}

/// How far a sign-in is after the password or a link.
#[derive(Debug, Clone)]
pub enum SignInProgress {
    /// The account requires nothing else.
    Complete(AuthenticationProof),
    /// The account has a second factor.
    NeedsSecondFactor(PendingSignIn),
}
