//! Grant types: the ways in which a client receives tokens (RFC 7591 §2).

use std::collections::BTreeSet;
use std::fmt;

use crate::kernel::{InvalidValue, named};

named! {
    /// A way in which a client receives tokens (RFC 7591 §2).
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
    pub enum GrantType: "the name used in OAuth" {
        /// A person signs in (RFC 6749 §4.1).
        AuthorizationCode = "authorization_code",
        /// The client renews the tokens of a person (RFC 6749 §6).
        RefreshToken = "refresh_token",
        /// The client acts on its own behalf, with its roles (RFC 6749 §4.4).
        ClientCredentials = "client_credentials",
        /// A person enters the code of a device in a browser elsewhere (RFC 8628).
        DeviceCode = "urn:ietf:params:oauth:grant-type:device_code",
    }
}

impl GrantType {
    /// The types with which people sign in.
    pub const OF_PEOPLE: [Self; 3] = [Self::AuthorizationCode, Self::RefreshToken, Self::DeviceCode];
}

/// The grant types that a client may use.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GrantTypes(BTreeSet<GrantType>);

impl GrantTypes {
    /// Returns the types of a client at which people sign in.
    pub fn for_people() -> Self {
        Self([GrantType::AuthorizationCode, GrantType::RefreshToken].into())
    }

    /// Parses a list of names.
    pub fn parse<'a>(names: impl IntoIterator<Item = &'a str>) -> Result<Self, InvalidValue> {
        let types: Option<BTreeSet<GrantType>> = names.into_iter().map(GrantType::parse).collect();
        let types = types.ok_or(InvalidValue(
            "must contain only `authorization_code`, `refresh_token`, `client_credentials` and \
             `urn:ietf:params:oauth:grant-type:device_code`",
        ))?;
        if types.is_empty() { Err(InvalidValue("must contain at least one grant type")) } else { Ok(Self(types)) }
    }

    /// Parses a stored list. Types that this version does not know are ignored.
    pub fn from_stored(text: &str) -> Self {
        let names: Vec<&str> = text.split(' ').collect();
        Self(GrantType::ALL.into_iter().filter(|one| names.contains(&one.as_str())).collect())
    }

    /// Returns whether the client may use the grant type.
    pub fn contain(&self, one: GrantType) -> bool {
        self.0.contains(&one)
    }

    /// Returns the names, in a fixed order.
    pub fn names(&self) -> impl Iterator<Item = &'static str> {
        self.0.iter().map(|one| one.as_str())
    }
}

impl fmt::Display for GrantTypes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.names().collect::<Vec<_>>().join(" "))
    }
}
