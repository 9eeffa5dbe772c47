//! Column types shared by both databases: a native type in PostgreSQL, text in SQLite.

use diesel::deserialize::FromSqlRow;
use diesel::expression::AsExpression;
use diesel::query_builder::QueryId;
use diesel::sql_types::SqlType;
use steward_domain::administration::Day;
use steward_domain::kernel::Time;
use uuid::Uuid;

/// `uuid`; in SQLite lowercase hyphenated text.
#[derive(Debug, Clone, Copy, SqlType, QueryId)]
#[diesel(postgres_type(oid = 2950, array_oid = 2951))]
#[diesel(sqlite_type(name = "Text"))]
pub struct Uid;

/// `timestamptz`; in SQLite fixed-width UTC text, so that text order equals time order.
#[derive(Debug, Clone, Copy, SqlType, QueryId)]
#[diesel(postgres_type(oid = 1184, array_oid = 1185))]
#[diesel(sqlite_type(name = "Text"))]
pub struct Instant;

/// `date`; in SQLite text in the format `2026-01-31`.
#[derive(Debug, Clone, Copy, SqlType, QueryId)]
#[diesel(postgres_type(oid = 1082, array_oid = 1182))]
#[diesel(sqlite_type(name = "Text"))]
pub struct CalendarDay;

/// `json`, which preserves the input text; in SQLite text.
#[derive(Debug, Clone, Copy, SqlType, QueryId)]
#[diesel(postgres_type(oid = 114, array_oid = 199))]
#[diesel(sqlite_type(name = "Text"))]
pub struct JsonText;

/// `jsonb`, which can be queried; in SQLite text.
#[derive(Debug, Clone, Copy, SqlType, QueryId)]
#[diesel(postgres_type(oid = 3802, array_oid = 3807))]
#[diesel(sqlite_type(name = "Text"))]
pub struct JsonDoc;

/// A UUID value of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq, AsExpression, FromSqlRow)]
#[diesel(sql_type = Uid)]
pub struct Id(pub Uuid);

/// A timestamp value of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq, AsExpression, FromSqlRow)]
#[diesel(sql_type = Instant)]
pub struct At(pub Time);

/// A date value of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq, AsExpression, FromSqlRow)]
#[diesel(sql_type = CalendarDay)]
pub struct OnDay(pub Day);

/// A JSON value of a column, as text.
#[derive(Debug, Clone, PartialEq, Eq, AsExpression, FromSqlRow)]
#[diesel(sql_type = JsonText)]
#[diesel(sql_type = JsonDoc)]
pub struct Json(pub String);
