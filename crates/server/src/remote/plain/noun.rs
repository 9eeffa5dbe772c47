//! The commands of a noun, such as `steward webhook`: plain ones, and others that are written by hand.

use clap::builder::Resettable;
use clap::error::ErrorKind;
use clap::{ArgMatches, Command, FromArgMatches, Subcommand};

use crate::remote::command::RunCommand;

use super::table::Plain;

/// The commands of a noun that are written by hand.
pub trait Noun: Subcommand + RunCommand {
    /// Returns all commands of the noun, in the order of the help.
    fn commands() -> Vec<Plain>;
}

/// Declares a noun: its commands that are written by hand, as in `by_hand!`, and then all commands, as in `commands!`.
macro_rules! noun {
    ($noun:ident { $($by_hand:tt)* } $($commands:tt)*) => {
        $crate::remote::command::by_hand! { $noun { $($by_hand)* } }

        impl $crate::remote::plain::Noun for $noun {
            fn commands() -> Vec<$crate::remote::plain::Plain> {
                $crate::remote::plain::commands! { $($commands)* }
            }
        }
    };
}

pub(crate) use noun;

/// A command of a noun.
#[derive(Debug)]
pub enum Commands<N> {
    Plain(Box<Plain>, ArgMatches),
    ByHand(N),
}

impl<N: Noun> RunCommand for Commands<N> {
    async fn run(self) -> anyhow::Result<()> {
        match self {
            Self::Plain(command, matches) => command.run(&matches).await,
            Self::ByHand(command) => command.run().await,
        }
    }
}

impl<N: Noun> Subcommand for Commands<N> {
    fn augment_subcommands(command: Command) -> Command {
        let by_hand = N::augment_subcommands(Command::new("by-hand"));
        command.subcommands(N::commands().iter().filter_map(|plain| match plain.rows.as_slice() {
            // The help has the order of the table.
            [] => Some(by_hand.find_subcommand(plain.verb())?.clone().display_order(Resettable::Reset)),
            _ => Some(plain.command()),
        }))
    }

    fn augment_subcommands_for_update(command: Command) -> Command {
        Self::augment_subcommands(command)
    }

    fn has_subcommand(name: &str) -> bool {
        N::commands().iter().any(|plain| plain.verb() == name)
    }
}

impl<N: Noun> FromArgMatches for Commands<N> {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let is_given = |plain: &Plain| matches.subcommand_name() == Some(plain.verb()) && !plain.rows.is_empty();
        match (N::commands().into_iter().find(is_given), matches.subcommand()) {
            (Some(plain), Some((_, matches))) => Ok(Self::Plain(Box::new(plain), matches.clone())),
            (_, Some(_)) => N::from_arg_matches(matches).map(Self::ByHand),
            (_, None) => Err(clap::Error::new(ErrorKind::MissingSubcommand)),
        }
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        Self::from_arg_matches(matches).map(|command| *self = command)
    }
}
