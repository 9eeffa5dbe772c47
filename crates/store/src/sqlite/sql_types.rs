//! Column values as text in SQLite.

use chrono::{DateTime, NaiveDate, SecondsFormat, Utc};
use diesel::backend::Backend;
use diesel::deserialize::{self, FromSql};
use diesel::serialize::{self, IsNull, Output, ToSql};
use diesel::sqlite::Sqlite;
use uuid::Uuid;

use crate::sql_types::{At, CalendarDay, Id, Instant, Json, JsonDoc, JsonText, OnDay, Uid};

/// Implements both conversions of values: how the value is stored, and how it is loaded from a text.
macro_rules! text_values {
    ($($value:ident as $sql:ident: |$stored:ident| $store:expr, |$text:ident| $load:expr;)+) => {$(
        impl ToSql<$sql, Sqlite> for $value {
            fn to_sql<'b>(&'b self, out: &mut Output<'b, '_, Sqlite>) -> serialize::Result {
                let $stored = &self.0;
                out.set_value($store);
                Ok(IsNull::No)
            }
        }

        impl FromSql<$sql, Sqlite> for $value {
            fn from_sql(mut value: <Sqlite as Backend>::RawValue<'_>) -> deserialize::Result<Self> {
                let $text = value.read_text();
                Ok(Self($load))
            }
        }
    )+};
}

text_values! {
    Id as Uid: |id| id.as_hyphenated().encode_lower(&mut Uuid::encode_buffer()).to_owned(),
        |text| Uuid::try_parse(text)?;
    At as Instant: |at| at.to_rfc3339_opts(SecondsFormat::Micros, true),
        |text| DateTime::parse_from_rfc3339(text)?.with_timezone(&Utc);
    OnDay as CalendarDay: |day| day.format("%Y-%m-%d").to_string(),
        |text| NaiveDate::parse_from_str(text, "%Y-%m-%d")?;
    Json as JsonText: |json| json.as_str(), |text| text.to_owned();
    Json as JsonDoc: |json| json.as_str(), |text| text.to_owned();
}
