//! Removing a member from a team, and leaving it.

use askama::Template;
use steward_domain::kernel::error::ResourceKind;
use steward_domain::kernel::policy::Operation;

use crate::console::frame::{FormState, Outcome, Shell, Signed, Submission, unless_deleted};
use crate::error::PageResult;

use super::affected::{self, Affected};
use super::members::{Target, is_only_owner};

/// Removes the member.
pub(crate) async fn submit(mut submission: Submission) -> PageResult {
    let Some(target) = unless_deleted(Target::of(&submission.signed).await)? else {
        return submission.repeated(Operation::MemberRemove, ResourceKind::Member).await;
    };
    let removed = if target.is_owner() { "an owner" } else { "a member" };
    submission.describe(format!("Remove {removed} of the team {}", target.scope.team.name));
    let (when, team, id) = (submission.precondition(), target.scope.team.id, target.id());
    let (address, message) = match target.is_self {
        true => ("/".to_owned(), format!("You left the team {}.", target.scope.team.name)),
        false => (target.scope.at("/members"), format!("{} was removed from the team.", target.name())),
    };
    let submitted = submission.run_once(Operation::MemberRemove, async |caller| {
        let ended = affected::chosen(&submission.form)?;
        submission.signed.steward().members.remove(caller, team, id, &ended, &when).await?;
        Ok(Outcome::next(address, message))
    });
    submitted.await?.or_show(|form| removal_page(&submission.signed, form)).await
}

/// Shows what the removal affects.
pub(crate) async fn removal_page(signed: &Signed, form: FormState) -> PageResult {
    let target = Target::of(signed).await?;
    let members = &signed.steward().members;
    let found = members.preview(&signed.caller, target.scope.team.id, target.id(), None).await?;
    let form = form.with_revision(target.found.member.revision);
    let label = if target.is_self { "Leave the team" } else { "Remove" };
    let view = Removal {
        shell: target.shell_below(signed, label).await?,
        affected: Affected::of(&found, &target.scope, &affected::kept(&form)),
        is_only_owner: target.is_self && is_only_owner(signed, &target.scope).await?,
        may_list: target.scope.permitted.may(Operation::MemberList),
        name: target.name(),
        target,
        form,
    };
    view.form.page(signed, &view)
}

#[derive(Template)]
#[template(path = "console/administration/team/removal.html")]
struct Removal {
    shell: Shell,
    target: Target,
    name: String,
    affected: Affected,
    is_only_owner: bool,
    may_list: bool,
    form: FormState,
}
