//! Rules of the use of sessions.

use steward_domain::identity::Session;
use steward_domain::kernel::{Credential, CredentialUse};

use super::session;
use crate::fixture::{Fixture, TestStore, id, insert, later};

pub async fn uses_of_a_session_are_recorded(store: TestStore) {
    let world = Fixture::make(&store, "acme").await;
    let session = session(&world.owner);
    insert(&store, [session.clone().into()]).await;
    let used = |credential, at| CredentialUse { credential, at: later(at), redigested: None };
    let (own, gone) = (Credential::Session(session.id), Credential::Session(id().into()));
    store.record_uses(&[used(own, 7), used(own, 5), used(gone, 9)]).await.unwrap();
    let found = store.session(&session.digest).await.unwrap().unwrap().session;
    assert_eq!(found, Session { last_used: Some(later(7)), ..session });
}
