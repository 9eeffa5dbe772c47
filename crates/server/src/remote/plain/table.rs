//! What the contract does not state about a command.

use steward_client::Row;

use super::flag::Flag;

/// A command that performs an operation.
#[derive(Debug)]
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
    /// The operation, or those of teams and projects. A command without one is written by hand: only its place is stated.
    pub rows: Vec<&'static Row>,
}

/// What a command prints.
#[derive(Debug, Clone, Copy)]
pub enum Outcome {
    /// This member of the response, or else all of it.
    Entry(&'static str),
    /// A list with these columns.
    List(&'static [&'static str]),
    /// A member that says what was done, and a message with `{}` for what the command names.
    Done(&'static str, &'static str),
}

/// Returns the command of the operations whose rows name it.
pub fn plain(name: &'static str, about: &'static str) -> Plain {
    let rows = steward_client::rows().filter(|row| row.command == Some(name)).collect();
    Plain { about, rows, ..by_hand(name) }
}

/// Returns the place of a command that is written by hand.
pub fn by_hand(name: &'static str) -> Plain {
    let (examples, flags, rows, outcome) = (Vec::new(), Vec::new(), Vec::new(), Outcome::Entry("data"));
    Plain { name, about: "", alias: None, examples, remark: None, flags, question: None, note: None, outcome, rows }
}

impl Plain {
    /// The last word of the name.
    pub fn verb(&self) -> &'static str {
        self.name.rsplit(' ').next().unwrap_or(self.name)
    }

    /// Whether the command lists page by page.
    pub fn has_pages(&self) -> bool {
        matches!(self.outcome, Outcome::List(_)) && self.rows.iter().any(|row| !row.query.is_empty())
    }
}

/// Returns the names of the parameters of a path.
pub fn parameters(row: &Row) -> impl Iterator<Item = &'static str> + use<> {
    row.path.split('/').filter_map(|part| part.strip_prefix('{')?.strip_suffix('}'))
}
