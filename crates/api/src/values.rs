//! Values that serialize themselves: IDs, timestamps and secrets.

use std::fmt;
use std::ops::Deref;
use std::str::FromStr;

use chrono::{DateTime, Datelike as _, SecondsFormat, Timelike as _, Utc};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use uuid::Uuid;
use zeroize::Zeroizing;

use crate::openapi::value;

/// Precedes the names of the schemas of values. The OpenAPI document has them where they are used, not as components.
pub const VALUE_PREFIX: &str = "value.";

/// Precedes the names of the schemas of parts that several types have in common. The OpenAPI document has their members in
/// each of these types, not as components.
pub const PART_PREFIX: &str = "part.";

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident $example:literal)+) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(Uuid);

        impl $name {
            /// Returns the UUID.
            pub const fn uuid(self) -> Uuid {
                self.0
            }
        }

        impl From<Uuid> for $name {
            fn from(id: Uuid) -> Self {
                Self(id)
            }
        }

        impl FromStr for $name {
            type Err = uuid::Error;

            fn from_str(text: &str) -> Result<Self, uuid::Error> {
                text.parse().map(Self)
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.as_hyphenated().fmt(f)
            }
        }

        value!($name, .examples([serde_json::json!($example)]));
    )+};
}

ids! {
    /// ID of an account.
    AccountId "018f2a3c-91b7-7e02-8d54-6a0f3be27c19"
    /// ID of a team.
    TeamId "018f2a3b-5c90-7a41-8f27-1e0d4b6a9c53"
    /// ID of an invite.
    InviteId "018f2a40-6e21-7f5c-8b3d-9c0a2e7d4f16"
    /// ID of a project.
    ProjectId "018f2a3c-7d1e-7cc4-9b3a-2f6d1c0e8a55"
    /// ID of an API key. It does not change when the value is regenerated.
    KeyId "018f2a3d-0b6f-7d93-a1c8-5e7f2d4b8061"
    /// ID of a webhook.
    WebhookId "018f2a42-8b09-7d6e-a7f3-0c4e5d1b9a62"
    /// ID of one attempt to deliver an event to a webhook.
    DeliveryId "018f2a43-1f5c-7b8d-92e4-6d7a0c3f5b18"
    /// ID of an OAuth client that a project registered.
    ClientId "018f2a44-9b13-7d42-8c5e-1f6a0d3b7e29"
    /// ID of an identity provider.
    IdentityProviderId "018f2a44-5d20-7c61-8e9f-3b7d1a6c4f05"
    /// ID of a personal access token.
    PersonalTokenId "018f2a3c-7d1e-7cc4-9b3a-2f6d1c0e8a55"
    /// ID of a published version of a schema.
    SchemaVersionId "018f2a3e-3f80-7c2b-b5d9-7a1e6c4f9d02"
    /// ID of an account as a user of one project.
    UserId "018f2a3f-4d16-7b09-9e82-0c5a7f3d1b64"
    /// ID of a sign-in.
    SessionId "018f2a3c-7d1e-7cc4-9b3a-2f6d1c0e8a55"
    /// ID of a rejected change of a device.
    SyncRejectionId "018f2a3c-7d1e-7cc4-9b3a-2f6d1c0e8a55"
    /// ID of an account, an API key, a client or a personal access token, depending on the kind beside it.
    AnyId "018f2a3c-7d1e-7cc4-9b3a-2f6d1c0e8a55"
}

/// A point in time: RFC 3339 in UTC, with microseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Deserialize)]
#[serde(transparent)]
pub struct Timestamp(DateTime<Utc>);

impl Timestamp {
    /// Returns the point in time.
    pub const fn time(self) -> DateTime<Utc> {
        self.0
    }
}

impl From<DateTime<Utc>> for Timestamp {
    fn from(time: DateTime<Utc>) -> Self {
        Self(time)
    }
}

impl Deref for Timestamp {
    type Target = DateTime<Utc>;

    fn deref(&self) -> &DateTime<Utc> {
        &self.0
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let time = self.0.naive_utc();
        let Ok(year @ 0..=9999) = u32::try_from(time.year()) else {
            return f.write_str(&self.0.to_rfc3339_opts(SecondsFormat::Micros, true));
        };
        // Lists contain thousands, and `to_rfc3339_opts` is several times slower.
        let mut text = *b"0000-00-00T00:00:00.000000Z";
        let micros = time.and_utc().timestamp_subsec_micros();
        let pairs = [
            (0..2, year / 100),
            (2..4, year),
            (5..7, time.month()),
            (8..10, time.day()),
            (11..13, time.hour()),
            (14..16, time.minute()),
            (17..19, time.second()),
            (20..22, micros / 10_000),
            (22..24, micros / 100),
            (24..26, micros),
        ];
        for (place, number) in pairs {
            if let Some([ten, one]) = text.get_mut(place) {
                *ten |= u8::try_from(number / 10 % 10).unwrap_or_default();
                *one |= u8::try_from(number % 10).unwrap_or_default();
            }
        }
        f.write_str(str::from_utf8(&text).map_err(|_| fmt::Error)?)
    }
}

impl Serialize for Timestamp {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

value!(Timestamp, .format(Some(SchemaFormat::KnownFormat(KnownFormat::DateTime))));

/// A secret that is shown once, such as the value of a new API key. It is wiped from memory, and `Debug` does not show it.
#[derive(Clone, Default)]
pub struct Secret(Zeroizing<String>);

impl Secret {
    /// Returns the secret.
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl From<String> for Secret {
    fn from(text: String) -> Self {
        Self(Zeroizing::new(text))
    }
}

impl From<&str> for Secret {
    fn from(text: &str) -> Self {
        Self(Zeroizing::new(text.to_owned()))
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret")
    }
}

impl Serialize for Secret {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0)
    }
}

impl<'de> Deserialize<'de> for Secret {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer).map(Self::from)
    }
}

/// Distinguishes null from an absent field.
pub(crate) fn nullable<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Option<Option<String>>, D::Error> {
    Option::deserialize(deserializer).map(Some)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn timestamps_have_the_format_of_rfc_3339_with_microseconds() {
        let times = [
            i64::MIN / 1_000_000,
            -62_135_596_800_000_000,
            -1,
            0,
            951_782_399_999_999,
            1_767_225_600_000_001,
            253_402_300_799_999_999,
            253_402_300_800_000_000,
        ];
        for micros in times {
            let time = DateTime::from_timestamp_micros(micros).unwrap();
            let expected = time.to_rfc3339_opts(SecondsFormat::Micros, true);
            assert_eq!(Timestamp::from(time).to_string(), expected);
        }
    }
}
