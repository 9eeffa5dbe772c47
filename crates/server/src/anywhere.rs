//! The options of commands that use the API may stand anywhere on the command line, also before the command.

use clap::error::ErrorKind;
use clap::parser::ValueSource;
use clap::{Arg, ArgMatches, Args, Command, FromArgMatches};

use crate::remote::ContextOptions;

/// Accepts these options before the command. Commands that have them read their values, and describe them in their help.
#[derive(Debug)]
pub struct Anywhere;

impl Args for Anywhere {
    fn augment_args(command: Command) -> Command {
        let options = ContextOptions::augment_args(Command::new("options"));
        command.args(options.get_arguments().map(|option| option.clone().global(true).hide(true)))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for Anywhere {
    fn from_arg_matches(_: &ArgMatches) -> Result<Self, clap::Error> {
        Ok(Self)
    }

    fn update_from_arg_matches(&mut self, _: &ArgMatches) -> Result<(), clap::Error> {
        Ok(())
    }
}

/// Refuses these options for a command that has no use for them. `command` has parsed the command line.
pub fn check(command: &mut Command, matches: &ArgMatches) -> Result<(), clap::Error> {
    let Some(option) = useless(command, matches).map(Arg::to_string) else { return Ok(()) };
    let message = format!("The option {option} is for commands that use the API of a service.");
    Err(command.error(ErrorKind::UnknownArgument, message))
}

fn useless<'a>(mut command: &'a Command, mut matches: &ArgMatches) -> Option<&'a Arg> {
    while let Some((name, below)) = matches.subcommand() {
        (command, matches) = (command.find_subcommand(name)?, below);
    }
    let is_given = |option: &&Arg| matches.value_source(option.get_id().as_str()) == Some(ValueSource::CommandLine);
    command.get_arguments().filter(|option| option.is_global_set()).find(is_given)
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::*;
    use crate::cli::Arguments;

    fn parsed(line: &str) -> Result<(), clap::Error> {
        let mut command = Arguments::command();
        let matches = command.try_get_matches_from_mut(line.split(' '))?;
        check(&mut command, &matches)
    }

    #[test]
    fn each_option_is_accepted_at_each_place() {
        let options = ContextOptions::augment_args(Command::new("options"));
        for option in options.get_arguments() {
            let name = option.get_long().unwrap();
            let given = if option.get_action().takes_values() { format!("--{name} x") } else { format!("--{name}") };
            for line in ["{} project list", "project {} list", "project list {}"] {
                let line = format!("steward {}", line.replace("{}", &given));
                assert!(parsed(&line).is_ok(), "{line}");
            }
            for line in ["{} serve", "serve {}", "{} keys list", "{}"] {
                let line = format!("steward {}", line.replace("{}", &given));
                let error = parsed(&line).expect_err(&line);
                assert!(error.to_string().contains(&format!("--{name}")), "{line}: {error}");
            }
        }
        assert!(parsed("steward --yes account delete --email a@example.com").is_ok());
        assert!(parsed("steward").is_ok());
    }
}
