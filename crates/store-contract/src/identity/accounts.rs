//! Rules of accounts, and of text and timestamps in general.

use steward_domain::identity::{Account, AccountFilter, Email, Username};
use steward_domain::kernel::{CommitError, Locale, Name, PageRequest, Unique};

use crate::fixture::{TestStore, account, change, insert, later, try_insert};

pub async fn an_account_is_found_by_id_email_and_username(store: TestStore) {
    let ann = account("Ann");
    insert(&store, [ann.clone().into(), account("bob").into()]).await;
    assert_eq!(store.account(ann.id).await.unwrap().as_ref(), Some(&ann));
    let email = Email::parse("ANN@EXAMPLE.COM").unwrap();
    assert_eq!(store.account_by_email(&email).await.unwrap().as_ref(), Some(&ann));
    let username = Username::parse("aNN").unwrap();
    let found = store.account_by_username(&username).await.unwrap().unwrap();
    assert_eq!((found.username.unwrap().as_str(), found.email.as_str()), ("Ann", "Ann@example.com"));
    assert_eq!(store.account(account("eve").id).await.unwrap(), None);
    assert_eq!(store.account_by_username(&Username::parse("eve").unwrap()).await.unwrap(), None);
}

pub async fn emails_are_unique_ignoring_case(store: TestStore) {
    insert(&store, [account("ann").into()]).await;
    let other = Account { email: Email::parse("ANN@example.com").unwrap(), ..account("bob") };
    let refused = try_insert(&store, [other.into()]).await;
    assert!(matches!(refused, Err(CommitError::Taken(Unique::AccountEmail))), "{refused:?}");
    let with_letters = |name: &str, email: &str| Account { email: Email::parse(email).unwrap(), ..account(name) };
    let max = with_letters("max", "Max@Müller.example");
    insert(&store, [max.clone().into(), with_letters("eve", "jose\u{301}@example.com").into()]).await;
    let refused = try_insert(&store, [with_letters("moritz", "max@xn--mller-kva.example").into()]).await;
    assert!(matches!(refused, Err(CommitError::Taken(Unique::AccountEmail))), "{refused:?}");
    let found = store.account_by_email(&Email::parse("max@mu\u{308}ller.example").unwrap()).await.unwrap();
    assert_eq!(found.map(|found| found.email.shown().to_owned()).as_deref(), Some("Max@müller.example"));
    // Only the case of ASCII letters is ignored: this is the address of someone else.
    insert(&store, [with_letters("ina", "josÉ@example.com").into()]).await;
    for part in ["müller", "max@m\u{fc}ller.e", "xn--mller"] {
        let filter = AccountFilter { email_contains: Some(part.to_owned()), ..AccountFilter::default() };
        let found = store.accounts(&filter, &PageRequest::FIRST).await.unwrap();
        assert_eq!(found.items, std::slice::from_ref(&max), "{part}");
    }
}

pub async fn usernames_are_unique_ignoring_case(store: TestStore) {
    insert(&store, [account("ann").into()]).await;
    let other = Account { username: Some(Username::parse("ANN").unwrap()), ..account("bob") };
    let refused = try_insert(&store, [other.into()]).await;
    assert!(matches!(refused, Err(CommitError::Taken(Unique::AccountUsername))), "{refused:?}");
    let nameless = |name: &str| Account { username: None, ..account(name) };
    insert(&store, [nameless("one").into(), nameless("two").into()]).await;
}

pub async fn text_and_timestamps_round_trip(store: TestStore) {
    for (number, name) in
        ["😀 emoji", "שלום עולם", "e\u{301}", "a'b\"c\\d;--", "ﷺ".repeat(100).as_str()].iter().enumerate()
    {
        let number = i64::try_from(number).unwrap();
        let person = Account {
            name: Some(Name::parse(name).unwrap()),
            created_at: later(number * 333_333 + 1),
            ..account(&format!("person-{number}"))
        };
        insert(&store, [person.clone().into()]).await;
        assert_eq!(store.account(person.id).await.unwrap(), Some(person));
    }
}

