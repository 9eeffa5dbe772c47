//! Uses teams, members, invites and API keys of Steward in a program in which people sign in elsewhere, without HTTP.
//!
//! Of the 58 ports of the domain, it provides 23. Three others have adapters that do nothing, because this program sends
//! no email, sends no webhooks and stores no images.
//!
//! `cargo run -p embed`

use std::sync::Arc;

use steward_crypto::{
    ComputePool, HmacSigner, Keys, ServerSecret, Sha256, SystemClock, SystemSecrets, UuidV7Ids, Vault,
};
use steward_domain::administration::{
    AdministrationCore, AuditRetention, CreateInvite, CreateKey, CreateProject, CreateTeam, KeyValue, Recipient,
};
use steward_domain::identity::{Account, Email, Username};
use steward_domain::kernel::policy::{KeyRoles, Quotas, RoleSet};
use steward_domain::kernel::{
    ActionLimiter, Caller, Clock as _, IdGenerator as _, Identity, Kernel, KeyDigest, KeyDigester, Label, Name,
    PageRequest, Request, RoleName, ServiceAddress, Slug, Time,
};
use steward_domain::{AdministrationPorts, AdministrationUseCases, KernelPorts, NoBlobs, NoEmail, NoWebhooks};
use steward_store::SqliteStore;

/// Digests of the values of API keys. Their values have 256 random bits, so that a digest reveals nothing.
struct Digests;

impl KeyDigester for Digests {
    fn digest(&self, value: &KeyValue, _: Time) -> KeyDigest {
        let mut digest = Sha256::default();
        digest.update(value.secret().expose().as_bytes());
        KeyDigest { pepper: 0, hex: digest.finish() }
    }

    fn candidates(&self, value: &KeyValue) -> Vec<KeyDigest> {
        vec![self.digest(value, SystemClock.now())]
    }
}

fn administration() -> anyhow::Result<AdministrationUseCases> {
    let address = ServiceAddress::parse("https://steward.example.com")?;
    let secret = ServerSecret::parse("a secret of at least 32 characters")?;
    let store = Arc::new(SqliteStore::temporary()?);
    let kernel = KernelPorts {
        unit_of_work: store.clone(),
        access: store.clone(),
        rate_limits: store.clone(),
        leases: store.clone(),
        clock: Arc::new(SystemClock),
        ids: Arc::new(UuidV7Ids),
        secrets: Arc::new(SystemSecrets::new()?),
        vault: Arc::new(Vault),
        encrypter: Arc::new(Keys::new(secret, address.clone())?),
        compute: Arc::new(ComputePool::default()),
    };
    let ports = AdministrationPorts {
        teams: store.clone(),
        invites: store.clone(),
        projects: store.clone(),
        deleted_projects: store.clone(),
        api_keys: store.clone(),
        webhooks: store.clone(),
        outbox: store.clone(),
        audit_log: store.clone(),
        accounts: store.clone(),
        project_clients: store.clone(),
        identity_providers: store,
        digester: Arc::new(Digests),
        signer: Arc::new(HmacSigner),
        mailer: Arc::new(NoEmail),
        webhook_sender: Arc::new(NoWebhooks),
        blobs: Arc::new(NoBlobs),
    };
    let kernel = Kernel::new(kernel, address, ActionLimiter::on(), Quotas::default());
    Ok(AdministrationUseCases::new(&AdministrationCore::new(&kernel, ports, AuditRetention::default())))
}

/// Adds a person whom the program knows.
async fn add(steward: &AdministrationUseCases, name: &str) -> anyhow::Result<Caller> {
    let email = Email::parse(&format!("{name}@example.com"))?;
    let account = Account::new(UuidV7Ids.next().into(), email, SystemClock.now());
    let account = Account { email_verified: true, username: Some(Username::parse(name)?), ..account };
    let account = steward.people.add(Request::local(), account).await?;
    Ok(Caller::new(Identity::Account(account.id), Request::local()))
}

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let steward = administration()?;
    let (ann, bob) = (add(&steward, "ann").await?, add(&steward, "bob").await?);

    let team = CreateTeam { name: Name::parse("Acme")?, slug: Slug::parse("acme")? };
    let team = steward.teams.create(&ann, team).await?;
    let invite = CreateInvite {
        recipient: Recipient::Username(Username::parse("bob")?),
        roles: RoleSet::parse("developer")?,
        role_name: RoleName::default(),
        expires_at: None,
    };
    let invited = steward.invites.create(&ann, team.id, invite).await?;
    let member = steward.invites.accept(&bob, invited.offer.invite.id, None).await?;
    let members = steward.members.list(&ann, team.id, &PageRequest::FIRST).await?.items;

    let project = CreateProject { team_id: team.id, name: Name::parse("Rocket")?, slug: None };
    let project = steward.projects.create(&bob, project).await?;
    let key = CreateKey {
        label: Label::parse("backend")?,
        roles: KeyRoles::parse("db:read")?,
        is_private: true,
        expires_at: None,
    };
    let created = steward.api_keys.create(&ann, project.id, key).await?;
    let found = steward.api_keys.verify(&ann, project.id, &created.secret).await?;

    anyhow::ensure!(members.len() == 2 && member.roles.to_string() == "developer");
    anyhow::ensure!(project.slug.as_str() == "rocket" && found.is_some_and(|key| key.id == created.value.id));
    eprintln!("bob (role {} in team {}) created project {}.", member.roles, team.name, project.id);
    Ok(())
}
