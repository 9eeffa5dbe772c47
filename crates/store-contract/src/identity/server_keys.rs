//! Rules of server keys.

use steward_domain::identity::{ServerKey, ServerKeyPurpose, SignedToken, SigningAlgorithm, TokenFamily};
use steward_domain::kernel::{CommitError, Revision, Unique};
use steward_domain::mocks::a_family;

use crate::fixture::{TestStore, account, change, id, insert, later, try_insert};

fn signing(algorithm: SigningAlgorithm) -> ServerKeyPurpose {
    ServerKeyPurpose::TokenSigning(SignedToken::Access, algorithm)
}

fn key(purpose: ServerKeyPurpose, generation: i64) -> ServerKey {
    ServerKey {
        id: id().into(),
        purpose,
        generation,
        encrypted: vec![0, 1, 255, b'\''],
        created_at: later(generation),
        use_from: later(generation * 2),
        revision: Revision::FIRST,
    }
}

/// A key that signs access tokens.
pub(crate) fn signing_key(generation: i64) -> ServerKey {
    key(signing(SigningAlgorithm::Es256), generation)
}

pub async fn generations_are_unique_per_kind(store: TestStore) {
    let of_id_tokens = |algorithm| ServerKeyPurpose::TokenSigning(SignedToken::Id, algorithm);
    let kinds = [signing(SigningAlgorithm::Es256), of_id_tokens(SigningAlgorithm::Es256), ServerKeyPurpose::KeyPepper];
    insert(&store, kinds.map(|kind| key(kind, 1).into())).await;
    let others = [signing(SigningAlgorithm::EdDsa), of_id_tokens(SigningAlgorithm::Rs256)];
    for same in kinds.into_iter().chain(others) {
        let refused = try_insert(&store, [key(same, 1).into()]).await;
        assert!(matches!(refused, Err(CommitError::Taken(Unique::ServerKeyGeneration))), "{refused:?}");
    }
    insert(&store, [key(signing(SigningAlgorithm::EdDsa), 2).into()]).await;
}

pub async fn keys_are_listed_oldest_first(store: TestStore) {
    assert_eq!(store.server_keys().await.unwrap(), []);
    let keys = [
        key(ServerKeyPurpose::KeyPepper, 1),
        key(ServerKeyPurpose::TokenSigning(SignedToken::Id, SigningAlgorithm::Rs256), 2),
        key(signing(SigningAlgorithm::EdDsa), 3),
    ];
    for key in keys.iter().rev() {
        insert(&store, [key.clone().into()]).await;
    }
    assert_eq!(store.server_keys().await.unwrap(), keys);
}

pub async fn a_token_is_invalid_once_its_signing_key_is_deleted(store: TestStore) {
    let (ann, signing) = (account("ann"), key(signing(SigningAlgorithm::Es256), 1));
    let family = TokenFamily { id: id().into(), account_id: ann.id, ..a_family("ann") };
    insert(&store, [ann.clone().into(), signing.clone().into(), family.clone().into()]).await;
    assert!(store.token_family(family.id, Some(signing.id)).await.unwrap().is_some());
    assert!(store.signed_account(ann.id, signing.id).await.unwrap().is_some());

    store.commit(change().remove(signing.clone())).await.unwrap();
    assert_eq!(store.token_family(family.id, Some(signing.id)).await.unwrap(), None);
    assert_eq!(store.user_bearer(family.id, Some(signing.id)).await.unwrap(), None);
    assert_eq!(store.signed_account(ann.id, signing.id).await.unwrap(), None);
    assert!(store.token_family(family.id, None).await.unwrap().is_some(), "The token family itself remains valid.");
}

pub async fn only_the_use_from_timestamp_of_a_key_changes(store: TestStore) {
    let standby = key(signing(SigningAlgorithm::Es256), 1);
    insert(&store, [standby.clone().into()]).await;
    let used = ServerKey { use_from: later(0), ..standby.clone() };
    let replace = || store.commit(change().replace(standby.clone(), used.clone()));
    replace().await.unwrap();
    let stored = store.server_keys().await.unwrap();
    assert_eq!(stored, [ServerKey { revision: stored[0].revision, ..used.clone() }]);
    assert!(matches!(replace().await, Err(CommitError::Stale(_))), "The loaded revision must match.");
}
