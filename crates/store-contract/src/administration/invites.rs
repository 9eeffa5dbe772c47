//! Rules of invites.

use chrono::TimeDelta;
use steward_domain::administration::{EmailDelivery, Invite, InviteState, Recipient};
use steward_domain::identity::{Email, Expiring, Username};
use steward_domain::kernel::error::ResourceKind;
use steward_domain::kernel::{CommitError, PageRequest, TokenDigest, Unique};
use steward_domain::mocks::instant;

use crate::fixture::{Fixture, TestStore, account, change, insert, insert_many, invite, later, try_insert};

fn by_email(email: &str) -> Recipient {
    Recipient::Email(Email::parse(email).unwrap())
}

pub async fn only_pending_invites_are_listed(store: TestStore) {
    let (world, other) = (Fixture::make(&store, "acme").await, Fixture::make(&store, "other").await);
    let new_invite =
        |email: &str, age: i64| Invite { created_at: later(age), ..invite(&world.team, &world.owner, by_email(email)) };
    let (old, new, revoked, accepted) =
        (new_invite("a@b.c", 1), new_invite("b@b.c", 2), new_invite("c@b.c", 3), new_invite("d@b.c", 4));
    let expired = Invite { expires_at: later(5), ..new_invite("e@b.c", 5) };
    let elsewhere = invite(&other.team, &other.owner, by_email("a@b.c"));
    for invite in [&old, &new, &revoked, &accepted, &expired, &elsewhere] {
        insert(&store, [invite.clone().into()]).await;
    }
    store.commit(change().replace(revoked.clone(), revoked.clone().revoke(later(6)).unwrap())).await.unwrap();
    let mut accepter = world.owner.clone();
    accepter.email = Email::parse("d@b.c").unwrap();
    let (after, _) = accepted.clone().accept(&accepter, later(6)).unwrap();
    store.commit(change().replace(accepted.clone(), after.clone())).await.unwrap();

    let now = instant() + TimeDelta::hours(1);
    let pending = store.pending_invites(world.team.id, now, &PageRequest::FIRST).await.unwrap().items;
    assert_eq!(pending, [new, old]);
    let found = store.invite(accepted.id).await.unwrap().unwrap();
    assert_eq!(found.state, after.state);
}

pub async fn a_proof_is_used_once_and_only_with_its_change(store: TestStore) {
    let world = Fixture::make(&store, "acme").await;
    let proof = TokenDigest("first".into());
    let invited = Invite { proof: Some(proof.clone()), ..invite(&world.team, &world.owner, by_email("a@b.c")) };
    insert(&store, [invited.clone().into()]).await;
    assert_eq!(store.invite(invited.id).await.unwrap().unwrap().proof, Some(proof.clone()));
    let use_up = |digest: &TokenDigest| change().use_invite_proof(invited.id, digest.clone());

    let other = store.commit(use_up(&TokenDigest("other".into()))).await;
    assert!(matches!(other, Err(CommitError::Stale(ResourceKind::Invite))), "{other:?}");
    // An account that exists already: nothing of the change is stored.
    let refused = store.commit(use_up(&proof).insert(world.owner.clone())).await;
    assert!(refused.is_err());
    assert_eq!(store.invite(invited.id).await.unwrap().unwrap().proof, Some(proof.clone()));

    store.commit(use_up(&proof)).await.unwrap();
    let used = store.invite(invited.id).await.unwrap().unwrap();
    assert_eq!((used.proof, used.state, used.revision), (None, InviteState::Pending, invited.revision));
    let again = store.commit(use_up(&proof)).await;
    assert!(matches!(again, Err(CommitError::Stale(ResourceKind::Invite))), "{again:?}");
}

pub async fn a_recipient_has_one_pending_invite_per_team(store: TestStore) {
    let (world, other) = (Fixture::make(&store, "acme").await, Fixture::make(&store, "other").await);
    let first = invite(&world.team, &world.owner, by_email("a@b.c"));
    insert(&store, [first.clone().into()]).await;
    let second = invite(&world.team, &world.owner, by_email("A@B.C"));
    let refused = try_insert(&store, [second.clone().into()]).await;
    assert!(matches!(refused, Err(CommitError::Taken(Unique::PendingInvite))), "{refused:?}");
    insert(&store, [invite(&other.team, &other.owner, by_email("a@b.c")).into()]).await;
    store.commit(change().replace(first.clone(), first.revoke(later(1)).unwrap())).await.unwrap();
    insert(&store, [second.into()]).await;
}

