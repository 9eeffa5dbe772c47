//! `steward account`, and the commands of tokens and users that name an account.

use std::io::{IsTerminal as _, Read as _};
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::Context as _;
use chrono::TimeDelta;
use serde_json::{Value, json};
use steward_crypto::SystemSecrets;
use steward_domain::Steward;
use steward_domain::administration::KeyValue;
use steward_domain::identity::{
    Account, AccountAdministration, AccountFilter, Email, FactorRemoval, Password, SignUp, Username,
};
use steward_domain::kernel::error::{Error, FieldViolations, ResourceKind};
use steward_domain::kernel::{Name, PageRequest, Request, Secret, SecretGenerator as _, Time};
use tokio::time::sleep;

use crate::cli::{AccountCommand, CreateAccount, NamedAccount, OperatorCommand};
use crate::config::Config;
use crate::terminal::{self, prompt};
use crate::wiring;

/// Longer than all attempts to send an email.
const MAX_EMAIL_WAIT: Duration = Duration::from_secs(120);

/// Runs the command and prints the result as JSON.
pub async fn run(config: &Config, command: AccountCommand) -> anyhow::Result<()> {
    let account = match command {
        AccountCommand::Create(command) => return create(config, command).await,
        AccountCommand::List { email, disabled } => return list(config, email, disabled, false).await,
        AccountCommand::Operator(OperatorCommand::List { email }) => return list(config, email, false, true).await,
        AccountCommand::RemoveFactors(named) => return remove_factors(config, &named).await,
        AccountCommand::Delete { account, yes } => return delete(config, &account, yes).await,
        AccountCommand::Disable(named) => change(config, &named, AccountAdministration::disable).await?,
        AccountCommand::Enable(named) => change(config, &named, AccountAdministration::enable).await?,
        AccountCommand::SetPassword(named) => {
            let text = from_standard_input()?.context("No password was given. Send it on standard input.")?;
            let password = Password::parse(text).map_err(|error| Error::invalid("password", error))?;
            let (steward, request, email) = begin(config, &named).await?;
            let account = steward.account_administration.set_password(request, &email, password).await?;
            warn_unless_sent(&steward, &email).await;
            account
        }
        AccountCommand::KeepFactors(named) => {
            let (steward, request, email) = begin(config, &named).await?;
            let (account, was_scheduled) = steward.account_administration.keep_second_factors(request, &email).await?;
            if was_scheduled {
                warn_unless_sent(&steward, &email).await;
            }
            account
        }
        AccountCommand::Operator(OperatorCommand::Add(named)) => {
            change(config, &named, AccountAdministration::add_operator).await?
        }
        AccountCommand::Operator(OperatorCommand::Remove(named)) => {
            change(config, &named, AccountAdministration::remove_operator).await?
        }
    };
    terminal::print(&to_json(&account).to_string())
}

/// Changes an account with one of the use cases.
async fn change(
    config: &Config,
    named: &NamedAccount,
    use_case: impl AsyncFnOnce(&AccountAdministration, Request, &Email) -> Result<Account, Error>,
) -> anyhow::Result<Account> {
    let (steward, request, email) = begin(config, named).await?;
    Ok(use_case(&steward.account_administration, request, &email).await?)
}

/// Issues an access token for an account and prints only the token.
pub async fn issue_token(config: &Config, named: &NamedAccount, ttl: Option<u32>) -> anyhow::Result<()> {
    let (steward, _, email) = begin(config, named).await?;
    let ttl = ttl.map(|seconds| TimeDelta::seconds(seconds.into()));
    terminal::print(steward.accounts.issue_token(&email, ttl).await?.expose())
}

/// Connects an account to a project as a user and prints the user's ID.
pub async fn connect(config: &Config, project: &str, named: &NamedAccount) -> anyhow::Result<()> {
    let project = config.public_url.project_named(project).ok_or(Error::NotFound(ResourceKind::Project))?;
    let (steward, request, email) = begin(config, named).await?;
    let user = steward.project_users.connect_by_email(request, project, &email).await?;
    terminal::print(&user.id.to_string())
}

/// Removes the second factors of an account, or schedules that.
async fn remove_factors(config: &Config, named: &NamedAccount) -> anyhow::Result<()> {
    let (steward, request, email) = begin(config, named).await?;
    let (account, removal) = steward.account_administration.remove_second_factors(request, &email).await?;
    if removal != FactorRemoval::Nothing {
        warn_unless_sent(&steward, &email).await;
    }
    print_with(&account, "second_factors_removed", json!(removal == FactorRemoval::Removed))
}

async fn delete(config: &Config, named: &NamedAccount, is_confirmed: bool) -> anyhow::Result<()> {
    let (steward, request, email) = begin(config, named).await?;
    if !is_confirmed {
        prompt::confirm(&format!("Delete the account {} and all its data?", email.shown()))?;
    }
    let id = steward.account_administration.delete(request, &email).await?;
    terminal::print(&json!({"id": id.to_string(), "deleted": true}).to_string())
}

