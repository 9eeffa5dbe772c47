//! Rules of personal access tokens.

use steward_domain::identity::{Account, PersonalToken};
use steward_domain::kernel::{AccessBasis, CommitError, Credential, CredentialUse, KeyDigest, PageRequest, Unique};
use steward_domain::mocks::a_personal_token;

use crate::fixture::{Fixture, TestStore, account, change, id, insert, later, try_insert};
use crate::identity::second_factors::app;

fn token(owner: &Account) -> PersonalToken {
    let id = id();
    PersonalToken {
        id: id.into(),
        account_id: owner.id,
        digest: KeyDigest { pepper: 1, hex: format!("{}{}", id.as_simple(), id.as_simple()) },
        ..a_personal_token("viewer,key:write")
    }
}

pub async fn a_token_round_trips_and_is_found_by_its_digest(store: TestStore) {
    let world = Fixture::make(&store, "acme").await;
    let own = PersonalToken { teams: vec![world.team.id], projects: vec![world.project.id], ..token(&world.owner) };
    insert(&store, [own.clone().into()]).await;
    let unknown = KeyDigest { pepper: 1, hex: "0".repeat(64) };
    let found = store.token_by_digest(&[unknown.clone(), own.digest.clone()]).await.unwrap();
    let found = found.unwrap();
    assert_eq!((&found.token, found.has_second_factor), (&own, false));
    let basis = AccessBasis { account: Some((world.owner.id, found.access_epoch)), ..AccessBasis::default() };
    assert!(store.is_current(&basis).await.unwrap());
    assert_eq!(store.token_by_digest(&[unknown]).await.unwrap(), None);
    let app = app(&world.owner);
    insert(&store, [app.clone().into()]).await;
    let with_factor = store.token_by_digest(std::slice::from_ref(&own.digest)).await.unwrap().unwrap();
    assert!(with_factor.has_second_factor);
    store.commit(change().remove(app)).await.unwrap();
    let found = store.token_by_digest(std::slice::from_ref(&own.digest)).await.unwrap().unwrap();
    let basis = AccessBasis { account: Some((world.owner.id, found.access_epoch)), ..basis };
    assert_eq!(store.token(world.owner.id, own.id).await.unwrap().as_ref(), Some(&own));
    let clash = PersonalToken { digest: own.digest.clone(), ..token(&world.owner) };
    let refused = try_insert(&store, [clash.into()]).await;
    assert!(matches!(refused, Err(CommitError::Taken(Unique::KeyDigest))), "{refused:?}");

    let at = later(7);
    let used = CredentialUse { credential: Credential::Token(own.id), at, redigested: None };
    store.record_uses(&[used]).await.unwrap();
    assert_eq!(store.token(world.owner.id, own.id).await.unwrap().unwrap().last_used, Some(at));
    store.commit(change().remove(own.clone())).await.unwrap();
    assert_eq!(store.token_by_digest(&[own.digest]).await.unwrap(), None);
    assert!(!store.is_current(&basis).await.unwrap(), "A cached check of the token must not be used any more.");
}

pub async fn a_token_of_another_account_is_not_found(store: TestStore) {
    let (ann, bob) = (account("ann"), account("bob"));
    let own = token(&ann);
    insert(&store, [ann.clone().into(), bob.clone().into(), own.clone().into()]).await;
    assert_eq!(store.token(bob.id, own.id).await.unwrap(), None);
    assert_eq!(store.tokens_of(bob.id, &PageRequest::FIRST).await.unwrap().items, []);
    assert_eq!(store.tokens_of(ann.id, &PageRequest::FIRST).await.unwrap().items, [own]);
}

pub async fn a_new_password_invalidates_earlier_tokens(store: TestStore) {
    let world = Fixture::make(&store, "acme").await;
    let (old, new) = (token(&world.owner), PersonalToken { created_at: later(9), ..token(&world.owner) });
    insert(&store, [old.clone().into(), new.clone().into()]).await;
    let changed = Account { password_set_at: later(9), ..world.owner.clone() };
    store.commit(change().replace(world.owner, changed)).await.unwrap();
    assert_eq!(store.token_by_digest(&[old.digest]).await.unwrap(), None);
    let found = store.token_by_digest(std::slice::from_ref(&new.digest)).await.unwrap();
    assert_eq!(found.map(|found| found.token), Some(new));
}
