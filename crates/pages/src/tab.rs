//! The tabs of teams, projects, the account and operators.

/// Declares the tabs, in the order in which they are shown, with their labels.
macro_rules! tabs {
    ($($tab:ident $label:literal;)+) => {
        /// A tab, in the order in which tabs are shown. A page without a tab has [`Tab::None`].
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
        pub(crate) enum Tab {
            $($tab),+
        }

        impl Tab {
            /// Returns the text that is shown.
            pub(crate) fn label(self) -> &'static str {
                match self {
                    $(Self::$tab => $label),+
                }
            }
        }
    };
}

tabs! {
    None "";
    Overview "Overview";
    Connect "Connect";
    Profile "Profile";
    Health "Health";
    Members "Members";
    Invites "Invites";
    Users "Users";
    Schema "Schema";
    Keys "Keys";
    Webhooks "Webhooks";
    AuditLog "Audit log";
    SignIn "Sign-in";
    Accounts "Accounts";
    Providers "Providers";
    Sizes "Sizes";
    Jobs "Jobs";
    Settings "Settings";
    Mail "Mail";
    Email "Email";
    Password "Password";
    TwoFactor "Two-factor";
    Passkeys "Passkeys";
    Identities "Linked identities";
    Sessions "Sessions";
    Activity "Activity";
    Apps "Apps";
    Tokens "Tokens";
    Export "Export";
    Delete "Delete";
}
