//! Rules of pairs of tokens: their use is recorded, and a pair is given up only if nobody used it.

use steward_domain::identity::{RefreshState, RefreshToken, TokenFamily};
use steward_domain::kernel::changes::Changes;
use steward_domain::kernel::{CommitError, Credential, CredentialUse};

use super::{family, refresh_token};
use crate::fixture::{Fixture, TestStore, change, id, insert, later};
use crate::kernel::concurrency::{assert_one_succeeds, commit_concurrently};

fn use_of(token: &RefreshToken, at: i64) -> CredentialUse {
    CredentialUse { credential: Credential::Pair(token.id), at: later(at), redigested: None }
}

/// Returns the stored token, which is found by its digest and by its ID.
async fn stored(store: &TestStore, token: &RefreshToken) -> RefreshToken {
    let (found, _) = store.refresh_token(&token.digest).await.unwrap().unwrap();
    assert_eq!(store.refresh_token_of(token.family_id, token.id).await.unwrap(), Some(found.clone()));
    found
}

/// A family whose first refresh token was exchanged for a second one.
struct Exchanged {
    family: TokenFamily,
    first: RefreshToken,
    second: RefreshToken,
}

impl Exchanged {
    async fn make(store: &TestStore) -> Self {
        let world = Fixture::make(store, "acme").await;
        let family = family(&world.owner, None);
        let (first, second) = (refresh_token(&family), refresh_token(&family));
        let state = RefreshState::Replaced { at: later(5), answer: None, next: Some(second.id) };
        let first = RefreshToken { state, ..first };
        insert(store, [family.clone().into(), first.clone().into(), second.clone().into()]).await;
        Self { family, first, second }
    }

    /// Gives the second token up and issues another one in exchange for the first.
    fn give_up(&self) -> Changes {
        let (at, new) = (later(9), refresh_token(&self.family));
        let lost = RefreshToken { state: RefreshState::Lost { at }, ..self.second.clone() };
        let state = RefreshState::Replaced { at, answer: Some(vec![1]), next: None };
        change()
            .replace(self.family.clone(), self.family.after_loss_of(&self.second))
            .insert(new)
            .replace(self.second.clone(), lost)
            .replace(self.first.clone(), RefreshToken { state, ..self.first.clone() })
    }

    /// Exchanges the second token.
    fn exchange(&self) -> Changes {
        let new = refresh_token(&self.family);
        let state = RefreshState::Replaced { at: later(8), answer: None, next: Some(new.id) };
        let exchanged = RefreshToken { state, ..self.second.clone() };
        change().insert(new).replace(self.second.clone(), exchanged)
    }
}

pub async fn the_first_use_of_the_current_pair_is_recorded(store: TestStore) {
    let Exchanged { family, first, second } = Exchanged::make(&store).await;
    let other = refresh_token(&family);
    let uses = [use_of(&second, 7), use_of(&second, 9), use_of(&first, 7), use_of(&other, 7)];
    store.record_uses(&uses).await.unwrap();
    store.record_uses(&[use_of(&second, 8)]).await.unwrap();
    let used = RefreshToken { used_at: Some(later(7)), revision: second.revision.next(), ..second.clone() };
    assert_eq!(stored(&store, &second).await, used);
    assert_eq!(stored(&store, &first).await, first, "It was exchanged before.");
    assert_eq!(store.refresh_token_of(family.id, other.id).await.unwrap(), None);
    assert_eq!(store.refresh_token_of(id().into(), second.id).await.unwrap(), None, "It belongs to another family.");
}

pub async fn a_lost_pair_is_given_up_once(store: TestStore) {
    let on = Exchanged::make(&store).await;
    assert_one_succeeds(&commit_concurrently(&store, (0..50).map(|_| on.give_up())).await);
    let (first, second) = (stored(&store, &on.first).await, stored(&store, &on.second).await);
    let replaced = RefreshState::Replaced { at: later(9), answer: Some(vec![1]), next: None };
    assert_eq!((first.state, second.state), (replaced, RefreshState::Lost { at: later(9) }));
    let (_, found) = store.refresh_token(&on.first.digest).await.unwrap().unwrap();
    assert_eq!((found.family.lost_at, found.family.revoked_at), (Some(on.second.issued_at), None));
    assert!(store.is_refreshable(on.family.id, later(100)).await.unwrap(), "The new token is not replaced.");
    store.record_uses(&[use_of(&on.second, 10)]).await.unwrap();
    assert_eq!(stored(&store, &on.second).await.used_at, None);
}

pub async fn a_pair_that_is_used_or_exchanged_in_between_is_not_given_up(store: TestStore) {
    let on = Exchanged::make(&store).await;
    assert_one_succeeds(&commit_concurrently(&store, [on.give_up(), on.exchange()]).await);

    let on = Exchanged { family: TokenFamily { id: id().into(), ..on.family }, ..on };
    let (first, second) = (refresh_token(&on.family), refresh_token(&on.family));
    insert(&store, [on.family.clone().into(), first.clone().into(), second.clone().into()]).await;
    let on = Exchanged { first, second, ..on };
    store.record_uses(&[use_of(&on.second, 7)]).await.unwrap();
    let refused = store.commit(on.give_up()).await;
    assert!(matches!(refused, Err(CommitError::Stale(_))), "{refused:?}");
    assert_eq!(stored(&store, &on.first).await, on.first);
    let (_, found) = store.refresh_token(&on.first.digest).await.unwrap().unwrap();
    assert_eq!(found.family, on.family, "Nothing of the change is stored.");
}
