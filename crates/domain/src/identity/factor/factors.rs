//! What a person signs in with, besides the password.

use crate::identity::{IdentityCore, LinkedIdentity, Passkey, PasskeyReader, SecondFactorReader, SecondFactors};
use crate::kernel::AccountId;
use crate::kernel::changes::Changes;
use crate::kernel::error::Error;

/// Returns whether a person can sign in with two factors.
pub(crate) async fn suffice_for_two(
    second_factors: &dyn SecondFactorReader,
    passkeys: &dyn PasskeyReader,
    account: AccountId,
) -> Result<bool, Error> {
    let has_app = second_factors.second_factors(account).await?.app.is_some();
    Ok(has_app || !passkeys.passkeys(account).await?.is_empty())
}

/// The second factors, passkeys and linked identities of an account.
#[derive(Clone, Default)]
pub(crate) struct Factors {
    second_factors: SecondFactors,
    passkeys: Vec<Passkey>,
    identities: Vec<LinkedIdentity>,
}

impl Factors {
    /// Reads the second factors only.
    pub(crate) async fn second(core: &IdentityCore, account: AccountId) -> Result<Self, Error> {
        let second_factors = core.ports.second_factors.second_factors(account).await?;
        Ok(Self { second_factors, passkeys: Vec::new(), identities: Vec::new() })
    }

    /// Reads all.
    pub(crate) async fn all(core: &IdentityCore, account: AccountId) -> Result<Self, Error> {
        let linked = core.ports.identity_providers.linked_identities(account).await?;
        Ok(Self {
            passkeys: core.ports.passkeys.passkeys(account).await?,
            identities: linked.into_iter().map(|(identity, _)| identity).collect(),
            ..Self::second(core, account).await?
        })
    }

    /// Separates the linked identities, which come second, from the others.
    pub(crate) fn split_identities(self) -> (Self, Self) {
        let identities = Self { identities: self.identities, ..Self::default() };
        (Self { identities: Vec::new(), ..self }, identities)
    }

    /// Returns whether there are none.
    pub(crate) fn are_absent(&self) -> bool {
        let SecondFactors { app, recovery_codes } = &self.second_factors;
        app.is_none() && recovery_codes.is_none() && self.passkeys.is_empty() && self.identities.is_empty()
    }

    /// Adds their removal to a change.
    pub(crate) fn removed_by(self, changes: Changes) -> Changes {
        let SecondFactors { app, recovery_codes } = self.second_factors;
        let changes = app.into_iter().fold(changes, Changes::remove);
        let changes = recovery_codes.into_iter().fold(changes, Changes::remove);
        let changes = self.passkeys.into_iter().fold(changes, Changes::remove);
        self.identities.into_iter().fold(changes, Changes::remove)
    }
}
