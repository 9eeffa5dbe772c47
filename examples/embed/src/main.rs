//! Uses Steward as a library, without HTTP: creates a team, an invite and a project in an SQLite database.
//!
//! `cargo run -p embed`

use std::sync::Arc;

use steward_crypto::ServerSecret;
use steward_domain::model::{
    Caller, Email, Identity, Name, Password, Recipient, Request, RoleName, Secret, ServiceAddress, SigningAlgorithms,
    Slug, Username,
};
use steward_domain::policy::RoleSet;
use steward_domain::ports::StorePorts;
use steward_domain::usecases::{
    CreateInvite, CreateProject, CreateTeam, DeliveryPorts, Deployment, Ports, SignUp, Steward,
};
use steward_store::SqliteStore;

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let address = ServiceAddress::parse("https://steward.example.com")?;
    let secret = ServerSecret::parse("a secret of at least 32 characters")?;
    let ports = Ports {
        store: StorePorts::of(Arc::new(SqliteStore::temporary()?)),
        system: steward_crypto::system_ports(secret, address.clone())?,
        // No email, no webhooks, no images.
        delivery: DeliveryPorts::default(),
    };
    let steward = Steward::new(ports, Deployment::at(address));
    let request = Request::local();
    steward.server_keys.prepare(request.clone(), SigningAlgorithms::default()).await?;

    let mut callers = Vec::new();
    for name in ["ann", "bob"] {
        let signup = SignUp {
            email: Email::parse(&format!("{name}@example.com"))?,
            password: Password::parse(Secret::new("correct horse battery".into()))?,
            name: None,
            username: Some(Username::parse(name)?),
        };
        let account = steward.accounts.provision(request.clone(), signup).await?;
        callers.push(Caller::new(Identity::Account(account.id), request.clone()));
    }
    let [ann, bob] = callers.as_slice() else { anyhow::bail!("Expected exactly two accounts.") };

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
    eprintln!("bob (role {} in team {}) created project {}.", member.roles, team.name, project.id);
    Ok(())
}
