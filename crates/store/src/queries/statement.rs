//! A statement whose shape depends on what is asked. Its text is made of pieces of ours alone; everything a caller had a say
//! in, names of fields too, is a parameter.

use std::marker::PhantomData;

use diesel::prelude::*;
use diesel::query_builder::{AstPass, Query, QueryFragment, QueryId};
use diesel::sql_types::{BigInt, Bool, Text};

use super::Conn;
use crate::sql_types::{At, Id, Instant, Json, JsonDoc, Uid};

type Backend = <Conn as diesel::Connection>::Backend;

enum Piece {
    Sql(&'static str),
    Text(String),
    Id(Id),
    At(At),
    Bool(bool),
    Json(Json),
    Count(i64),
}

/// A statement that answers rows of these SQL types.
pub(super) struct Statement<T> {
    pieces: Vec<Piece>,
    is_rare: bool,
    answers: PhantomData<T>,
}

impl<T> Statement<T> {
    pub(super) fn new() -> Self {
        Self { pieces: Vec::new(), is_rare: false, answers: PhantomData }
    }

    /// Few statements have the same text: preparing it ahead is worth nothing, and keeping it would never end.
    pub(super) fn is_rare(&mut self) {
        self.is_rare = true;
    }

    pub(super) fn sql(&mut self, text: &'static str) {
        self.pieces.push(Piece::Sql(text));
    }

    pub(super) fn text(&mut self, text: impl Into<String>) {
        self.pieces.push(Piece::Text(text.into()));
    }

    pub(super) fn id(&mut self, id: uuid::Uuid) {
        self.pieces.push(Piece::Id(Id(id)));
    }

    pub(super) fn at(&mut self, at: At) {
        self.pieces.push(Piece::At(at));
    }

    pub(super) fn bool(&mut self, truth: bool) {
        self.pieces.push(Piece::Bool(truth));
    }

    pub(super) fn json(&mut self, json: Json) {
        self.pieces.push(Piece::Json(json));
    }

    pub(super) fn count(&mut self, count: i64) {
        self.pieces.push(Piece::Count(count));
    }
}

impl<T> Query for Statement<T> {
    type SqlType = T;
}

impl<T> RunQueryDsl<Conn> for Statement<T> {}

impl<T> QueryId for Statement<T> {
    type QueryId = ();
    const HAS_STATIC_QUERY_ID: bool = false;
}

impl<T> QueryFragment<Backend> for Statement<T> {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Backend>) -> QueryResult<()> {
        if self.is_rare {
            out.unsafe_to_cache_prepared();
        }
        for piece in &self.pieces {
            match piece {
                Piece::Sql(text) => out.push_sql(text),
                Piece::Text(text) => out.push_bind_param::<Text, _>(text)?,
                Piece::Id(id) => out.push_bind_param::<Uid, _>(id)?,
                Piece::At(at) => out.push_bind_param::<Instant, _>(at)?,
                Piece::Bool(truth) => out.push_bind_param::<Bool, _>(truth)?,
                Piece::Json(json) => out.push_bind_param::<JsonDoc, _>(json)?,
                Piece::Count(count) => out.push_bind_param::<BigInt, _>(count)?,
            }
        }
        Ok(())
    }
}
