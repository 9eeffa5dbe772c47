//! The command line.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::error::{ContextKind, ContextValue};
use clap::{Args, CommandFactory as _, FromArgMatches as _, Parser, Subcommand};
use clap_complete::Shell;

use crate::{anywhere, config, remote};

/// Self-hosted administration of projects, teams, keys, schemas and users.
#[derive(Debug, Parser)]
#[command(version, args(anywhere::options()), after_help = format!("{}\n{}", remote::help(), config::help()))]
pub struct Arguments {
    #[command(subcommand)]
    pub command: Option<Command>,
}

impl Arguments {
    /// Parses the command line of this process. Prints what is wrong with it, and exits.
    pub fn read() -> Self {
        Self::parsed(std::env::args_os()).unwrap_or_else(|error| error.exit())
    }

    fn parsed(arguments: impl Iterator<Item = OsString>) -> Result<Self, clap::Error> {
        let mut command = Self::command();
        let matches = command.try_get_matches_from_mut(arguments).map_err(with_one_suggestion)?;
        anywhere::check(&mut command, &matches)?;
        Self::from_arg_matches(&matches)
    }
}

/// Leaves out all but the most similar of the commands that are suggested for an unknown one.
fn with_one_suggestion(mut error: clap::Error) -> clap::Error {
    if let Some(ContextValue::Strings(similar)) = error.get(ContextKind::SuggestedSubcommand) {
        // The most similar one is the last.
        let best = ContextValue::Strings(similar.last().cloned().into_iter().collect());
        error.insert(ContextKind::SuggestedSubcommand, best);
    }
    error
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Start the service (default)
    Serve,
    /// Migrate the database and exit
    #[command(
        long_about = "Applies the pending migrations, also while the service runs. Only one process at a time migrates; \
        others wait for it. A migration that was interrupted is continued."
    )]
    Migrate(Migrate),
    /// Manage accounts, on the service's host
    #[command(subcommand)]
    Account(AccountCommand),
    /// Manage personal access tokens, and issue access tokens on the service's host
    #[command(subcommand)]
    Token(TokenCommand),
    /// Manage the users of a project
    #[command(subcommand)]
    User(UserCommand),
    /// Manage the service's signing keys and peppers, on its host
    #[command(subcommand)]
    Keys(KeysCommand),
    /// Read the audit log, and verify it on the service's host
    #[command(subcommand)]
    Audit(AuditCommand),
    #[command(flatten)]
    Remote(remote::Command),
    /// Print the OpenAPI document
    Openapi,
    /// Write the documentation to a directory, as a site of files
    #[command(
        long_about = "Writes the pages that a service shows at /docs, for a public site. Every host of static files can serve the \
        directory at the root of a domain. The pages work without scripts; they have no search.",
        after_help = "Examples:\n  steward docs public"
    )]
    Docs {
        /// Directory, which is created if it does not exist
        directory: PathBuf,
        /// Do not ask for confirmation
        #[arg(long, short)]
        yes: bool,
    },
    /// Print a script that completes commands in a shell
    #[command(after_help = "Examples:\n  \
        steward completions bash > ~/.local/share/bash-completion/completions/steward\n  \
        steward completions zsh > ~/.zfunc/_steward\n  \
        steward completions fish > ~/.config/fish/completions/steward.fish")]
    Completions {
        /// Shell
        shell: Shell,
    },
    /// Print the manual page, or write those of all commands to a directory
    #[command(after_help = "Examples:\n  steward man | man -l -\n  steward man ~/.local/share/man/man1")]
    Man {
        /// Directory for the pages of all commands; it is created if it does not exist
        directory: Option<PathBuf>,
        /// Replace existing pages without asking
        #[arg(long, short)]
        yes: bool,
    },
    /// Check the configuration, clock, database, keys and image storage
    Doctor,
    /// Check that the service on this host is ready
    #[command(
        long_about = "Asks the service on this host, at the address in STEWARD_BIND, whether it is ready, and fails \
        if it is not. For the health checks of containers and supervisors that cannot send a request themselves."
    )]
    Health,
    /// Back up the database and images to a file, while the service runs
    #[command(
        long_about = "Writes one consistent archive of the database and the uploaded images, also while the service \
        runs. The archive contains checksums, and is complete once the command succeeds. It does not contain the \
        secret (STEWARD_SECRET, or the .secret file next to the SQLite database): store that elsewhere."
    )]
    Backup {
        /// File of the backup
        file: PathBuf,
        /// Replace an existing file without asking
        #[arg(long, short)]
        yes: bool,
    },
    /// Restore a backup into an empty database
    #[command(
        long_about = "Verifies the archive, then restores it into an empty database, of either kind. Nothing is \
        written unless the archive is intact, the database is empty and the secret of the backed-up service is set. \
        Afterwards the chains of the audit log are verified."
    )]
    Restore {
        /// File of the backup
        file: PathBuf,
    },
}

