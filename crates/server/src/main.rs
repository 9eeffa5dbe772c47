//! The `steward` binary: its commands and the wiring of the layers.

mod account;
mod audit;
mod cli;
mod config;
mod credentials;
mod doctor;
mod keys;
mod logging;
mod login;
mod loopback;
mod provider;
mod secret_file;
mod serve;
mod shutdown;
mod token;
mod traces;
mod user;
mod wiring;
mod workers;

use std::process::ExitCode;

use clap::Parser as _;

use cli::{Arguments, AuditCommand, Command, TokenCommand, UserCommand};
use config::Config;
use logging::Logging;

#[actix_web::main]
async fn main() -> ExitCode {
    let arguments = Arguments::parse();
    match run(arguments.command.unwrap_or(Command::Serve)).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // One line with the whole chain of causes: what failed, then why.
            eprintln!("steward: {error:#}");
            ExitCode::FAILURE
        }
    }
}

async fn run(command: Command) -> anyhow::Result<()> {
    // These commands run on a person's own machine, where no service is configured.
    match &command {
        Command::Login(arguments) => return login::log_in(arguments).await,
        Command::Logout(arguments) => return login::log_out(arguments).await,
        Command::Whoami(arguments) => return login::whoami(arguments).await,
        Command::Openapi => return cli::print(steward_http::openapi_json()),
        _ => {}
    }
    let config = Config::load()?;
    let logging = Logging::start(&config)?;
    match command {
        Command::Serve => serve::serve(&config, &logging).await,
        Command::Migrate => wiring::migrate(&config),
        Command::Account(command) => account::run(&config, command).await,
        Command::Token(TokenCommand::Issue(issue)) => token::issue(&config, issue).await,
        Command::User(UserCommand::Connect(connect)) => user::connect(&config, connect).await,
        Command::Audit(AuditCommand::Verify(arguments)) => audit::verify(&config, &arguments).await,
        Command::Keys(command) => keys::run(&config, command).await,
        Command::Doctor => doctor::run(&config).await,
        Command::Login(_) | Command::Logout(_) | Command::Whoami(_) | Command::Openapi => Ok(()),
    }
}
