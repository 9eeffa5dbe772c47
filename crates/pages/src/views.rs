//! Views: one struct per template in `templates/`, with formatted texts. Askama escapes every value and checks the
//! templates against these fields at compile time. Views do not implement `Debug`, because many contain a token.

use askama::Template;
use steward_domain::identity::{ClientOrigin, IdentityProvider, PasskeyChallenge};

use crate::console::frame::Timestamp;
use crate::held::HeldLine;
use crate::intent::SignInIntent;
use crate::invite_details::InviteDetails;
use crate::wording::filters;

/// Sign-in form. `intent` is where to continue, `client` the app that sent the authorization request.
#[derive(Template)]
#[template(path = "sign_in.html")]
pub(crate) struct SignIn<'a> {
    pub(crate) csrf: &'a str,
    pub(crate) intent: Option<SignInIntent<'a>>,
    pub(crate) client: Option<&'a str>,
    pub(crate) login: &'a str,
    pub(crate) error: Option<&'a str>,
    /// Whether the error is about the login and the password.
    pub(crate) blames_fields: bool,
    /// Whether too many attempts were made, so that the page offers to sign in with an email.
    pub(crate) is_limited: bool,
    /// The login if it is an email address.
    pub(crate) email: Option<&'a str>,
    pub(crate) accepts_sign_ups: bool,
    /// Whether the page offers a code by email.
    pub(crate) offers_email_codes: bool,
    /// The challenge for a passkey, if passkeys can be used.
    pub(crate) passkey: Option<PasskeyChallenge>,
    /// The providers at which people can sign in.
    pub(crate) providers: &'a [IdentityProvider],
    /// The identity that is linked once the person has signed in: the name of the provider, and the address.
    pub(crate) waiting: Option<(String, String)>,
}

/// Asks for the email address that a code is sent to.
#[derive(Template)]
#[template(path = "email_code_address.html")]
pub(crate) struct EmailCodeAddress<'a> {
    pub(crate) csrf: &'a str,
    pub(crate) intent: Option<SignInIntent<'a>>,
    pub(crate) client: Option<&'a str>,
    pub(crate) login: &'a str,
    /// Whether the service has a mail server.
    pub(crate) sends_emails: bool,
    pub(crate) accepts_sign_ups: bool,
    pub(crate) error: Option<&'a str>,
    /// The address of the sign-in page.
    pub(crate) back: String,
}

/// Asks for the code of an email.
#[derive(Template)]
#[template(path = "email_code.html")]
pub(crate) struct EmailCode<'a> {
    pub(crate) csrf: &'a str,
    pub(crate) intent: Option<SignInIntent<'a>>,
    pub(crate) client: Option<&'a str>,
    pub(crate) email: &'a str,
    /// The code of the link that the person opened; otherwise empty.
    pub(crate) code: &'a str,
    /// Whether the service has a mail server.
    pub(crate) sends_emails: bool,
    pub(crate) error: Option<&'a str>,
    /// What the person chooses about before the code confirms the address for the first time.
    pub(crate) held: &'a [HeldLine],
    /// The address of the page that sends another email.
    pub(crate) again: String,
}

/// Asks for the second factor after the password or a link.
#[derive(Template)]
#[template(path = "second_factor.html")]
pub(crate) struct SecondFactor<'a> {
    pub(crate) csrf: &'a str,
    pub(crate) passkey: Option<PasskeyChallenge>,
    pub(crate) intent: Option<SignInIntent<'a>>,
    pub(crate) client: Option<&'a str>,
    /// The masked address of the account.
    pub(crate) account: String,
    pub(crate) error: Option<&'a str>,
    /// Whether too many codes were entered.
    pub(crate) is_limited: bool,
    pub(crate) asks_for_recovery_code: bool,
    /// The addresses of this page that ask for a recovery code and for the code of an app.
    pub(crate) with_recovery_code: String,
    pub(crate) with_app: String,
    /// The address of the sign-in page.
    pub(crate) start_again: String,
}

/// Sign-up form. `operator` is the token of the link with which the first person becomes operator.
#[derive(Template)]
#[template(path = "sign_up.html")]
pub(crate) struct SignUp<'a> {
    pub(crate) csrf: &'a str,
    pub(crate) intent: Option<SignInIntent<'a>>,
    pub(crate) client: Option<&'a str>,
    pub(crate) operator: Option<&'a str>,
    /// The team whose invite the person opened.
    pub(crate) team: Option<&'a str>,
    pub(crate) email: &'a str,
    /// Whether the address is that of an emailed invite.
    pub(crate) is_invited: bool,
    pub(crate) name: &'a str,
    pub(crate) username: &'a str,
    /// Whether the page offers a code by email.
    pub(crate) offers_email_codes: bool,
    pub(crate) errors: &'a SignUpErrors,
}

