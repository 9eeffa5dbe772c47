//! What each page shows: one struct per template in `templates/`, all texts ready to print. Askama escapes every value
//! and checks the templates against these fields when the crate is compiled. No page is `Debug`: many hold a token.

use askama::Template;

use crate::intent::SignInIntent;

/// Asks who is there. `intent` is what to go on with, `client` the app whose request that is.
#[derive(Template)]
#[template(path = "sign_in.html")]
pub(crate) struct SignIn<'a> {
    pub(crate) csrf: &'a str,
    pub(crate) intent: Option<SignInIntent<'a>>,
    pub(crate) client: Option<&'a str>,
    pub(crate) login: &'a str,
    pub(crate) error: Option<&'a str>,
    pub(crate) accepts_sign_ups: bool,
}

/// Asks for what a new account needs.
#[derive(Template)]
#[template(path = "sign_up.html")]
pub(crate) struct SignUp<'a> {
    pub(crate) csrf: &'a str,
    pub(crate) intent: Option<SignInIntent<'a>>,
    pub(crate) client: Option<&'a str>,
    pub(crate) email: &'a str,
    pub(crate) name: &'a str,
    pub(crate) username: &'a str,
    pub(crate) errors: &'a SignUpErrors,
}

/// What was wrong with a sign-up: in general, and by field.
#[derive(Debug, Default)]
pub(crate) struct SignUpErrors {
    pub(crate) general: Option<String>,
    pub(crate) email: Option<String>,
    pub(crate) password: Option<String>,
    pub(crate) name: Option<String>,
    pub(crate) username: Option<String>,
}

/// Asks whether an app may use the account.
#[derive(Template)]
#[template(path = "consent.html")]
pub(crate) struct Consent<'a> {
    pub(crate) csrf: &'a str,
    pub(crate) request: &'a str,
    pub(crate) client: &'a str,
    pub(crate) icon: Option<&'a str>,
    pub(crate) website: Option<&'a str>,
    pub(crate) destination: &'a str,
    pub(crate) account: &'a str,
    pub(crate) scopes: &'a [ScopeLine],
}

/// One scope, in words.
#[derive(Debug)]
pub(crate) struct ScopeLine {
    pub(crate) title: &'static str,
    pub(crate) detail: &'static str,
}

/// Asks before ending the browser's session.
#[derive(Template)]
#[template(path = "sign_out.html")]
pub(crate) struct SignOut<'a> {
    pub(crate) csrf: &'a str,
    pub(crate) intent: Option<SignInIntent<'a>>,
    pub(crate) account: &'a str,
}

/// Says that the browser's session has ended.
#[derive(Template)]
#[template(path = "signed_out.html")]
pub(crate) struct SignedOut {}

/// Asks where to send the email with which a password is set anew.
#[derive(Template)]
#[template(path = "forgot.html")]
pub(crate) struct Forgot<'a> {
    pub(crate) csrf: &'a str,
    pub(crate) email: &'a str,
    pub(crate) error: Option<&'a str>,
}

/// Says that an email may be on its way, and never whether the address has an account.
#[derive(Template)]
#[template(path = "forgot_sent.html")]
pub(crate) struct ForgotSent<'a> {
    pub(crate) email: &'a str,
}

/// Asks for the new password.
#[derive(Template)]
#[template(path = "reset.html")]
pub(crate) struct Reset<'a> {
    pub(crate) csrf: &'a str,
    pub(crate) token: &'a str,
    pub(crate) error: Option<&'a str>,
}

/// Says that the new password is set.
#[derive(Template)]
#[template(path = "reset_done.html")]
pub(crate) struct ResetDone {}

/// Asks for the click that confirms an address: mail scanners open links, they do not press buttons.
#[derive(Template)]
#[template(path = "verify.html")]
pub(crate) struct Verify<'a> {
    pub(crate) csrf: &'a str,
    pub(crate) token: &'a str,
}

/// Says that the address is confirmed.
#[derive(Template)]
#[template(path = "verified.html")]
pub(crate) struct Verified {}

