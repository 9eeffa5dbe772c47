//! Which service a command uses, and with which credentials.

use std::path::PathBuf;

use anyhow::bail;
use clap::Args;
use steward_client::ServiceUrl;

use crate::terminal::UsageError;

use super::SignInRequired;
use super::sign_in::{Credentials, DEFAULT_PROFILE, Profiles};

/// The service that is used unless another one is named.
pub const DEFAULT_SERVER: &str = "http://localhost:3003";

pub(super) const SERVER: &str = "STEWARD_SERVER";
pub(super) const TOKEN: &str = "STEWARD_TOKEN";
pub(super) const TRUSTED_DIRECTORY: &str = "STEWARD_TRUSTED_DIRECTORY";
pub(super) const WEBHOOK_SECRET: &str = "STEWARD_WEBHOOK_SECRET";

/// The environment variables of these commands.
pub const VARIABLES: &[(&str, &str)] = &[
    (SERVER, "URL of the service, instead of --server"),
    (TOKEN, "access token, personal access token or API key, instead of the stored tokens"),
    (TRUSTED_DIRECTORY, "directory whose steward.json is used although other users own or can change it"),
    (WEBHOOK_SECRET, "secret that `steward listen` signs messages with"),
];

// No doc comment: clap would print it as the description of each command.
#[derive(Debug, Clone, Args)]
pub struct ProfileOptions {
    /// URL of the service [default: STEWARD_SERVER, or else that of the profile; http://localhost:3003 to sign in]
    #[arg(long, value_name = "URL", help_heading = "Service options")]
    server: Option<String>,
    /// Stored sign-in to use [default: the one for the server, or else "default"]
    #[arg(long, value_name = "NAME", help_heading = "Service options")]
    profile: Option<String>,
    /// File that stores the tokens [default: steward/credentials.json in the user's configuration directory]
    #[arg(long, value_name = "FILE", help_heading = "Service options")]
    pub credentials: Option<PathBuf>,
}

impl ProfileOptions {
    /// Returns the URL of the service, if it is named.
    pub fn server(&self) -> Option<String> {
        let server = self.server.clone().or_else(|| variable(SERVER));
        server.map(|server| server.trim_end_matches('/').to_owned())
    }

    /// Returns the token in the environment. A named profile takes precedence.
    pub fn token(&self) -> Option<String> {
        if self.profile.is_some() { None } else { variable(TOKEN) }
    }

    /// Returns the options for the service of `steward.json`, unless a service or profile is named otherwise.
    pub fn or_server(&self, project_server: Option<&str>) -> Self {
        if self.profile.is_some() || self.server().is_some() {
            return self.clone();
        }
        Self { server: project_server.map(str::to_owned), ..self.clone() }
    }

    /// Returns the service that receives the token in the environment. `steward.json` cannot choose it: the file may be
    /// from someone else, whose service must not receive the token.
    pub fn server_for_token(&self, project_server: Option<&str>) -> anyhow::Result<String> {
        let server = self.server();
        match project_server {
            Some(named) if server.is_none() && named != DEFAULT_SERVER => bail!(UsageError(format!(
                "steward.json names {named}. Set {SERVER} to this URL to send the token in {TOKEN} there."
            ))),
            _ => Ok(server.unwrap_or_else(|| DEFAULT_SERVER.to_owned())),
        }
    }

    /// Returns the name and the sign-in of the selected profile.
    pub fn select(&self, profiles: &Profiles) -> anyhow::Result<(String, Credentials)> {
        let server = self.server();
        let found = match (&self.profile, &server) {
            (Some(name), _) => profiles.iter().find(|(other, _)| other == name),
            (None, Some(server)) => profiles.iter().find(|(_, credentials)| credentials.server == *server),
            (None, None) => profiles.iter().next(),
        };
        let Some((name, credentials)) = found else { bail!(self.sign_in_required()) };
        let given = self.server.as_deref().map(|server| server.trim_end_matches('/'));
        // The tokens of one service must not be sent to another one.
        if let Some(given) = given.filter(|given| *given != credentials.server) {
            bail!(UsageError(format!("The profile {name:?} is for {}, not for {given}.", credentials.server)));
        }
        Ok((name.to_owned(), credentials.clone()))
    }

