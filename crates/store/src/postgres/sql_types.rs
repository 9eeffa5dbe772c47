//! Column values in the binary format of PostgreSQL.

use std::io::Write as _;

use chrono::{DateTime, Datelike as _, NaiveDate};
use diesel::deserialize::{self, FromSql};
use diesel::pg::{Pg, PgValue};
use diesel::serialize::{self, IsNull, Output, ToSql};
use uuid::Uuid;

use crate::sql_types::{At, CalendarDay, Id, Instant, Json, JsonDoc, JsonText, OnDay, Uid};

/// Epoch of PostgreSQL timestamps, 2000-01-01, in microseconds since the Unix epoch.
const POSTGRES_EPOCH: i64 = 946_684_800_000_000;
/// Epoch of PostgreSQL dates, 2000-01-01, in days since the start of the Common Era.
const POSTGRES_EPOCH_DAY: i32 = 730_120;
const NO_TIMESTAMP: &str = "The timestamp is out of range.";
const NO_DATE: &str = "The date is out of range.";

/// Implements both conversions of values: how the value is stored as bytes, and how it is loaded from them.
macro_rules! binary_values {
    ($($value:ident as $sql:ident: |$stored:ident| $store:expr, |$bytes:ident| $load:expr;)+) => {$(
        impl ToSql<$sql, Pg> for $value {
            fn to_sql<'b>(&'b self, out: &mut Output<'b, '_, Pg>) -> serialize::Result {
                let $stored = &self.0;
                out.write_all($store)?;
                Ok(IsNull::No)
            }
        }

        impl FromSql<$sql, Pg> for $value {
            fn from_sql(value: PgValue<'_>) -> deserialize::Result<Self> {
                let $bytes = value.as_bytes();
                Ok(Self($load))
            }
        }
    )+};
}

binary_values! {
    Id as Uid: |id| id.as_bytes(), |bytes| Uuid::from_slice(bytes)?;
    At as Instant: |at| &at.timestamp_micros().checked_sub(POSTGRES_EPOCH).ok_or(NO_TIMESTAMP)?.to_be_bytes(),
        |bytes| {
            let micros = i64::from_be_bytes(bytes.try_into()?).checked_add(POSTGRES_EPOCH);
            micros.and_then(DateTime::from_timestamp_micros).ok_or(NO_TIMESTAMP)?
        };
    OnDay as CalendarDay: |day| &day.num_days_from_ce().checked_sub(POSTGRES_EPOCH_DAY).ok_or(NO_DATE)?.to_be_bytes(),
        |bytes| {
            let days = i32::from_be_bytes(bytes.try_into()?).checked_add(POSTGRES_EPOCH_DAY);
            days.and_then(NaiveDate::from_num_days_from_ce_opt).ok_or(NO_DATE)?
        };
    Json as JsonText: |json| json.as_bytes(), |bytes| std::str::from_utf8(bytes)?.to_owned();
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