pub async fn an_expired_invite_is_found_for_renewal(store: TestStore) {
    let world = Fixture::make(&store, "acme").await;
    let recipient = Recipient::Username(Username::parse("Ann").unwrap());
    let expired = Invite { expires_at: later(1), ..invite(&world.team, &world.owner, recipient) };
    insert(&store, [expired.clone().into()]).await;
    let same = Recipient::Username(Username::parse("ANN").unwrap());
    assert_eq!(store.pending_invite_for(world.team.id, &same).await.unwrap(), Some(expired.clone()));
    let renewed =
        Invite { recipient: same.clone(), expires_at: later(9_000_000), created_at: later(2), ..expired.clone() };
    store.commit(change().replace(expired, renewed.clone())).await.unwrap();
    let found = store.invite(renewed.id).await.unwrap().unwrap();
    assert_eq!((found.expires_at, found.created_at), (renewed.expires_at, renewed.created_at));
    assert_eq!(found.recipient, same, "The recipient must have its new spelling.");
}

pub async fn invites_are_swept_by_the_end_of_their_validity(store: TestStore) {
    let world = Fixture::make(&store, "acme").await;
    let until = |email: &str, expires_at: i64| Invite {
        expires_at: later(expires_at),
        ..invite(&world.team, &world.owner, by_email(email))
    };
    let (ended, expired, young) = (until("a@b.c", 1), until("b@b.c", 2), until("c@b.c", 3));
    insert(&store, [&ended, &expired, &young].map(|invite| invite.clone().into())).await;
    store.commit(change().replace(ended.clone(), ended.clone().revoke(later(0)).unwrap())).await.unwrap();
    assert_eq!(store.sweep(Expiring::Invites, later(3), 1).await.unwrap(), 1, "Each sweep deletes a bounded number.");
    assert_eq!(store.sweep(Expiring::Invites, later(3), 9).await.unwrap(), 1);
    assert_eq!(store.sweep(Expiring::Invites, later(3), 9).await.unwrap(), 0);
    for gone in [ended, expired] {
        assert_eq!(store.invite(gone.id).await.unwrap(), None);
    }
    assert!(store.invite(young.id).await.unwrap().is_some());
}

pub async fn a_recipient_finds_their_invites_in_all_teams(store: TestStore) {
    let (world, other) = (Fixture::make(&store, "acme").await, Fixture::make(&store, "other").await);
    let by_username = |name: &str| Recipient::Username(Username::parse(name).unwrap());
    let new_invite = |world: &Fixture, recipient: Recipient, age: i64| Invite {
        created_at: later(age),
        ..invite(&world.team, &world.owner, recipient)
    };
    let (old, new) = (new_invite(&world, by_email("Ann@B.c"), 1), new_invite(&other, by_username("Ann"), 2));
    let (foreign, revoked) = (new_invite(&world, by_email("eve@b.c"), 3), new_invite(&world, by_username("ann"), 4));
    let expired = Invite { expires_at: later(5), ..new_invite(&other, by_email("ann@b.c"), 5) };
    for invite in [&old, &new, &foreign, &revoked, &expired] {
        insert(&store, [invite.clone().into()]).await;
    }
    store.commit(change().replace(revoked.clone(), revoked.revoke(later(6)).unwrap())).await.unwrap();

    let (now, names) = (instant() + TimeDelta::hours(1), [by_email("ann@b.c"), by_username("ANN")]);
    let found = store.pending_invites_naming(&names, now, &PageRequest::FIRST).await.unwrap().items;
    let seen: Vec<_> = found.iter().map(|found| (&found.invite, found.team_slug.as_str())).collect();
    assert_eq!(seen, [(&new, "other"), (&old, "acme")]);
    assert_eq!(store.pending_invites_naming(&[], now, &PageRequest::FIRST).await.unwrap().items, []);
    let first = PageRequest { limit: Some(1), after: None, ..PageRequest::FIRST };
    let page = store.pending_invites_naming(&names, now, &first).await.unwrap();
    let rest = PageRequest { limit: Some(1), after: page.next, ..PageRequest::FIRST };
    let rest = store.pending_invites_naming(&names, now, &rest).await.unwrap();
    assert_eq!((&page.items[0].invite, &rest.items[0].invite, rest.next), (&new, &old, None));
}

