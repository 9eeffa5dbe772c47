//! What the contract does not state about a command.

use steward_client::Row;

use super::flag::Flag;

/// A command that performs an operation.
#[derive(Debug, Default)]
pub struct Plain {
    /// Such as `webhook get`.
    pub name: &'static str,
    pub about: &'static str,
    pub alias: Option<&'static str>,
    /// The arguments of examples.
    pub examples: Vec<&'static str>,
    /// What the help says after the examples.
    pub remark: Option<&'static str>,
    pub flags: Vec<Flag>,
    /// The question before the operation, with `{}` for what the command names.
    pub question: Option<&'static str>,
    /// A member of the result, and what to say about it.
    pub note: Option<(&'static str, &'static str)>,
    pub outcome: Outcome,
    /// A member of the body, and its value.
    pub constant: Option<(&'static str, &'static str)>,
    /// The operation, or those of teams and projects. A command without one is written by hand: only its place is stated.
    pub rows: Vec<&'static Row>,
}

/// What a command prints.
#[derive(Debug, Default, Clone, Copy)]
pub enum Outcome {
    /// The member `data` of the response, or else all of it.
    #[default]
    Data,
    /// Another member of the response.
    Member(&'static str),
    /// The values of the flags, and the response.
    WithFlags,
    /// The member `data` of the response, as JSON.
    Json,
    /// With the flag `series`, the member `series` of the response, a list with these columns; or else these members of
    /// the response and of the flags.
    Series(&'static [&'static str], &'static [&'static str]),
    /// A list with these columns.
    List(&'static [&'static str]),
    /// A part of a list that can be very long.
    Pages(&'static [&'static str]),
    /// A member that says what was done, and a message with `{}` for what the command names.
    Done(&'static str, &'static str),
}

/// Returns the command of the operations whose rows name it. Without a text, it is written by hand.
pub fn plain(name: &'static str, about: &'static str) -> Plain {
    let rows = rows(name).filter(|_| !about.is_empty()).collect();
    Plain { name, about: about.trim_start(), rows, ..Plain::default() }
}

/// Returns the rows that name a command.
pub fn rows(name: &'static str) -> impl Iterator<Item = &'static Row> {
    steward_client::rows().filter(move |row| row.command == Some(name))
}

/// Describes the commands of a noun, in the order of the help: the text of a command, its name, calls of methods of
/// [`Plain`]; and in braces, the text of each flag, the method for its kind, its name, and further methods. Only the name
/// of a command that is written by hand stands there.
macro_rules! commands {
    ($(
        $(#[doc = $about:literal])* $name:literal $(, $call:ident($($argument:tt)*))* {
            $($(#[doc = $help:literal])+ $kind:ident $flag:literal $(, $change:ident($($value:tt)*))*;)*
        }
    )+) => {
        vec![$(
            $crate::remote::plain::plain($name, concat!($($about),*))
                $(.$kind($flag, concat!($($help),+)) $(.$change($($value)*))*)*
                $(.$call($($argument)*))*,
        )+]
    };
}

pub(crate) use commands;

impl Plain {
    /// The last word of the name.
    pub fn verb(&self) -> &'static str {
        self.name.rsplit(' ').next().unwrap_or(self.name)
    }

    /// Whether the operation has parameters in its query, as lists with pages have.
    pub fn has_query(&self) -> bool {
        self.rows.iter().any(|row| !row.query.is_empty())
    }
}

/// Returns the names of the parameters of a path.
pub fn parameters(row: &Row) -> impl Iterator<Item = &'static str> + use<> {
    row.path.split('/').filter_map(|part| part.strip_prefix('{')?.strip_suffix('}'))
}