    /// Returns the profile in which a new sign-in is stored: the named one, the one for the server, the default one,
    /// or one with the name of the host.
    pub fn name_for_sign_in(&self, profiles: &Profiles, server: &str) -> String {
        if let Some(name) = &self.profile {
            return name.clone();
        }
        if let Some((name, _)) = profiles.iter().find(|(_, credentials)| credentials.server == server) {
            return name.to_owned();
        }
        if profiles.get(DEFAULT_PROFILE).is_none() {
            return DEFAULT_PROFILE.to_owned();
        }
        ServiceUrl::parse(server).map_or_else(|_| server.to_owned(), |url| url.host())
    }

    fn sign_in_required(&self) -> SignInRequired {
        let server = self.server.as_ref().map(|server| format!(" --server {server}")).unwrap_or_default();
        let profile = self.profile.as_ref().map(|profile| format!(" --profile {profile}")).unwrap_or_default();
        SignInRequired(format!("You are not signed in. Run `steward login{server}{profile}`, or set STEWARD_TOKEN."))
    }
}

/// Returns an environment variable, unless it is empty.
pub(super) fn variable(name: &str) -> Option<String> {
    std::env::var_os(name).and_then(|value| value.into_string().ok()).filter(|value| !value.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn options(server: Option<&str>, profile: Option<&str>) -> ProfileOptions {
        let owned = |text: Option<&str>| text.map(str::to_owned);
        ProfileOptions { server: owned(server), profile: owned(profile), credentials: None }
    }

    fn profiles() -> Profiles {
        let of = |server: &str| Credentials {
            server: server.to_owned(),
            access_token: "access".to_owned(),
            refresh_token: "refresh".to_owned(),
        };
        let mut profiles = Profiles::default();
        profiles.set(DEFAULT_PROFILE, Some(of("https://a.example")));
        profiles.set("b", Some(of("https://b.example")));
        profiles
    }

    #[test]
    fn a_profile_is_selected_by_its_name_or_server() {
        for (server, profile, expected) in [
            (None, Some("b"), "b"),
            (Some("https://b.example/"), None, "b"),
            (Some("https://a.example"), None, DEFAULT_PROFILE),
        ] {
            assert_eq!(options(server, profile).select(&profiles()).unwrap().0, expected);
        }
    }

    #[test]
    fn tokens_are_not_sent_to_another_service() {
        let error = options(Some("https://a.example"), Some("b")).select(&profiles()).err().unwrap();
        assert!(error.is::<UsageError>(), "{error}");
        let error = options(Some("https://c.example"), None).select(&profiles()).err().unwrap();
        assert!(error.is::<SignInRequired>() && error.to_string().contains("--server https://c.example"), "{error}");
    }

    #[test]
    fn the_service_of_a_project_applies_unless_another_one_is_named() {
        let project = Some("https://b.example");
        for (server, profile, expected) in [
            (None, None, "b"),
            (Some("https://a.example"), None, DEFAULT_PROFILE),
            (None, Some(DEFAULT_PROFILE), DEFAULT_PROFILE),
        ] {
            assert_eq!(options(server, profile).or_server(project).select(&profiles()).unwrap().0, expected);
        }
    }

    #[test]
    fn a_project_cannot_choose_who_receives_the_token_in_the_environment() {
        let project = Some("https://evil.example");
        let error = options(None, None).server_for_token(project).unwrap_err();
        assert!(error.is::<UsageError>() && error.to_string().contains("STEWARD_SERVER"), "{error}");
        let named = options(Some("https://a.example"), None);
        assert_eq!(named.server_for_token(project).unwrap(), "https://a.example");
        assert_eq!(options(None, None).server_for_token(None).unwrap(), DEFAULT_SERVER);
    }

    #[test]
    fn each_server_has_its_own_profile() {
        for (server, expected) in [("https://b.example", "b"), ("https://c.example:8443", "c.example:8443")] {
            assert_eq!(options(None, None).name_for_sign_in(&profiles(), server), expected);
        }
        let none = Profiles::default();
        assert_eq!(options(None, None).name_for_sign_in(&none, "https://c.example"), DEFAULT_PROFILE);
    }
}