#[derive(Debug, Args)]
pub struct Migrate {
    /// Print the pending migrations and the progress of a running one as JSON, and change nothing; the exit code is 1 while
    /// migrations are pending
    #[arg(long)]
    pub status: bool,
    /// Also distribute the data of items by project over the workers of a Citus cluster, whose coordinator the database is; the
    /// service must be stopped
    #[arg(long, conflicts_with = "status")]
    pub distribute: bool,
    /// Number of shards: the data of a project is in one of them, and a node has one or several
    #[arg(long, requires = "distribute", default_value_t = 32, value_parser = clap::value_parser!(u32).range(1..=1024))]
    pub shards: u32,
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
    List {
        /// List only accounts whose email address contains this text
        #[arg(long)]
        email: Option<String>,
        /// List only disabled accounts
        #[arg(long)]
        disabled: bool,
    },
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
    /// Remove the second factors, passkeys and linked identities of an account whose holder has lost them
    #[command(
        long_about = "Removes the linked identities of an account, schedules the removal of its authenticator app, its recovery \
        codes and its passkeys after STEWARD_FACTOR_REMOVAL_HOURS, and prints the account as JSON. Afterwards the sign-in \
        requires only the password. The holder receives an email, and can object until then. Make sure first that the person \
        who asks is the holder of the account. Its sessions and tokens stay valid."
    )]
    RemoveFactors(NamedAccount),
    /// Cancel the removal of second factors and passkeys
    #[command(
        long_about = "Cancels the removal of second factors and passkeys that `remove-factors` or the holder requested, \
        and prints the account as JSON. The holder receives an email."
    )]
    KeepFactors(NamedAccount),
    /// Delete an account and all its personal data, including its data in projects
    #[command(long_about = "Deletes an account: its memberships, sessions, tokens and grants, its data as a user of \
        projects, and all its personal data. Fails if the account is the last owner of a team. If the deletion is \
        interrupted, the account stays disabled, and the service finishes the deletion in the background.")]
    Delete {
        #[command(flatten)]
        account: NamedAccount,
        /// Delete the account without asking
        #[arg(long)]
        yes: bool,
    },
    /// Manage the operators, who administer the service in the browser
    #[command(subcommand)]
    Operator(OperatorCommand),
}

#[derive(Debug, Subcommand)]
pub enum OperatorCommand {
    /// Mark an account as operator and print it as JSON
    Add(NamedAccount),
    /// Remove the mark, effective with the account's next request
    Remove(NamedAccount),
    /// List operators, oldest first, as one JSON object per line
    List {
        /// List only operators whose email address contains this text
        #[arg(long)]
        email: Option<String>,
    },
}

#[derive(Debug, Args)]
pub struct NamedAccount {
    /// Email address of the account
    #[arg(long)]
    pub email: String,
}

#[derive(Debug, Args)]
pub struct CreateAccount {
    #[command(flatten)]
    pub named: NamedAccount,
    /// Name of the person
    #[arg(long)]
    pub name: Option<String>,
    /// Public username
    #[arg(long)]
    pub username: Option<String>,
}

#[derive(Debug, Subcommand)]
pub enum TokenCommand {
    #[command(flatten)]
    Remote(remote::Commands<remote::token::TokenCommand>),
    /// Issue an access token for an account and print only the token (on the service's host)
    Issue {
        #[command(flatten)]
        account: NamedAccount,
        /// Lifetime in seconds, at most 86400 [default: 900]
        #[arg(long, value_parser = clap::value_parser!(u32).range(1..=86_400))]
        ttl: Option<u32>,
    },
}

#[derive(Debug, Subcommand)]
pub enum UserCommand {
    #[command(flatten)]
    Remote(remote::Commands<remote::user::UserCommand>),
    /// Connect an account to a project as a user and print the user's ID (on the service's host)
    Connect {
        /// ID of the project
        #[arg(long)]
        project: String,
        #[command(flatten)]
        account: NamedAccount,
    },
}

#[derive(Debug, Subcommand)]
pub enum AuditCommand {
    #[command(flatten)]
    Remote(Box<remote::audit::AuditCommand>),
    /// Verify that no event in the audit log was changed or removed (on the service's host)
    #[command(
        long_about = "Verifies the hash chains of all teams, or of one team, and prints one line of JSON per chain. \
        Store the last position and hash elsewhere: with them, a later check can detect that events were removed from \
        the end."
    )]
    Verify {
        /// Verify only the team with this ID
        #[arg(long)]
        team: Option<String>,
    },
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
    RotateSigning {
        /// Use the keys immediately; programs that verify tokens must reload the published keys for an unknown key
        #[arg(long)]
        now: bool,
    },
    /// Revoke a key that signs tokens and reject all its tokens
    #[command(
        long_about = "Revokes a key that signs tokens, for example because its private key may be compromised. From \
        the next request on, every process rejects its tokens; clients get new ones with their refresh tokens. If it \
        is the active key, the next one becomes active immediately. Programs that verify tokens themselves may accept \
        its tokens for up to an hour, until they reload the published keys."
    )]
    RevokeSigning {
        /// ID of the key: the `kid` of its tokens
        kid: String,
    },
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_most_similar_command_is_suggested_for_an_unknown_one() {
        for (given, suggested) in [("shema", "'schema'"), ("helth", "'health'"), ("projet", "'project'")] {
            let error = Arguments::parsed(["steward", given].map(OsString::from).into_iter()).unwrap_err().to_string();
            assert!(error.contains(&format!("a similar subcommand exists: {suggested}")), "{error}");
        }
        let error = Arguments::parsed(["steward", "xyzzyx"].map(OsString::from).into_iter()).unwrap_err().to_string();
        assert!(!error.contains("similar"), "{error}");
    }
}
