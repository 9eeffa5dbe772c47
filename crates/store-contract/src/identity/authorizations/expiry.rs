//! Rules of expired rows: what is deleted, and when.

use chrono::TimeDelta;
use steward_domain::identity::{
    AuthorizationCode, AuthorizationRequest, EmailLink, Expiring, LinkPurpose, RefreshState, RefreshToken, Session,
    TokenFamily,
};
use steward_domain::kernel::changes::Entity;

use super::{code, family, link, refresh_token, request, session};
use crate::fixture::{Fixture, TestStore, change, insert, later};

pub async fn only_expired_rows_are_swept(store: TestStore) {
    let world = Fixture::make(&store, "acme").await;
    let owner = &world.owner;
    let (old, young) = (family(owner, None), TokenFamily { created_at: later(900), ..family(owner, None) });
    let (expired, live) = (refresh_token(&old), RefreshToken { expires_at: later(900), ..refresh_token(&young) });
    let old_request = AuthorizationRequest { expires_at: later(100), ..request(None) };
    let old_code = AuthorizationCode { expires_at: later(100), ..code(owner, None) };
    let old_link = EmailLink { expires_at: later(100), ..link(LinkPurpose::VerifyEmail) };
    let old_session = Session { expires_at: later(100), ..session(owner) };
    let expired = RefreshToken { expires_at: later(100), ..expired };
    let (request, code, link, session) =
        (request(None), code(owner, None), link(LinkPurpose::ResetPassword), session(owner));
    let all: [Entity; 12] = [
        old.clone().into(),
        young.clone().into(),
        expired.clone().into(),
        live.clone().into(),
        old_request.clone().into(),
        request.clone().into(),
        old_code.clone().into(),
        code.clone().into(),
        old_link.clone().into(),
        link.clone().into(),
        old_session.clone().into(),
        session.clone().into(),
    ];
    insert(&store, all).await;
    let now = later(0) + TimeDelta::microseconds(500);
    let sweep = async || {
        let mut swept = Vec::new();
        for kind in Expiring::ALL {
            let before = if kind == Expiring::RefreshResponses { later(0) } else { now };
            swept.push(store.sweep(kind, before, 1).await.unwrap());
        }
        swept
    };
    assert_eq!(sweep().await.iter().sum::<usize>(), 6);
    while sweep().await.iter().sum::<usize>() > 0 {}
    assert!(store.authorization_request(&old_request.digest).await.unwrap().is_none());
    assert!(store.authorization_request(&request.digest).await.unwrap().is_some());
    assert!(store.authorization_code(&old_code.digest).await.unwrap().is_none());
    assert!(store.authorization_code(&code.digest).await.unwrap().is_some());
    assert!(store.email_link(&old_link.digest).await.unwrap().is_none());
    assert!(store.email_link(&link.digest).await.unwrap().is_some());
    assert!(store.session(&old_session.digest).await.unwrap().is_none());
    assert!(store.session(&session.digest).await.unwrap().is_some());
    assert!(store.token_family(old.id, None).await.unwrap().is_none());
    assert!(store.refresh_token(&live.digest).await.unwrap().is_some());
}

pub async fn only_the_last_replaced_token_keeps_its_response_until_it_is_swept(store: TestStore) {
    let world = Fixture::make(&store, "acme").await;
    let family = family(&world.owner, None);
    let (first, second) = (refresh_token(&family), refresh_token(&family));
    insert(&store, [family.into(), first.clone().into(), second.clone().into()]).await;
    let replaced = |token: &RefreshToken, at| {
        let state = RefreshState::Replaced { at, answer: Some(vec![1]), next: None };
        change().replace(token.clone(), RefreshToken { state, ..token.clone() })
    };
    let state = |token: RefreshToken| {
        let store = store.clone();
        async move { store.refresh_token(&token.digest).await.unwrap().unwrap().0.state }
    };
    store.commit(replaced(&first, later(5))).await.unwrap();
    assert_eq!(state(first.clone()).await, RefreshState::Replaced { at: later(5), answer: Some(vec![1]), next: None });
    store.commit(replaced(&second, later(6))).await.unwrap();
    assert_eq!(state(first).await, RefreshState::Replaced { at: later(5), answer: None, next: None });
    assert_eq!(state(second.clone()).await, RefreshState::Replaced { at: later(6), answer: Some(vec![1]), next: None });
    assert_eq!(store.sweep(Expiring::RefreshResponses, later(7), 10).await.unwrap(), 1);
    assert_eq!(state(second).await, RefreshState::Replaced { at: later(6), answer: None, next: None });
}

pub async fn a_live_family_is_checked_once_until_its_last_token_expires(store: TestStore) {
    let world = Fixture::make(&store, "acme").await;
    let families: Vec<TokenFamily> = (0..5).map(|_| family(&world.owner, None)).collect();
    insert(&store, families.iter().map(|family| family.clone().into())).await;
    let token = |family| RefreshToken { expires_at: later(9_000), ..refresh_token(family) };
    let tokens: Vec<RefreshToken> = families.iter().map(token).collect();
    insert(&store, tokens.iter().map(|token| token.clone().into())).await;
    let sweep = async |kind, before| store.sweep(kind, later(before), 3).await.unwrap();
    let checked = [sweep(Expiring::TokenFamilies, 5_000).await, sweep(Expiring::TokenFamilies, 5_000).await];
    assert_eq!(checked, [3, 2], "Each sweep checks a bounded number of families.");
    assert_eq!(sweep(Expiring::TokenFamilies, 6_000).await, 0, "Live families must not be checked again.");
    assert_eq!(sweep(Expiring::TokenFamilies, 9_000).await, 0);
    while sweep(Expiring::RefreshTokens, 9_500).await > 0 {}
    while sweep(Expiring::TokenFamilies, 9_500).await > 0 {}
    for family in families {
        assert!(store.token_family(family.id, None).await.unwrap().is_none());
    }
}
