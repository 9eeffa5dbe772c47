//! Rules of events that belong to no team.

use steward_domain::administration::AuditEvent;
use steward_domain::identity::Account;
use steward_domain::kernel::{Name, PageRequest};

use crate::fixture::{TestStore, account, change, insert};

pub async fn events_about_an_account_are_found_and_cleared(store: TestStore) {
    let (ann, bob) = (account("ann"), account("bob"));
    insert(&store, [ann.clone().into(), bob.clone().into()]).await;
    let renamed = Account { name: Some(Name::parse("Ann").unwrap()), ..ann.clone() };
    store.commit(change().replace(ann.clone(), renamed)).await.unwrap();
    let of = async |account: &Account, page: PageRequest| store.account_events(account.id, &page).await.unwrap();
    let actions = |events: &[AuditEvent]| events.iter().map(|event| event.action.clone()).collect::<Vec<_>>();
    let all = of(&ann, PageRequest::FIRST).await;
    assert_eq!((actions(&all.items), all.next), (vec!["account.updated".into(), "account.created".into()], None));
    let one = PageRequest { limit: Some(1), ..PageRequest::FIRST };
    let first = of(&ann, one.clone()).await;
    let second = of(&ann, PageRequest { after: first.next.clone(), ..one }).await;
    assert_eq!([first.items, second.items].concat(), all.items);

    // In two steps, because only some events are examined at once.
    let examined = store.clear_account_events(ann.id, 0, 2).await.unwrap().unwrap();
    store.clear_account_events(ann.id, examined, 100).await.unwrap();
    assert_eq!(store.clear_account_events(ann.id, all.items[0].position, 100).await.unwrap(), None);
    let is_cleared = |event: &AuditEvent| event.before.is_none() && event.after.is_none();
    let cleared = of(&ann, PageRequest::FIRST).await.items;
    assert!(cleared.len() == 2 && cleared.iter().all(is_cleared), "{cleared:?}");
    let others = of(&bob, PageRequest::FIRST).await.items;
    assert!(others.len() == 1 && !is_cleared(&others[0]), "{others:?}");
    // The events of others are not examined: no more than those of one account are read.
    assert_eq!(store.clear_account_events(bob.id, others[0].position, 1).await.unwrap(), None);

    // An operator is the actor of events about other accounts.
    let operator = Account { is_operator: true, ..bob.clone() };
    store.commit(change().replace(bob.clone(), operator)).await.unwrap();
    let newest = of(&bob, PageRequest::FIRST).await.items[0].position;
    let mut examined = Some(0);
    while let Some(position) = examined {
        assert!(position <= newest);
        examined = store.clear_account_events(bob.id, position, 1).await.unwrap();
    }
    let others = of(&bob, PageRequest::FIRST).await.items;
    assert!(others.len() == 2 && others.iter().all(is_cleared), "{others:?}");
}
