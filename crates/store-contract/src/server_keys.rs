//! Rules of the server's own keys.

use steward_domain::model::{Revision, ServerKey, ServerKeyPurpose, SigningAlgorithm};
use steward_domain::ports::{CommitError, Unique};

use crate::fixture::{Fresh, id, insert, later, try_insert};

fn key(purpose: ServerKeyPurpose, generation: i64) -> ServerKey {
    ServerKey {
        id: id().into(),
        purpose,
        generation,
        sealed: vec![0, 1, 255, b'\''],
        created_at: later(generation),
        use_from: later(generation * 2),
        revision: Revision::FIRST,
    }
}

pub async fn a_generation_is_had_once_in_its_kind(store: Fresh) {
    let signing = |algorithm| ServerKeyPurpose::TokenSigning(algorithm);
    insert(&store, [key(signing(SigningAlgorithm::Es256), 1).into(), key(ServerKeyPurpose::KeyPepper, 1).into()]).await;
    for same in [signing(SigningAlgorithm::Es256), signing(SigningAlgorithm::EdDsa), ServerKeyPurpose::KeyPepper] {
        let refused = try_insert(&store, [key(same, 1).into()]).await;
        assert!(matches!(refused, Err(CommitError::Taken(Unique::ServerKeyGeneration))), "{refused:?}");
    }
    insert(&store, [key(signing(SigningAlgorithm::EdDsa), 2).into()]).await;
}

pub async fn keys_come_back_oldest_first(store: Fresh) {
    assert_eq!(store.server_keys().await.unwrap(), []);
    let keys = [
        key(ServerKeyPurpose::KeyPepper, 1),
        key(ServerKeyPurpose::TokenSigning(SigningAlgorithm::Rs256), 2),
        key(ServerKeyPurpose::TokenSigning(SigningAlgorithm::EdDsa), 3),
    ];
    for key in keys.iter().rev() {
        insert(&store, [key.clone().into()]).await;
    }
    assert_eq!(store.server_keys().await.unwrap(), keys);
}
