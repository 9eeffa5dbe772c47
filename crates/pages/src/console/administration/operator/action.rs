//! What operators do to an account: disabling, enabling, signing out everywhere, confirming its address, removing second
//! factors and deleting.

use actix_web::http::StatusCode;
use steward_domain::identity::{Account, Choice, DeletionProgress, Email, FactorRemoval};
use steward_domain::kernel::error::{Error, Forbidden};

use crate::console::frame::{Confirmation, FormState, Signed, Submission};
use crate::error::{PageError, PageResult};

use super::accounts::{accounts_address, address};

/// Who may use an account whose address is confirmed, and what follows. There is no default.
const HOLDERS: [(&str, &str); 2] = [
    ("keep", "The owner of the address uses the account, and keeps everything."),
    (
        "end",
        "Someone else may have signed up with the address. The password, passkeys, second factors, linked identities, sessions, \
         tokens and grants are removed, and so are all memberships of the account and what it created in teams.",
    ),
];

/// The last part of the path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Action {
    Disable,
    Enable,
    SignOut,
    ConfirmEmail,
    RemoveFactors,
    KeepFactors,
    Delete,
}

impl Action {
    const ALL: [Self; 7] = [
        Self::Disable,
        Self::Enable,
        Self::SignOut,
        Self::ConfirmEmail,
        Self::RemoveFactors,
        Self::KeepFactors,
        Self::Delete,
    ];

    fn of(signed: &Signed) -> Result<Self, PageError> {
        let found = Self::ALL.into_iter().find(|action| action.path() == signed.parameter("action"));
        found.ok_or(PageError::NoPage(StatusCode::NOT_FOUND))
    }

    fn path(self) -> &'static str {
        match self {
            Self::Disable => "disable",
            Self::Enable => "enable",
            Self::SignOut => "sign-out",
            Self::ConfirmEmail => "confirm-email",
            Self::RemoveFactors => "remove-factors",
            Self::KeepFactors => "keep-factors",
            Self::Delete => "delete",
        }
    }

    fn title(self) -> &'static str {
        match self {
            Self::Disable => "Disable the account",
            Self::Enable => "Enable the account",
            Self::SignOut => "Sign the account out everywhere",
            Self::ConfirmEmail => "Confirm the email address",
            Self::RemoveFactors => "Remove the second factors, passkeys and linked identities",
            Self::KeepFactors => "Keep the second factors and passkeys",
            Self::Delete => "Delete the account",
        }
    }

    /// Returns what is going to happen, for the page that asks for the password.
    fn description(self, email: &Email) -> String {
        let account = format!("the account {}", email.shown());
        match self.title() {
            title if title.contains("the account") => title.replace("the account", &account),
            title => format!("{title} of {account}"),
        }
    }

    /// Whether the action takes something away from the person.
    fn is_danger(self) -> bool {
        !matches!(self, Self::Enable | Self::ConfirmEmail | Self::KeepFactors)
    }

    fn consequences(self) -> &'static str {
        match self {
            Self::Disable => {
                "Its sessions and tokens are refused until it is enabled again. Its pending invites are revoked and its \
                 webhooks paused. API keys that it created keep working."
            }
            Self::Enable => {
                "Its sessions and tokens work again unless they have expired. Invites stay revoked and webhooks paused."
            }
            Self::SignOut => {
                "All its sessions and tokens end, including personal access tokens. The person can sign in again."
            }
            Self::ConfirmEmail => {
                "Confirm it only if the person has shown you that the address is theirs: the account can then accept invites to \
                 it and reset its password with it."
            }
            Self::RemoveFactors => {
                "Its linked identities are removed at once. Its authenticator app, recovery codes and passkeys are removed after \
                 a delay, in which the person can object: the next sign-in then requires only the password. The person \
                 receives an email. Make sure first that the person who asks is the holder of the account."
            }
            Self::KeepFactors => "They are not removed. The person receives an email.",
            Self::Delete => {
                "It leaves all teams, and all its data in projects and all personal data are deleted. API keys that it \
                 created keep working. This cannot be undone."
            }
        }
    }
}

/// Asks before an action.
pub(crate) async fn show(signed: &Signed, form: FormState) -> PageResult {
    action_page(signed, Action::of(signed)?, &signed.account_of_path().await?, form).await
}

/// Performs an action.
pub(crate) async fn submit(mut submission: Submission) -> PageResult {
    let action = Action::of(&submission.signed)?;
    let account = submission.signed.account_of_path().await?;
    submission.describe(action.description(&account.email));
    match perform(&submission, action, &account).await {
        Ok((next, notice)) => submission.signed.next(&next, notice),
        Err(error) => {
            let submitted = submission.refuse(error).await?;
            submitted.or_show(|form| action_page(&submission.signed, action, &account, form)).await
        }
    }
}

/// Performs an action. Returns the address of the next page and what it reports.
async fn perform(submission: &Submission, action: Action, account: &Account) -> Result<(String, &'static str), Error> {
    let (caller, operators) = (&submission.signed.caller, &submission.signed.steward().operators);
    let id = account.id;
    let notice = match action {
        Action::Disable => {
            operators.disable(caller, id).await?;
            "The account was disabled."
        }
        Action::Enable => {
            operators.enable(caller, id).await?;
            "The account was enabled."
        }
        Action::SignOut => {
            operators.sign_out(caller, id).await?;
            "The account was signed out everywhere."
        }
        Action::ConfirmEmail => {
            let choice = Choice::parse(submission.form.text("choice"));
            let choice = choice.map_err(|_| Error::invalid("choice", "Choose who uses the account."))?;
            operators.confirm_email(caller, id, choice).await?;
            "The email address was confirmed."
        }
        Action::RemoveFactors => match operators.remove_second_factors(caller, id).await? {
            (_, FactorRemoval::Removed) => "The second factors, passkeys and linked identities were removed.",
            (_, FactorRemoval::Scheduled(_)) => "The removal of the second factors and passkeys was scheduled.",
            (_, FactorRemoval::Nothing) => "The account has no second factors, passkeys or linked identities.",
        },
        Action::KeepFactors => match operators.keep_second_factors(caller, id).await? {
            true => "The second factors and passkeys are kept.",
            false => "No removal was scheduled.",
        },
        Action::Delete if !Email::parse(submission.form.text("confirm")).is_ok_and(|typed| typed == account.email) => {
            return Err(Error::invalid("confirm", "The text must be the email address of the account."));
        }
        Action::Delete => match operators.delete(caller, id).await? {
            DeletionProgress::Complete => return Ok((accounts_address(), "The account was deleted.")),
            DeletionProgress::Continues => "The account is being deleted.",
        },
    };
    Ok((address(id), notice))
}

async fn action_page(signed: &Signed, action: Action, account: &Account, form: FormState) -> PageResult {
    if account.id == signed.signed_in.account.id {
        return Err(Error::from(Forbidden::OwnAccount).into());
    }
    let shell = signed.operator_shell("Accounts").await?.below(accounts_address(), account.email.shown());
    let shell = shell.below(address(account.id), action.title());
    let page = Confirmation {
        consequences: vec![action.consequences()],
        is_typed: action == Action::Delete,
        choices: if action == Action::ConfirmEmail { &HOLDERS } else { &[] },
        is_danger: action.is_danger(),
        ..Confirmation::of_danger(shell, form, action.title(), account.email.shown())
    };
    page.page(signed)
}