pub async fn a_declined_invite_round_trips_and_does_not_block_another(store: TestStore) {
    let world = Fixture::make(&store, "acme").await;
    let ann = account("ann");
    let offered = invite(&world.team, &world.owner, Recipient::Email(ann.email.clone()));
    insert(&store, [ann.clone().into(), offered.clone().into()]).await;
    let declined = offered.clone().decline(&ann, later(1)).unwrap();
    store.commit(change().replace(offered.clone(), declined)).await.unwrap();
    let found = store.invite(offered.id).await.unwrap().unwrap();
    assert_eq!(found.state, InviteState::Declined { by: ann.id, at: later(1) });
    insert(&store, [invite(&world.team, &world.owner, Recipient::Email(ann.email.clone())).into()]).await;
}

pub async fn a_delivery_state_is_recorded_unless_a_newer_email_is_queued(store: TestStore) {
    let world = Fixture::make(&store, "acme").await;
    let queued = Invite { delivery: EmailDelivery::Queued, ..invite(&world.team, &world.owner, by_email("a@b.c")) };
    let other = Invite { delivery: EmailDelivery::Queued, ..invite(&world.team, &world.owner, by_email("b@b.c")) };
    insert(&store, [queued.clone().into(), other.clone().into()]).await;
    store.record_email_delivery(queued.id, queued.created_at, EmailDelivery::Sent).await.unwrap();
    let sent = store.invite(queued.id).await.unwrap().unwrap();
    assert_eq!(
        sent,
        Invite { delivery: EmailDelivery::Sent, ..queued.clone() },
        "Recording a delivery must not raise the revision."
    );
    assert_eq!(store.invite(other.id).await.unwrap(), Some(other));

    let renewed = Invite { created_at: later(9), delivery: EmailDelivery::Queued, ..sent.clone() };
    store.commit(change().replace(sent, renewed)).await.unwrap();
    store.record_email_delivery(queued.id, queued.created_at, EmailDelivery::Failed).await.unwrap();
    assert_eq!(store.invite(queued.id).await.unwrap().unwrap().delivery, EmailDelivery::Queued);
    store.record_email_delivery(crate::fixture::id().into(), later(1), EmailDelivery::Sent).await.unwrap();
}

pub async fn pending_invites_by_inviter_are_limited_to_the_team(store: TestStore) {
    let (world, other) = (Fixture::make(&store, "acme").await, Fixture::make(&store, "other").await);
    let first = invite(&world.team, &world.owner, by_email("a@b.c"));
    let second = invite(&world.team, &world.owner, by_email("b@b.c"));
    let expired = Invite { expires_at: later(5), ..invite(&world.team, &world.owner, by_email("c@b.c")) };
    let elsewhere = invite(&other.team, &world.owner, by_email("a@b.c"));
    let by_other_owner = invite(&world.team, &other.owner, by_email("d@b.c"));
    let all = [&first, &second, &expired, &elsewhere, &by_other_owner];
    insert(&store, all.map(|invite| invite.clone().into())).await;
    let found = async |at| store.pending_invites_by(world.team.id, world.owner.id, at).await.unwrap();
    assert_eq!(found(later(5)).await, [first.clone(), second.clone()]);
    store.commit(change().replace(first.clone(), first.revoke(later(6)).unwrap())).await.unwrap();
    assert_eq!(found(later(6)).await, [second]);
}

pub async fn all_pending_invites_by_an_inviter_are_found(store: TestStore) {
    let world = Fixture::make(&store, "acme").await;
    let to = |number: usize| invite(&world.team, &world.owner, by_email(&format!("ann-{number}@b.c")));
    insert_many(&store, (0..1_001).map(|number| to(number).into())).await;
    assert_eq!(store.pending_invites_by(world.team.id, world.owner.id, later(0)).await.unwrap().len(), 1_001);
}