pub async fn the_language_of_an_account_is_recorded_once(store: TestStore) {
    let (ann, bob) = (account("ann"), Account { language: Some(Locale::Japanese), ..account("bob") });
    insert(&store, [ann.clone().into(), bob.clone().into()]).await;
    assert_eq!(store.account(bob.id).await.unwrap().as_ref(), Some(&bob));
    for language in [Locale::French, Locale::German] {
        store.record_language(ann.id, language).await.unwrap();
    }
    let found = store.account(ann.id).await.unwrap().unwrap();
    assert_eq!((found.language, found.revision), (Some(Locale::French), ann.revision));
    store.record_language(account("nobody").id, Locale::German).await.unwrap();
}

pub async fn that_there_was_an_account_is_not_forgotten(store: TestStore) {
    assert!(!store.had_account().await.unwrap());
    let ann = account("ann");
    insert(&store, [ann.clone().into()]).await;
    assert!(store.had_account().await.unwrap());
    store.commit(change().remove(ann)).await.unwrap();
    assert!(store.accounts(&AccountFilter::default(), &PageRequest::FIRST).await.unwrap().items.is_empty());
    assert!(store.had_account().await.unwrap());
}

pub async fn operators_are_listed_until_they_are_deleted(store: TestStore) {
    let (ann, bob) = (account("ann"), Account { is_operator: true, ..account("bob") });
    insert(&store, [ann.clone().into(), bob.clone().into()]).await;
    let filter = AccountFilter { only_operators: true, ..AccountFilter::default() };
    let operators = async || store.accounts(&filter, &PageRequest::FIRST).await.unwrap().items;
    assert_eq!(operators().await, std::slice::from_ref(&bob));
    let added = Account { is_operator: true, ..ann.clone() };
    store.commit(change().replace(ann, added).remove(bob)).await.unwrap();
    assert_eq!(operators().await.len(), 1);
}

pub async fn due_removals_of_factors_are_found_in_their_order(store: TestStore) {
    let at = |username: &str, at: Option<i64>| Account { factors_removal_at: at.map(later), ..account(username) };
    let (ann, bob) = (at("ann", Some(2)), at("bob", Some(1)));
    insert(&store, [ann.clone().into(), bob.clone().into(), at("eve", None).into()]).await;
    let due = async |now| store.account_with_due_removal(later(now)).await.unwrap();
    assert_eq!(due(0).await, None);
    assert_eq!(due(3).await, Some(bob.id));
    let kept = Account { factors_removal_at: None, ..bob.clone() };
    store.commit(change().replace(bob, kept)).await.unwrap();
    assert_eq!((due(1).await, due(2).await), (None, Some(ann.id)));
    store.commit(change().remove(ann)).await.unwrap();
    assert_eq!(due(3).await, None, "The account is deleted.");
}

pub async fn started_deletions_are_found_until_they_are_complete(store: TestStore) {
    let deleted = |username: &str, at: i64| Account { deletion_started_at: Some(later(at)), ..account(username) };
    let mut deleted = [deleted("ann", 1), deleted("bob", 2)];
    deleted.sort_by_key(|account| account.id);
    let [first, second] = deleted;
    insert(&store, [first.clone().into(), second.clone().into(), account("eve").into()]).await;
    let next = async |after, before| store.account_to_delete(after, later(before)).await.unwrap();
    assert_eq!(next(None, 3).await, Some(first.id));
    assert_eq!(next(Some(first.id), 3).await, Some(second.id));
    assert_eq!(next(Some(second.id), 3).await, None);
    assert_eq!(
        next(None, 2).await,
        Some(if first.deletion_started_at == Some(later(1)) { first.id } else { second.id })
    );
    assert_eq!(next(None, 1).await, None, "Requests still work on them.");
    store.commit(change().remove(first)).await.unwrap();
    assert_eq!(next(None, 3).await, Some(second.id));
}
