//! The command line.

use std::io::Write as _;
use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};

use crate::config;

/// Self-hosted administration of projects, teams, keys, schemas and users.
#[derive(Debug, Parser)]
#[command(version, after_help = config::help())]
pub struct Arguments {
    #[command(subcommand)]
    pub command: Option<Command>,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Start the service (default)
    Serve,
    /// Migrate the database and exit
    Migrate,
    /// Manage accounts
    #[command(subcommand)]
    Account(AccountCommand),
    /// Issue access tokens
    #[command(subcommand)]
    Token(TokenCommand),
    /// Manage users of projects
    #[command(subcommand)]
    User(UserCommand),
    /// Manage the service's signing keys and peppers
    #[command(subcommand)]
    Keys(KeysCommand),
    /// Verify the audit log
    #[command(subcommand)]
    Audit(AuditCommand),
    /// Sign in to a service with the browser
    Login(LogIn),
    /// Sign out and delete the stored tokens
    Logout(Identity),
    /// Print the signed-in account as JSON
    Whoami(Identity),
    /// Print the OpenAPI document
    Openapi,
    /// Check the configuration, clock, database, keys and image storage
    Doctor,
}

#[derive(Debug, Args)]
pub struct Identity {
    /// File that stores the tokens [default: steward/credentials.json in the user's configuration directory]
    #[arg(long)]
    pub credentials: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub struct LogIn {
    /// URL of the service
    #[arg(long, default_value = "http://localhost:3003")]
    pub server: String,
    /// Do not open a browser; open the printed URL yourself
    #[arg(long)]
    pub no_browser: bool,
    #[command(flatten)]
    pub identity: Identity,
}

#[derive(Debug, Subcommand)]
pub enum AccountCommand {
    /// Create an account with a verified email address and print it as JSON
    #[command(
        long_about = "Creates an account with a verified email address and prints it as JSON. The password is read \
        from standard input. If there is none, a password is generated and printed once, in the field \"password\"."
    )]
    Create(CreateAccount),
    /// List accounts, oldest first, as one JSON object per line
    List(ListAccounts),
    /// Disable an account, effective with its next request
    #[command(
        long_about = "Disables an account and prints it as JSON. From the next request on, its sessions and tokens are \
        rejected, and nobody can sign in to it. Its pending invites are revoked and the webhooks it authorized are \
        paused. Its API keys keep working."
    )]
    Disable(NamedAccount),
    /// Enable a disabled account
    Enable(NamedAccount),
    /// Set an account's password from standard input and end its sessions and tokens
    SetPassword(NamedAccount),
    /// Delete an account and all its personal data, including its data in projects
    #[command(long_about = "Deletes an account: its memberships, sessions, tokens and grants, its data as a user of \
        projects, and all its personal data. Fails if the account is the last owner of a team. If the deletion is \
        interrupted, the account stays disabled; run the command again to finish it.")]
    Delete(NamedAccount),
}

#[derive(Debug, Args)]
pub struct ListAccounts {
    /// List only accounts whose email address contains this text
    #[arg(long)]
    pub email: Option<String>,
    /// List only disabled accounts
    #[arg(long)]
    pub disabled: bool,
}

#[derive(Debug, Args)]
pub struct NamedAccount {
    /// Email address of the account
    #[arg(long)]
    pub email: String,
}

#[derive(Debug, Args)]
pub struct CreateAccount {
    /// Email address of the account
    #[arg(long)]
    pub email: String,
    /// Name of the person
    #[arg(long)]
    pub name: Option<String>,
    /// Public username
    #[arg(long)]
    pub username: Option<String>,
}

#[derive(Debug, Subcommand)]
pub enum TokenCommand {
    /// Issue an access token for an account and print only the token
    Issue(IssueToken),
}

#[derive(Debug, Args)]
pub struct IssueToken {
    /// Email address of the account
    #[arg(long)]
    pub email: String,
    /// Lifetime in seconds, at most 86400 [default: 900]
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=86_400))]
    pub ttl: Option<u32>,
}

#[derive(Debug, Subcommand)]
pub enum UserCommand {
    /// Connect an account to a project as a user and print the user's ID
    Connect(ConnectUser),
}

#[derive(Debug, Subcommand)]
pub enum AuditCommand {
    /// Verify that no event in the audit log was changed or removed
    #[command(
        long_about = "Verifies the hash chains of all teams, or of one team, and prints one line of JSON per chain. \
        Store the last position and hash elsewhere: with them, a later check can detect that events were removed from \
        the end."
    )]
    Verify(VerifyAudit),
}

#[derive(Debug, Args)]
pub struct VerifyAudit {
    /// Verify only the team with this ID
    #[arg(long)]
    pub team: Option<String>,
}

#[derive(Debug, Subcommand)]
pub enum KeysCommand {
    /// Create a new pepper for the digests of API keys and print it as JSON
    #[command(
        long_about = "Creates a new pepper and prints its generation and the time from which it is used, as JSON. API \
        keys keep working: the stored digest of a key is replaced by one with the new pepper when the key is used."
    )]
    RotatePepper,
    /// List the keys that sign tokens as one JSON object per line: those of access tokens, then those of ID tokens
    List,
    /// Create the next keys that sign access tokens and ID tokens and print them as JSON
    #[command(
        long_about = "Creates the next keys that sign access tokens and ID tokens. They are published immediately and \
        used after an hour, when all programs that cache the published keys have reloaded them. The previous keys stay \
        published, and verify tokens, until the last of their tokens has expired. No valid token is rejected."
    )]
    RotateSigning(RotateSigning),
    /// Revoke a key that signs tokens and reject all its tokens
    #[command(
        long_about = "Revokes a key that signs tokens, for example because its private key may be compromised. From \
        the next request on, every process rejects its tokens; clients get new ones with their refresh tokens. If it \
        is the active key, the next one becomes active immediately. Programs that verify tokens themselves may accept \
        its tokens for up to an hour, until they reload the published keys."
    )]
    RevokeSigning(RevokeSigning),
}

#[derive(Debug, Args)]
pub struct RotateSigning {
    /// Use the keys immediately; programs that verify tokens must reload the published keys for an unknown key
    #[arg(long)]
    pub now: bool,
}

#[derive(Debug, Args)]
pub struct RevokeSigning {
    /// ID of the key: the `kid` of its tokens
    pub kid: String,
}

#[derive(Debug, Args)]
pub struct ConnectUser {
    /// ID of the project
    #[arg(long)]
    pub project: String,
    /// Email address of the account
    #[arg(long)]
    pub email: String,
}

/// Prints a line to standard output.
pub fn print(text: &str) -> anyhow::Result<()> {
    writeln!(std::io::stdout().lock(), "{text}")?;
    Ok(())
}
