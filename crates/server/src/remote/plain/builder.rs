//! Describes commands. The methods after that of a flag describe this flag.

use std::ops::RangeBounds;

use chrono::{DateTime, ParseResult, Utc};
use clap::builder::{
    PossibleValuesParser, RangedI64ValueParser, Resettable, StringValueParser, TypedValueParser as _, ValueParser,
};
use clap::{Arg, ArgAction};
use serde_json::Value;
use steward_client::Timestamp;

use super::flag::Flag;
use super::table::{Outcome, Plain, rows};

impl Plain {
    pub fn alias(self, alias: &'static str) -> Self {
        Self { alias: Some(alias), ..self }
    }

    /// Performs the operation of another command, with a value of a member.
    pub fn case_of(self, name: &'static str, member: &'static str, value: &'static str) -> Self {
        Self { rows: rows(name).collect(), constant: Some((member, value)), ..self }
    }

    /// Adds the arguments of an example.
    pub fn example(mut self, arguments: &'static str) -> Self {
        self.examples.push(arguments);
        self
    }

    /// Adds a text after the examples.
    pub fn remark(self, remark: &'static str) -> Self {
        Self { remark: Some(remark), ..self }
    }

    /// Asks before the operation.
    pub fn confirm(self, question: &'static str) -> Self {
        Self { question: Some(question), ..self }
    }

    /// Prints a note if the result has a member.
    pub fn note(self, member: &'static str, note: &'static str) -> Self {
        Self { note: Some((member, note)), ..self }
    }

    /// Prints another result than the data.
    pub fn prints(self, outcome: Outcome) -> Self {
        Self { outcome, ..self }
    }

    /// Prints a list.
    pub fn columns(self, columns: &'static [&'static str]) -> Self {
        self.prints(Outcome::List(columns))
    }

    /// Prints what was done.
    pub fn done(self, what: &'static str, message: &'static str) -> Self {
        self.prints(Outcome::Done(what, message))
    }

    /// Adds a flag with a text, for the member with its name.
    pub fn text(mut self, name: &'static str, help: &'static str) -> Self {
        let (arg, member) = (Arg::new(name).long(name).help(help.trim_start()), name.replace('-', "_"));
        let arg = arg.value_name(member.to_uppercase()).value_parser(StringValueParser::new().map(Value::from));
        self.flags.push(Flag { arg, member, constant: None, read: Ok });
        self
    }

    /// Adds a flag that can be repeated.
    pub fn list(self, name: &'static str, help: &'static str) -> Self {
        self.text(name, help).arg(|arg| arg.action(ArgAction::Append))
    }

    /// Adds an argument without a name that can be repeated.
    pub fn each(self, name: &'static str, help: &'static str) -> Self {
        self.list(name, help).positional().arg(|arg| arg.num_args(1..))
    }

    /// Adds a flag with a number of seconds.
    pub fn seconds(self, name: &'static str, help: &'static str) -> Self {
        self.text(name, help).value("SECONDS").within(..)
    }

    /// Adds a flag with a time.
    pub fn time(self, name: &'static str, help: &'static str) -> Self {
        fn parse(text: &str) -> ParseResult<Value> {
            Ok(Timestamp::from(text.parse::<DateTime<Utc>>()?).to_string().into())
        }
        self.text(name, help).parsed(parse)
    }

    /// Adds a flag without a value, which sets its member to true.
    pub fn switch(self, name: &'static str, help: &'static str) -> Self {
        let switch = Arg::new(name).long(name).help(help.trim_start()).action(ArgAction::SetTrue);
        self.text(name, help).last(|flag| Flag { arg: switch, constant: Some(true.into()), ..flag })
    }

    /// Makes the flag an argument without a name.
    pub fn positional(self) -> Self {
        self.arg(|arg| arg.long(Resettable::Reset).required(true))
    }

    /// Names the value in the help.
    pub fn value(self, name: &'static str) -> Self {
        self.arg(|arg| arg.value_name(name))
    }

    /// Sets the value of an absent flag.
    pub fn or(self, value: &'static str) -> Self {
        self.arg(|arg| arg.default_value(value))
    }

    /// Restricts the values.
    pub fn one_of<const N: usize>(self, values: [&'static str; N]) -> Self {
        self.parsed(PossibleValuesParser::new(values).map(Value::from))
    }

    /// Restricts the value, a whole number.
    pub fn within(self, range: impl RangeBounds<i64>) -> Self {
        self.parsed(RangedI64ValueParser::<u32>::new().range(range).map(Value::from))
    }

    /// Parses the value.
    pub fn parsed(self, parser: impl Into<ValueParser>) -> Self {
        self.arg(|arg| arg.value_parser(parser.into()))
    }

    /// Changes the argument.
    pub fn arg(self, change: impl FnOnce(Arg) -> Arg) -> Self {
        self.last(|flag| Flag { arg: change(flag.arg), ..flag })
    }

    /// Sets another member.
    pub fn of(self, member: &'static str) -> Self {
        self.last(|flag| Flag { member: member.to_owned(), ..flag })
    }

    /// Sets another member, to a value.
    pub fn sets(self, member: &'static str, value: impl Into<Value>) -> Self {
        self.of(member).last(|flag| Flag { constant: Some(value.into()), ..flag })
    }

    /// Reads the value when the command runs.
    pub fn read(self, read: fn(Value) -> anyhow::Result<Value>) -> Self {
        self.last(|flag| Flag { read, ..flag })
    }

    fn last(mut self, change: impl FnOnce(Flag) -> Flag) -> Self {
        let flag = self.flags.pop().map(change);
        self.flags.extend(flag);
        self
    }
}
