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
