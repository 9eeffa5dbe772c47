//! `steward client`.

use anyhow::Context as _;
use clap::ValueHint;
use serde_json::{Map, Value};
use steward_domain::identity::{ClientType, GrantType};

use crate::remote::json_input;
use crate::remote::plain::{Commands, noun};

use super::client_logo;

const STORE_SECRET: &str = "Store the client secret now. It is not shown again.";

noun! {
    ClientCommand {
        /// Manage the logo of an OAuth client
        #[command(subcommand)]
        Logo(Commands<client_logo::LogoCommand>),
    }

    /// List the OAuth clients of a project, oldest first
    "client list", example("--project shop"),
        columns(&["id", "type", "name", "grant_types", "skip_consent", "created_at"]) {}
    /// Get an OAuth client without its secret
    "client get" {}
    /// Register an OAuth client and print the secret of a confidential one, which is shown only once
    "client create",
        example("--project shop --name 'Web shop' --redirect-uri https://shop.example.com/callback"),
        example("--project shop --name Worker --type confidential --grant-type client_credentials --roles read"),
        example("--project shop --name Bank --type confidential --redirect-uri https://bank.example.com/callback \
            --jwks keys.json --require-dpop --require-pushed-requests"),
        remark("The printed id is the client ID (client_id)."), note("client_secret", STORE_SECRET) {
        /// Name that people see when they are asked for consent
        text "name";
        /// Whether the client can keep a secret: confidential for a program on a server, public for any other
        /// app
        text "type", one_of(ClientType::ALL.map(ClientType::as_str)), or("public");
        /// Grant type that the client may use; can be repeated [default: authorization_code and refresh_token]
        list "grant-type", value("TYPE"), one_of(GrantType::ALL.map(GrantType::as_str)), of("grant_types");
        /// URI that may receive authorization codes; can be repeated; required for authorization_code
        list "redirect-uri", value("URI"), of("redirect_uris");
        /// Scopes that the client may request when a person signs in, separated by spaces [default: all]
        text "scope";
        /// Comma-separated roles (admin, write, read) or permissions such as db:read; required for
        /// client_credentials
        text "roles";
        /// Require a code challenge (PKCE) also of a confidential client
        switch "require-pkce";
        /// Do not ask people for consent, because the client belongs to the project itself
        switch "skip-consent";
        /// File with the public keys (JSON Web Key Set) of a confidential client that signs assertions instead
        /// of having a secret
        text "jwks", value("FILE"), read(read_keys), arg(|arg| arg.value_hint(ValueHint::AnyPath));
        /// Issue only tokens that are bound to a key of the client (DPoP)
        switch "require-dpop";
        /// Require pushed authorization requests (PAR)
        switch "require-pushed-requests";
        /// Lifetime of access tokens: 60 to 86400 [default: that of the service]
        seconds "access-token-seconds";
        /// Time since the sign-in after which tokens are not renewed: 300 to 31536000 [default: that of the
        /// service]
        seconds "sign-in-seconds";
    }
    /// Change the settings of an OAuth client
    "client update", example("018f2a44-9b13-7d42-8c5e-1f6a0d3b7e29 --project shop --skip-consent"),
        example("018f2a44-9b13-7d42-8c5e-1f6a0d3b7e29 --project shop --access-token-seconds 300") {
        /// New name that people see when they are asked for consent
        text "name";
        /// New grant type that the client may use, instead of the current ones; can be repeated
        list "grant-type", value("TYPE"), one_of(GrantType::ALL.map(GrantType::as_str)), of("grant_types");
        /// New URI that may receive authorization codes, instead of the current ones; can be repeated
        list "redirect-uri", value("URI"), of("redirect_uris");
        /// New scopes that the client may request when a person signs in, separated by spaces
        text "scope";
        /// New comma-separated roles (admin, write, read) or permissions such as db:read; empty for none
        text "roles";
        /// Require a code challenge (PKCE)
        switch "require-pkce";
        /// Do not require a code challenge; a public client always needs one
        switch "no-require-pkce", sets("require_pkce", false);
        /// Do not ask people for consent, because the client belongs to the project itself
        switch "skip-consent";
        /// Ask people for consent
        switch "ask-consent", sets("skip_consent", false);
        /// File with the new public keys (JSON Web Key Set) of a confidential client, instead of its secret or
        /// the current ones
        text "jwks", value("FILE"), read(read_keys), arg(|arg| arg.value_hint(ValueHint::AnyPath));
        /// Issue only tokens that are bound to a key of the client (DPoP)
        switch "require-dpop";
        /// Issue also tokens that are not bound to a key
        switch "no-require-dpop", sets("require_dpop", false);
        /// Require pushed authorization requests (PAR)
        switch "require-pushed-requests";
        /// Do not require pushed authorization requests
        switch "no-require-pushed-requests", sets("require_pushed_requests", false);
        /// New lifetime of access tokens: 60 to 86400, or 0 for that of the service
        seconds "access-token-seconds";
        /// New time since the sign-in after which tokens are not renewed: 300 to 31536000, or 0 for that of the
        /// service
        seconds "sign-in-seconds";
    }
    /// Delete an OAuth client, whose tokens stop working immediately
    "client delete", confirm("Delete the client {}? Its tokens stop working immediately."),
        done("deleted", "The client {} is deleted.") {}
    /// Replace the secret of a confidential client and print the new one, which is shown only once
    "client rotate-secret",
        example("018f2a44-9b13-7d42-8c5e-1f6a0d3b7e29 --project shop --grace-seconds 3600"),
        confirm("Rotate the secret of the client {}? The old secret stops working immediately."),
        note("client_secret", STORE_SECRET) {
        /// Number of seconds for which the old secret continues to work: at most 86400
        seconds "grace-seconds", within(0..=86_400), or("0");
    }
    "client logo" {}
}

/// Reads a set of keys from a file.
fn read_keys(path: Value) -> anyhow::Result<Value> {
    let path = path.as_str().unwrap_or_default();
    let bytes = std::fs::read(path).with_context(|| format!("Cannot read {path}"))?;
    let keys = json_input::parse::<Map<String, Value>>(&bytes);
    Ok(keys.with_context(|| format!("{path} has no JSON object"))?.into())
}
