//! `steward login` and `logout`: the service's own command-line client (RFC 8252).

use std::process::{Command, Stdio};

use anyhow::{Context as _, bail};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use clap::Args;
use steward_crypto::{SystemSecrets, Vault};
use steward_domain::hex;
use steward_domain::ports::{SecretGenerator as _, TokenVault as _};
use url::Url;

use crate::credentials::{Credentials, CredentialsFile};
use crate::loopback::{AuthorizationResponse, Loopback};
use crate::provider::Provider;
use crate::remote::{DEFAULT_SERVER, ProfileOptions};
use crate::terminal;

/// How long ago, in seconds, the person may have entered the password when the command line signs in. The service requires
/// less than 15 minutes for changes that widen authority, which leaves at least 5 for them.
const MAX_SIGN_IN_AGE: &str = "600";

#[derive(Debug, Args)]
pub struct LogIn {
    /// Do not open a browser; open the printed URL yourself
    #[arg(long)]
    pub no_browser: bool,
    #[command(flatten)]
    pub profile: ProfileOptions,
}

/// Signs in with the browser and stores the tokens in a profile.
pub async fn log_in(arguments: &LogIn) -> anyhow::Result<()> {
    let file = arguments.profile.file()?;
    let server = arguments.profile.server().unwrap_or_else(|| DEFAULT_SERVER.to_owned());
    let provider = Provider::discover(&server).await?;
    let (response, credentials) = sign_in(&provider, !arguments.no_browser).await?;
    let signed_in = match credentials {
        Ok(credentials) => store(&file, &arguments.profile, credentials).await,
        Err(error) => Err(error),
    };
    response.show_result(signed_in.is_ok()).await;
    let name = signed_in?;
    let file = file.path().display();
    terminal::note(&format!("You are signed in. The tokens are stored in {file}, in the profile {name:?}."));
    Ok(())
}

/// Signs the same person in again with the browser, and returns the new tokens. `current`: an access token of the person.
pub async fn log_in_again(server: &str, current: &str) -> anyhow::Result<Credentials> {
    let provider = Provider::discover(server).await?;
    let (response, credentials) = sign_in(&provider, true).await?;
    let same_person = credentials.and_then(|credentials| {
        if account(&credentials.access_token) == account(current) {
            return Ok(credentials);
        }
        bail!("You signed in to another account than that of this profile. Nothing was changed. Run the command again.")
    });
    response.show_result(same_person.is_ok()).await;
    same_person
}

/// Asks a person to sign in with the browser. Returns the response, to which the browser waits for an answer, and the
/// tokens.
async fn sign_in(
    provider: &Provider,
    opens_browser: bool,
) -> anyhow::Result<(AuthorizationResponse, anyhow::Result<Credentials>)> {
    let loopback = Loopback::bind().await?;
    let (verifier, state, redirect_uri) = (random_hex()?, random_hex()?, loopback.redirect_uri());
    let address = provider.authorize(&[
        ("response_type", "code"),
        ("redirect_uri", &redirect_uri),
        ("scope", "openid profile email admin"),
        ("state", &state),
        ("code_challenge", &Vault.sha256(&verifier)),
        ("code_challenge_method", "S256"),
        ("max_age", MAX_SIGN_IN_AGE),
    ])?;
    terminal::note(&format!("To sign in, open this URL in a browser:\n\n  {address}\n"));
    if opens_browser {
        open(&address);
    }
    let response = loopback.response(&state).await?;
    let credentials = exchange(provider, &response.url, &redirect_uri, &verifier).await;
    Ok((response, credentials))
}

/// Returns the account of an access token. Its signature is not verified: the token is from the service itself.
fn account(access_token: &str) -> Option<String> {
    let claims = URL_SAFE_NO_PAD.decode(access_token.split('.').nth(1)?).ok()?;
    let claims: serde_json::Value = serde_json::from_slice(&claims).ok()?;
    claims.get("sub")?.as_str().map(str::to_owned)
}

/// Stores the tokens and returns the name of the profile.
async fn store(file: &CredentialsFile, options: &ProfileOptions, credentials: Credentials) -> anyhow::Result<String> {
    let lock = file.lock().await?;
    let mut profiles = file.read()?;
    let name = options.name_for_sign_in(&profiles, &credentials.server);
    profiles.insert(&name, credentials);
    file.write(&lock, &profiles)?;
    Ok(name)
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
pub async fn log_out(options: &ProfileOptions) -> anyhow::Result<()> {
    let file = options.file()?;
    let lock = file.lock().await?;
    let mut profiles = file.read_for_sign_out()?;
    let (name, stored) = options.select(&profiles)?;
    let revoked = match Provider::discover(&stored.server).await {
        Ok(provider) => provider.revoke(&stored.refresh_token).await,
        Err(error) => Err(error),
    };
    profiles.remove(&name);
    file.write(&lock, &profiles)?;
    revoked
        .context("The stored tokens were deleted, but stay valid until they expire because they could not be revoked")
}

/// Returns 256 random bits in hexadecimal, for a state or a code verifier (RFC 7636 §4.1).
fn random_hex() -> anyhow::Result<String> {
    Ok(hex::encode(SystemSecrets::new()?.entropy().as_slice()))
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
    fn the_account_of_an_access_token_is_its_subject() {
        let token = |claims: &str| format!("e30.{}.c2ln", URL_SAFE_NO_PAD.encode(claims));
        assert_eq!(account(&token(r#"{"sub":"ann"}"#)).as_deref(), Some("ann"));
        for invalid in ["", "x", "e30.%.x", &token("[]"), &token(r#"{"sub":1}"#)] {
            assert_eq!(account(invalid), None, "{invalid}");
        }
    }

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
