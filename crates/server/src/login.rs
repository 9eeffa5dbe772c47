//! `steward login`, `logout` and `whoami`: the service's own command-line client (RFC 8252).

use std::process::{Command, Stdio};

use anyhow::{Context as _, bail};
use serde_json::json;
use steward_crypto::{SystemSecrets, Vault};
use steward_domain::ports::{SecretGenerator as _, TokenVault as _};
use url::Url;

use crate::cli::{self, Identity, LogIn};
use crate::credentials::{self, Credentials};
use crate::loopback::Loopback;
use crate::provider::Provider;

/// Signs in with the browser and stores the tokens.
pub async fn log_in(arguments: &LogIn) -> anyhow::Result<()> {
    let path = credentials::path(arguments.identity.credentials.as_deref())?;
    let provider = Provider::discover(&arguments.server).await?;
    let loopback = Loopback::bind().await?;
    let (verifier, state, redirect_uri) = (random_hex()?, random_hex()?, loopback.redirect_uri());
    let address = provider.authorize(&[
        ("response_type", "code"),
        ("redirect_uri", &redirect_uri),
        ("scope", "openid profile email admin"),
        ("state", &state),
        ("code_challenge", &Vault.sha256(&verifier)),
        ("code_challenge_method", "S256"),
    ])?;
    eprintln!("To sign in, open this URL in a browser:\n\n  {address}\n");
    if !arguments.no_browser {
        open(&address);
    }
    let response = loopback.response(&state).await?;
    let tokens = exchange(&provider, &response.url, &redirect_uri, &verifier).await;
    let signed_in = tokens.and_then(|tokens| credentials::write(&path, &tokens));
    response.show_result(signed_in.is_ok()).await;
    signed_in?;
    eprintln!("You are signed in. The tokens are stored in {}.", path.display());
    Ok(())
}

/// Exchanges the code of an authorization response for tokens.
async fn exchange(
    provider: &Provider,
    response: &Url,
    redirect_uri: &str,
    verifier: &str,
) -> anyhow::Result<Credentials> {
    let code = code(response, provider.issuer())?;
    let grant = [
        ("grant_type", "authorization_code"),
        ("code", &code),
        ("redirect_uri", redirect_uri),
        ("code_verifier", verifier),
    ];
    provider.tokens(&grant).await
}

/// Signs out. The stored tokens are deleted even if they cannot be revoked.
pub async fn log_out(arguments: &Identity) -> anyhow::Result<()> {
    let path = credentials::path(arguments.credentials.as_deref())?;
    let stored = credentials::read_for_sign_out(&path)?;
    let revoked = match Provider::discover(&stored.server).await {
        Ok(provider) => provider.revoke(&stored.refresh_token).await,
        Err(error) => Err(error),
    };
    credentials::remove(&path)?;
    revoked
        .context("The stored tokens were deleted, but stay valid until they expire because they could not be revoked")
}

/// Prints the signed-in account. Refreshes the tokens if they have expired.
pub async fn whoami(arguments: &Identity) -> anyhow::Result<()> {
    let path = credentials::path(arguments.credentials.as_deref())?;
    let stored = credentials::read(&path)?;
    let provider = Provider::discover(&stored.server).await?;
    let mut person = match provider.userinfo(&stored.access_token).await? {
        Some(person) => person,
        None => {
            let grant = [("grant_type", "refresh_token"), ("refresh_token", stored.refresh_token.as_str())];
            let renewed: Credentials =
                provider.tokens(&grant).await.context("Cannot refresh the tokens; run `steward login`")?;
            credentials::write(&path, &renewed)?;
            let person = provider.userinfo(&renewed.access_token).await?;
            person.context("The service rejected the token that it issued. Run `steward login`.")?
        }
    };
    if let Some(members) = person.as_object_mut() {
        members.insert("server".into(), json!(stored.server));
    }
    cli::print(&person.to_string())
}

/// Returns 256 random bits in hexadecimal, for a state or a code verifier (RFC 7636 §4.1).
fn random_hex() -> anyhow::Result<String> {
    Ok(SystemSecrets::new()?.entropy().iter().map(|byte| format!("{byte:02x}")).collect())
}

/// Returns the code of an authorization response, which must be from this issuer (RFC 9207 §2.4).
fn code(response: &Url, issuer: &str) -> anyhow::Result<String> {
    let one = |name: &str| {
        let mut values = response.query_pairs().filter(|(other, _)| other == name).map(|(_, value)| value.into_owned());
        values.next().filter(|_| values.next().is_none())
    };
    if one("iss").as_deref() != Some(issuer) {
        bail!("The authorization response is not from {issuer} and was ignored. Run `steward login` again.");
    }
    if let Some(error) = one("error") {
        bail!("Sign-in failed: {}", one("error_description").unwrap_or(error));
    }
    one("code").context("The authorization response does not contain a code.")
}

/// Opens the system's browser. Errors are ignored, because the URL was printed.
fn open(address: &Url) {
    let opener = if cfg!(target_os = "macos") { "open" } else { "xdg-open" };
    let quiet = || Stdio::null();
    drop(Command::new(opener).arg(address.as_str()).stdin(quiet()).stdout(quiet()).stderr(quiet()).spawn());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_response_of_the_service_itself_is_accepted() {
        let code_of = |query: &str| {
            let response = Url::parse(&format!("http://127.0.0.1:1/callback?{query}")).unwrap();
            code(&response, "https://steward.example")
        };
        assert_eq!(code_of("code=c&iss=https://steward.example").unwrap(), "c");
        for invalid in [
            "code=c",
            "code=c&iss=https://evil.example",
            "code=c&iss=https://steward.example&iss=https://evil.example",
            "code=c&code=d&iss=https://steward.example",
            "error=access_denied&error_description=no&iss=https://steward.example",
            "iss=https://steward.example",
        ] {
            assert!(code_of(invalid).is_err(), "{invalid}");
        }
    }
}
