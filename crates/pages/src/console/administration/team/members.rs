//! Members of a team: their list, and changing their roles.

use actix_web::HttpResponse;
use askama::Template;
use steward_domain::administration::{MemberWithAccount, UpdateMember};
use steward_domain::kernel::error::{Error, FieldViolations, Forbidden, ResourceKind};
use steward_domain::kernel::policy::{EndableKinds, Operation, RoleSet};
use steward_domain::kernel::{AccountId, PageRequest, RoleName};

use crate::console::frame::{FormState, Outcome, Shell, Signed, Submission, TeamScope, Timestamp, is_of_confirmation};
use crate::error::{PageError, PageResult};

use super::affected::{self, Affected};
use super::role_choices::{self, RoleChoices};

/// The member in the path, and their team.
pub(crate) struct Target {
    pub(crate) scope: TeamScope,
    pub(crate) found: MemberWithAccount,
    /// Whether the member is the person who is signed in.
    pub(crate) is_self: bool,
}

impl Target {
    pub(crate) async fn of(signed: &Signed) -> Result<Self, PageError> {
        let scope = signed.team().await?;
        let id = AccountId::parse(signed.parameter("member")).ok_or(Error::NotFound(ResourceKind::Member))?;
        let found = signed.steward().members.get(&signed.caller, scope.team.id, id).await?;
        Ok(Self { scope, found, is_self: id == signed.signed_in.account.id })
    }

    pub(crate) fn id(&self) -> AccountId {
        self.found.member.account_id
    }

    pub(crate) fn name(&self) -> String {
        name_of(&self.found)
    }

    pub(crate) fn is_owner(&self) -> bool {
        self.found.member.roles.is_owner()
    }

    /// Returns the address of a page of the member.
    pub(crate) fn at(&self, path: &str) -> String {
        self.scope.at(&format!("/members/{}{path}", self.id()))
    }

    /// Returns the layout of the page of the member.
    async fn shell(&self, signed: &Signed) -> Result<Shell, PageError> {
        if !self.scope.permitted.may(Operation::MemberList) {
            return self.scope.shell(signed, &self.name()).await;
        }
        Ok(self.scope.shell(signed, "Members").await?.below(self.scope.at("/members"), self.name()))
    }

    /// Returns the layout of a page below that of the member.
    pub(crate) async fn shell_below(&self, signed: &Signed, label: &str) -> Result<Shell, PageError> {
        // A member may leave the team without the permission to change their own roles.
        let address = self.require_update().is_ok().then(|| self.at(""));
        Ok(self.shell(signed).await?.below(address, label))
    }

    /// Refuses the pages on which the member is changed, as the use case refuses the change.
    fn require_update(&self) -> Result<(), Error> {
        self.scope.permitted.require(Operation::MemberUpdate)?;
        if self.is_owner() && !self.scope.roles.is_owner() { Err(Forbidden::OwnersOnly.into()) } else { Ok(()) }
    }
}

/// Returns how pages name a member: by name, or by email address without one.
fn name_of(found: &MemberWithAccount) -> String {
    let Some(account) = &found.account else { return "Deleted account".to_owned() };
    account.name.as_ref().map_or_else(|| account.email.shown().to_owned(), ToString::to_string)
}

/// Whether the person is the only owner of the team, so that they cannot leave it.
pub(crate) async fn is_only_owner(signed: &Signed, scope: &TeamScope) -> Result<bool, PageError> {
    if !scope.roles.is_owner() {
        return Ok(false);
    }
    let members = signed.steward().members.list(&signed.caller, scope.team.id, &PageRequest::FIRST).await?;
    let owners = members.items.iter().filter(|member| member.roles.is_owner()).count();
    Ok(members.next.is_none() && owners <= 1)
}

/// Lists the members.
pub(crate) async fn list(signed: Signed) -> PageResult {
    let scope = signed.team().await?;
    let members = &signed.steward().members;
    let found = members.list_with_accounts(&signed.caller, scope.team.id, &signed.page_request()).await?;
    let is_only_owner = is_only_owner(&signed, &scope).await?;
    let own = signed.signed_in.account.id;
    signed.page(&Members {
        shell: scope.shell(&signed, "Members").await?,
        members: found.items.iter().map(|found| line(found, &scope, own, is_only_owner)).collect(),
        next: signed.next_page(found.next.as_ref(), &[]),
        scope,
    })
}

fn line(found: &MemberWithAccount, scope: &TeamScope, own: AccountId, is_only_owner: bool) -> MemberLine {
    let member = &found.member;
    let at = |path: &str| scope.at(&format!("/members/{}{path}", member.account_id));
    let is_self = member.account_id == own;
    let may_change = !member.roles.is_owner() || scope.roles.is_owner();
    let may_update = may_change && scope.permitted.may(Operation::MemberUpdate);
    let may_remove = is_self || may_change && scope.permitted.may(Operation::MemberRemove);
    MemberLine {
        name: name_of(found),
        email: found.account.as_ref().map(|account| account.email.shown().to_owned()).unwrap_or_default(),
        role: member.role_name.or_title_of(&member.roles).to_owned(),
        since: Timestamp::from(member.created_at),
        is_self,
        change: may_update.then(|| at("")),
        remove: (may_remove && !(is_self && is_only_owner)).then(|| at("/remove")),
    }
}

