//! Rules of passkeys.

use steward_domain::identity::{Account, Passkey};
use steward_domain::kernel::error::ResourceKind;
use steward_domain::kernel::{CommitError, Label, Revision, Unique};

use crate::fixture::{TestStore, account, change, id, insert, later, try_insert};
use crate::kernel::concurrency::{assert_one_succeeds, commit_concurrently};

pub(crate) fn passkey(account: &Account, name: &str, created: i64) -> Passkey {
    Passkey {
        id: id().into(),
        account_id: account.id,
        credential_id: [&[0, 255], name.as_bytes()].concat(),
        name: Label::parse(name).unwrap(),
        credential: r#"{"counter":1}"#.to_owned(),
        is_synced: false,
        last_challenge: later(created),
        created_at: later(created),
        last_used: later(created),
        revision: Revision::FIRST,
    }
}

pub async fn passkeys_round_trip_and_are_deleted_with_their_account(store: TestStore) {
    let (ann, bob) = (account("ann"), account("bob"));
    insert(&store, [ann.clone().into(), bob.clone().into()]).await;
    let (second, first, other) = (passkey(&ann, "second", 2), passkey(&ann, "first", 1), passkey(&bob, "other", 1));
    insert(&store, [second.clone().into(), first.clone().into(), other.clone().into()]).await;
    assert_eq!(store.passkeys(ann.id).await.unwrap(), [first.clone(), second.clone()]);
    assert_eq!(store.passkey(&other.credential_id).await.unwrap(), Some(other.clone()));
    assert_eq!(store.passkey(&[0]).await.unwrap(), None);

    let used = Passkey {
        name: Label::parse("Phone").unwrap(),
        credential: r#"{"counter":2}"#.to_owned(),
        is_synced: true,
        last_challenge: later(8),
        last_used: later(9),
        ..first.clone()
    };
    store.commit(change().replace(first.clone(), used.clone())).await.unwrap();
    let used = Passkey { revision: used.revision.next(), ..used };
    assert_eq!(store.passkey(&first.credential_id).await.unwrap(), Some(used.clone()));
    store.commit(change().remove(used)).await.unwrap();
    assert_eq!(store.passkeys(ann.id).await.unwrap(), [second]);
    store.commit(change().remove(ann.clone())).await.unwrap();
    assert_eq!(store.passkeys(ann.id).await.unwrap(), []);
    assert_eq!(store.passkeys(bob.id).await.unwrap(), [other]);
}

pub async fn a_credential_belongs_to_one_account(store: TestStore) {
    let (ann, bob) = (account("ann"), account("bob"));
    insert(&store, [ann.clone().into(), bob.clone().into(), passkey(&ann, "phone", 1).into()]).await;
    for thief in [&ann, &bob] {
        let refused = try_insert(&store, [passkey(thief, "phone", 1).into()]).await;
        assert!(matches!(refused, Err(CommitError::Taken(Unique::Passkey))), "{refused:?}");
    }
}

pub async fn one_of_fifty_concurrent_uses_of_a_passkey_succeeds(store: TestStore) {
    let ann = account("ann");
    let phone = passkey(&ann, "phone", 1);
    insert(&store, [ann.into(), phone.clone().into()]).await;
    let used = Passkey { last_challenge: later(5), ..phone.clone() };
    let uses = (0..50).map(|_| change().replace(phone.clone(), used.clone()));
    assert_one_succeeds(&commit_concurrently(&store, uses).await);
    let stale = store.commit(change().remove(phone)).await;
    assert!(matches!(stale, Err(CommitError::Stale(ResourceKind::Passkey))), "{stale:?}");
}