/// Errors of a sign-up: in general and per field.
#[derive(Debug, Default)]
pub(crate) struct SignUpErrors {
    pub(crate) general: Option<String>,
    pub(crate) email: Option<String>,
    pub(crate) password: Option<String>,
    pub(crate) name: Option<String>,
    pub(crate) username: Option<String>,
}

/// Consent form: asks whether an app may use the account.
#[derive(Template)]
#[template(path = "consent.html")]
pub(crate) struct Consent<'a> {
    pub(crate) csrf: &'a str,
    pub(crate) request: &'a str,
    pub(crate) client: &'a str,
    pub(crate) icon: Option<&'a str>,
    pub(crate) website: Option<&'a str>,
    /// The origin to which the browser is redirected; `None` if a device waits for the decision.
    pub(crate) destination: Option<&'a str>,
    pub(crate) device: Option<WaitingDevice<'a>>,
    pub(crate) account: &'a str,
    pub(crate) scopes: &'a [ScopeLine],
    /// Whether the user has consented before, or consent is not needed, and only confirms the request.
    pub(crate) is_granted: bool,
    /// Whether any program on the device can receive the response.
    pub(crate) is_on_the_device: bool,
    pub(crate) origin: ClientOrigin<'a>,
}

/// Form for the code of a device.
#[derive(Template)]
#[template(path = "device.html")]
pub(crate) struct Device<'a> {
    pub(crate) csrf: &'a str,
    pub(crate) user_code: &'a str,
    pub(crate) error: Option<&'a str>,
}

/// Reports what the person decided about a device.
#[derive(Template)]
#[template(path = "device_answered.html")]
pub(crate) struct DeviceAnswered {
    pub(crate) is_allowed: bool,
}

/// A device that waits for consent.
pub(crate) struct WaitingDevice<'a> {
    pub(crate) user_code: &'a str,
    /// The address that its request came from.
    pub(crate) requested_from: Option<String>,
}

/// A form that the browser posts to a client.
#[derive(Template)]
#[template(path = "form_post.html")]
pub(crate) struct FormPost<'a> {
    pub(crate) action: &'a str,
    pub(crate) fields: &'a [(String, String)],
}

/// Description of a scope: two messages.
#[derive(Debug)]
pub(crate) struct ScopeLine {
    pub(crate) title: &'static str,
    pub(crate) detail: &'static str,
}

/// Asks for confirmation before signing out.
#[derive(Template)]
#[template(path = "sign_out.html")]
pub(crate) struct SignOut<'a> {
    pub(crate) csrf: &'a str,
    pub(crate) intent: Option<SignInIntent<'a>>,
    pub(crate) account: &'a str,
}

/// Asks for confirmation before signing out at the request of a client. The form sends its parameters again.
#[derive(Template)]
#[template(path = "logout.html")]
pub(crate) struct Logout<'a> {
    pub(crate) csrf: &'a str,
    pub(crate) client: Option<&'a str>,
    pub(crate) account: &'a str,
    pub(crate) parameters: &'a [(&'a str, &'a str)],
}

/// Confirms that the browser is signed out.
#[derive(Template)]
#[template(path = "signed_out.html")]
pub(crate) struct SignedOut {}

/// Asks for the email address to which to send a password reset link.
#[derive(Template)]
#[template(path = "forgot.html")]
pub(crate) struct Forgot<'a> {
    pub(crate) csrf: &'a str,
    pub(crate) sends_emails: bool,
    pub(crate) email: &'a str,
    pub(crate) error: Option<&'a str>,
}

/// Confirms the request for a reset link, without revealing whether the address has an account.
#[derive(Template)]
#[template(path = "forgot_sent.html")]
pub(crate) struct ForgotSent<'a> {
    pub(crate) email: &'a str,
    pub(crate) sends_emails: bool,
}

/// Asks for a new password.
#[derive(Template)]
#[template(path = "reset.html")]
pub(crate) struct Reset<'a> {
    pub(crate) csrf: &'a str,
    pub(crate) token: &'a str,
    pub(crate) error: Option<&'a str>,
    /// What the person chooses about before the link confirms the address for the first time.
    pub(crate) held: &'a [HeldLine],
}

/// Confirms that the password was changed.
#[derive(Template)]
#[template(path = "reset_done.html")]
pub(crate) struct ResetDone {}

/// Button that confirms an email address. A button is required because mail scanners open links.
#[derive(Template)]
#[template(path = "verify.html")]
pub(crate) struct Verify<'a> {
    pub(crate) csrf: &'a str,
    pub(crate) token: &'a str,
    /// What the person chooses about before the link confirms the address for the first time.
    pub(crate) held: &'a [HeldLine],
}

/// Asks a person whose address a provider proved what the account keeps.
#[derive(Template)]
#[template(path = "provider_confirmation.html")]
pub(crate) struct ProviderConfirmation<'a> {
    pub(crate) csrf: &'a str,
    pub(crate) intent: Option<SignInIntent<'a>>,
    pub(crate) held: &'a [HeldLine],
}

