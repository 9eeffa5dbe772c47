//! Rules of second factors.

use steward_domain::identity::{Account, AuthenticatorApp, RecoveryCodes, SecondFactors};
use steward_domain::kernel::error::ResourceKind;
use steward_domain::kernel::{CommitError, Revision, TokenDigest, Unique};

use crate::fixture::{TestStore, account, change, id, insert, later, try_insert};
use crate::identity::authorizations::{family, refresh_token, session};
use crate::kernel::concurrency::{assert_one_succeeds, commit_concurrently};

pub(crate) fn app(account: &Account) -> AuthenticatorApp {
    AuthenticatorApp {
        id: id().into(),
        account_id: account.id,
        key: vec![0, 255, 7],
        last_step: 58_907_520,
        created_at: later(1),
        last_used: later(2),
        revision: Revision::FIRST,
    }
}

fn codes(account: &Account) -> RecoveryCodes {
    RecoveryCodes {
        id: id().into(),
        account_id: account.id,
        digests: ["one", "two", "three"].map(|text| TokenDigest(text.to_owned())).to_vec(),
        created_at: later(1),
        revision: Revision::FIRST,
    }
}

pub async fn second_factors_round_trip_and_are_deleted_with_their_account(store: TestStore) {
    let (ann, bob) = (account("ann"), account("bob"));
    insert(&store, [ann.clone().into(), bob.clone().into()]).await;
    assert_eq!(store.second_factors(ann.id).await.unwrap(), SecondFactors::default());
    let (app, codes) = (app(&ann), codes(&ann));
    insert(&store, [app.clone().into(), codes.clone().into()]).await;
    let found = SecondFactors { app: Some(app.clone()), recovery_codes: Some(codes.clone()) };
    assert_eq!(store.second_factors(ann.id).await.unwrap(), found);
    assert_eq!(store.second_factors(bob.id).await.unwrap(), SecondFactors::default());

    let used = AuthenticatorApp { last_step: app.last_step + 1, last_used: later(9), ..app.clone() };
    let left = RecoveryCodes { digests: codes.digests[1..].to_vec(), ..codes.clone() };
    store.commit(change().replace(app, used.clone()).replace(codes, left.clone())).await.unwrap();
    let app = AuthenticatorApp { revision: used.revision.next(), ..used };
    let codes = RecoveryCodes { revision: left.revision.next(), ..left };
    let found = SecondFactors { app: Some(app.clone()), recovery_codes: Some(codes.clone()) };
    assert_eq!(store.second_factors(ann.id).await.unwrap(), found);

    store.commit(change().remove(codes)).await.unwrap();
    let found = SecondFactors { app: Some(app), recovery_codes: None };
    assert_eq!(store.second_factors(ann.id).await.unwrap(), found);
    store.commit(change().remove(ann.clone())).await.unwrap();
    assert_eq!(store.second_factors(ann.id).await.unwrap(), SecondFactors::default());
}

pub async fn sessions_and_token_families_say_whether_their_account_has_a_second_factor(store: TestStore) {
    let (ann, bob) = (account("ann"), account("bob"));
    insert(&store, [ann.clone().into(), bob.clone().into(), app(&bob).into(), codes(&ann).into()]).await;
    let (session, family) = (session(&ann), family(&ann, None));
    let token = refresh_token(&family);
    insert(&store, [session.clone().into(), family.clone().into(), token.clone().into()]).await;
    let assert_read = async |expected: bool| {
        let by_digest = store.session(&session.digest).await.unwrap().unwrap();
        let by_id = store.session_of(ann.id, session.id).await.unwrap().unwrap();
        let listed = store.sessions_of(ann.id).await.unwrap();
        assert_eq!([&by_digest, &by_id, &listed[0]].map(|found| found.has_second_factor), [expected; 3]);
        let of_family = store.token_family(family.id, None).await.unwrap().unwrap();
        let (_, of_token) = store.refresh_token(&token.digest).await.unwrap().unwrap();
        assert_eq!([&of_family, &of_token].map(|found| found.has_second_factor), [expected; 2]);
    };
    assert_read(false).await;
    let app = app(&ann);
    insert(&store, [app.clone().into()]).await;
    assert_read(true).await;
    store.commit(change().remove(app)).await.unwrap();
    assert_read(false).await;
}

pub async fn an_account_has_one_app_and_one_set_of_recovery_codes(store: TestStore) {
    let ann = account("ann");
    insert(&store, [ann.clone().into(), app(&ann).into(), codes(&ann).into()]).await;
    let refused = try_insert(&store, [app(&ann).into()]).await;
    assert!(matches!(refused, Err(CommitError::Taken(Unique::AuthenticatorApp))), "{refused:?}");
    let refused = try_insert(&store, [codes(&ann).into()]).await;
    assert!(matches!(refused, Err(CommitError::Taken(Unique::RecoveryCodes))), "{refused:?}");
}

pub async fn one_of_fifty_concurrent_uses_of_a_code_succeeds(store: TestStore) {
    let ann = account("ann");
    let (app, codes) = (app(&ann), codes(&ann));
    insert(&store, [ann.into(), app.clone().into(), codes.clone().into()]).await;
    let used = AuthenticatorApp { last_step: app.last_step + 1, ..app.clone() };
    let uses = (0..50).map(|_| change().replace(app.clone(), used.clone()));
    assert_one_succeeds(&commit_concurrently(&store, uses).await);
    let left = RecoveryCodes { digests: Vec::new(), ..codes.clone() };
    let uses = (0..50).map(|_| change().replace(codes.clone(), left.clone()));
    assert_one_succeeds(&commit_concurrently(&store, uses).await);
    let stale = store.commit(change().remove(app)).await;
    assert!(matches!(stale, Err(CommitError::Stale(ResourceKind::AuthenticatorApp))), "{stale:?}");
}
