//! Checking the password that a person entered to sign in.

use crate::identity::{Account, IdentityCore, Password};
use crate::kernel::changes::Changes;
use crate::kernel::error::Error;
use crate::kernel::policy::{Operation, Permit};
use crate::kernel::{Request, Secret};

impl IdentityCore {
    /// Returns the account if the text is its password. The normalized text is tried first, and the typed one only if it
    /// differs, because earlier versions stored passwords as they were typed. Such a password is stored normalized then.
    ///
    /// Unless the person signs in, the number of computed hashes depends on the text alone, so that the time reveals neither
    /// whether there is an account nor whether it is disabled.
    pub(crate) async fn check_password(
        &self,
        request: &Request,
        account: Option<Account>,
        typed: Secret,
    ) -> Result<Option<Account>, Error> {
        let passwords = &self.ports.passwords;
        let stored = account.as_ref().and_then(|account| account.password.clone());
        let normalized = Password::entered(&typed);
        let differs = normalized.secret().expose() != typed.expose();
        let is_normalized = passwords.verify(normalized.secret().clone(), stored.clone()).await?;
        let signs_in = is_normalized && account.as_ref().is_some_and(Account::is_active);
        let is_as_typed = differs && !signs_in && passwords.verify(typed, stored).await?;

        let Some(account) = account.filter(|_| is_normalized || is_as_typed) else { return Ok(None) };
        if is_as_typed && account.is_active() {
            let replaced = self.store_normalized(request, &account, normalized).await;
            // The person signs in anyway. After a failure, the next sign-in stores it.
            return Ok(Some(replaced.unwrap_or(account)));
        }
        Ok(Some(account))
    }

    /// Stores the normalized form of the same password, so sessions and tokens stay valid. Fails if the account was changed
    /// in the meantime, perhaps to another password.
    async fn store_normalized(
        &self,
        request: &Request,
        account: &Account,
        password: Password,
    ) -> Result<Account, Error> {
        let password = Some(self.ports.passwords.hash(password).await?);
        let changed = Account { password, ..account.clone() };
        let permit = Permit::authenticated(Operation::SignIn, account.id, request.clone())?;

        self.commit(Changes::by(permit, self.now()).replace(account.clone(), changed.clone())).await?;
        Ok(Account { revision: changed.revision.next(), ..changed })
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use super::*;
    use crate::identity::PasswordHash;
    use crate::kernel::changes::{Entity, Write};
    use crate::kernel::error::ResourceKind;
    use crate::kernel::{CommitError, Committed};
    use crate::mocks::{MockPasswordHasher, MockStore, a_request, an_account, mock_identity, mock_system_ports};
    use crate::{Ports, SystemPorts};

    /// A password as most keyboards type it, and as a program may send it that decomposes letters.
    const COMPOSED: &str = "cr\u{e8}me br\u{fb}l\u{e9}e du jeudi";
    const DECOMPOSED: &str = "cre\u{300}me bru\u{302}le\u{301}e du jeudi";
    const WRONG: &str = "cre\u{300}me anglaise du lundi";

    /// What a sign-in did.
    struct Attempt {
        account: Option<Account>,
        /// The texts that were hashed to be compared.
        compared: Vec<String>,
        /// The account that was stored.
        stored: Option<Account>,
    }

    /// Ann's account. In these tests, the hash of a text is the text.
    fn ann(password: &str) -> Account {
        Account { password: Some(PasswordHash::new(password.to_owned())), ..an_account("ann") }
    }

    async fn enter(account: Option<Account>, typed: &str, is_changed_by_others: bool) -> Attempt {
        let compared = Arc::new(Mutex::new(Vec::<String>::new()));
        let stored = Arc::new(Mutex::new(None::<Account>));
        let mut passwords = MockPasswordHasher::new();
        let texts = compared.clone();
        passwords.expect_verify().returning(move |text, hash| {
            texts.lock().unwrap().push(text.expose().to_owned());
            Ok(hash.is_some_and(|hash| hash.as_str() == text.expose()))
        });
        passwords.expect_hash().returning(|password| Ok(PasswordHash::new(password.secret().expose().to_owned())));
        let mut store = MockStore::default();
        let written = stored.clone();
        store.unit_of_work.expect_commit().returning(move |changes| {
            if is_changed_by_others {
                return Err(CommitError::Stale(ResourceKind::Account));
            }
            for write in changes.writes() {
                let Write::Replace(Entity::Account(account)) = write else { panic!("{write:?}") };
                *written.lock().unwrap() = Some(account.clone());
            }
            Ok(Committed::default())
        });
        let system = SystemPorts { passwords: Arc::new(passwords), ..mock_system_ports() };
        let core = mock_identity(Ports { system, ..store.into() });
        let account = core.check_password(&a_request(), account, Secret::new(typed.to_owned())).await.unwrap();
        let (compared, stored) = (compared.lock().unwrap().clone(), stored.lock().unwrap().clone());
        Attempt { account, compared, stored }
    }

    #[tokio::test]
    async fn a_password_is_the_same_however_its_letters_are_composed() {
        for typed in [COMPOSED, DECOMPOSED] {
            let attempt = enter(Some(ann(COMPOSED)), typed, false).await;
            assert_eq!((attempt.account, attempt.stored), (Some(ann(COMPOSED)), None));
            assert_eq!(attempt.compared, [COMPOSED]);
        }
    }

    #[tokio::test]
    async fn a_password_of_an_earlier_version_signs_in_as_it_was_typed_and_is_stored_normalized() {
        let before = ann(DECOMPOSED);
        let attempt = enter(Some(before.clone()), DECOMPOSED, false).await;
        assert_eq!(attempt.compared, [COMPOSED, DECOMPOSED]);
        assert_eq!(attempt.stored, Some(ann(COMPOSED)), "Nothing else is changed, so sessions stay valid.");
        assert_eq!(attempt.account, Some(Account { revision: before.revision.next(), ..ann(COMPOSED) }));

        // Shorter than new passwords when it is normalized.
        let short = "e\u{301}".repeat(5);
        assert_eq!(enter(Some(ann(&short)), &short, false).await.stored, Some(ann("\u{e9}\u{e9}\u{e9}\u{e9}\u{e9}")));
        // Another request has changed the account.
        let attempt = enter(Some(before.clone()), DECOMPOSED, true).await;
        assert_eq!((attempt.account, attempt.stored), (Some(before), None));
    }

    #[tokio::test]
    async fn without_a_sign_in_the_number_of_hashes_depends_on_the_text_alone() {
        for (typed, count) in [("crossed wires", 1), (WRONG, 2), (COMPOSED, 1), (DECOMPOSED, 2)] {
            let disabled = |password| Account { disabled_at: Some(crate::mocks::instant()), ..ann(password) };
            let without_password = Account { password: None, ..an_account("ann") };
            let others = [None, Some(ann("another")), Some(without_password)];
            let others = others.into_iter().chain([disabled(COMPOSED), disabled(DECOMPOSED)].map(Some));
            for account in others {
                let attempt = enter(account.clone(), typed, false).await;
                assert_eq!(attempt.compared.len(), count, "{typed}, {account:?}");
                assert_eq!(attempt.stored, None, "{typed}, {account:?}");
            }
        }
    }
}
