//! The rules for a new password, in whatever way it is set.

use crate::identity::{IdentityCore, Password, PasswordHash, PersonalWords};
use crate::kernel::InvalidValue;
use crate::kernel::error::Error;

/// A new password that is hard to guess and was not found in a data breach. Only use cases construct it.
#[derive(Debug, Clone)]
pub struct AcceptedPassword(Password);

impl IdentityCore {
    /// Accepts a new password of the person with these words, if it is hard to guess and was not found in a data breach.
    pub(crate) async fn accept_new(&self, password: Password, words: PersonalWords) -> Result<AcceptedPassword, Error> {
        let checked = password.clone();
        let strength = self.system.compute.call(true, move || checked.check_strength(&words)).await?;
        strength.map_err(|error| Error::invalid("password", error))?;
        if self.ports.breached_passwords.contains(&password).await {
            let found = InvalidValue("was found in a data breach of another service. Use one that you have never used");
            return Err(Error::invalid("password", found));
        }
        Ok(AcceptedPassword(password))
    }

    /// Hashes a new password.
    pub(crate) async fn hash(&self, password: AcceptedPassword) -> Result<PasswordHash, Error> {
        self.ports.passwords.hash(password.0).await
    }

    /// Hashes a new password of the person with these words, if it is accepted.
    pub(crate) async fn hash_new(&self, password: Password, words: PersonalWords) -> Result<PasswordHash, Error> {
        self.hash(self.accept_new(password, words).await?).await
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::kernel::Secret;
    use crate::mocks::{MockBreachedPasswords, MockPasswordHasher, MockStore, mock_identity, mock_system_ports};
    use crate::{DeliveryPorts, Ports, StorePorts, SystemPorts};

    async fn hash(text: &str, is_breached: bool) -> Result<PasswordHash, Error> {
        let (mut passwords, mut breached) = (MockPasswordHasher::new(), MockBreachedPasswords::new());
        passwords.expect_hash().returning(|_| Ok(PasswordHash::new("hash".into())));
        breached.expect_contains().returning(move |_| is_breached);
        let core = mock_identity(Ports {
            store: StorePorts::from(MockStore::default()),
            system: SystemPorts { passwords: Arc::new(passwords), ..mock_system_ports() },
            delivery: DeliveryPorts { breached_passwords: Arc::new(breached), ..DeliveryPorts::default() },
        });
        let password = Password::parse(Secret::new(text.to_owned())).unwrap();
        core.hash_new(password, PersonalWords::default()).await
    }

    #[tokio::test]
    async fn only_a_strong_password_that_was_not_in_a_data_breach_is_hashed() {
        assert_eq!(hash("xkcd-ladder-moon", false).await.unwrap().as_str(), "hash");
        for (text, is_breached, reason) in
            [("password12", false, "easy to guess"), ("xkcd-ladder-moon", true, "found in a data breach")]
        {
            let error = hash(text, is_breached).await.unwrap_err();
            assert!(matches!(error, Error::Invalid(_)) && error.to_string().contains(reason), "{error}");
        }
    }
}
