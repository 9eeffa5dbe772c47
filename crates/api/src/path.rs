//! The parameters of paths, as types.

/// A parameter of a path, or several that together identify one thing.
pub trait Segment {
    /// The names of the parameters. A path has at least one of them.
    const NAMES: &'static [&'static str];
}

macro_rules! segments {
    ($($(#[doc = $text:literal])+ $name:ident $($parameter:literal)+;)+) => {
        $(
            $(#[doc = $text])+
            #[derive(Debug, Clone, Copy)]
            pub struct $name;

            impl Segment for $name {
                const NAMES: &'static [&'static str] = &[$($parameter),+];
            }
        )+
    };
}

segments! {
    /// A team.
    Team "team_id";
    /// A project.
    Project "id";
    /// A team or project.
    Scope "team_id" "id";
    /// A project, as a UUID or DID.
    App "project_id";
    /// A project, as the hexadecimal digits of its UUID.
    ProjectHex "hex";
    /// An account, as the hexadecimal digits of its UUID.
    AccountHex "hex";
    /// A member of a team.
    Member "member_id";
    /// An invite.
    Invite "invite_id";
    /// A personal access token.
    PersonalToken "token_id";
    /// An API key.
    Key "key_id";
    /// An OAuth client.
    Client "client_id";
    /// An identity provider.
    IdentityProvider "provider_id";
    /// A webhook.
    Webhook "webhook_id";
    /// A delivery of a webhook.
    Delivery "delivery_id";
    /// A user of a project.
    User "user_id";
    /// A table of a project.
    Table "table_id";
    /// A table of a project's user, or of the caller.
    UserTable "id" "user_id" "project_id" "table_id";
    /// An item.
    Item "item_id";
    /// An item that may be new.
    NewItem "item_id";
    /// The name of a file.
    File "file";
}

/// Returns whether the parameters of a path are those of the segments, in this order.
pub(crate) const fn agree(path: &[u8], segments: &[&[&str]]) -> bool {
    match (parameter(path), segments) {
        (None, []) => true,
        (Some(text), [names, others @ ..]) => is_named(text, names) && (agree(text, others) || agree(text, segments)),
        _ => false,
    }
}

/// Returns a path from the name of its first parameter.
const fn parameter(path: &[u8]) -> Option<&[u8]> {
    match path {
        [] => None,
        [b'{', text @ ..] => Some(text),
        [_, rest @ ..] => parameter(rest),
    }
}

/// Returns whether a text begins with one of the names, up to the closing brace.
const fn is_named(text: &[u8], names: &[&str]) -> bool {
    match names {
        [] => false,
        [name, others @ ..] => begins_with(text, name.as_bytes()) || is_named(text, others),
    }
}

const fn begins_with(text: &[u8], name: &[u8]) -> bool {
    match (text, name) {
        ([b'}', ..], []) => true,
        ([one, text @ ..], [other, name @ ..]) => *one == *other && begins_with(text, name),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_has_the_parameters_of_its_segments_in_their_order() {
        let agrees = |path: &str, segments: &[&[&str]]| agree(path.as_bytes(), segments);
        let (project, table, item) = (Project::NAMES, UserTable::NAMES, Item::NAMES);
        assert!(agrees("/", &[]) && agrees("/project/{id}/user", &[project]));
        assert!(agrees("/project/{id}/user/{user_id}/db/{table_id}/{item_id}", &[table, item]));
        assert!(!agrees("/project/{id}", &[]) && !agrees("/project", &[project]) && !agrees("/team/{ids}", &[project]));
        assert!(!agrees("/{item_id}/{table_id}", &[table, item]) && !agrees("/{table_id}", &[table, item]));
    }
}
