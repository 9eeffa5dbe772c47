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
use logging::Logging;
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

async fn run(command: Command) -> anyhow::Result<()> {
    // These commands run on a person's own machine, where no service is configured.
    let command = match command {
        Command::Remote(command) => return remote::run(command).await,
        Command::Token(TokenCommand::Remote(command)) => return command.run().await,
        Command::Audit(AuditCommand::Remote(command)) => return remote::audit::run(*command).await,
        Command::User(UserCommand::Remote(command)) => return command.run().await,
        Command::Openapi => return terminal::print(steward_http::openapi_json()),
        Command::Docs(arguments) => return documentation::docs::write(&arguments),
        Command::Completions(arguments) => return documentation::completions::print(&arguments),
        Command::Man(arguments) => return documentation::man::write(&arguments),
        command => command,
    };
    let config = Config::load()?;
    let logging = Logging::start(&config)?;
    match command {
        Command::Serve => service::serve::serve(&config, &logging).await,
        Command::Migrate(arguments) => host::migrate::run(&config, &arguments),
        Command::Account(command) => host::account::run(&config, command).await,
        Command::Token(TokenCommand::Issue(issue)) => host::token::issue(&config, issue).await,
        Command::User(UserCommand::Connect(connect)) => host::user::connect(&config, connect).await,
        Command::Audit(AuditCommand::Verify(arguments)) => host::audit::verify(&config, &arguments).await,
        Command::Keys(command) => host::keys::run(&config, command).await,
        Command::Doctor => host::doctor::run(&config).await,
        Command::Health => host::health::check(config.bind).await,
        Command::Backup(arguments) => {
            host::backup::back_up(&config, &OutputFile::new(&arguments.file.file, arguments.yes)?).await
        }
        Command::Restore(arguments) => host::backup::restore(&config, &arguments.file).await,
        Command::Remote(_)
        | Command::Token(TokenCommand::Remote(_))
        | Command::Audit(AuditCommand::Remote(_))
        | Command::User(UserCommand::Remote(_))
        | Command::Openapi
        | Command::Docs(_)
        | Command::Completions(_)
        | Command::Man(_) => Ok(()),
    }
}