/// A member in the list. Addresses are `None` if the person may not do that.
struct MemberLine {
    name: String,
    email: String,
    role: String,
    since: Timestamp,
    is_self: bool,
    change: Option<String>,
    remove: Option<String>,
}

#[derive(Template)]
#[template(path = "console/administration/team/members.html")]
struct Members {
    shell: Shell,
    scope: TeamScope,
    members: Vec<MemberLine>,
    next: Option<String>,
}

/// Changes the roles of a member. A change that affects other resources is confirmed first.
pub(crate) async fn submit(mut submission: Submission) -> PageResult {
    let target = Target::of(&submission.signed).await?;
    let roles = role_choices::selected(&submission.form, RoleSet::parse).ok();
    let changes_owners = roles.as_ref().is_some_and(|roles| roles.is_owner() != target.is_owner());
    submission.describe(match changes_owners {
        true => format!("Change the owners of the team {}", target.scope.team.name),
        // Deleting what the member set up is confirmed, too.
        false if affected::chosen(&submission.form).is_ok_and(|chosen| !chosen.is_empty()) => {
            format!("Change a member of the team {}", target.scope.team.name)
        }
        false => format!("Give more permissions to a member of the team {}", target.scope.team.name),
    });
    if let Some(page) = confirmation(&submission, &target, roles.as_ref()).await? {
        return Ok(page);
    }

    let (when, team, id) = (submission.precondition(), target.scope.team.id, target.id());
    let address = if target.is_self { "/".to_owned() } else { target.scope.at("/members") };
    let message = format!("The roles of {} were changed.", target.name());
    let submitted = submission.run_once(Operation::MemberUpdate, async |caller| {
        let mut violations = FieldViolations::default();
        let command = UpdateMember {
            roles: violations.check("roles", role_choices::selected(&submission.form, RoleSet::parse)),
            role_name: violations.check("role_name", RoleName::parse(submission.form.text("role_name"))),
        };
        let (command, ended) = (violations.finish(Some(command))?, affected::chosen(&submission.form)?);
        submission.signed.steward().members.update(caller, team, id, command, &ended, &when).await?;
        Ok(Outcome::next(address, message))
    });
    submitted.await?.or_show(|form| edit_page(&submission.signed, form)).await
}

/// Returns the page that names what a change affects, unless that is nothing or was confirmed.
async fn confirmation(
    submission: &Submission,
    target: &Target,
    roles: Option<&RoleSet>,
) -> Result<Option<HttpResponse>, PageError> {
    let (signed, Some(roles)) = (&submission.signed, roles) else { return Ok(None) };
    // The use case refuses it then, unless it is repeated and had its effect: people can give up their own permissions.
    let is_refused = target.require_update().is_err();
    if is_refused || submission.form.given("confirmed").is_some() {
        return Ok(None);
    }
    let members = &signed.steward().members;
    let found = members.preview(&signed.caller, target.scope.team.id, target.id(), Some(roles)).await?;
    let affected = Affected::of(&found, &target.scope, &EndableKinds::default());
    if affected.is_empty() {
        return Ok(None);
    }
    let fields = submission.form.fields().filter(|(name, _)| *name != "csrf" && !is_of_confirmation(name));
    let view = ConfirmChange {
        shell: target.shell_below(signed, "Confirm the change").await?,
        path: target.at(""),
        name: target.name(),
        roles: roles.to_string(),
        affected,
        fields: fields.collect(),
    };
    Ok(Some(signed.page(&view)?))
}

#[derive(Template)]
#[template(path = "console/administration/team/member_confirm.html")]
struct ConfirmChange<'a> {
    shell: Shell,
    path: String,
    name: String,
    roles: String,
    affected: Affected,
    fields: Vec<(&'a str, &'a str)>,
}

/// Shows the form with the roles of a member.
pub(crate) async fn edit_page(signed: &Signed, form: FormState) -> PageResult {
    let target = Target::of(signed).await?;
    target.require_update()?;
    let (member, names) = (&target.found.member, role_choices::names(&target.found.member.roles));
    let roles = names.iter().map(|name| ("roles", name.as_str()));
    let values: Vec<_> = std::iter::once(("role_name", member.role_name.as_str())).chain(roles).collect();
    let form = form.starting_with(&values).with_revision(member.revision);
    let choices = RoleChoices::of(&target.scope);
    let is_only_owner = target.is_self && is_only_owner(signed, &target.scope).await?;
    let view = EditMember {
        shell: target.shell(signed).await?,
        dropped: choices.missing_from(&target.found.member.roles).join(", "),
        name: target.name(),
        may_remove: !is_only_owner && (target.is_self || target.scope.permitted.may(Operation::MemberRemove)),
        may_transfer: !target.is_self && target.scope.roles.is_owner(),
        is_only_owner,
        choices,
        target,
        form,
    };
    view.form.page(signed, &view)
}

#[derive(Template)]
#[template(path = "console/administration/team/member.html")]
struct EditMember {
    shell: Shell,
    target: Target,
    choices: RoleChoices,
    /// Roles that the form does not offer, so that saving it removes them.
    dropped: String,
    name: String,
    may_remove: bool,
    may_transfer: bool,
    is_only_owner: bool,
    form: FormState,
}
