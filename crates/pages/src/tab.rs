//! The tabs of teams, projects, the account and operators.

/// A tab, in the order in which tabs are shown. A page without a tab has [`Tab::None`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Tab {
    None,
    Overview,
    Profile,
    Health,
    Members,
    Invites,
    Users,
    Schema,
    Keys,
    Webhooks,
    AuditLog,
    SignIn,
    Accounts,
    Sizes,
    Jobs,
    Settings,
    Mail,
    Email,
    Password,
    Sessions,
    Apps,
    Tokens,
    Export,
    Delete,
}

impl Tab {
    pub(crate) fn label(self) -> &'static str {
        match self {
            Self::None => "",
            Self::Overview => "Overview",
            Self::Profile => "Profile",
            Self::Health => "Health",
            Self::Members => "Members",
            Self::Invites => "Invites",
            Self::Users => "Users",
            Self::Schema => "Schema",
            Self::Keys => "Keys",
            Self::Webhooks => "Webhooks",
            Self::AuditLog => "Audit log",
            Self::SignIn => "Sign-in",
            Self::Accounts => "Accounts",
            Self::Sizes => "Sizes",
            Self::Jobs => "Jobs",
            Self::Settings => "Settings",
            Self::Mail => "Mail",
            Self::Email => "Email",
            Self::Password => "Password",
            Self::Sessions => "Sessions",
            Self::Apps => "Apps",
            Self::Tokens => "Tokens",
            Self::Export => "Export",
            Self::Delete => "Delete",
        }
    }
}
