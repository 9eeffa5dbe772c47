//! A list of items as one statement. Its text is made of pieces of ours alone; everything a caller had a say in, names of
//! fields too, is a parameter.

use diesel::prelude::*;
use diesel::query_builder::{AstPass, Query, QueryFragment, QueryId};
use diesel::sql_types::{BigInt, Bool, Text};
use steward_domain::model::item_query::{Comparison, Condition, Operand, Pattern, Property, SortKey, Start, Test};
use steward_domain::model::schema::FieldType;
use steward_domain::model::{ItemQuery, ProjectId, ProjectUserId};

use super::{Conn, FIELDS, field_path, matching};
use crate::sql_types::{At, Id, Instant, JsonDoc, Uid};

type Backend = <Conn as diesel::Connection>::Backend;

/// How a database reads a field out of an item: SQL between which the name of the field stands. Each is null for a value of
/// another type.
pub(super) struct FieldSql {
    pub text: &'static [&'static str],
    pub number: &'static [&'static str],
    pub boolean: &'static [&'static str],
    pub json: &'static [&'static str],
    /// The type that the text of a number is cast to.
    pub number_type: &'static str,
}

/// How a database compares a text with a pattern: SQL around the text and the pattern.
pub(super) struct Matching {
    pub before: &'static str,
    pub between: &'static str,
    pub pattern: String,
    pub after: &'static str,
}

/// A pattern of SQL's LIKE that escapes with a backslash.
pub(super) fn like(pattern: &Pattern) -> String {
    let escaped = |piece: &String| piece.replace('\\', "\\\\").replace('%', "\\%").replace('_', "\\_");
    pattern.pieces.iter().map(escaped).collect::<Vec<_>>().join("%")
}

enum Piece {
    Sql(&'static str),
    Text(String),
    Id(Id),
    At(At),
    Bool(bool),
    Count(i64),
}

/// The statement.
pub(super) struct ItemList {
    pieces: Vec<Piece>,
    /// Whether few statements have the same text, so that preparing it ahead is worth nothing.
    is_rare: bool,
}

impl ItemList {
    pub(super) fn new(project: ProjectId, user: ProjectUserId, table: &str, query: &ItemQuery) -> Self {
        let mut list = Self { pieces: Vec::new(), is_rare: false };
        list.sql(
            "SELECT project_id, user_id, table_name, id, value, created_at, updated_at, revision FROM items \
             WHERE project_id = ",
        );
        list.pieces.push(Piece::Id(Id(project.uuid())));
        list.sql(" AND user_id = ");
        list.pieces.push(Piece::Id(Id(user.uuid())));
        list.sql(" AND table_name = ");
        list.pieces.push(Piece::Text(table.to_owned()));
        for condition in query.conditions() {
            list.is_rare = true;
            list.sql(if condition.negated { " AND NOT (" } else { " AND (" });
            list.condition(condition);
            list.sql(")");
        }
        if let Start::After(place) = query.start() {
            let place: Vec<_> = query.order().iter().zip(place.iter().map(Option::as_ref)).collect();
            list.after(&place);
        }
        list.order(query.order());
        list.sql(" LIMIT ");
        list.pieces.push(Piece::Count(query.rows()));
        list.sql(" OFFSET ");
        list.pieces.push(Piece::Count(query.offset().into()));
        list
    }

    fn sql(&mut self, text: &'static str) {
        self.pieces.push(Piece::Sql(text));
    }

    fn condition(&mut self, condition: &Condition) {
        let property = &condition.property;
        match &condition.test {
            Test::Compares(comparison, operand) => {
                self.property(property);
                self.sql(symbol(*comparison));
                self.operand(operand);
            }
            Test::In(operands) => {
                self.property(property);
                self.sql(" IN (");
                for (place, operand) in operands.iter().enumerate() {
                    self.sql(if place == 0 { "" } else { ", " });
                    self.operand(operand);
                }
                self.sql(")");
            }
            Test::Like(pattern) => {
                let Matching { before, between, pattern, after } = matching(pattern);
                self.sql(before);
                self.property(property);
                self.sql(between);
                self.pieces.push(Piece::Text(pattern));
                self.sql(after);
            }
            Test::IsNull => {
                self.property(property);
                self.sql(" IS NULL");
            }
            Test::Is(truth) => {
                self.property(property);
                self.sql(if *truth { " IS TRUE" } else { " IS FALSE" });
            }
        }
    }