async fn begin(config: &Config, named: &NamedAccount) -> anyhow::Result<(Arc<Steward>, Request, Email)> {
    let email = Email::parse(&named.email).map_err(|error| Error::invalid("email", error))?;
    Ok((wiring::wire(config).await?, wiring::command_request(), email))
}

/// Prints one line per account that meets these conditions.
async fn list(
    config: &Config,
    email_contains: Option<String>,
    only_disabled: bool,
    only_operators: bool,
) -> anyhow::Result<()> {
    let filter = AccountFilter { email_contains, only_operators, only_disabled };
    let steward = wiring::wire(config).await?;
    let mut page = PageRequest { limit: Some(PageRequest::MAX_LIMIT), ..PageRequest::FIRST };
    loop {
        let accounts = steward.account_administration.list(&filter, &page).await?;
        for account in &accounts.items {
            terminal::print(&to_json(account).to_string())?;
        }
        page.after = accounts.next;
        if page.after.is_none() {
            return Ok(());
        }
    }
}

fn to_json(account: &Account) -> Value {
    let timestamp = |at: Time| at.to_rfc3339_opts(chrono::SecondsFormat::Micros, true);
    json!({
        "id": account.id.to_string(),
        "email": account.email.as_str(),
        "email_verified": account.email_verified,
        "username": account.username.as_ref().map(|name| name.as_str()),
        "name": account.name.as_ref().map(|name| name.as_str()),
        "factors_removal_at": account.factors_removal_at.map(timestamp),
        "created_at": timestamp(account.created_at),
        "disabled_at": account.disabled_at.map(timestamp),
        "deletion_started_at": account.deletion_started_at.map(timestamp),
        "is_operator": account.is_operator,
    })
}

/// Creates an account and prints it as JSON.
async fn create(config: &Config, command: CreateAccount) -> anyhow::Result<()> {
    let input = from_standard_input()?;
    let generated = if input.is_none() { Some(generate_password()?) } else { None };
    let password = input.or_else(|| generated.clone()).unwrap_or_else(|| Secret::new(String::new()));
    let command = parse(command, password)?;

    let steward = wiring::wire(config).await?;
    let account = steward.accounts.provision(wiring::command_request(), command).await?;
    match generated {
        Some(secret) => print_with(&account, "password", json!(secret.expose())),
        None => terminal::print(&to_json(&account).to_string()),
    }
}

/// Prints an account with one more member.
fn print_with(account: &Account, name: &str, value: Value) -> anyhow::Result<()> {
    let mut output = to_json(account);
    if let Some(members) = output.as_object_mut() {
        members.insert(name.to_owned(), value);
    }
    terminal::print(&output.to_string())
}

/// The holder of an account must learn of what an operator changes, so a failed email is reported.
async fn warn_unless_sent(steward: &Steward, email: &Email) {
    if !email_is_sent(steward).await {
        terminal::note(&format!("Warning: The email to {email} could not be sent. Inform the person in another way."));
    }
}

/// Waits until the email about a change is sent or given up, because it would end with the process. Returns whether it was
/// sent. Without a mail server, it was only logged.
async fn email_is_sent(steward: &Steward) -> bool {
    let began = Instant::now();
    while steward.mailer.is_configured() && began.elapsed() < MAX_EMAIL_WAIT {
        let emails = steward.mailer.stats();
        if emails.sent + emails.failed > 0 {
            return emails.sent > 0;
        }
        sleep(Duration::from_millis(50)).await;
    }
    !steward.mailer.is_configured()
}

fn parse(command: CreateAccount, password: Secret) -> Result<SignUp, Error> {
    let mut errors = FieldViolations::default();
    let email = errors.check("email", Email::parse(&command.named.email));
    let name = command.name.map(|text| errors.check("name", Name::parse(&text)));
    let username = command.username.map(|text| errors.check("username", Username::parse(&text)));
    let password = errors.check("password", Password::parse(password));
    let parsed = email.zip(password).map(|(email, password)| SignUp {
        email,
        password,
        name: name.flatten(),
        username: username.flatten(),
    });
    errors.finish(parsed)
}

/// Reads the first line of standard input. Returns `None` if it is empty or standard input is a terminal.
fn from_standard_input() -> anyhow::Result<Option<Secret>> {
    let input = std::io::stdin().lock();
    if input.is_terminal() {
        return Ok(None);
    }
    let text = std::io::read_to_string(input.take(4096))?;
    let line = text.lines().next().unwrap_or_default();
    Ok((!line.is_empty()).then(|| Secret::new(line.to_owned())))
}

/// Generates a random password of letters and digits, in the format of an API key's body.
fn generate_password() -> anyhow::Result<Secret> {
    let value = KeyValue::from_entropy(true, &SystemSecrets::new()?.entropy());
    let body: String = value.secret().expose().chars().skip(7).take(24).collect();
    Ok(Secret::new(body))
}
