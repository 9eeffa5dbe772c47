//! The tabs of teams, projects, the account and operators.

/// Declares the tabs, in the order in which they are shown, with their labels, icons and the other
/// words for which the search finds them.
macro_rules! tabs {
    ($($tab:ident $label:literal $icon:literal $words:literal;)+) => {
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

            /// Returns its icon, as an element.
            pub(crate) fn icon(self) -> &'static str {
                match self {
                    $(Self::$tab => include_str!(concat!("../templates/icons/", $icon, ".svg"))),+
                }
            }

            /// Returns other words for it.
            pub(crate) fn words(self) -> &'static str {
                match self {
                    $(Self::$tab => $words),+
                }
            }
        }
    };
}

tabs! {
    None "" "ellipsis" "";
    Overview "Overview" "layout-dashboard" "usage statistics dashboard";
    Connect "Connect" "plug" "sdk framework quickstart install";
    Profile "Profile" "user-round" "name username account";
    Health "Health" "heart-pulse" "status uptime";
    Members "Members" "users" "people roles colleagues";
    Invites "Invites" "mail-plus" "colleagues add";
    Users "Users" "users-round" "people customers import";
    Data "Data" "table-2" "items rows records tables browse";
    Schema "Schema" "database" "tables fields types data model";
    Keys "Keys" "key-round" "api keys secrets tokens";
    Webhooks "Webhooks" "webhook" "events hooks callbacks";
    Requests "Requests" "arrow-left-right" "logs api calls errors traffic";
    AuditLog "Audit log" "scroll-text" "logs history events";
    SignIn "Sign-in" "log-in" "oauth oidc redirect login branding colors";
    Accounts "Accounts" "contact-round" "people users";
    Providers "Providers" "id-card" "google github saml sso login";
    Sizes "Sizes" "hard-drive" "disk storage quota";
    Jobs "Jobs" "list-checks" "queue background workers";
    Settings "Settings" "settings" "configuration";
    Mail "Mail" "mail" "smtp email";
    Email "Email" "at-sign" "";
    Password "Password" "lock-keyhole" "login";
    TwoFactor "Two-factor" "shield-check" "2fa mfa totp authenticator second factor recovery codes";
    Passkeys "Passkeys" "fingerprint" "webauthn fingerprint security key";
    Identities "Linked identities" "link" "google github login";
    Sessions "Sessions" "monitor-smartphone" "devices browsers sign out";
    Activity "Activity" "history" "logs history events";
    Apps "Apps" "app-window" "consent grants access";
    Tokens "Tokens" "key-square" "pat personal access tokens cli";
    Export "Export" "download" "download gdpr";
    Delete "Delete" "trash-2" "remove close";
}
