//! `steward provider`.

use serde_json::Value;
use steward_domain::identity::ProviderKind;

use crate::remote::plain::noun;
use crate::terminal::prompt;

noun! {
    ProviderCommand {}

    /// List the identity providers of a project, oldest first
    "provider list", example("--project shop"),
        columns(&["id", "kind", "name", "issuer", "is_enabled", "created_at"]) {}
    /// Get an identity provider
    "provider get" {}
    /// Add an identity provider, at which people can sign in to the project
    "provider create",
        example("--project shop --kind github --client-id Iv1.8a61f9b3a7aba766 --secret < secret.txt"),
        example("--project shop --issuer https://accounts.example.com --client-id shop --name 'Example ID'"),
        remark("Register the printed redirect_uri at the provider."),
        note("redirect_uri", "Register the redirect_uri at the provider.") {
        /// What the provider is
        text "kind", one_of(ProviderKind::ALL.map(ProviderKind::as_str)), or("openid_connect");
        /// Name on the button [default: that of the kind]
        text "name";
        /// URL that identifies the provider [default: that of the public service, for google, apple, github and
        /// gitlab]
        text "issuer";
        /// ID that the provider has assigned to this service
        text "client-id";
        /// Read the secret that the provider has assigned from standard input
        switch "secret", of("client_secret"), read(secret);
    }
    /// Change the name or the client of an identity provider, disable it or enable it
    "provider update", example("018f2a44-5d20-7c61-8e9f-3b7d1a6c4f05 --project shop --disable"),
        example("018f2a44-5d20-7c61-8e9f-3b7d1a6c4f05 --project shop --secret < secret.txt") {
        /// New name on the button
        text "name";
        /// New ID that the provider has assigned to this service
        text "client-id";
        /// Read a new secret from standard input
        switch "secret", of("client_secret"), read(secret);
        /// Disable the provider: nobody can sign in there
        switch "disable", sets("is_enabled", false);
        /// Enable a disabled provider
        switch "enable", sets("is_enabled", true);
    }
    /// Delete an identity provider
    "provider delete",
        confirm("Delete the provider {}? People can no longer sign in there, and the identities linked to it are \
            deleted."),
        done("deleted", "The provider {} is deleted.") {}
}

fn secret(_: Value) -> anyhow::Result<Value> {
    Ok(prompt::secret("the secret")?.into())
}
