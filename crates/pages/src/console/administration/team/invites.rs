//! Invites of a team: sending, renewing and revoking them.

use askama::Template;
use steward_domain::administration::{CreateInvite, EmailDelivery, Recipient, TeamInvite};
use steward_domain::identity::{Email, Username};
use steward_domain::kernel::error::{Error, FieldViolations, ResourceKind};
use steward_domain::kernel::policy::{Operation, RoleSet};
use steward_domain::kernel::violations::Violation;
use steward_domain::kernel::{InviteId, RoleName, Time};

use crate::console::frame::timestamps::after_selected_days;
use crate::console::frame::{Confirmation, FormState, Outcome, Shell, Signed, Submission, TeamScope, Timestamp};
use crate::error::{PageError, PageResult};
use crate::request::form::Form;

use super::role_choices::{self, RoleChoices};

/// How long an invite can be valid, in days.
const DAYS: [(&str, &str); 4] = [("1", "1 day"), ("7", "7 days"), ("14", "14 days"), ("30", "30 days")];

/// Lists the pending invites.
pub(crate) async fn list(signed: Signed) -> PageResult {
    let scope = signed.team().await?;
    let found = signed.steward().invites.list(&signed.caller, scope.team.id, &signed.page_request()).await?;
    signed.page(&Invites {
        shell: scope.shell(&signed, "Invites").await?,
        invites: found.items,
        next: signed.next_page(found.next.as_ref(), &[]),
        scope,
    })
}

/// Returns how far the email with an invite is.
fn delivery_label(found: &TeamInvite) -> &'static str {
    match found.delivery {
        EmailDelivery::Link => "Not emailed",
        EmailDelivery::Queued => "Waiting to be sent",
        EmailDelivery::Sent => "Sent",
        EmailDelivery::Failed => "Failed",
    }
}

/// Whether the team sends the link to the recipient.
fn needs_link(found: &TeamInvite) -> bool {
    matches!(found.delivery, EmailDelivery::Link | EmailDelivery::Failed)
}

#[derive(Template)]
#[template(path = "console/administration/team/invites.html")]
struct Invites {
    shell: Shell,
    scope: TeamScope,
    invites: Vec<TeamInvite>,
    next: Option<String>,
}

/// Invites a person.
pub(crate) async fn submit_new(mut submission: Submission) -> PageResult {
    let invites_owner = role_choices::selected(&submission.form, RoleSet::parse).is_ok_and(|roles| roles.is_owner());
    submission.describe(match invites_owner {
        true => "Invite an owner of the team",
        false => "Invite someone who can give access to others",
    });
    let signed = &submission.signed;
    let (scope, now) = (signed.team().await?, signed.steward().clock.now());
    let submitted = submission.run_once(Operation::InviteCreate, async |caller| {
        let command = command(&submission.form, now)?;
        let invited = signed.steward().invites.create(caller, scope.team.id, command).await;
        let invite = invited.map_err(of_recipient)?.offer.invite;
        let address = scope.at(&format!("/invites/{}", invite.id));
        Ok(Outcome::next(address, format!("{} was invited.", invite.recipient.shown())))
    });
    submitted.await?.or_show(|form| new_page(signed, form)).await
}

fn command(form: &Form, now: Time) -> Result<CreateInvite, Error> {
    let mut violations = FieldViolations::default();
    let text = form.text("recipient");
    let recipient = match text.contains('@') {
        true => violations.check("recipient", Email::parse(text)).map(Recipient::Email),
        false => violations.check("recipient", username(text)).map(Recipient::Username),
    };
    let roles = violations.check("roles", role_choices::selected(form, RoleSet::parse));
    let role_name = violations.check("role_name", RoleName::parse(form.text("role_name")));
    let expires_at = violations.check("days", after_selected_days(form, &DAYS, now));
    let command = |((recipient, roles), role_name)| CreateInvite { recipient, roles, role_name, expires_at };
    violations.finish(recipient.zip(roles).zip(role_name).map(command))
}

/// Parses a text that can also be the beginning of an email address.
fn username(text: &str) -> Result<Username, String> {
    Username::parse(text)
        .map_err(|error| format!("must be an email address, like name@example.com, or a username, which {error}"))
}

/// Names the field of the form in errors about the recipient.
fn of_recipient(error: Error) -> Error {
    match error {
        Error::Invalid(violations) => Error::Invalid(violations.map(|violation| {
            let is_of_recipient = violation.field == "email";
            if is_of_recipient { Violation { field: "recipient".to_owned(), ..violation } } else { violation }
        })),
        Error::NotFound(ResourceKind::Account) => {
            Error::invalid("recipient", "No account has this username. Enter an email address to invite a new person.")
        }
        error => error,
    }
}

