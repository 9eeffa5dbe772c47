//! Column types shared by both databases: a native type in PostgreSQL, text in SQLite.

use std::io::Write as _;

use chrono::{DateTime, Datelike as _, NaiveDate, SecondsFormat, Utc};
use diesel::backend::Backend;
use diesel::deserialize::{self, FromSql, FromSqlRow};
use diesel::expression::AsExpression;
use diesel::pg::{Pg, PgValue};
use diesel::query_builder::QueryId;
use diesel::serialize::{self, IsNull, Output, ToSql};
use diesel::sql_types::{SqlType, Text};
use diesel::sqlite::Sqlite;
use steward_domain::model::{Day, Time};
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

/// Epoch of PostgreSQL timestamps, 2000-01-01, in microseconds since the Unix epoch.
const POSTGRES_EPOCH: i64 = 946_684_800_000_000;
/// Epoch of PostgreSQL dates, 2000-01-01, in days since the start of the Common Era.
const POSTGRES_EPOCH_DAY: i32 = 730_120;

impl ToSql<Uid, Pg> for Id {
    fn to_sql<'b>(&'b self, out: &mut Output<'b, '_, Pg>) -> serialize::Result {
        out.write_all(self.0.as_bytes())?;
        Ok(IsNull::No)
    }
}

impl FromSql<Uid, Pg> for Id {
    fn from_sql(value: PgValue<'_>) -> deserialize::Result<Self> {
        Ok(Self(Uuid::from_slice(value.as_bytes())?))
    }
}

impl ToSql<Uid, Sqlite> for Id {
    fn to_sql<'b>(&'b self, out: &mut Output<'b, '_, Sqlite>) -> serialize::Result {
        out.set_value(self.0.as_hyphenated().to_string());
        Ok(IsNull::No)
    }
}

impl FromSql<Uid, Sqlite> for Id {
    fn from_sql(value: <Sqlite as Backend>::RawValue<'_>) -> deserialize::Result<Self> {
        let text = <String as FromSql<Text, Sqlite>>::from_sql(value)?;
        Ok(Self(Uuid::try_parse(&text)?))
    }
}

impl ToSql<Instant, Pg> for At {
    fn to_sql<'b>(&'b self, out: &mut Output<'b, '_, Pg>) -> serialize::Result {
        let micros = self.0.timestamp_micros().checked_sub(POSTGRES_EPOCH).ok_or("The timestamp is out of range.")?;
        out.write_all(&micros.to_be_bytes())?;
        Ok(IsNull::No)
    }
}

impl FromSql<Instant, Pg> for At {
    fn from_sql(value: PgValue<'_>) -> deserialize::Result<Self> {
        let micros = i64::from_be_bytes(value.as_bytes().try_into()?);
        let micros = micros.checked_add(POSTGRES_EPOCH).ok_or("The timestamp is out of range.")?;
        Ok(Self(DateTime::from_timestamp_micros(micros).ok_or("The timestamp is out of range.")?))
    }
}

impl ToSql<Instant, Sqlite> for At {
    fn to_sql<'b>(&'b self, out: &mut Output<'b, '_, Sqlite>) -> serialize::Result {
        out.set_value(self.0.to_rfc3339_opts(SecondsFormat::Micros, true));
        Ok(IsNull::No)
    }
}

impl FromSql<Instant, Sqlite> for At {
    fn from_sql(value: <Sqlite as Backend>::RawValue<'_>) -> deserialize::Result<Self> {
        let text = <String as FromSql<Text, Sqlite>>::from_sql(value)?;
        Ok(Self(DateTime::parse_from_rfc3339(&text)?.with_timezone(&Utc)))
    }
}

impl ToSql<CalendarDay, Pg> for OnDay {
    fn to_sql<'b>(&'b self, out: &mut Output<'b, '_, Pg>) -> serialize::Result {
        let days = self.0.num_days_from_ce().checked_sub(POSTGRES_EPOCH_DAY).ok_or("The date is out of range.")?;
        out.write_all(&days.to_be_bytes())?;
        Ok(IsNull::No)
    }
}

impl FromSql<CalendarDay, Pg> for OnDay {
    fn from_sql(value: PgValue<'_>) -> deserialize::Result<Self> {
        let days = i32::from_be_bytes(value.as_bytes().try_into()?).checked_add(POSTGRES_EPOCH_DAY);
        Ok(Self(days.and_then(NaiveDate::from_num_days_from_ce_opt).ok_or("The date is out of range.")?))
    }
}

impl ToSql<CalendarDay, Sqlite> for OnDay {
    fn to_sql<'b>(&'b self, out: &mut Output<'b, '_, Sqlite>) -> serialize::Result {
        out.set_value(self.0.format("%Y-%m-%d").to_string());
        Ok(IsNull::No)
    }
}

impl FromSql<CalendarDay, Sqlite> for OnDay {
    fn from_sql(value: <Sqlite as Backend>::RawValue<'_>) -> deserialize::Result<Self> {
        let text = <String as FromSql<Text, Sqlite>>::from_sql(value)?;
        Ok(Self(NaiveDate::parse_from_str(&text, "%Y-%m-%d")?))
    }
}

impl ToSql<JsonText, Pg> for Json {
    fn to_sql<'b>(&'b self, out: &mut Output<'b, '_, Pg>) -> serialize::Result {
        out.write_all(self.0.as_bytes())?;
        Ok(IsNull::No)
    }
}

impl FromSql<JsonText, Pg> for Json {
    fn from_sql(value: PgValue<'_>) -> deserialize::Result<Self> {
        Ok(Self(std::str::from_utf8(value.as_bytes())?.to_owned()))
    }
}

/// The version byte that precedes every `jsonb` value in the binary format.
const JSONB_VERSION: u8 = 1;

impl ToSql<JsonDoc, Pg> for Json {
    fn to_sql<'b>(&'b self, out: &mut Output<'b, '_, Pg>) -> serialize::Result {
        out.write_all(&[JSONB_VERSION])?;
        out.write_all(self.0.as_bytes())?;
        Ok(IsNull::No)
    }
}

impl FromSql<JsonDoc, Pg> for Json {
    fn from_sql(value: PgValue<'_>) -> deserialize::Result<Self> {
        match value.as_bytes().split_first() {
            Some((&JSONB_VERSION, text)) => Ok(Self(std::str::from_utf8(text)?.to_owned())),
            _ => Err("The version of the jsonb value is not supported.".into()),
        }
    }
}

impl ToSql<JsonText, Sqlite> for Json {
    fn to_sql<'b>(&'b self, out: &mut Output<'b, '_, Sqlite>) -> serialize::Result {
        out.set_value(self.0.as_str());
        Ok(IsNull::No)
    }
}

impl FromSql<JsonText, Sqlite> for Json {
    fn from_sql(value: <Sqlite as Backend>::RawValue<'_>) -> deserialize::Result<Self> {
        <String as FromSql<Text, Sqlite>>::from_sql(value).map(Self)
    }
}

impl ToSql<JsonDoc, Sqlite> for Json {
    fn to_sql<'b>(&'b self, out: &mut Output<'b, '_, Sqlite>) -> serialize::Result {
        out.set_value(self.0.as_str());
        Ok(IsNull::No)
    }
}

impl FromSql<JsonDoc, Sqlite> for Json {
    fn from_sql(value: <Sqlite as Backend>::RawValue<'_>) -> deserialize::Result<Self> {
        <String as FromSql<Text, Sqlite>>::from_sql(value).map(Self)
    }
}
