//! What operators of the service may do, on a real store.

#![expect(clippy::unwrap_used, reason = "a test panics if its setup fails")]

use std::sync::Arc;
use std::time::{Duration, Instant};

use steward_crypto::ServerSecret;
use steward_domain::administration::{PartState, SizeOrder, SizePage};
use steward_domain::identity::{AccountFilter, Email, Password, SignUp, SigningAlgorithms};
use steward_domain::kernel::error::{Error, Forbidden, ResourceKind};
use steward_domain::kernel::policy::Lane;
use steward_domain::kernel::work::Work;
use steward_domain::kernel::{AccountId, Caller, Identity, PageRequest, Request, Secret, ServiceAddress};
use steward_domain::{DeliveryPorts, Deployment, Ports, Steward, StorePorts};
use steward_store::SqliteStore;

async fn service() -> Steward {
    let address = ServiceAddress::parse("https://steward.example.com").unwrap();
    let secret = ServerSecret::parse("a secret of at least 32 characters").unwrap();
    let ports = Ports {
        store: StorePorts::of(Arc::new(SqliteStore::temporary().unwrap())),
        system: steward_crypto::system_ports(secret, address.clone()).unwrap(),
        delivery: DeliveryPorts::default(),
    };
    let steward = Steward::new(ports, Deployment::at(address));
    steward.server_keys.prepare(Request::local(), SigningAlgorithms::default()).await.unwrap();
    steward
}

fn command(name: &str) -> SignUp {
    SignUp {
        email: Email::parse(&format!("{name}@example.com")).unwrap(),
        password: Password::parse(Secret::new("correct horse battery".into())).unwrap(),
        name: None,
        username: None,
    }
}

/// Signs up with the link of the first operator.
async fn first_operator(steward: &Steward) -> Caller {
    let link = steward.first_operator.link().await.unwrap().unwrap();
    let token = link.expose().split_once("operator=").unwrap().1.to_owned();
    steward.first_operator.check(&token).await.unwrap();
    let signed_up = steward.accounts.sign_up_as_operator(Request::local(), command("ann"), &token).await.unwrap();
    assert!(signed_up.account().is_operator);
    let again = steward.accounts.sign_up_as_operator(Request::local(), command("eve"), &token).await;
    assert!(matches!(again, Err(Error::NotFound(ResourceKind::EmailLink))), "{again:?}");
    assert!(steward.first_operator.link().await.unwrap().is_none());
    Caller::new(Identity::Account(signed_up.account().id), Request::local())
}

async fn sign_up(steward: &Steward, name: &str) -> Caller {
    let signed_up = steward.accounts.sign_up(Request::local(), command(name)).await.unwrap();
    Caller::new(Identity::Account(signed_up.account().id), Request::local())
}

fn id_of(caller: &Caller) -> AccountId {
    caller.person().unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn only_operators_administer_the_service() {
    let steward = service().await;
    let (ann, bob) = (first_operator(&steward).await, sign_up(&steward, "bob").await);
    let page = SizePage { order: SizeOrder::Bytes, offset: 0, limit: 10 };
    assert!(steward.operators.teams_by_size(&ann, page).await.unwrap().is_empty());
    // On a loaded machine, the first checks may take too long.
    let deadline = Instant::now() + Duration::from_secs(30);
    let overview = loop {
        match steward.operators.overview(&ann).await {
            Ok(overview) if overview.health.database == PartState::Working => break overview,
            read => assert!(Instant::now() < deadline, "{read:?}"),
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    };
    assert_eq!((overview.health.database, overview.health.mail), (PartState::Working, PartState::NotConfigured));
    let operators = AccountFilter { only_operators: true, ..AccountFilter::default() };
    let listed = steward.operators.accounts(&ann, &operators, &PageRequest::FIRST).await.unwrap().items;
    assert_eq!(listed.iter().map(|account| account.id).collect::<Vec<_>>(), [id_of(&ann)]);
    for refused in [
        steward.operators.overview(&bob).await.map(drop),
        steward.operators.projects_by_size(&bob, page).await.map(drop),
        steward.operators.accounts(&bob, &operators, &PageRequest::FIRST).await.map(drop),
        steward.operators.disable(&bob, id_of(&ann)).await.map(drop),
        steward.operators.sign_out(&bob, id_of(&ann)).await.map(drop),
        steward.operators.delete(&bob, id_of(&ann)).await.map(drop),
        steward.operators.send_test_email(&bob).await.map(drop),
    ] {
        assert!(matches!(refused, Err(Error::Forbidden(Forbidden::OperatorsOnly))), "{refused:?}");
    }
    let email = Email::parse("ann@example.com").unwrap();
    steward.account_administration.remove_operator(Request::local(), &email).await.unwrap();
    let refused = steward.operators.overview(&ann).await.map(drop);
    assert!(matches!(refused, Err(Error::Forbidden(Forbidden::OperatorsOnly))), "{refused:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn operators_change_other_accounts_but_not_their_own() {
    let steward = service().await;
    let (ann, bob) = (first_operator(&steward).await, sign_up(&steward, "bob").await);
    let bob = id_of(&bob);
    let before = steward.operators.account(&ann, bob).await.unwrap();
    assert!(!steward.operators.disable(&ann, bob).await.unwrap().is_active());
    assert!(steward.operators.enable(&ann, bob).await.unwrap().is_active());
    assert!(steward.operators.sign_out(&ann, bob).await.unwrap().password_set_at > before.password_set_at);
    let own = steward.operators.disable(&ann, id_of(&ann)).await;
    assert!(matches!(own, Err(Error::Forbidden(Forbidden::OwnAccount))), "{own:?}");
    steward.operators.delete(&ann, bob).await.unwrap();
    let gone = steward.operators.account(&ann, bob).await;
    assert!(matches!(gone, Err(Error::NotFound(ResourceKind::Account))), "{gone:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_search_for_accounts_is_heavy_and_the_list_of_all_is_not() {
    let steward = service().await;
    let ann = first_operator(&steward).await;
    let lane_of = async |filter: AccountFilter| {
        let list = async {
            let listed = steward.operators.accounts(&ann, &filter, &PageRequest::FIRST).await;
            assert_eq!(listed.unwrap().items.len(), 1);
            Work::current().lane
        };
        Work::current().scope(list).await
    };
    assert_eq!(lane_of(AccountFilter::default()).await, Lane::Interactive);
    let search = AccountFilter { email_contains: Some("ANN@".to_owned()), ..AccountFilter::default() };
    assert_eq!(lane_of(search).await, Lane::Heavy);
}
