//! Proof of authentication, and a sign-in that still lacks its second factor.

use crate::identity::{Account, AuthenticationMethod, AuthenticationMethods, IdentityProvider, SignedIn};
use crate::kernel::{IdentityProviderId, ProjectId, Time};

/// The provider at which a person signed in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct UsedProvider {
    pub id: IdentityProviderId,
    /// The project of the provider, and the only one for which the sign-in counts: an admin of a project could add a provider
    /// that claims to be anyone.
    pub project_id: Option<ProjectId>,
}

impl From<&IdentityProvider> for UsedProvider {
    fn from(provider: &IdentityProvider) -> Self {
        Self { id: provider.id, project_id: provider.project_id }
    }
}

/// Proof that a person has just authenticated with everything that the account requires, or has just set the password of a
/// new account. Only use cases construct it.
#[derive(Debug, Clone)]
pub struct AuthenticationProof {
    pub(crate) account: Account,
    pub(crate) methods: AuthenticationMethods,
    /// When the person used the first factor. Rules about recent sign-ins count from then on: the second factor may follow
    /// minutes later.
    pub(crate) at: Time,
    pub(crate) provider: Option<UsedProvider>,
}

impl AuthenticationProof {
    /// The authenticated account.
    pub fn account(&self) -> &Account {
        &self.account
    }

    /// Returns the proof as the second step of a sign-in that began at a provider.
    pub fn continuing(self, first: &PendingSignIn) -> Self {
        Self { provider: first.provider, ..self }
    }

    /// Returns the proof as a confirmation in a session of the same account, in which a passkey still
    /// counts after a password.
    pub fn after(self, session: &SignedIn) -> Self {
        let has_passkey = session.session.methods.contain(AuthenticationMethod::Passkey);
        if !has_passkey || session.account.id != self.account.id {
            return self;
        }
        Self { methods: self.methods.and(AuthenticationMethod::Passkey), ..self }
    }

    /// Returns the only project for which the sign-in counts; `None` if it counts everywhere.
    pub(crate) fn limited_to(&self) -> Option<ProjectId> {
        self.provider.and_then(|provider| provider.project_id)
    }
}

/// A person who has authenticated with the password or a link, but not yet with the second factor. It gives access to
/// nothing. Only use cases construct it.
#[derive(Debug, Clone)]
pub struct PendingSignIn {
    pub(crate) account: Account,
    pub(crate) method: AuthenticationMethod,
    /// When the person used the first factor.
    pub(crate) at: Time,
    pub(crate) provider: Option<UsedProvider>,
}

impl PendingSignIn {
    /// Returns the only project for which the sign-in counts; `None` if it counts everywhere.
    pub(crate) fn limited_to(&self) -> Option<ProjectId> {
        self.provider.and_then(|provider| provider.project_id)
    }

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
