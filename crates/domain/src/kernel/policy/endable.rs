//! What goes on when its creator leaves a team or loses permissions, unless the change of the member ends it
//! (docs/decisions/0018-authority-ends.md).

use std::collections::BTreeSet;

use crate::kernel::named;
use crate::kernel::violations::quoted;

use super::Operation;

named! {
    /// A kind of resource that a change of its creator can end.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
    pub enum EndableKind: "the name used in the API" {
        /// API keys.
        Keys = "keys",
        /// OAuth clients of projects.
        Clients = "clients",
        /// Identity providers of projects.
        IdentityProviders = "identity_providers",
    }
}

impl EndableKind {
    /// Returns the operation that deletes one of them. Only who may perform it may end them.
    pub const fn deletion(self) -> Operation {
        match self {
            Self::Keys => Operation::KeyDelete,
            Self::Clients => Operation::ClientDelete,
            Self::IdentityProviders => Operation::IdentityProviderDelete,
        }
    }
}

/// The kinds that a change of a member ends.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct EndableKinds(BTreeSet<EndableKind>);

/// A name that is not that of a kind.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("contains `{0}`, which is unknown. It must be a comma-separated list of: {names}", names = names())]
pub struct UnknownKind(String);

fn names() -> String {
    EndableKind::ALL.map(EndableKind::as_str).join(", ")
}

impl EndableKinds {
    /// Parses a comma-separated list of names. An empty one ends nothing.
    pub fn parse(text: &str) -> Result<Self, UnknownKind> {
        let names = text.split(',').map(str::trim).filter(|name| !name.is_empty());
        let kinds = names.map(|name| EndableKind::parse(name).ok_or_else(|| UnknownKind(quoted(name))));
        kinds.collect::<Result<_, _>>().map(Self)
    }

    /// Returns whether resources of this kind end.
    pub fn contain(&self, kind: EndableKind) -> bool {
        self.0.contains(&kind)
    }

    /// Returns the kinds, in a fixed order.
    pub fn iter(&self) -> impl Iterator<Item = EndableKind> {
        self.0.iter().copied()
    }

    /// Returns whether nothing ends.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_of_kinds_is_parsed_and_an_unknown_one_is_refused_with_the_allowed_ones() {
        let kinds = EndableKinds::parse("clients, keys,,clients").unwrap();
        assert_eq!(kinds.iter().collect::<Vec<_>>(), [EndableKind::Keys, EndableKind::Clients]);
        assert!(kinds.contain(EndableKind::Keys) && !kinds.contain(EndableKind::IdentityProviders));
        let all = EndableKind::ALL.map(EndableKind::as_str).join(",");
        assert_eq!(EndableKinds::parse(&all).unwrap().iter().collect::<Vec<_>>(), EndableKind::ALL);
        for nothing in ["", " , "] {
            assert!(EndableKinds::parse(nothing).unwrap().is_empty());
        }
        for unknown in ["webhooks", "keys,all", "Keys"] {
            let message = EndableKinds::parse(unknown).unwrap_err().to_string();
            assert!(message.ends_with("comma-separated list of: keys, clients, identity_providers"), "{message}");
        }
        assert!(EndableKinds::parse(&"x".repeat(10_000)).unwrap_err().to_string().len() < 300);
    }
}
