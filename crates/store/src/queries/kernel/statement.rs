//! A statement whose text depends on the request. The text consists of constant pieces only; all input of a caller,
//! including names of fields, is passed as parameters.

use std::marker::PhantomData;

use diesel::prelude::*;
use diesel::query_builder::{AstPass, QueryFragment};
use diesel::sql_types::{BigInt, Bool, Nullable, Text};
use steward_domain::kernel::{ProjectId, ProjectUserId, Time};
use uuid::Uuid;

use super::Conn;
use crate::dialect::text_query;
use crate::sql_types::{At, CalendarDay, Id, Instant, Json, JsonDoc, OnDay, Uid};

type Backend = <Conn as diesel::Connection>::Backend;

/// Part of a statement: a piece of text or a value.
#[derive(Clone)]
pub(crate) enum Fragment {
    Sql(&'static str),
    Text(String),
    OptionalText(Option<String>),
    Id(Id),
    OptionalId(Option<Id>),
    At(At),
    Day(OnDay),
    Bool(bool),
    Json(Json),
    Count(i64),
}

impl Fragment {
    pub(crate) fn id(id: impl Into<Uuid>) -> Self {
        Self::Id(Id(id.into()))
    }

    pub(crate) fn text(text: impl Into<String>) -> Self {
        Self::Text(text.into())
    }

    pub(crate) fn at(at: Time) -> Self {
        Self::At(At(at))
    }
}

/// A statement that returns rows of these SQL types.
pub(crate) struct Statement<T> {
    pieces: Vec<Fragment>,
    is_rare: bool,
    columns: PhantomData<T>,
}

impl<T> Statement<T> {
    pub(crate) fn new() -> Self {
        Self { pieces: Vec::with_capacity(32), is_rare: false, columns: PhantomData }
    }

    /// Creates a statement whose text refers to these values as `$1` and so on. It is prepared once per connection,
    /// while `diesel::sql_query` prepares it each time.
    pub(crate) fn numbered(text: &'static str, values: &[Fragment]) -> Self {
        let mut statement = Self::new();
        statement.push(text, values);
        statement
    }

    /// Appends text that refers to these values as `$1` and so on.
    pub(crate) fn push(&mut self, text: &'static str, values: &[Fragment]) {
        let mut rest = text;
        while let Some((before, after)) = split_at_number(rest, values) {
            self.pieces.push(Fragment::Sql(before));
            self.pieces.push(after.0.clone());
            rest = after.1;
        }
        self.pieces.push(Fragment::Sql(rest));
    }

    /// Excludes the statement from the cache of prepared statements. Few statements have the same text, so caching them
    /// is of no use, and the cache would grow without limit.
    pub(crate) fn is_rare(&mut self) {
        self.is_rare = true;
    }

    pub(crate) fn sql(&mut self, text: &'static str) {
        self.pieces.push(Fragment::Sql(text));
    }

    pub(crate) fn text(&mut self, text: impl Into<String>) {
        self.pieces.push(Fragment::Text(text.into()));
    }

    pub(crate) fn at(&mut self, at: At) {
        self.pieces.push(Fragment::At(at));
    }

    pub(crate) fn bool(&mut self, value: bool) {
        self.pieces.push(Fragment::Bool(value));
    }

    pub(crate) fn count(&mut self, count: i64) {
        self.pieces.push(Fragment::Count(count));
    }

    /// Appends the rest of the condition that a row is in a table of a user, after `project_id = `.
    pub(crate) fn rest_of_table(&mut self, project: ProjectId, user: ProjectUserId, table: &str) {
        let values = [Fragment::id(project), Fragment::id(user), Fragment::text(table)];
        self.push("$1 AND user_id = $2 AND table_name = $3", &values);
    }
}

/// Returns the text before the first `$n`, the value of `$n`, and the text after it.
fn split_at_number<'a>(
    text: &'static str,
    values: &'a [Fragment],
) -> Option<(&'static str, (&'a Fragment, &'static str))> {
    text.match_indices('$').find_map(|(start, _)| {
        let (before, after) = (text.get(..start)?, text.get(start.checked_add(1)?..)?);
        let digits = after.find(|character: char| !character.is_ascii_digit()).unwrap_or(after.len());
        let (number, rest) = after.split_at_checked(digits)?;
        let value = values.get(number.parse::<usize>().ok()?.checked_sub(1)?)?;
        Some((before, (value, rest)))
    })
}

text_query!([T] Statement<T> => T);

impl<T> QueryFragment<Backend> for Statement<T> {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Backend>) -> QueryResult<()> {
        if self.is_rare {
            out.unsafe_to_cache_prepared();
        }
        self.pieces.iter().try_for_each(|piece| piece.walk_ast(out.reborrow()))
    }
}

impl QueryFragment<Backend> for Fragment {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Backend>) -> QueryResult<()> {
        match self {
            Self::Sql(text) => out.push_sql(text),
            Self::Text(text) => out.push_bind_param::<Text, _>(text)?,
            Self::OptionalText(text) => out.push_bind_param::<Nullable<Text>, _>(text)?,
            Self::Id(id) => out.push_bind_param::<Uid, _>(id)?,
            Self::OptionalId(id) => out.push_bind_param::<Nullable<Uid>, _>(id)?,
            Self::At(at) => out.push_bind_param::<Instant, _>(at)?,
            Self::Day(day) => out.push_bind_param::<CalendarDay, _>(day)?,
            Self::Bool(value) => out.push_bind_param::<Bool, _>(value)?,
            Self::Json(json) => out.push_bind_param::<JsonDoc, _>(json)?,
            Self::Count(count) => out.push_bind_param::<BigInt, _>(count)?,
        }
        Ok(())
    }
}
