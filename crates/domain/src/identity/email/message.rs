//! Emails that the service sends to people.

use std::net::IpAddr;

use uuid::Uuid;

use crate::identity::{Email, EmailLook};
use crate::kernel::{InviteId, Locale, Secret, Slug, Time, named};

named! {
    /// The purpose of a link in an email.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum LinkPurpose: "the name used in the database" {
        /// Proves that an email address belongs to the account holder.
        VerifyEmail = "verify_email",
        /// Lets the account holder set a new password.
        ResetPassword = "reset_password",
        /// Makes the address that of the account, whose holder requested this.
        ChangeEmail = "change_email",
        /// Signs in, in the browser that requested it. The email also contains a code that can be entered instead.
        SignIn = "sign_in",
    }
}

impl LinkPurpose {
    /// Returns the path of the page that the link opens.
    pub const fn path(self) -> &'static str {
        match self {
            Self::VerifyEmail => "/auth/verify-email",
            Self::ResetPassword => "/auth/reset-password",
            Self::ChangeEmail => "/console/account/email/confirm",
            Self::SignIn => "/auth/sign-in/code",
        }
    }
}

/// What happened to an account: to the ways to sign in to it, or with one of them. Its holder gets an email.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AccountChange {
    /// An authenticator app was set up.
    AppAdded,
    /// The authenticator app was removed, and with it the recovery codes.
    AppRemoved,
    /// New recovery codes replaced the previous ones.
    CodesReplaced,
    /// A recovery code was used. Holds how many are left.
    CodeUsed(usize),
    /// The second factors and passkeys were removed, because the holder lost them.
    FactorsRemoved,
    /// The same will happen at this time.
    RemovalScheduled(Time),
    /// It will not happen.
    RemovalCanceled,
    /// The address was confirmed for the first time, which removed what someone else may have set up.
    RemovedByConfirmation,
    /// A passkey was set up.
    PasskeyAdded,
    /// A passkey was removed.
    PasskeyRemoved,
    /// There may be a copy of a passkey.
    PasskeyCopied,
    /// An identity at another provider was linked.
    IdentityLinked,
    /// The link of an identity was removed.
    IdentityUnlinked,
    /// Too many wrong codes were entered after the first step of a sign-in.
    CodesRefused,
    /// A browser signed in that had not before. Holds the address that the request came from, if known.
    NewBrowser(Option<IpAddr>),
    /// The password was set or changed.
    PasswordChanged,
    /// A personal access token was created.
    TokenCreated,
}

impl AccountChange {
    /// Returns one of each.
    pub(crate) fn examples(now: Time) -> [Self; 17] {
        [
            Self::AppAdded,
            Self::AppRemoved,
            Self::CodesReplaced,
            Self::CodeUsed(9),
            Self::FactorsRemoved,
            Self::RemovalScheduled(now),
            Self::RemovalCanceled,
            Self::RemovedByConfirmation,
            Self::PasskeyAdded,
            Self::PasskeyRemoved,
            Self::PasskeyCopied,
            Self::IdentityLinked,
            Self::IdentityUnlinked,
            Self::CodesRefused,
            Self::NewBrowser(Some(IpAddr::from([203, 0, 113, 7]))),
            Self::PasswordChanged,
            Self::TokenCreated,
        ]
    }

    /// Returns the name used in the log.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::AppAdded => "authenticator_app_added",
            Self::AppRemoved => "authenticator_app_removed",
            Self::CodesReplaced => "recovery_codes_replaced",
            Self::CodeUsed(_) => "recovery_code_used",
            Self::FactorsRemoved => "second_factors_removed",
            Self::RemovalScheduled(_) => "second_factors_removal_scheduled",
            Self::RemovalCanceled => "second_factors_removal_canceled",
            Self::RemovedByConfirmation => "earlier_access_removed",
            Self::PasskeyAdded => "passkey_added",
            Self::PasskeyRemoved => "passkey_removed",
            Self::PasskeyCopied => "passkey_copied",
            Self::IdentityLinked => "identity_linked",
            Self::IdentityUnlinked => "identity_unlinked",
            Self::CodesRefused => "second_factor_codes_refused",
            Self::NewBrowser(_) => "new_browser",
            Self::PasswordChanged => "password_changed",
            Self::TokenCreated => "personal_token_created",
        }
    }
}

/// The kind of an email.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EmailKind {
    /// A link that works once and expires soon.
    Link(LinkPurpose),
    /// An invite to a team.
    Invite {
        /// The ID of the invite.
        id: InviteId,
        /// When the invite was created or last renewed. Each time sends a separate email.
        at: Time,
        /// The slug of the team. Emails do not contain the name of the team, because anyone who creates a team could
        /// use it to send text to strangers in the name of this service.
        team: Slug,
        /// When the invite expires.
        expires_at: Time,
    },
    /// A notice to the previous address of an account that has another one now. It does not contain the new address,
    /// because anyone who signs up with the address of a stranger could use it to send text to them.
    EmailChanged,
    /// A notice to the holder of an account about what happened to it.
    AccountChanged(AccountChange),
    /// A test of the mail server, which an operator sends to their own address. It links to the service.
    Test,
}

impl EmailKind {
    /// Returns the name used in the log.
    pub const fn as_str(&self) -> &'static str {
        match self {
            Self::Link(purpose) => purpose.as_str(),
            Self::Invite { .. } => "invite",
            Self::EmailChanged => "email_changed",
            Self::AccountChanged(change) => change.as_str(),
            Self::Test => "test",
        }
    }
}

/// An email with a link.
#[derive(Debug, Clone)]
pub struct EmailMessage {
    /// The recipient.
    pub to: Email,
    /// The kind of the email.
    pub kind: EmailKind,
    /// The absolute URL, which may contain a secret.
    pub link: Secret,
    /// The code that a person can enter instead of opening the link.
    pub code: Option<Secret>,
    /// The language of the recipient.
    pub language: Locale,
    /// The project to which the recipient signs in.
    pub look: Option<EmailLook>,
}

impl EmailMessage {
    /// Returns an email of each kind, as it could look, for a service at this address.
    pub fn examples(to: &Email, address: &str, language: Locale, now: Time) -> Vec<Self> {
        let sign_in = EmailKind::Link(LinkPurpose::SignIn);
        let example = |kind: EmailKind| {
            let code = (kind == sign_in).then(|| Secret::new("123456".to_owned()));
            let link = Secret::new(format!("{address}/?token=123456"));
            Self { code, ..Self::new(to.clone(), kind, link, language) }
        };
        let team = Slug::parse("acme").ok();
        let invite = team.map(|team| EmailKind::Invite { id: Uuid::nil().into(), at: now, team, expires_at: now });
        let others = LinkPurpose::ALL.map(EmailKind::Link).into_iter().filter(|kind| *kind != sign_in);
        let changes = AccountChange::examples(now).map(EmailKind::AccountChanged);
        let kinds = [sign_in.clone()].into_iter().chain(invite).chain(others).chain([EmailKind::EmailChanged]);
        kinds.chain(changes).chain([EmailKind::Test]).map(example).collect()
    }

    /// Returns an email without a code and without the look of a project.
    pub fn new(to: Email, kind: EmailKind, link: Secret, language: Locale) -> Self {
        Self { to, kind, link, code: None, language, look: None }
    }
}

/// The subject and the text of an email, as plain text and as HTML.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(missing_docs, reason = "each field is named after its value")]
pub struct EmailText {
    pub subject: String,
    pub plain: String,
    pub html: String,
}

/// Writes an email in the language of its recipient.
pub type ComposeEmail = fn(&EmailMessage) -> EmailText;
