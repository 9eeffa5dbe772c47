//! Rules of rate limits on sign-in attempts, and of known networks.

use chrono::TimeDelta;
use steward_domain::identity::Expiring;
use steward_domain::kernel::policy::ActionLimit;
use steward_domain::kernel::{AccountId, LimitOutcome};
use steward_domain::mocks::an_account;

use crate::fixture::{TestStore, insert, later};
use crate::timing::{MANY, run_concurrently};

const LIMIT: ActionLimit = ActionLimit { burst: 3, interval: TimeDelta::seconds(10) };

pub async fn attempts_over_the_limit_are_not_counted(store: TestStore) {
    let at = |seconds| later(0) + TimeDelta::seconds(seconds);
    let refused = |seconds| LimitOutcome::Refused { at_rest: at(seconds) };
    for _ in 0..3 {
        assert_eq!(store.count_action("ann", LIMIT, at(0)).await.unwrap(), LimitOutcome::Counted);
    }
    assert_eq!(store.count_action("ann", LIMIT, at(0)).await.unwrap(), refused(30));
    assert_eq!(store.count_action("ann", LIMIT, at(9)).await.unwrap(), refused(30));
    assert_eq!(store.count_action("bob", LIMIT, at(0)).await.unwrap(), LimitOutcome::Counted);
    assert_eq!(store.count_action("ann", LIMIT, at(10)).await.unwrap(), LimitOutcome::Counted);
    assert_eq!(store.count_action("ann", LIMIT, at(10)).await.unwrap(), refused(40));
    store.uncount_action("ann", LIMIT).await.unwrap();
    assert_eq!(store.count_action("ann", LIMIT, at(10)).await.unwrap(), LimitOutcome::Counted);
    assert_eq!(store.count_action("ann", LIMIT, at(10)).await.unwrap(), refused(40));
    store.uncount_action("nobody", LIMIT).await.unwrap();
}

pub async fn fifty_concurrent_attempts_stay_within_the_limit(store: TestStore) {
    let attempts = (0..50).map(|_| {
        let store = store.clone();
        async move { store.count_action("ann", LIMIT, later(0)).await.unwrap() }
    });
    let outcomes = run_concurrently(MANY, attempts).await;
    assert_eq!(outcomes.into_iter().filter(|outcome| *outcome == LimitOutcome::Counted).count(), 3);
}

async fn known(store: &TestStore, account: AccountId, network: &str, since: i64) -> bool {
    store.is_known_network(account, network, later(since)).await.unwrap()
}

pub async fn an_account_keeps_its_most_recent_sign_in_networks(store: TestStore) {
    let (ann, bob) = (an_account("ann"), an_account("bob"));
    insert(&store, vec![ann.clone().into(), bob.clone().into()]).await;
    for (network, at) in [("home", 1), ("office", 2), ("home", 3), ("train", 4)] {
        store.record_network(ann.id, network, later(at), 2).await.unwrap();
    }
    assert!(known(&store, ann.id, "home", 3).await && known(&store, ann.id, "train", 4).await);
    assert!(!known(&store, ann.id, "office", 0).await, "The least recently seen network is removed.");
    assert!(!known(&store, ann.id, "home", 4).await, "The network was seen before this timestamp.");
    assert!(!known(&store, bob.id, "home", 0).await, "The network belongs to another account.");
    store.record_network(ann.id, "home", later(1), 2).await.unwrap();
    assert!(known(&store, ann.id, "home", 3).await, "The later timestamp is retained.");
}

pub async fn idle_limits_and_old_networks_are_swept(store: TestStore) {
    let ann = an_account("ann");
    insert(&store, vec![ann.clone().into()]).await;
    store.count_action("ann", LIMIT, later(0)).await.unwrap();
    store.record_network(ann.id, "home", later(0), 2).await.unwrap();
    let sweep = async |kind: Expiring, after| {
        let before = later(0) + after - kind.retention();
        store.sweep(kind, before, 10).await.unwrap()
    };
    assert_eq!(sweep(Expiring::RateLimitCounters, TimeDelta::seconds(9)).await, 0);
    assert_eq!(sweep(Expiring::RateLimitCounters, TimeDelta::seconds(11)).await, 1);
    assert_eq!(sweep(Expiring::SignInNetworks, TimeDelta::days(89)).await, 0);
    assert_eq!(sweep(Expiring::SignInNetworks, TimeDelta::days(91)).await, 1);
    assert!(!store.is_known_network(ann.id, "home", later(0)).await.unwrap());
}
