//! Column values as text in SQLite.

use chrono::{DateTime, NaiveDate, SecondsFormat, Utc};
use diesel::backend::Backend;
use diesel::deserialize::{self, FromSql};
use diesel::serialize::{self, IsNull, Output, ToSql};
use diesel::sql_types::Text;
use diesel::sqlite::Sqlite;
use uuid::Uuid;

use crate::sql_types::{At, CalendarDay, Id, Instant, Json, JsonDoc, JsonText, OnDay, Uid};

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
