//! What each page shows. The templates are checked when this is compiled, and escape whatever is put into them.

use askama::Template;

#[derive(Template)]
#[template(path = "sign_in.html")]
pub(crate) struct SignIn<'a> {
    pub csrf: &'a str,
    pub request: Option<&'a str>,
    pub client: Option<&'a str>,
    pub login: &'a str,
    pub fault: Option<&'a str>,
}

#[derive(Template)]
#[template(path = "sign_up.html")]
pub(crate) struct SignUp<'a> {
    pub csrf: &'a str,
    pub request: Option<&'a str>,
    pub client: Option<&'a str>,
    pub email: &'a str,
    pub name: &'a str,
    pub username: &'a str,
    pub faults: &'a SignUpFaults,
}

/// What is wrong with each field, as the end of a sentence.
#[derive(Debug, Default)]
pub(crate) struct SignUpFaults {
    pub general: Option<String>,
    pub email: Option<String>,
    pub password: Option<String>,
    pub name: Option<String>,
    pub username: Option<String>,
}

impl SignUpFaults {
    fn any(&self) -> bool {
        [&self.email, &self.password, &self.name, &self.username].iter().any(|fault| fault.is_some())
    }
}

#[derive(Template)]
#[template(path = "consent.html")]
pub(crate) struct Consent<'a> {
    pub csrf: &'a str,
    pub request: &'a str,
    pub client: &'a str,
    pub icon: Option<&'a str>,
    pub website: Option<&'a str>,
    pub destination: &'a str,
    pub account: &'a str,
    pub scopes: &'a [ScopeLine],
}

impl Consent<'_> {
    fn initial(&self) -> String {
        initial(self.client)
    }
}

/// A scope in words.
pub(crate) struct ScopeLine {
    pub title: &'static str,
    pub detail: &'static str,
}

#[derive(Template)]
#[template(path = "sign_out.html")]
pub(crate) struct SignOut<'a> {
    pub csrf: &'a str,
    pub request: Option<&'a str>,
    pub account: &'a str,
}

/// A page that only says something, and perhaps where to go next.
#[derive(Template)]
#[template(path = "message.html")]
pub(crate) struct Message<'a> {
    pub title: &'a str,
    pub message: &'a str,
    pub link: Option<(&'a str, &'a str)>,
}

#[derive(Template)]
#[template(path = "forgot.html")]
pub(crate) struct Forgot<'a> {
    pub csrf: &'a str,
    pub email: &'a str,
    pub fault: Option<&'a str>,
}

#[derive(Template)]
#[template(path = "reset.html")]
pub(crate) struct Reset<'a> {
    pub csrf: &'a str,
    pub token: &'a str,
    pub fault: Option<&'a str>,
}

#[derive(Template)]
#[template(path = "verify.html")]
pub(crate) struct Verify<'a> {
    pub csrf: &'a str,
    pub token: &'a str,
}

#[derive(Template)]
#[template(path = "sessions.html")]
pub(crate) struct Sessions<'a> {
    pub csrf: &'a str,
    pub account: &'a AccountLine,
    pub sessions: &'a [SessionLine],
    pub grants: &'a [GrantLine],
    pub notice: Option<&'a str>,
}

/// Whose page it is.
pub(crate) struct AccountLine {
    pub email: String,
    pub name: Option<String>,
    pub verified: bool,
}

/// A browser in which the person is signed in.
pub(crate) struct SessionLine {
    pub id: String,
    pub browser: String,
    pub address: Option<String>,
    pub since: String,
    pub current: bool,
}

/// A project that the person allowed something.
pub(crate) struct GrantLine {
    pub project_id: String,
    pub name: String,
    pub icon: Option<String>,
    pub since: String,
    pub scopes: Vec<&'static str>,
}

impl GrantLine {
    fn initial(&self) -> String {
        initial(&self.name)
    }
}

/// What stands for a project without an icon.
fn initial(name: &str) -> String {
    name.chars().take(1).flat_map(char::to_uppercase).collect()
}
