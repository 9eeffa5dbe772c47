//! The `steward` binary: its commands and the wiring of the layers. It is a library, because only the documentation of libraries
//! is checked together with their tests.

mod anywhere;
mod cli;
mod config;
mod documentation;
mod files;
mod host;
mod in_thread;
mod logging;
mod remote;
mod service;
mod terminal;
mod wiring;

use std::process::ExitCode;

use cli::{Arguments, AuditCommand, Command, TokenCommand, UserCommand};
use config::Config;
use documentation::{docs, man};
use host::{account, audit, backup, doctor, health, keys, migrate};
use logging::Logging;
use remote::RunCommand as _;
use terminal::OutputFile;

/// Returns memory that is no longer used to the operating system, in the background.
#[cfg(feature = "jemalloc")]
#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

/// Runs the command of the process's arguments. Prints why it failed, if it did, to standard error.
#[actix_web::main]
pub async fn main() -> ExitCode {
    let arguments = Arguments::read();
    match run(arguments.command.unwrap_or(Command::Serve)).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            if !remote::is_output_closed(&error) {
                // One line with the whole chain of causes: what failed, then why.
                terminal::note(&format!("steward: {error:#}"));
                remote::print_details(&error);
            }
            remote::exit_code(&error)
        }
    }
}

/// What the commands on the host have in common.
struct Host {
    config: Config,
    logging: Logging,
}

impl Host {
    fn start() -> anyhow::Result<Self> {
        let config = Config::load()?;
        Ok(Self { logging: Logging::start(&config)?, config })
    }
}

async fn run(command: Command) -> anyhow::Result<()> {
    match command {
        // These commands run on a person's own machine, where no service is configured.
        Command::Remote(command) => command.run().await,
        Command::Token(TokenCommand::Remote(command)) => command.run().await,
        Command::Audit(AuditCommand::Remote(command)) => command.run().await,
        Command::User(UserCommand::Remote(command)) => command.run().await,
        Command::Openapi => terminal::print(steward_http::openapi_json()),
        Command::Docs { directory, yes } => docs::write(&directory, yes),
        Command::Completions { shell } => man::print_completions(shell),
        Command::Man { directory, yes } => man::write(directory.as_deref(), yes),

        Command::Serve => {
            let host = Host::start()?;
            service::serve::serve(&host.config, &host.logging).await
        }
        Command::Migrate(arguments) => migrate::run(&Host::start()?.config, &arguments),
        Command::Account(command) => account::run(&Host::start()?.config, command).await,
        Command::Token(TokenCommand::Issue { account, ttl }) => {
            account::issue_token(&Host::start()?.config, &account, ttl).await
        }
        Command::User(UserCommand::Connect { project, account }) => {
            account::connect(&Host::start()?.config, &project, &account).await
        }
        Command::Audit(AuditCommand::Verify { team }) => audit::verify(&Host::start()?.config, team.as_deref()).await,
        Command::Keys(command) => keys::run(&Host::start()?.config, command).await,
        Command::Doctor => doctor::run(&Host::start()?.config).await,
        Command::Health => health::check(Host::start()?.config.values.bind).await,
        Command::Backup { file, yes } => backup::back_up(&Host::start()?.config, &OutputFile::new(&file, yes)?).await,
        Command::Restore { file } => backup::restore(&Host::start()?.config, &file).await,
    }
}
