//! Rules of claims on idempotency keys.

use serde_json::json;
use steward_domain::kernel::changes::Changes;
use steward_domain::kernel::error::ResourceKind;
use steward_domain::kernel::{AccessBasis, CommitError, IdempotentRequest, Precondition};
use steward_domain::mocks::{a_permit_with_claim, instant};

use crate::fixture::{Fixture, TestStore, id, later};
use crate::timing::{MANY, run_concurrently};

fn claim(caller: &str, key: &str) -> IdempotentRequest {
    IdempotentRequest {
        id: id().into(),
        caller: caller.to_owned(),
        key_digest: key.to_owned(),
        fingerprint: "f".to_owned(),
        leased_until: later(10),
        expires_at: later(100),
        is_effective: false,
        answer: None,
    }
}

async fn stored(store: &TestStore, claim: &IdempotentRequest) -> Option<IdempotentRequest> {
    store.claimed(&claim.caller, &claim.key_digest).await.unwrap()
}

pub async fn each_caller_claims_a_key_once(store: TestStore) {
    let first = claim("account:a", "k");
    assert!(store.claim(&first).await.unwrap());
    assert!(!store.claim(&claim("account:a", "k")).await.unwrap());
    assert_eq!(stored(&store, &first).await, Some(first));
    assert!(store.claim(&claim("account:b", "k")).await.unwrap());
    assert!(store.claim(&claim("account:a", "other")).await.unwrap());
}

pub async fn one_of_fifty_concurrent_claims_of_a_key_succeeds(store: TestStore) {
    let claims = (0..50).map(|_| {
        let store = store.clone();
        async move { store.claim(&claim("account:a", "k")).await.unwrap() }
    });
    let claimed = run_concurrently(MANY, claims).await;
    assert_eq!(claimed.into_iter().filter(|claimed| *claimed).count(), 1);
}

pub async fn a_change_under_a_claim_makes_the_claim_effective(store: TestStore) {
    let (world, claim) = (Fixture::make(&store, "acme").await, claim("account:a", "k"));
    store.claim(&claim).await.unwrap();
    let under = |id| Changes::by(a_permit_with_claim(id), instant());
    let refused = under(claim.id).put(world.item("x", json!({})), Precondition::Exists);
    assert!(store.commit(refused).await.is_err());
    assert!(!stored(&store, &claim).await.unwrap().is_effective, "A refused change must not make the claim effective.");
    store.commit(under(claim.id).put(world.item("x", json!({})), Precondition::None)).await.unwrap();
    assert!(stored(&store, &claim).await.unwrap().is_effective);
    store.commit(under(claim.id).put(world.item("y", json!({})), Precondition::None)).await.unwrap();

    let without_claim = under(id().into()).put(world.item("z", json!({})), Precondition::None);
    let refused = store.commit(without_claim).await;
    assert!(matches!(refused, Err(CommitError::Stale(ResourceKind::IdempotencyClaim))), "{refused:?}");
    assert!(
        store.item(&world.place("z"), &AccessBasis::default()).await.unwrap().is_none(),
        "A change under a lost claim must not be stored."
    );
}

pub async fn a_claim_without_a_response_can_be_taken_over(store: TestStore) {
    let first = claim("account:a", "k");
    store.claim(&first).await.unwrap();
    let second = IdempotentRequest { fingerprint: "g".into(), ..claim("account:a", "k") };
    assert!(!store.take_over(id().into(), &second, instant()).await.unwrap(), "The claim has another ID.");
    assert!(store.take_over(first.id, &second, instant()).await.unwrap());
    assert_eq!(stored(&store, &first).await.as_ref(), Some(&second));
    assert!(!store.take_over(first.id, &first, instant()).await.unwrap(), "The claim was already taken over.");

    store.answer(second.id, &[7]).await.unwrap();
    assert_eq!(stored(&store, &first).await.unwrap().answer, Some(vec![7]));
    assert!(!store.take_over(second.id, &first, instant()).await.unwrap(), "The claim already has a response.");
    assert!(store.take_over(second.id, &first, later(100)).await.unwrap(), "The claim has expired.");
    store.answer(second.id, &[8]).await.unwrap();
    assert_eq!(stored(&store, &first).await.unwrap().answer, None, "A response under a lost claim must not be stored.");
}

pub async fn giving_up_deletes_a_claim_unless_it_is_effective(store: TestStore) {
    let (world, idle, busy) = (Fixture::make(&store, "acme").await, claim("account:a", "k"), claim("account:a", "l"));
    store.claim(&idle).await.unwrap();
    store.claim(&busy).await.unwrap();
    let change = Changes::by(a_permit_with_claim(busy.id), instant());
    store.commit(change.put(world.item("x", json!({})), Precondition::None)).await.unwrap();
    for claim in [&idle, &busy] {
        store.give_up(claim.id, later(3)).await.unwrap();
    }
    assert_eq!(stored(&store, &idle).await, None);
    assert_eq!(
        stored(&store, &busy).await,
        Some(IdempotentRequest { is_effective: true, leased_until: later(3), ..busy.clone() })
    );
}
