//! What may be tried only so often: how often, and by whom it is counted.

use chrono::TimeDelta;

macro_rules! actions {
    ($($(#[doc = $about:literal])+ $variant:ident $name:literal $burst:literal, $interval:expr, $shared:literal;)+) => {
        /// Something that is worth guessing at, or costs us much.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum LimitedAction { $($(#[doc = $about])+ $variant),+ }

        impl LimitedAction {
            /// All of them.
            pub const ALL: &[Self] = &[$(Self::$variant),+];

            /// The name in metrics and in what is stored.
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $name),+ }
            }

            /// How many may come at once, and in what time one more is allowed.
            pub const fn limit(self) -> ActionLimit {
                match self { $(Self::$variant => ActionLimit { burst: $burst, interval: $interval }),+ }
            }

            /// Whether all replicas count together: what guards a secret or sends something does. The rest each process
            /// counts for itself.
            pub const fn is_shared(self) -> bool {
                match self { $(Self::$variant => $shared),+ }
            }
        }
    };
}

actions! {
    /// Signing in, counted by where it comes from.
    SignInFrom "sign_in_from" 30, TimeDelta::seconds(2), true;
    /// Signing in, counted by the account that is named, whether it exists or not, and where it comes from: so that nobody
    /// shuts the owner out from elsewhere.
    SignInTo "sign_in_to" 10, TimeDelta::seconds(30), true;
    /// Signing in, counted by the account that is named, wherever it comes from. Not counted from browsers and networks
    /// from which the account was signed in to before.
    SignInToAtAll "sign_in_to_at_all" 100, TimeDelta::seconds(5), true;
    /// Signing in with a browser that signed in to the account before, counted by the browser.
    SignInKnown "sign_in_known" 10, TimeDelta::seconds(30), true;
    /// Making an account, counted by where it comes from.
    SignUpFrom "sign_up_from" 20, TimeDelta::seconds(30), true;
    /// Presenting codes and refresh tokens that are not valid, counted by where they come from.
    TokenFrom "token_from" 200, TimeDelta::milliseconds(500), true;
    /// Beginning to sign in at a client, counted by where it comes from.
    AuthorizeFrom "authorize_from" 120, TimeDelta::milliseconds(500), false;
    /// Asking for an email with a link, or presenting such a link, counted by where it comes from.
    EmailFrom "email_from" 20, TimeDelta::seconds(15), true;
    /// Asking for an email with a link, counted by the address that it would go to.
    EmailTo "email_to" 3, TimeDelta::minutes(10), true;
    /// Inviting by email, counted by the account that invites.
    InviteBy "invite_by" 50, TimeDelta::seconds(30), true;
    /// Inviting by email, counted by the address that it would go to.
    InviteTo "invite_to" 3, TimeDelta::minutes(10), true;
    /// Redelivering an event, counted by the webhook.
    RedeliverTo "redeliver_to" 10, TimeDelta::seconds(6), true;
    /// Redelivering an event, counted by the team.
    RedeliverBy "redeliver_by" 30, TimeDelta::seconds(2), true;
    /// Trying what one may not do, counted by who tries: beyond it is refused all the same, and no longer recorded.
    RefusalOf "refusal_of" 60, TimeDelta::seconds(10), false;
}

/// How often something may be tried.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ActionLimit {
    /// How many may come at once.
    pub burst: u16,
    /// In what time one more is allowed.
    pub interval: TimeDelta,
}

impl ActionLimit {
    /// How far ahead attempts may be counted for one more to be allowed.
    pub fn span_before_last(self) -> TimeDelta {
        self.interval * i32::from(self.burst.saturating_sub(1))
    }
}
