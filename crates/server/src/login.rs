//! `steward login`, `logout` and `whoami`: this service's own client at the command line (RFC 8252).

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

/// Signs in with the browser and keeps the tokens.
pub async fn log_in(arguments: &LogIn) -> anyhow::Result<()> {
    let path = credentials::path(arguments.identity.credentials.as_deref())?;
    let provider = Provider::discover(&arguments.server).await?;
    let loopback = Loopback::bind().await?;
    let (verifier, state, redirect_uri) = (unguessable()?, unguessable()?, loopback.redirect_uri());
    let address = provider.authorize(&[
        ("response_type", "code"),
        ("redirect_uri", &redirect_uri),
        ("scope", "openid profile email admin"),
        ("state", &state),
        ("code_challenge", &Vault.sha256(&verifier)),
        ("code_challenge_method", "S256"),
    ])?;
    eprintln!("To sign in, open\n\n  {address}\n");
    if !arguments.no_browser {
        open(&address);
    }
    let code = code(&loopback.answer(&state).await?, provider.issuer())?;
    let grant = [
        ("grant_type", "authorization_code"),
        ("code", &code),
        ("redirect_uri", &redirect_uri),
        ("code_verifier", &verifier),
    ];
    credentials::write(&path, &provider.tokens(&grant).await?)?;
    eprintln!("You are signed in. The tokens are in {}.", path.display());
    Ok(())
}

/// Signs out. The tokens are forgotten also when the service cannot be told.
pub async fn log_out(arguments: &Identity) -> anyhow::Result<()> {
    let path = credentials::path(arguments.credentials.as_deref())?;
    let kept = credentials::read_to_forget(&path)?;
    let revoked = match Provider::discover(&kept.server).await {
        Ok(provider) => provider.revoke(&kept.refresh_token).await,
        Err(error) => Err(error),
    };
    credentials::remove(&path)?;
    revoked.context("the tokens are forgotten here, but good until they expire: the service could not be told")
}

/// Prints who is signed in, with new tokens when the old ones have expired.
pub async fn whoami(arguments: &Identity) -> anyhow::Result<()> {
    let path = credentials::path(arguments.credentials.as_deref())?;
    let kept = credentials::read(&path)?;
    let provider = Provider::discover(&kept.server).await?;
    let mut person = match provider.userinfo(&kept.access_token).await? {
        Some(person) => person,
        None => {
            let grant = [("grant_type", "refresh_token"), ("refresh_token", kept.refresh_token.as_str())];
            let renewed: Credentials = provider.tokens(&grant).await.context("sign in again: steward login")?;
            credentials::write(&path, &renewed)?;
            let person = provider.userinfo(&renewed.access_token).await?;
            person.context("the service does not know its own token; run steward login")?
        }
    };
    if let Some(members) = person.as_object_mut() {
        members.insert("server".into(), json!(kept.server));
    }
    cli::print(&person.to_string())
}

/// 256 bits that nobody can guess, in hexadecimal: a state, or a verifier (RFC 7636 §4.1).
fn unguessable() -> anyhow::Result<String> {
    Ok(SystemSecrets::new()?.entropy().iter().map(|byte| format!("{byte:02x}")).collect())
}

/// The code of the answer. It must be this service's (RFC 9207 §2.4).
fn code(answer: &Url, issuer: &str) -> anyhow::Result<String> {
    let one = |name: &str| {
        let mut values = answer.query_pairs().filter(|(other, _)| other == name).map(|(_, value)| value.into_owned());
        values.next().filter(|_| values.next().is_none())
    };
    if one("iss").as_deref() != Some(issuer) {
        bail!("the answer is not from {issuer}; nothing was done with it");
    }
    if let Some(error) = one("error") {
        bail!("not signed in: {}", one("error_description").unwrap_or(error));
    }
    one("code").context("the answer holds no code")
}

/// Starts the system's browser. Where there is none, the address was printed.
fn open(address: &Url) {
    let opener = if cfg!(target_os = "macos") { "open" } else { "xdg-open" };
    let quiet = || Stdio::null();
    drop(Command::new(opener).arg(address.as_str()).stdin(quiet()).stdout(quiet()).stderr(quiet()).spawn());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_an_answer_of_the_service_itself_is_taken() {
        let of = |query: &str| {
            let answer = Url::parse(&format!("http://127.0.0.1:1/callback?{query}")).unwrap();
            code(&answer, "https://steward.example")
        };
        assert_eq!(of("code=c&iss=https://steward.example").unwrap(), "c");
        for bad in [
            "code=c",
            "code=c&iss=https://evil.example",
            "code=c&iss=https://steward.example&iss=https://evil.example",
            "code=c&code=d&iss=https://steward.example",
            "error=access_denied&error_description=no&iss=https://steward.example",
            "iss=https://steward.example",
        ] {
            assert!(of(bad).is_err(), "{bad}");
        }
    }
}