/// Shows the form that invites a person.
pub(crate) async fn new_page(signed: &Signed, form: FormState) -> PageResult {
    let scope = signed.team().await?;
    scope.permitted.require(Operation::InviteCreate)?;
    let view = NewInvite {
        sends_emails: signed.steward().email_changes.sends_emails(),
        shell: scope.shell(signed, "Invites").await?.below(scope.at("/invites"), "Invite someone"),
        choices: RoleChoices::of(&scope),
        scope,
        form: form.starting_with(&[("days", "7"), ("roles", "developer")]),
    };
    view.form.page(signed, &view)
}

#[derive(Template)]
#[template(path = "console/administration/team/invite_new.html")]
struct NewInvite {
    shell: Shell,
    scope: TeamScope,
    choices: RoleChoices,
    sends_emails: bool,
    form: FormState,
}

/// Returns the team and the invite in the path.
async fn invite(signed: &Signed) -> Result<(TeamScope, TeamInvite), PageError> {
    let scope = signed.team().await?;
    let id = InviteId::parse(signed.parameter("invite")).ok_or(Error::NotFound(ResourceKind::Invite))?;
    let found = signed.steward().invites.get(&signed.caller, scope.team.id, id).await?;
    Ok((scope, found))
}

/// Shows an invite with its link.
pub(crate) async fn show(signed: Signed) -> PageResult {
    let (scope, found) = invite(&signed).await?;
    let recipient = found.invite.recipient.shown();
    signed.page(&ShowInvite {
        shell: scope.shell(&signed, "Invites").await?.below(scope.at("/invites"), recipient),
        may_renew: scope.roles.may_invite_into(&found.invite.roles),
        is_expired: found.invite.expires_at <= signed.steward().clock.now(),
        found,
        scope,
    })
}

#[derive(Template)]
#[template(path = "console/administration/team/invite.html")]
struct ShowInvite {
    shell: Shell,
    scope: TeamScope,
    found: TeamInvite,
    may_renew: bool,
    is_expired: bool,
}

/// Asks whether to renew an invite.
pub(crate) async fn renew_page(signed: &Signed, form: FormState) -> PageResult {
    action_page(signed, form, true).await
}

/// Renews an invite: it is sent again and is valid for as long as a new one.
pub(crate) async fn submit_renew(mut submission: Submission) -> PageResult {
    let (scope, found) = invite(&submission.signed).await?;
    submission.describe(match found.invite.roles.is_owner() {
        true => "Renew the invite of an owner of the team",
        false => "Renew the invite of someone who can give access to others",
    });
    let (address, invite) = (scope.at(&format!("/invites/{}", found.invite.id)), found.invite);
    let message = format!("The invite to {} was renewed.", invite.recipient.shown());
    let (recipient, roles, role_name) = (invite.recipient, invite.roles, invite.role_name);
    let submitted = submission.run_once(Operation::InviteCreate, async |caller| {
        let command = CreateInvite { recipient, roles, role_name, expires_at: None };
        submission.signed.steward().invites.create(caller, scope.team.id, command).await.map_err(of_recipient)?;
        Ok(Outcome::next(address, message))
    });
    submitted.await?.or_show(|form| renew_page(&submission.signed, form)).await
}

/// Asks whether to revoke an invite.
pub(crate) async fn revoke_page(signed: &Signed, form: FormState) -> PageResult {
    action_page(signed, form, false).await
}

/// Revokes an invite.
pub(crate) async fn submit_revoke(submission: Submission) -> PageResult {
    let signed = &submission.signed;
    let team = signed.team_id()?;
    let id = InviteId::parse(signed.parameter("invite")).ok_or(Error::NotFound(ResourceKind::Invite))?;
    let when = submission.precondition();
    let submitted = submission.run_once(Operation::InviteRevoke, async |caller| {
        signed.steward().invites.revoke(caller, team, id, &when).await?;
        Ok(Outcome::next(format!("/console/teams/{team}/invites"), "The invite was revoked."))
    });
    submitted.await?.or_show(|form| revoke_page(signed, form)).await
}

async fn action_page(signed: &Signed, form: FormState, is_renewal: bool) -> PageResult {
    let (scope, found) = invite(signed).await?;
    scope.permitted.require(if is_renewal { Operation::InviteCreate } else { Operation::InviteRevoke })?;
    let (action, title, consequence) = match is_renewal {
        true => ("Renew", "Renew the invite", "It is sent again, in your name, and is valid for 7 days from now."),
        false => {
            ("Revoke", "Revoke the invite", "They can no longer accept the invite. You can invite them again later.")
        }
    };
    let (recipient, list) = (found.invite.recipient.shown(), scope.shell(signed, "Invites").await?);
    let shell = list.below(scope.at("/invites"), recipient);
    let shell = shell.below(scope.at(&format!("/invites/{}", found.invite.id)), action);
    let page = Confirmation {
        consequences: vec![consequence],
        is_danger: !is_renewal,
        ..Confirmation::of_danger(shell, form.with_revision(found.invite.revision), title, recipient)
    };
    page.page(signed)
}
