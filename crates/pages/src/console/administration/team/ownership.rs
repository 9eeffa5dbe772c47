//! Transferring the ownership of a team.

use askama::Template;
use steward_domain::administration::UpdateMember;
use steward_domain::kernel::Precondition;
use steward_domain::kernel::error::{Error, Forbidden, ResourceKind};
use steward_domain::kernel::policy::{EndableKinds, Operation, Role, RoleSet};

use crate::console::frame::{FormState, Outcome, Shell, Signed, Submission};
use crate::error::PageResult;

use super::affected::{self, Affected};
use super::members::Target;

/// Makes the member an owner, then the person an admin. If the second step fails, the team has two owners.
pub(crate) async fn submit(mut submission: Submission) -> PageResult {
    let target = Target::of(&submission.signed).await?;
    if target.is_self {
        return Err(Error::NotFound(ResourceKind::Member).into());
    }
    let action = format!("Transfer the ownership of the team {}", target.scope.team.name);
    submission.describe(action);
    let (when, team, id, own) =
        (submission.precondition(), target.scope.team.id, target.id(), submission.signed.signed_in.account.id);
    let (address, message) = (target.scope.at("/members"), format!("{} is now an owner.", target.name()));
    let submitted = submission.run_once(Operation::MemberUpdate, async |caller| {
        let (members, ended) = (&submission.signed.steward().members, affected::chosen(&submission.form)?);
        let owner = UpdateMember { roles: Some(RoleSet::owner()), ..UpdateMember::default() };
        members.update(caller, team, id, owner, &EndableKinds::default(), &when).await?;
        let admin = UpdateMember { roles: Some(admin()), ..UpdateMember::default() };
        members.update(caller, team, own, admin, &ended, &Precondition::None).await?;
        Ok(Outcome::next(address, message))
    });
    submitted.await?.or_show(|form| transfer_page(&submission.signed, form)).await
}

fn admin() -> RoleSet {
    RoleSet::from_stored(Role::Admin.as_str())
}

/// Shows what the transfer changes.
pub(crate) async fn transfer_page(signed: &Signed, form: FormState) -> PageResult {
    let target = Target::of(signed).await?;
    if target.is_self {
        return Err(Error::NotFound(ResourceKind::Member).into());
    }
    if !target.scope.roles.is_owner() {
        return Err(Error::from(Forbidden::OwnersOnly).into());
    }
    let (members, own) = (&signed.steward().members, signed.signed_in.account.id);
    let found = members.preview(&signed.caller, target.scope.team.id, own, Some(&admin())).await?;
    let form = form.with_revision(target.found.member.revision);
    let view = Transfer {
        shell: target.shell_below(signed, "Transfer ownership").await?,
        affected: Affected::of(&found, &target.scope, &affected::kept(&form)),
        name: target.name(),
        target,
        form,
    };
    view.form.page(signed, &view)
}

#[derive(Template)]
#[template(path = "console/administration/team/ownership.html")]
struct Transfer {
    shell: Shell,
    target: Target,
    name: String,
    affected: Affected,
    form: FormState,
}