/// Reports that the email address is confirmed.
#[derive(Template)]
#[template(path = "verified.html")]
pub(crate) struct Verified {
    /// Address of the newest pending invite.
    pub(crate) invite: Option<String>,
}

/// Reports that the account was deleted, or that its deletion continues.
#[derive(Template)]
#[template(path = "account_deleted.html")]
pub(crate) struct AccountDeleted {
    /// Whether all of its data is deleted. The rest is deleted in the background.
    pub(crate) is_complete: bool,
}

/// Asks a person who followed an invite link to sign in. It does not reveal whether the invite exists.
#[derive(Template)]
#[template(path = "invited.html")]
pub(crate) struct Invited<'a> {
    pub(crate) intent: SignInIntent<'a>,
    pub(crate) accepts_sign_ups: bool,
}

/// Shows an invite to a person who opened its link with a proof or secret and is not signed in. Without `email`, any
/// account joins with the link.
#[derive(Template)]
#[template(path = "invite_offer.html")]
pub(crate) struct InviteOffer<'a> {
    pub(crate) intent: SignInIntent<'a>,
    pub(crate) details: &'a InviteDetails,
    pub(crate) email: Option<&'a str>,
    pub(crate) has_account: bool,
    pub(crate) accepts_sign_ups: bool,
}

/// Says that an invite is for another address than that of the signed-in account.
#[derive(Template)]
#[template(path = "invite_other.html")]
pub(crate) struct InviteOther<'a> {
    pub(crate) csrf: &'a str,
    pub(crate) intent: SignInIntent<'a>,
    pub(crate) account: &'a str,
    pub(crate) email: &'a str,
    pub(crate) details: &'a InviteDetails,
}

/// Asks whether to join a team.
#[derive(Template)]
#[template(path = "invite.html")]
pub(crate) struct Invite<'a> {
    pub(crate) csrf: &'a str,
    pub(crate) intent: SignInIntent<'a>,
    pub(crate) account: &'a str,
    pub(crate) details: &'a InviteDetails,
    pub(crate) may_decline: bool,
}

/// Asks a person to confirm the address of the account, which can do nothing before.
#[derive(Template)]
#[template(path = "confirm_email.html")]
pub(crate) struct ConfirmEmail<'a> {
    pub(crate) csrf: &'a str,
    pub(crate) account: &'a str,
    /// Whether the email was just sent again.
    pub(crate) is_sent: bool,
    pub(crate) sends_emails: bool,
    /// Whether the person may correct the address.
    pub(crate) may_change: bool,
}

/// Leads a person to the setup of a second factor, which a client's request requires now or soon.
#[derive(Template)]
#[template(path = "second_factor_required.html")]
pub(crate) struct SecondFactorRequired<'a> {
    pub(crate) intent: SignInIntent<'a>,
    pub(crate) client: &'a str,
    pub(crate) account: &'a str,
    /// Until when the person can postpone it.
    pub(crate) due: Option<Timestamp>,
}

/// Confirms that an invite was accepted or declined.
#[derive(Template)]
#[template(path = "invite_decided.html")]
pub(crate) struct InviteDecided<'a> {
    pub(crate) team: &'a str,
    pub(crate) accepted: bool,
}

/// Reports that there is no invite for this account, without revealing whether the invite exists.
#[derive(Template)]
#[template(path = "invite_unknown.html")]
pub(crate) struct InviteUnknown<'a> {
    pub(crate) csrf: &'a str,
    pub(crate) intent: SignInIntent<'a>,
    pub(crate) account: &'a str,
    /// Whether the account can answer the invite once its address is confirmed.
    pub(crate) awaits_confirmation: bool,
    pub(crate) sends_emails: bool,
}

/// Landing page.
#[derive(Template)]
#[template(path = "landing.html")]
pub(crate) struct Landing {
    pub(crate) accepts_sign_ups: bool,
    /// Whether the service has no account, so that its log contains the link of the first operator.
    pub(crate) awaits_operator: bool,
}

impl SignUpErrors {
    /// Returns whether there is any error.
    pub(crate) fn any(&self) -> bool {
        self.general.is_some() || self.any_field()
    }

    fn any_field(&self) -> bool {
        [&self.email, &self.password, &self.name, &self.username].into_iter().any(Option::is_some)
    }
}

impl Consent<'_> {
    /// Returns the letter that is shown if there is no icon.
    pub(crate) fn initial(&self) -> String {
        initial(self.client)
    }
}

/// Returns the first letter or digit of a name in upper case, or its first character if it has neither.
fn initial(name: &str) -> String {
    let letter = name.chars().find(|letter| letter.is_alphanumeric()).or_else(|| name.chars().next());
    letter.into_iter().flat_map(char::to_uppercase).collect()
}
