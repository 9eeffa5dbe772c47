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
    /// Serve the API (the default)
    Serve,
    /// Bring the database up to date and stop
    Migrate,
    /// Accounts
    #[command(subcommand)]
    Account(AccountCommand),
    /// Access tokens
    #[command(subcommand)]
    Token(TokenCommand),
    /// Users of projects
    #[command(subcommand)]
    User(UserCommand),
    /// API keys
    #[command(subcommand)]
    Keys(KeysCommand),
    /// The audit log
    #[command(subcommand)]
    Audit(AuditCommand),
    /// Sign in to a service, as oneself, with the browser
    Login(LogIn),
    /// Sign out, and forget the tokens
    Logout(Identity),
    /// Print who is signed in, as JSON
    Whoami(Identity),
    /// Print the OpenAPI document
    Openapi,
    /// Check configuration, database, clock and keys
    Doctor,
}

/// Whose tokens are meant.
#[derive(Debug, Args)]
pub struct Identity {
    /// The file that holds the tokens [default: steward/credentials.json among the user's settings]
    #[arg(long)]
    pub credentials: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub struct LogIn {
    /// The address of the service
    #[arg(long, default_value = "http://localhost:3003")]
    pub server: String,
    /// Do not start a browser: the address to open is printed
    #[arg(long)]
    pub no_browser: bool,
    #[command(flatten)]
    pub identity: Identity,
}

#[derive(Debug, Subcommand)]
pub enum AccountCommand {
    /// Make an account with a verified email; prints it as JSON
    #[command(long_about = "Makes an account with a verified email and prints it as JSON. The password is read from \
        standard input; without one it is generated and shown once, in the field \"password\".")]
    Create(CreateAccount),
    /// Print accounts, one JSON object a line, the oldest first
    List(ListAccounts),
    /// End what an account can do with its next request, until it is enabled again
    #[command(
        long_about = "Disables an account: its sessions and tokens are refused from the next request on and nobody \
        signs in to it. Its pending invites are revoked and the webhooks it authorized are paused; its keys stay. \
        Prints the account as JSON."
    )]
    Disable(NamedAccount),
    /// Let a disabled account in again
    Enable(NamedAccount),
    /// Set an account's password, read from standard input; ends its sessions and tokens
    SetPassword(NamedAccount),
    /// Delete an account with all that is personal, also what projects keep of it
    #[command(long_about = "Deletes an account: its memberships, sessions, tokens and grants, its data as a user of \
        projects, and everything personal. Refused while a team would be left without an owner. An interrupted deletion \
        leaves a disabled account; run the command again to finish it.")]
    Delete(NamedAccount),
}

#[derive(Debug, Args)]
pub struct ListAccounts {
    /// Only accounts whose email contains this text
    #[arg(long)]
    pub email: Option<String>,
    /// Only disabled accounts
    #[arg(long)]
    pub disabled: bool,
}

#[derive(Debug, Args)]
pub struct NamedAccount {
    /// The account's email address
    #[arg(long)]
    pub email: String,
}

#[derive(Debug, Args)]
pub struct CreateAccount {
    /// The email address
    #[arg(long)]
    pub email: String,
    /// What the person is called
    #[arg(long)]
    pub name: Option<String>,
    /// The public handle
    #[arg(long)]
    pub username: Option<String>,
}

#[derive(Debug, Subcommand)]
pub enum TokenCommand {
    /// Print an access token of an account, and nothing else
    Issue(IssueToken),
}

#[derive(Debug, Args)]
pub struct IssueToken {
    /// The account's email address
    #[arg(long)]
    pub email: String,
    /// For how many seconds it is good (default 900, at most a day)
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=86_400))]
    pub ttl: Option<u32>,
}

#[derive(Debug, Subcommand)]
pub enum UserCommand {
    /// Make an account a user of a project; prints the user's id
    Connect(ConnectUser),
}

#[derive(Debug, Subcommand)]
pub enum AuditCommand {
    /// Check that nothing in the audit log was changed or dropped
    #[command(
        long_about = "Checks the chain of every team, or of one, and prints a line of JSON for each. Keep the last \
        position and hash somewhere else: with them it can be told later whether the end was cut off."
    )]
    Verify(VerifyAudit),
}

#[derive(Debug, Args)]
pub struct VerifyAudit {
    /// Only the team with this id
    #[arg(long)]
    pub team: Option<String>,
}

#[derive(Debug, Subcommand)]
pub enum KeysCommand {
    /// Make a new pepper, under which the digests of API keys are kept; prints it as JSON
    #[command(
        long_about = "Makes a new pepper and prints its generation and from when it is used, as JSON. Keys go on \
        working: what is kept of each is made anew, under the new pepper, when the key is used."
    )]
    RotatePepper,
    /// Print the keys that sign tokens, one JSON object a line, the newest first
    List,
    /// Make the next key that signs tokens; prints it as JSON
    #[command(
        long_about = "Makes the next key that signs tokens. It is published at once and used after an hour, when \
        everybody who keeps the published keys has read them anew. The key before it stays published, and verifies, until \
        its last token has expired. No token that was valid is refused."
    )]
    RotateSigning(RotateSigning),
    /// Withdraw a key that signs tokens: all its tokens are refused from the next request on
    #[command(
        long_about = "Removes a key that signs tokens, for when its private part may be known to others. All its \
        tokens are refused from the next request on, by every process; clients get new ones with their refresh tokens. \
        Was it the key in use, the next one is used at once. Programs that check tokens themselves go by the keys that \
        they have read, for up to an hour."
    )]
    RevokeSigning(RevokeSigning),
}

#[derive(Debug, Args)]
pub struct RotateSigning {
    /// Use the key at once; a program that checks tokens itself must then read the published keys for a key it does not know
    #[arg(long)]
    pub now: bool,
}

#[derive(Debug, Args)]
pub struct RevokeSigning {
    /// The key's id: the `kid` of its tokens
    pub kid: String,
}

#[derive(Debug, Args)]
pub struct ConnectUser {
    /// The project's id
    #[arg(long)]
    pub project: String,
    /// The account's email address
    #[arg(long)]
    pub email: String,
}

/// Prints a result on standard output.
pub fn print(text: &str) -> anyhow::Result<()> {
    writeln!(std::io::stdout().lock(), "{text}")?;
    Ok(())
}
