//! `steward login` and `logout`: the service's own command-line client (RFC 8252). Without a browser on this machine,
//! the person signs in on another device (RFC 8628).

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context as _, bail};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use clap::Args;
use steward_crypto::{SystemSecrets, Vault};
use steward_domain::kernel::{SecretGenerator as _, TokenVault as _, hex};
use url::Url;

use crate::remote::command::RunCommand;
use crate::remote::{DEFAULT_SERVER, ProfileOptions};
use crate::terminal;

use super::credentials::{Credentials, CredentialsFile};
use super::loopback::{AuthorizationResponse, Loopback};
use super::provider::{DeviceTokens, Provider};

/// How long ago, in seconds, the person may have entered the password when the command line signs in. The service requires
/// less than 15 minutes for changes that widen authority, which leaves at least 5 for them.
const MAX_SIGN_IN_AGE: &str = "600";

/// What the command line may do.
const SCOPE: &str = "openid profile email admin";

#[derive(Debug, Args)]
pub struct LogIn {
    /// Do not open a browser; open the printed URL yourself
    #[arg(long)]
    no_browser: bool,
    /// Sign in with a browser on another device, by entering a code there [default if this machine has no browser]
    #[arg(long, conflicts_with = "no_browser")]
    device: bool,
    #[command(flatten)]
    profile: ProfileOptions,
}

#[derive(Debug, Args)]
pub struct LogOut {
    #[command(flatten)]
    profile: ProfileOptions,
}

impl LogIn {
    /// Signs in to the service of these options, as `steward login` does without others.
    pub fn to(profile: ProfileOptions) -> Self {
        Self { no_browser: false, device: false, profile }
    }
}

impl RunCommand for LogIn {
    /// Signs in with the browser and stores the tokens in a profile.
    async fn run(self) -> anyhow::Result<()> {
        let file = CredentialsFile::locate(self.profile.credentials.as_deref())?;
        let server = self.profile.server().unwrap_or_else(|| DEFAULT_SERVER.to_owned());
        let provider = Provider::discover(&server).await?;
        let name = if self.device || !self.no_browser && !has_browser() {
            let credentials = sign_in_on_another_device(&provider).await?;
            store(&file, &self.profile, credentials).await?
        } else {
            let (response, credentials) = sign_in(&provider, !self.no_browser).await?;
            let signed_in = match credentials {
                Ok(credentials) => store(&file, &self.profile, credentials).await,
                Err(error) => Err(error),
            };
            response.show_result(signed_in.is_ok()).await;
            signed_in?
        };
        let file = file.path.display();
        terminal::note(&format!("You are signed in. The tokens are stored in {file}, in the profile {name:?}."));
        Ok(())
    }
}

/// Signs the same person in again with the browser, and returns the new tokens. `current`: an access token of the person.
pub async fn log_in_again(server: &str, current: &str) -> anyhow::Result<Credentials> {
    let provider = Provider::discover(server).await?;
    let same_person = |credentials: Credentials| {
        if account(&credentials.access_token) == account(current) {
            return Ok(credentials);
        }
        bail!("You signed in to another account than that of this profile. Nothing was changed. Run the command again.")
    };
    if !has_browser() {
        return same_person(sign_in_on_another_device(&provider).await?);
    }
    let (response, credentials) = sign_in(&provider, true).await?;
    let credentials = credentials.and_then(same_person);
    response.show_result(credentials.is_ok()).await;
    credentials
}

/// Returns whether this machine seems to have a browser: one with a screen.
fn has_browser() -> bool {
    let is_set = |name| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    cfg!(not(target_os = "linux")) || is_set("DISPLAY") || is_set("WAYLAND_DISPLAY")
}

/// Asks a person to enter a code in a browser on another device, and waits for the decision (RFC 8628 §3.3).
async fn sign_in_on_another_device(provider: &Provider) -> anyhow::Result<Credentials> {
    let codes = provider.authorize_device(&[("scope", SCOPE), ("max_age", MAX_SIGN_IN_AGE)]).await?;
    terminal::note(&format!(
        "To sign in, open this page in a browser on any device:\n\n  {}\n\nand enter the code {}\n\nThe code expires in {} \
         minutes. Do not enter a code that someone else sends you.",
        codes.verification_uri,
        codes.user_code,
        codes.expires_in / 60,
    ));
    let ends_at = Instant::now() + Duration::from_secs(codes.expires_in.min(3_600));
    let mut interval = Duration::from_secs(codes.interval.clamp(1, 60));
    while Instant::now() < ends_at {
        tokio::time::sleep(interval).await;
        match provider.device_tokens(&codes.device_code).await? {
            DeviceTokens::Issued(credentials) => return Ok(credentials),
            DeviceTokens::Pending => {}
            // RFC 8628 §3.5.
            DeviceTokens::SlowDown => interval += Duration::from_secs(5),
        }
    }
    bail!("Sign-in timed out. Run `steward login` again.")
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
        ("scope", SCOPE),
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
    let exchange = async {
        let code = code(&response.url, provider.issuer())?;
        let grant = [
            ("grant_type", "authorization_code"),
            ("code", &code),
            ("redirect_uri", &redirect_uri),
            ("code_verifier", &verifier),
        ];
        provider.tokens(&grant).await
    };
    let credentials = exchange.await;
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
    profiles.set(&name, Some(credentials));
    file.write(&lock, &profiles)?;
    Ok(name)
}

impl RunCommand for LogOut {
    /// Signs out. The stored tokens are deleted even if they cannot be revoked.
    async fn run(self) -> anyhow::Result<()> {
        let file = CredentialsFile::locate(self.profile.credentials.as_deref())?;
        let lock = file.lock().await?;
        let mut profiles = file.read_for_sign_out()?;
        let (name, stored) = self.profile.select(&profiles)?;
        let revoked = match Provider::discover(&stored.server).await {
            Ok(provider) => provider.revoke(&stored.refresh_token).await,
            Err(error) => Err(error),
        };
        profiles.set(&name, None);
        file.write(&lock, &profiles)?;
        revoked.context(
            "The stored tokens were deleted, but stay valid until they expire because they could not be revoked",
        )
    }
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
