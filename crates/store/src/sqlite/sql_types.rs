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
        |text| stored_time(text).map_or_else(|| DateTime::parse_from_rfc3339(text).map(|time| time.to_utc()), Ok)?;
    OnDay as CalendarDay: |day| day.format("%Y-%m-%d").to_string(),
        |text| NaiveDate::parse_from_str(text, "%Y-%m-%d")?;
    Json as JsonText: |json| json.as_str(), |text| text.to_owned();
    Json as JsonDoc: |json| json.as_str(), |text| text.to_owned();
}

/// Parses a time in the form in which it is stored. Lists contain thousands, and a parser of other forms takes several
/// times as long.
fn stored_time(text: &str) -> Option<DateTime<Utc>> {
    let digit = |number: u32, digit: u8| Some(number.wrapping_mul(10).wrapping_add(char::from(digit).to_digit(10)?));
    let number = |from, to| text.get(from..to)?.bytes().try_fold(0, digit);
    let day = NaiveDate::from_ymd_opt(number(0, 4)?.try_into().ok()?, number(5, 7)?, number(8, 10)?)?;
    let time = day.and_hms_micro_opt(number(11, 13)?, number(14, 16)?, number(17, 19)?, number(20, 26)?)?;
    (text.get(26..) == Some("Z")).then(|| time.and_utc())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stored_time_is_parsed_like_any_other() {
        for text in ["2026-11-30T09:08:07.060504Z", "0000-02-29T23:59:59.999999Z", "9999-12-31T00:00:00.000000Z"] {
            assert_eq!(stored_time(text), Some(DateTime::parse_from_rfc3339(text).unwrap().to_utc()));
        }
        for other in
            ["2026-11-30T09:08:07Z", "2026-11-30T09:08:07.060504+01:00", "2026-02-30T09:08:07.060504Z", "é", ""]
        {
            assert_eq!(stored_time(other), None, "{other}");
        }
    }
}
