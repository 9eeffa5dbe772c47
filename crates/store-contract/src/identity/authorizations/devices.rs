//! Rules of the requests of devices.

use steward_domain::administration::Project;
use steward_domain::identity::{
    AuthorizationCode, AuthorizationRequest, DeviceAuthorization, DeviceKey, Expiring, ResponseTarget, ScopeSet,
    UserCode,
};
use steward_domain::kernel::{CommitError, Revision, Unique};

use super::{client, code, digest, request};
use crate::fixture::{Fixture, TestStore, change, id, insert, later, try_insert};

fn device(project: Option<&Project>) -> DeviceAuthorization {
    DeviceAuthorization {
        id: id().into(),
        digest: digest(),
        user_code: UserCode::from_entropy(id().into_bytes().repeat(2).as_slice().try_into().unwrap()),
        client: client(project),
        scopes: ScopeSet::parse("openid app:db:write"),
        max_age: Some(60),
        requested_from: Some("2001:db8::1".parse().unwrap()),
        created_at: later(1),
        expires_at: later(600),
        denied_at: None,
        revision: Revision::FIRST,
    }
}

pub async fn requests_of_devices_round_trip(store: TestStore) {
    let world = Fixture::make(&store, "acme").await;
    let bare = DeviceAuthorization { max_age: None, requested_from: None, ..device(None) };
    for device in [bare, device(Some(&world.project))] {
        insert(&store, [device.clone().into()]).await;
        let keys = [
            DeviceKey::Id(device.id),
            DeviceKey::DeviceCode(device.digest.clone()),
            DeviceKey::UserCode(device.user_code.clone()),
        ];
        for key in &keys {
            assert_eq!(store.device_authorization(key).await.unwrap(), Some(device.clone()), "{key:?}");
        }
        let denied = DeviceAuthorization { denied_at: Some(later(5)), ..device.clone() };
        store.commit(change().replace(device.clone(), denied.clone())).await.unwrap();
        let stored = store.device_authorization(&keys[0]).await.unwrap().unwrap();
        assert_eq!(stored, DeviceAuthorization { revision: stored.revision, ..denied.clone() });
        // Only one decision counts.
        assert!(matches!(store.commit(change().replace(device.clone(), denied)).await, Err(CommitError::Stale(_))));
        assert!(matches!(store.commit(change().remove(device)).await, Err(CommitError::Stale(_))));
        store.commit(change().remove(stored)).await.unwrap();
        assert_eq!(store.device_authorization(&keys[0]).await.unwrap(), None);
    }

    let waiting = device(Some(&world.project));
    let target = ResponseTarget::Device(waiting.id);
    let entered = AuthorizationRequest { target, ..request(Some(&world.project)) };
    insert(&store, [entered.clone().into()]).await;
    assert_eq!(store.authorization_request(&entered.digest).await.unwrap(), Some(entered));
    let redeemed = AuthorizationCode { redirect_uri: None, ..code(&world.owner, None) };
    insert(&store, [redeemed.clone().into()]).await;
    assert_eq!(store.authorization_code(&redeemed.digest).await.unwrap(), Some(redeemed));
}

pub async fn a_user_code_belongs_to_one_device_until_it_is_swept(store: TestStore) {
    let first = DeviceAuthorization { expires_at: later(100), ..device(None) };
    let second = DeviceAuthorization { user_code: first.user_code.clone(), ..device(None) };
    insert(&store, [first.clone().into()]).await;
    let taken = try_insert(&store, [second.clone().into()]).await;
    assert!(matches!(taken, Err(CommitError::Taken(Unique::UserCode))), "{taken:?}");
    assert_eq!(store.sweep(Expiring::DeviceAuthorizations, later(100), 10).await.unwrap(), 0);
    assert_eq!(store.sweep(Expiring::DeviceAuthorizations, later(101), 10).await.unwrap(), 1);
    insert(&store, [second.clone().into()]).await;
    let found = store.device_authorization(&DeviceKey::UserCode(first.user_code)).await.unwrap();
    assert_eq!(found.map(|device| device.id), Some(second.id));
}
