//! Steward's rules in another program, without HTTP: a team, an invite and a project over the SQLite store.
//!
//! `cargo run -p steward-domain --example embed`

use std::sync::Arc;

use async_trait::async_trait;
use steward_crypto::{
    Argon2Passwords, ComputePool, HmacSigner, Keys, ServerSecret, SystemClock, SystemSecrets, UuidV7Ids, Vault,
};
use steward_domain::model::{
    BlobKey, Caller, Email, EmailMessage, Identity, Name, Password, Recipient, Request, RoleName, Secret,
    ServiceAddress, SignUpPolicy, SigningAlgorithm, Slug, Username, WebhookMessage, WebhookUrl,
};
use steward_domain::policy::{Quotas, RoleSet};
use steward_domain::ports::{BlobReader, BlobStore, Mailer, StoreError, WebhookSender};
use steward_domain::usecases::{
    AuditRetention, CreateInvite, CreateProject, CreateTeam, Deployment, Ports, RateLimiter, SignUp, Steward,
};
use steward_store::SqliteStore;

/// This program writes no emails.
struct NoEmail;

impl Mailer for NoEmail {
    fn reaches_people(&self) -> bool {
        false
    }

    fn send(&self, _: EmailMessage) {}
}

/// Nobody is told of anything here.
struct NoWebhooks;

#[async_trait]
impl WebhookSender for NoWebhooks {
    async fn send(&self, _: &WebhookUrl, _: &WebhookMessage) -> Result<u16, String> {
        Err("this program tells nobody".into())
    }
}

/// Nor does it keep images.
struct NoBlobs;

#[async_trait]
impl BlobStore for NoBlobs {
    async fn put(&self, _: &BlobKey, _: Vec<u8>) -> Result<(), StoreError> {
        Err(StoreError::Unavailable(anyhow::anyhow!("images are not kept")))
    }

    async fn get(&self, _: &BlobKey) -> Result<Option<Box<dyn BlobReader>>, StoreError> {
        Ok(None)
    }

    async fn delete(&self, _: &BlobKey) {}
}

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let directory = tempfile::tempdir()?;
    let path = directory.path().join("embedded.db").display().to_string();
    SqliteStore::migrate(&path)?;
    let address = ServiceAddress::parse("https://steward.example.com")?;
    let keys =
        Arc::new(Keys::new(ServerSecret::parse("keep at least 32 characters somewhere safe")?, address.clone())?);
    let steward = Steward::new(
        Ports {
            store: Arc::new(SqliteStore::open(&path, 2)?),
            clock: Arc::new(SystemClock),
            ids: Arc::new(UuidV7Ids),
            secrets: Arc::new(SystemSecrets::new()?),
            digester: keys.clone(),
            passwords: Arc::new(Argon2Passwords::new()?),
            compute: Arc::new(ComputePool::default()),
            tokens: keys.clone(),
            generator: keys.clone(),
            ring: keys.clone(),
            encrypter: keys,
            signer: Arc::new(HmacSigner),
            webhook_sender: Arc::new(NoWebhooks),
            vault: Arc::new(Vault),
            mailer: Arc::new(NoEmail),
            blobs: Arc::new(NoBlobs),
        },
        Deployment {
            address,
            sign_up: SignUpPolicy::default(),
            signing_key_age: None,
            rate_limiter: RateLimiter::on(),
            audit_retention: AuditRetention::default(),
            quotas: Quotas::default(),
        },
    );
    let request = Request { id: "embed-1".into(), address: None, claim: None };
    steward.server_keys.prepare(request.clone(), SigningAlgorithm::Es256).await?;

    let mut callers = Vec::new();
    for name in ["ann", "bob"] {
        let signup = SignUp {
            email: Email::parse(&format!("{name}@example.com"))?,
            password: Password::parse(Secret::new("correct horse battery".into()))?,
            name: None,
            username: Some(Username::parse(name)?),
        };
        let signed_up = steward.accounts.sign_up(request.clone(), signup).await?;
        callers.push(Caller::new(Identity::Account(signed_up.account().id), request.clone()));
    }
    let [ann, bob] = callers.as_slice() else { anyhow::bail!("two people signed up") };

    let team = CreateTeam { name: Name::parse("Acme")?, slug: Slug::parse("acme")? };
    let team = steward.teams.create(ann, team).await?;
    let invite = CreateInvite {
        recipient: Recipient::Username(Username::parse("bob")?),
        roles: RoleSet::parse("developer")?,
        role_name: RoleName::default(),
        expires_at: None,
    };
    let invited = steward.invites.create(ann, team.id, invite).await?;
    let member = steward.invites.accept(bob, invited.offer.invite.id).await?;
    let project = CreateProject { team_id: team.id, name: Name::parse("Rocket")?, slug: None };
    let project = steward.projects.create(bob, project).await?;

    anyhow::ensure!(member.roles.to_string() == "developer" && project.slug.as_str() == "rocket");
    eprintln!("bob, a {} of {}, made project {}", member.roles, team.name, project.id);
    Ok(())
}
