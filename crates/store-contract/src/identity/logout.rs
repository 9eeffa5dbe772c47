//! Rules of what happens when a session ends: the token families of a session, and the queue of logout tokens.

use steward_domain::identity::{ClientId, Expiring, LogoutDelivery, RefreshState, RefreshToken, TokenFamily};
use steward_domain::kernel::changes::Entity;
use steward_domain::kernel::{CommitError, ProjectId, SessionId, TokenFamilyId};

use crate::fixture::{Fixture, TestStore, change, id, insert, later};
use crate::identity::authorizations::{family, refresh_token};

fn delivery(project: ProjectId, due: i64) -> LogoutDelivery {
    LogoutDelivery {
        id: id().into(),
        account_id: id().into(),
        session_id: id().into(),
        client: ClientId::stored(project.to_string(), Some(project)),
        project_id: project,
        attempts: 0,
        next_attempt_at: later(due),
    }
}

pub async fn all_families_of_a_session_are_found_in_pages(store: TestStore) {
    let world = Fixture::make(&store, "acme").await;
    let session = SessionId::from(id());
    let of = |session_id| TokenFamily { session_id, ..family(&world.owner, None) };
    let mut families: Vec<TokenFamily> = (0..5).map(|_| of(Some(session))).collect();
    families[2].revoked_at = Some(later(3));
    let others = [of(None), of(Some(id().into()))];
    insert(&store, families.iter().chain(&others).cloned().map(Entity::from)).await;
    families.sort_by_key(|family| family.id);

    let mut found: Vec<TokenFamily> = Vec::new();
    loop {
        let after: Option<TokenFamilyId> = found.last().map(|family| family.id);
        let page = store.families_of_session(session, after, 2).await.unwrap();
        assert!(page.len() <= 2);
        if page.is_empty() {
            break;
        }
        found.extend(page);
    }
    assert_eq!(found, families);
    assert_eq!(store.families_of_session(id().into(), None, 2).await.unwrap(), []);
}

pub async fn a_family_is_refreshable_until_its_newest_token_expires(store: TestStore) {
    let world = Fixture::make(&store, "acme").await;
    let (family, replaced_only) = (family(&world.owner, None), family(&world.owner, None));
    let token = RefreshToken { expires_at: later(100), ..refresh_token(&family) };
    let state = RefreshState::Replaced { at: later(3), answer: None, next: None };
    let replaced = RefreshToken { state, ..refresh_token(&replaced_only) };
    insert(&store, [family.clone().into(), replaced_only.clone().into(), token.into(), replaced.into()]).await;
    assert!(store.is_refreshable(family.id, later(99)).await.unwrap());
    assert!(!store.is_refreshable(family.id, later(100)).await.unwrap());
    assert!(!store.is_refreshable(replaced_only.id, later(4)).await.unwrap());
    assert!(!store.is_refreshable(id().into(), later(4)).await.unwrap());
}

pub async fn due_logouts_are_returned_longest_waiting_first_and_without_excluded_projects(store: TestStore) {
    let (one, other) = (ProjectId::from(id()), ProjectId::from(id()));
    let [first, second, third, later_one] = [delivery(one, 1), delivery(other, 2), delivery(one, 3), delivery(one, 10)];
    let all = [&later_one, &third, &first, &second].map(|delivery| Entity::from(delivery.clone()));
    insert(&store, all).await;
    let due = async |except: &[ProjectId], limit| store.due_logouts(later(3), except, limit).await.unwrap();
    assert_eq!(due(&[], 10).await, [first.clone(), second.clone(), third.clone()]);
    assert_eq!(due(&[], 2).await, [first.clone(), second.clone()]);
    assert_eq!(due(&[other], 10).await, [first.clone(), third.clone()]);
    assert_eq!(due(&[other, one], 10).await, []);

    store.remove_logout(first.id).await.unwrap();
    store.remove_logout(first.id).await.unwrap();
    assert_eq!(due(&[], 10).await, [second.clone(), third]);
    let again = store.commit(change().insert(second)).await;
    assert!(matches!(again, Err(CommitError::Taken(_))), "{again:?}");
}

pub async fn one_of_many_concurrent_claims_of_a_logout_succeeds(store: TestStore) {
    let queued = delivery(id().into(), 1);
    insert(&store, [queued.clone().into()]).await;
    let mut claims = tokio::task::JoinSet::new();
    for _ in 0..20 {
        let (store, queued) = (store.clone(), queued.clone());
        claims.spawn(async move { store.claim_logout(&queued, later(50)).await.unwrap() });
    }
    assert_eq!(claims.join_all().await.into_iter().filter(|claimed| *claimed).count(), 1);
    assert_eq!(store.due_logouts(later(49), &[], 10).await.unwrap(), []);
    let claimed = LogoutDelivery { attempts: 1, next_attempt_at: later(50), ..queued.clone() };
    assert_eq!(store.due_logouts(later(50), &[], 10).await.unwrap(), std::slice::from_ref(&claimed));
    assert!(!store.claim_logout(&queued, later(60)).await.unwrap());
    assert!(store.claim_logout(&claimed, later(60)).await.unwrap());
}

pub async fn logouts_that_are_long_due_are_swept(store: TestStore) {
    let (old, young) = (delivery(id().into(), 1), delivery(id().into(), 2));
    insert(&store, [old.into(), young.clone().into()]).await;
    assert_eq!(store.sweep(Expiring::LogoutDeliveries, later(2), 9).await.unwrap(), 1);
    assert_eq!(store.due_logouts(later(9), &[], 9).await.unwrap(), [young]);
}
