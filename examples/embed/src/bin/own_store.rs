//! Replaces one port: a store of your own decides about each write, and only the use cases that are needed are
//! constructed.
//!
//! `cargo run -p embed --bin own_store`

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use async_trait::async_trait;
use steward_crypto::ServerSecret;
use steward_domain::administration::{CreateTeam, Teams};
use steward_domain::identity::{Accounts, Email, Password, SignUp, Username};
use steward_domain::kernel::changes::Changes;
use steward_domain::kernel::{
    Caller, CommitError, Committed, Identity, Name, Request, Secret, ServiceAddress, Slug, UnitOfWork,
};
use steward_domain::{Cores, DeliveryPorts, Deployment, Ports, StorePorts};
use steward_store::SqliteStore;

/// A store that counts the changes it commits, and leaves the rest to another store.
struct Counted {
    inner: Arc<dyn UnitOfWork>,
    commits: AtomicUsize,
}

#[async_trait]
impl UnitOfWork for Counted {
    async fn commit(&self, changes: Changes) -> Result<Committed, CommitError> {
        let committed = self.inner.commit(changes).await?;
        self.commits.fetch_add(1, Ordering::Relaxed);
        Ok(committed)
    }
}

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let address = ServiceAddress::parse("https://steward.example.com")?;
    let secret = ServerSecret::parse("a secret of at least 32 characters")?;
    let store = Arc::new(SqliteStore::temporary()?);
    let system = steward_crypto::system_ports(secret, address.clone())?;
    let counted = Arc::new(Counted { inner: store.clone(), commits: AtomicUsize::new(0) });
    let store = StorePorts { unit_of_work: counted.clone(), ..StorePorts::of(store) };
    let ports = Ports { store, system, delivery: DeliveryPorts::default() };
    let cores = Cores::new(&ports, Deployment::at(address));
    let teams = Teams::new(&cores.administration);

    let ann = SignUp {
        email: Email::parse("ann@example.com")?,
        password: Password::parse(Secret::new("correct horse battery".into()))?,
        name: None,
        username: Some(Username::parse("ann")?),
    };
    let account = Accounts::new(&cores.identity).provision(Request::local(), ann).await?;
    let caller = Caller::new(Identity::Account(account.id), Request::local());
    let team = CreateTeam { name: Name::parse("Acme")?, slug: Slug::parse("acme")? };
    let team = teams.create(&caller, team).await?;

    anyhow::ensure!(
        counted.commits.load(Ordering::Relaxed) == 2,
        "Expected a commit of the account and one of the team."
    );
    eprintln!("Team {} is stored.", team.name);
    Ok(())
}
