//! Commands that are written by hand, with the function that performs each.

/// A command that can be run.
pub trait RunCommand {
    async fn run(self) -> anyhow::Result<()>;
}

impl<C: RunCommand> RunCommand for Box<C> {
    async fn run(self) -> anyhow::Result<()> {
        (*self).run().await
    }
}

/// Declares the commands of a noun: the text of each, its name and arguments as for clap, and the function that performs it,
/// which gets the context and the arguments. Without a function, the command knows itself how to run.
macro_rules! by_hand {
    ($noun:ident { $($(#[$attribute:meta])* $command:ident($arguments:ty) $(=> $perform:path)?,)* }) => {
        #[derive(Debug, clap::Subcommand)]
        pub enum $noun {
            $($(#[$attribute])* $command($arguments),)*
        }

        impl $crate::remote::command::RunCommand for $noun {
            async fn run(self) -> anyhow::Result<()> {
                match self {
                    $(Self::$command(command) => $crate::remote::command::perform!(command $(=> $perform)?),)*
                }
            }
        }
    };
}

macro_rules! perform {
    ($command:ident => $perform:path) => {
        $perform(&$command.context()?, $command.arguments).await
    };
    ($command:ident) => {
        $crate::remote::command::RunCommand::run($command).await
    };
}

pub(crate) use {by_hand, perform};
