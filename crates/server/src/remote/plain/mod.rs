//! Commands that perform one operation. The row of the operation, which names the command, and the schema of its body
//! state the arguments of the path, the flags that are required, the request and the form of the result. What remains is
//! a table: texts, examples, the flags for the members of the body, and the columns of lists.

mod arguments;
mod builder;
mod flag;
mod noun;
mod perform;
mod table;

pub(crate) use noun::noun;
pub use noun::{Commands, Noun};
pub(crate) use table::commands;
pub use table::{Outcome, Plain, plain};