    fn property(&mut self, property: &Property) {
        match property {
            Property::Id => self.sql("id"),
            Property::CreatedAt => self.sql("created_at"),
            Property::UpdatedAt => self.sql("updated_at"),
            Property::Field { name, kind } => {
                self.is_rare = true;
                let read = match kind {
                    FieldType::String => FIELDS.text,
                    FieldType::Number => FIELDS.number,
                    FieldType::Boolean => FIELDS.boolean,
                    FieldType::Json => FIELDS.json,
                };
                for (place, sql) in read.iter().enumerate() {
                    if place > 0 {
                        self.pieces.push(Piece::Text(field_path(name)));
                    }
                    self.sql(sql);
                }
            }
        }
    }

    fn operand(&mut self, operand: &Operand) {
        match operand {
            Operand::Text(text) => self.pieces.push(Piece::Text(text.clone())),
            Operand::Boolean(truth) => self.pieces.push(Piece::Bool(*truth)),
            Operand::Moment(at) => self.pieces.push(Piece::At(At(*at))),
            // As text, which the database reads as it reads the numbers inside items: equal ones stay equal.
            Operand::Number(number) => {
                self.sql("CAST(");
                self.pieces.push(Piece::Text(number.to_string()));
                self.sql(FIELDS.number_type);
            }
        }
    }

    /// What is ordered by: texts by their beginning.
    fn sorted(&mut self, property: &Property) {
        let is_text = matches!(property, Property::Field { kind: FieldType::String, .. });
        self.sql(if is_text { "substr(" } else { "" });
        self.property(property);
        if is_text {
            // A literal: the databases differ in which integers they take here.
            const { assert!(SortKey::LONGEST == 200) };
            self.sql(", 1, 200)");
        }
    }

    fn order(&mut self, keys: &[SortKey]) {
        for (place, key) in keys.iter().enumerate() {
            self.sql(if place == 0 { " ORDER BY " } else { ", " });
            self.sorted(&key.property);
            self.sql(match (key.descending, key.property.is_always_there()) {
                (false, true) => " ASC",
                (true, true) => " DESC",
                (false, false) => " ASC NULLS LAST",
                (true, false) => " DESC NULLS LAST",
            });
        }
    }

    /// Only what comes after this place: for some key all before it are equal, and it comes after.
    fn after(&mut self, place: &[(&SortKey, Option<&Operand>)]) {
        if let Some((key, Some(value))) = place.first().filter(|(key, _)| key.property.is_always_there()) {
            // Says nothing new, but tells the database where in an index to begin.
            self.sql(" AND ");
            self.sorted(&key.property);
            self.sql(if key.descending { " <= " } else { " >= " });
            self.operand(value);
        }
        self.sql(" AND (");
        let mut is_first = true;
        for (count, (key, value)) in place.iter().enumerate() {
            // After what is absent nothing comes.
            let Some(value) = value else { continue };
            self.sql(if is_first { "(" } else { " OR (" });
            is_first = false;
            for (earlier, value) in place.iter().take(count) {
                self.sorted(&earlier.property);
                match value {
                    Some(value) => {
                        self.sql(" = ");
                        self.operand(value);
                    }
                    None => self.sql(" IS NULL"),
                }
                self.sql(" AND ");
            }
            self.comes_after(key, value);
            self.sql(")");
        }
        self.sql(")");
    }

    fn comes_after(&mut self, key: &SortKey, value: &Operand) {
        self.sql("(");
        self.sorted(&key.property);
        self.sql(if key.descending { " < " } else { " > " });
        self.operand(value);
        if !key.property.is_always_there() {
            self.sql(" OR ");
            self.sorted(&key.property);
            self.sql(" IS NULL");
        }
        self.sql(")");
    }
}

const fn symbol(comparison: Comparison) -> &'static str {
    match comparison {
        Comparison::Eq => " = ",
        Comparison::Neq => " <> ",
        Comparison::Gt => " > ",
        Comparison::Gte => " >= ",
        Comparison::Lt => " < ",
        Comparison::Lte => " <= ",
    }
}

impl Query for ItemList {
    type SqlType = (Uid, Uid, Text, Text, JsonDoc, Instant, Instant, BigInt);
}

impl RunQueryDsl<Conn> for ItemList {}

impl QueryId for ItemList {
    type QueryId = ();
    const HAS_STATIC_QUERY_ID: bool = false;
}

impl QueryFragment<Backend> for ItemList {
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
                Piece::Count(count) => out.push_bind_param::<BigInt, _>(count)?,
            }
        }
        Ok(())
    }
}
