//! The options of commands that use the API may stand anywhere on the command line, also before the command.

use clap::error::ErrorKind;
use clap::parser::ValueSource;
use clap::{Arg, ArgMatches, Args as _, Command};

use crate::remote::ContextOptions;

/// Returns these options, as they are accepted before the command. Commands that have them read their values, and
/// describe them in their help.
pub fn options() -> Vec<Arg> {
    let options = ContextOptions::augment_args(Command::new("options"));
    options.get_arguments().map(|option| option.clone().global(true).hide(true)).collect()
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
    use clap::{CommandFactory as _, Subcommand as _};

    use super::*;
    use crate::cli::Arguments;

    fn parsed(command: &mut Command, line: &str) -> Result<(), clap::Error> {
        let matches = command.try_get_matches_from_mut(line.split(' '))?;
        check(command, &matches)
    }

    /// Adds the words of each command that has none below it.
    fn add_leaves(above: &[String], command: &Command, leaves: &mut Vec<(Vec<String>, Command)>) {
        for below in command.get_subcommands() {
            let words = [above, &[below.get_name().to_owned()]].concat();
            if below.has_subcommands() {
                add_leaves(&words, below, leaves);
            } else {
                leaves.push((words, below.clone()));
            }
        }
    }

    /// Whether an option is accepted. `None` if parsing already fails because the command has other, required arguments.
    fn is_accepted(command: &mut Command, line: &str, option: &str) -> Option<bool> {
        match parsed(command, line) {
            Ok(()) => Some(true),
            Err(error) if error.kind() == ErrorKind::MissingRequiredArgument => None,
            Err(error) => {
                assert!(
                    error.kind() == ErrorKind::UnknownArgument && error.to_string().contains(option),
                    "{line}: {error}"
                );
                Some(false)
            }
        }
    }

    #[test]
    fn each_option_is_accepted_at_each_place_of_each_command_that_has_it() {
        let options = ContextOptions::augment_args(Command::new("options"));
        let mut leaves = Vec::new();
        // Without the options of all commands, a command has only its own.
        add_leaves(&[], &crate::cli::Command::augment_subcommands(Command::new("steward")), &mut leaves);
        let mut steward = Arguments::command();
        let (mut accepted, mut refused) = (0, 0);
        for (words, command) in leaves {
            for option in options.get_arguments() {
                let long = option.get_long().unwrap();
                let given =
                    if option.get_action().takes_values() { format!("--{long}=x") } else { format!("--{long}") };
                let is_own = command.get_arguments().any(|other| other.get_long() == Some(long));
                for place in 0..=words.len() {
                    let (before, after) = words.split_at(place);
                    let line =
                        [&["steward".to_owned()], before, std::slice::from_ref(&given), after].concat().join(" ");
                    let is_accepted = is_accepted(&mut steward, &line, long);
                    assert_ne!(is_accepted, Some(!is_own), "{line}");
                    // An option that a command does not know is an error before required arguments are missed.
                    *(if is_own { &mut accepted } else { &mut refused }) +=
                        usize::from(is_own || is_accepted.is_some());
                }
            }
        }
        assert!(accepted > 1_000 && refused > 50, "{accepted} accepted, {refused} refused");
        for option in options.get_arguments().filter(|option| !option.get_action().takes_values()) {
            let name = option.get_long().unwrap();
            assert!(parsed(&mut steward, &format!("steward --{name}")).is_err(), "The service has no {name}.");
        }
        assert!(parsed(&mut steward, "steward --yes account delete --email a@example.com").is_ok());
        assert!(parsed(&mut steward, "steward").is_ok());
    }
}
