//! `steward provider`.

use clap::Subcommand;
use serde_json::Value;
use steward_domain::model::ProviderKind;

use crate::terminal::prompt;

use super::plain::{Noun, Plain, plain};

const ISSUER: &str =
    "URL that identifies the provider [default: that of the public service, for google, apple, github and gitlab]";

#[derive(Debug, Subcommand)]
pub enum ProviderCommand {}

impl Noun for ProviderCommand {
    fn commands() -> Vec<Plain> {
        vec![
            plain("provider list", "List the identity providers of a project, oldest first")
                .example("--project shop")
                .columns(&["id", "kind", "name", "issuer", "is_enabled", "created_at"]),
            plain("provider get", "Get an identity provider"),
            plain("provider create", "Add an identity provider, at which people can sign in to the project")
                .example("--project shop --kind github --client-id Iv1.8a61f9b3a7aba766 --secret < secret.txt")
                .example("--project shop --issuer https://accounts.example.com --client-id shop --name 'Example ID'")
                .remark("Register the printed redirect_uri at the provider.")
                .text("kind", "What the provider is")
                .one_of(ProviderKind::ALL.map(ProviderKind::as_str))
                .or("openid_connect")
                .text("name", "Name on the button [default: that of the kind]")
                .text("issuer", ISSUER)
                .text("client-id", "ID that the provider has assigned to this service")
                .switch("secret", "Read the secret that the provider has assigned from standard input")
                .of("client_secret")
                .read(secret)
                .note("redirect_uri", "Register the redirect_uri at the provider."),
            plain("provider update", "Change the name or the client of an identity provider, disable it or enable it")
                .example("018f2a44-5d20-7c61-8e9f-3b7d1a6c4f05 --project shop --disable")
                .example("018f2a44-5d20-7c61-8e9f-3b7d1a6c4f05 --project shop --secret < secret.txt")
                .text("name", "New name on the button")
                .text("client-id", "New ID that the provider has assigned to this service")
                .switch("secret", "Read a new secret from standard input")
                .of("client_secret")
                .read(secret)
                .switch("disable", "Disable the provider: nobody can sign in there")
                .sets("is_enabled", false)
                .switch("enable", "Enable a disabled provider")
                .sets("is_enabled", true),
            plain("provider delete", "Delete an identity provider")
                .confirm(
                    "Delete the provider {}? People can no longer sign in there, and the identities linked to it are \
                     deleted.",
                )
                .done("deleted", "The provider {} is deleted."),
        ]
    }

    async fn run(self) -> anyhow::Result<()> {
        match self {}
    }
}

fn secret(_: Value) -> anyhow::Result<Value> {
    Ok(prompt::secret("the secret")?.into())
}