/// The account's own page: who it is, where it is signed in, which apps may use it.
#[derive(Template)]
#[template(path = "sessions.html")]
pub(crate) struct Sessions<'a> {
    pub(crate) csrf: &'a str,
    pub(crate) account: &'a AccountLine,
    pub(crate) sessions: &'a [SessionLine],
    pub(crate) programs: &'a [ProgramLine],
    pub(crate) grants: &'a [GrantLine],
    pub(crate) notice: Option<&'a str>,
}

/// Whose page it is.
#[derive(Debug)]
pub(crate) struct AccountLine {
    pub(crate) email: String,
    pub(crate) name: Option<String>,
    pub(crate) verified: bool,
}

/// One browser that is signed in; `current` is the one that asks.
#[derive(Debug)]
pub(crate) struct SessionLine {
    pub(crate) id: String,
    pub(crate) browser: String,
    pub(crate) address: Option<String>,
    pub(crate) since: String,
    pub(crate) current: bool,
}

/// One program that signed in to this service itself, like the command line.
#[derive(Debug)]
pub(crate) struct ProgramLine {
    pub(crate) id: String,
    pub(crate) since: String,
}

/// One app that may use the account, and for what.
#[derive(Debug)]
pub(crate) struct GrantLine {
    pub(crate) project_id: String,
    pub(crate) name: String,
    pub(crate) icon: Option<String>,
    pub(crate) since: String,
    pub(crate) scopes: Vec<&'static str>,
}

/// Asks whoever follows an invite to sign in. It says the same whether there is such an invite.
#[derive(Template)]
#[template(path = "invited.html")]
pub(crate) struct Invited<'a> {
    pub(crate) intent: SignInIntent<'a>,
    pub(crate) accepts_sign_ups: bool,
}

/// Asks whether to join a team.
#[derive(Template)]
#[template(path = "invite.html")]
pub(crate) struct Invite<'a> {
    pub(crate) csrf: &'a str,
    pub(crate) intent: SignInIntent<'a>,
    pub(crate) account: &'a str,
    pub(crate) team: &'a str,
    pub(crate) slug: &'a str,
    pub(crate) roles: &'a str,
    pub(crate) role_name: Option<&'a str>,
    pub(crate) until: &'a str,
}

/// Says what became of an invite.
#[derive(Template)]
#[template(path = "invite_answered.html")]
pub(crate) struct InviteAnswered<'a> {
    pub(crate) team: &'a str,
    pub(crate) accepted: bool,
}

/// Says that an invite is not for this account, and never whether there is one.
#[derive(Template)]
#[template(path = "invite_unknown.html")]
pub(crate) struct InviteUnknown<'a> {
    pub(crate) csrf: &'a str,
    pub(crate) intent: SignInIntent<'a>,
    pub(crate) account: &'a str,
    pub(crate) verified: bool,
}

/// Says that something cannot go on; `back` is where to start again.
#[derive(Template)]
#[template(path = "error.html")]
pub(crate) struct ErrorPage<'a> {
    pub(crate) title: &'a str,
    pub(crate) message: &'a str,
    pub(crate) back: Option<&'a str>,
}

impl SignUpErrors {
    /// Whether anything at all was wrong.
    pub(crate) fn any(&self) -> bool {
        self.general.is_some() || self.any_field()
    }

    fn any_field(&self) -> bool {
        [&self.email, &self.password, &self.name, &self.username].into_iter().any(Option::is_some)
    }
}

impl Consent<'_> {
    /// The email that stands in for a missing icon.
    pub(crate) fn initial(&self) -> String {
        initial(self.client)
    }
}

impl GrantLine {
    /// The email that stands in for a missing icon.
    pub(crate) fn initial(&self) -> String {
        initial(&self.name)
    }
}

/// The first email or digit of a name, in upper case; a name without any has its first character.
fn initial(name: &str) -> String {
    let email = name.chars().find(|email| email.is_alphanumeric()).or_else(|| name.chars().next());
    email.into_iter().flat_map(char::to_uppercase).collect()
}
