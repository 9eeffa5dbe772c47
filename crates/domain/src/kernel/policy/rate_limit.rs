//! Rate limits of sensitive or expensive actions, and how each is counted.

use chrono::TimeDelta;

macro_rules! actions {
    ($($(#[doc = $about:literal])+ $variant:ident $name:literal $burst:literal, $interval:expr, $shared:literal;)+) => {
        $crate::kernel::named! {
            /// An action that is rate-limited because it can be used to guess secrets, or because it is expensive.
            #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
            pub enum LimitedAction: "the name used in metrics and in the database" {
                $($(#[doc = $about])+ $variant = $name),+
            }
        }

        impl LimitedAction {
            /// Returns the limit of the action.
            pub const fn limit(self) -> ActionLimit {
                match self { $(Self::$variant => ActionLimit { burst: $burst, interval: $interval }),+ }
            }

            /// Returns whether all replicas share the counter. Actions that protect a secret or send a message do; each
            /// process counts the others on its own.
            pub const fn is_shared(self) -> bool {
                match self { $(Self::$variant => $shared),+ }
            }
        }
    };
}

actions! {
    /// Sign-in, counted per network of the caller.
    SignInFrom "sign_in_from" 30, TimeDelta::seconds(2), true;
    /// Sign-in, counted per account name, whether the account exists or not, and network of the caller. An attacker on
    /// another network cannot lock out the owner.
    SignInTo "sign_in_to" 10, TimeDelta::seconds(30), true;
    /// Sign-in, counted per account name across all networks. Browsers and networks that were used to sign in to the
    /// account before are not counted.
    SignInToAnywhere "sign_in_to_at_all" 100, TimeDelta::seconds(5), true;
    /// Sign-in with a browser that was used to sign in to the account before, counted per browser.
    SignInKnown "sign_in_known" 10, TimeDelta::seconds(30), true;
    /// Entering a code for the second factor after the password, counted per account. One more guess every two minutes
    /// finds a code with a probability of 0.2 % a day.
    SecondFactorOf "second_factor_of" 10, TimeDelta::minutes(2), true;
    /// Entering a code for the second factor with a browser in which a code was used to sign in to the account before,
    /// counted per browser. An attacker who knows the password cannot lock out this browser.
    SecondFactorKnown "second_factor_known" 10, TimeDelta::minutes(2), true;
    /// Warning the owner of an account that someone who knows the password tries codes, counted per account.
    SecondFactorWarningTo "second_factor_warning_to" 1, TimeDelta::days(1), true;
    /// Warning the owner of an account that there may be a copy of a passkey, counted per account.
    PasskeyWarningTo "passkey_warning_to" 1, TimeDelta::days(1), true;
    /// Sign-up, counted per network of the caller.
    SignUpFrom "sign_up_from" 20, TimeDelta::seconds(30), true;
    /// Presenting an authorization code or refresh token that is not valid, counted per network of the caller.
    TokenFrom "token_from" 200, TimeDelta::milliseconds(500), true;
    /// Starting an OAuth sign-in, also one on a device, counted per network of the caller.
    AuthorizeFrom "authorize_from" 120, TimeDelta::milliseconds(500), false;
    /// Pushing an authorization request, or beginning one on a device, with the secret of a client, counted per client: it
    /// sends those of all its users. Not for clients that registered themselves.
    AuthorizePushedBy "authorize_pushed_by" 600, TimeDelta::milliseconds(20), false;
    /// Registering an OAuth client without a token, counted per network of the caller.
    RegisterFrom "register_from" 20, TimeDelta::minutes(5), true;
    /// Registering an OAuth client without a token, counted per project.
    RegisterIn "register_in" 100, TimeDelta::minutes(1), true;
    /// Entering the code of a device, counted per network of the caller. One more guess every 30 seconds finds one of a
    /// thousand waiting codes with a probability of one in ten thousand a day.
    UserCodeFrom "user_code_from" 20, TimeDelta::seconds(30), true;
    /// Asking for the tokens of a device, counted per device. The interval is 5 seconds (RFC 8628 §3.5).
    DevicePollBy "device_poll_by" 2, TimeDelta::seconds(4), false;
    /// Requesting an email with a link, or opening such a link, counted per network of the caller.
    EmailFrom "email_from" 20, TimeDelta::seconds(15), true;
    /// Requesting an email with a link, counted per recipient address.
    EmailTo "email_to" 3, TimeDelta::minutes(10), true;
    /// Requesting an email with a code, counted per recipient address and network of the caller, so that others cannot use
    /// up the limit of the owner.
    EmailCodeTo "email_code_to" 5, TimeDelta::minutes(5), true;
    /// Requesting an email with a code, counted per recipient address across all networks.
    EmailCodeToAnywhere "email_code_to_at_all" 20, TimeDelta::minutes(10), true;
    /// Entering a code of an email, counted per network of the caller. A correct one is not counted.
    EmailCodeFrom "email_code_from" 20, TimeDelta::minutes(2), true;
    /// Beginning to sign in at another provider, and the response of the provider, counted per network of the caller. One of
    /// the two is not counted if the person signs in.
    ProviderFrom "provider_from" 60, TimeDelta::seconds(1), true;
    /// Sending emails about what happened to an account, counted per account.
    AccountNoticeTo "account_notice_to" 20, TimeDelta::minutes(10), true;
    /// Inviting by email, counted per inviting account.
    InviteBy "invite_by" 50, TimeDelta::seconds(30), true;
    /// Inviting by email, counted per recipient address.
    InviteTo "invite_to" 3, TimeDelta::minutes(10), true;
    /// Redelivering an event to a webhook or testing the webhook, counted per webhook.
    RedeliverTo "redeliver_to" 10, TimeDelta::seconds(6), true;
    /// Redelivering an event to a webhook or testing the webhook, counted per team.
    RedeliverBy "redeliver_by" 30, TimeDelta::seconds(2), true;
    /// Sending a test email, counted per operator.
    TestEmailBy "test_email_by" 5, TimeDelta::minutes(1), true;
    /// Recording refused attempts in the audit log, counted per actor. Attempts beyond the limit are refused as well,
    /// but not recorded.
    RecordDenial "refusal_of" 60, TimeDelta::seconds(10), false;
    /// Recording refused requests of OAuth clients in the audit log, counted per project, because anyone can send them.
    RecordRefusedClient "client_refusal_of" 20, TimeDelta::minutes(1), false;
    /// Recording in the audit log how sign-ins at identity providers failed, counted per provider, because anyone can cause that.
    RecordFailedProvider "provider_failure_of" 20, TimeDelta::minutes(1), false;
}

/// Rate limit of an action.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ActionLimit {
    /// Maximum number of actions at once.
    pub burst: u16,
    /// Time after which one more action is allowed.
    pub interval: TimeDelta,
}

impl ActionLimit {
    /// Returns how far the theoretical arrival time of the generic cell rate algorithm may be ahead of the current time
    /// for another action to be allowed.
    pub fn burst_tolerance(self) -> TimeDelta {
        self.interval * i32::from(self.burst.saturating_sub(1))
    }
}
