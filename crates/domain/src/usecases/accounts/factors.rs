//! What a person signs in with, besides the password.

use crate::changes::Changes;
use crate::error::Error;
use crate::model::{AccountId, LinkedIdentity, Passkey, SecondFactors};
use crate::ports::{PasskeyReader, SecondFactorReader};
use crate::usecases::IdentityCore;

/// Returns whether a person can sign in with two factors.
pub(in crate::usecases) async fn suffice_for_two(
    second_factors: &dyn SecondFactorReader,
    passkeys: &dyn PasskeyReader,
    account: AccountId,
) -> Result<bool, Error> {
    let has_app = second_factors.second_factors(account).await?.app.is_some();
    Ok(has_app || !passkeys.passkeys(account).await?.is_empty())
}

/// The second factors, passkeys and linked identities of an account.
#[derive(Clone, Default)]
pub(in crate::usecases) struct Factors {
    second_factors: SecondFactors,
    passkeys: Vec<Passkey>,
    identities: Vec<LinkedIdentity>,
}

impl Factors {
    /// Reads the second factors only.
    pub(in crate::usecases) async fn second(core: &IdentityCore, account: AccountId) -> Result<Self, Error> {
        let second_factors = core.ports.second_factors.second_factors(account).await?;
        Ok(Self { second_factors, passkeys: Vec::new(), identities: Vec::new() })
    }

    /// Reads all.
    pub(in crate::usecases) async fn all(core: &IdentityCore, account: AccountId) -> Result<Self, Error> {
        let linked = core.ports.identity_providers.linked_identities(account).await?;
        Ok(Self {
            passkeys: core.ports.passkeys.passkeys(account).await?,
            identities: linked.into_iter().map(|(identity, _)| identity).collect(),
            ..Self::second(core, account).await?
        })
    }

    /// Separates the linked identities, which come second, from the others.
    pub(in crate::usecases) fn split_identities(self) -> (Self, Self) {
        let identities = Self { identities: self.identities, ..Self::default() };
        (Self { identities: Vec::new(), ..self }, identities)
    }

    /// Returns whether there are none.
    pub(in crate::usecases) fn are_absent(&self) -> bool {
        let SecondFactors { app, recovery_codes } = &self.second_factors;
        app.is_none() && recovery_codes.is_none() && self.passkeys.is_empty() && self.identities.is_empty()
    }

    /// Adds their removal to a change.
    pub(in crate::usecases) fn removed_by(self, changes: Changes) -> Changes {
        let SecondFactors { app, recovery_codes } = self.second_factors;
        let changes = app.into_iter().fold(changes, Changes::remove);
        let changes = recovery_codes.into_iter().fold(changes, Changes::remove);
        let changes = self.passkeys.into_iter().fold(changes, Changes::remove);
        self.identities.into_iter().fold(changes, Changes::remove)
    }
}
