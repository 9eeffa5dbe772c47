//! `steward account`.

use std::io::{IsTerminal as _, Read as _};

use serde_json::json;
use steward_crypto::SystemSecrets;
use steward_domain::error::{Error, Faults};
use steward_domain::model::{Email, KeyValue, Name, Password, Secret, Username};
use steward_domain::ports::SecretGenerator as _;
use steward_domain::usecases::SignUp;

use crate::cli::{self, CreateAccount};
use crate::config::Config;
use crate::wiring;

/// Makes an account and prints it as JSON.
pub async fn create(config: &Config, command: CreateAccount) -> anyhow::Result<()> {
    let given = from_standard_input()?;
    let generated = if given.is_none() { Some(generate()?) } else { None };
    let password = given.or_else(|| generated.clone()).unwrap_or_else(|| Secret::new(String::new()));
    let command = parse(command, password)?;

    let steward = wiring::wire(config).await?;
    let account = steward.accounts.provision(wiring::command_request(), command).await?;
    let mut shown = json!({
        "id": account.id.to_string(),
        "email": account.email.as_str(),
        "username": account.username.as_ref().map(|name| name.as_str()),
        "name": account.name.as_ref().map(|name| name.as_str()),
        "created_at": account.created_at.to_rfc3339_opts(chrono::SecondsFormat::Micros, true),
    });
    if let (Some(members), Some(secret)) = (shown.as_object_mut(), generated) {
        members.insert("password".into(), json!(secret.expose()));
    }
    cli::print(&shown.to_string())
}

fn parse(command: CreateAccount, password: Secret) -> Result<SignUp, Error> {
    let mut faults = Faults::default();
    let email = faults.note("email", Email::parse(&command.email));
    let name = command.name.map(|text| faults.note("name", Name::parse(&text)));
    let username = command.username.map(|text| faults.note("username", Username::parse(&text)));
    let password = faults.note("password", Password::parse(password));
    let parsed = email.zip(password).map(|(email, password)| SignUp {
        email,
        password,
        name: name.flatten(),
        username: username.flatten(),
    });
    faults.or(parsed)
}

/// The first line of standard input, unless a person sits there or it is empty.
fn from_standard_input() -> anyhow::Result<Option<Secret>> {
    let mut input = std::io::stdin().lock();
    if input.is_terminal() {
        return Ok(None);
    }
    let mut text = String::new();
    input.by_ref().take(4096).read_to_string(&mut text)?;
    let line = text.lines().next().unwrap_or_default();
    Ok((!line.is_empty()).then(|| Secret::new(line.to_owned())))
}

/// A password nobody can guess, spelled in letters and digits like the body of a key.
fn generate() -> anyhow::Result<Secret> {
    let value = KeyValue::from_entropy(true, &SystemSecrets::new()?.entropy());
    let body: String = value.secret().expose().chars().skip(7).take(24).collect();
    Ok(Secret::new(body))
}
