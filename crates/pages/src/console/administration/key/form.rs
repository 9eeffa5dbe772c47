//! The forms that create an API key and change its label and roles.

use askama::Template;
use steward_domain::administration::{CreateKey, UpdateKey};
use steward_domain::kernel::error::{Error, FieldViolations};
use steward_domain::kernel::policy::{KeyRoles, Operation, Permission};
use steward_domain::kernel::{Label, RequestedAccess, Time};

use crate::console::administration::team::role_choices::selected;
use crate::console::frame::{FormState, Outcome, Permitted, Shell, Signed, Submission};
use crate::error::PageResult;
use crate::request::form::Form;

use super::overview::{address, below_key, key_id, load};
use super::value::NewValue;

/// Names that stand for several permissions of a key, and what they permit.
const SHORTHANDS: [(&str, &str); 3] = [
    ("read", "Read: everything in the project except the audit log"),
    ("write", "Write: read and change the schema, users and items, but not the project"),
    ("admin", "Admin: everything that a key can do"),
];

/// Values and labels of the field that decides whether a key is private.
const VISIBILITIES: [(&str, &str); 2] =
    [("private", "Private: for servers"), ("public", "Public: for browsers and apps. Everyone can see the key.")];

/// Creates a key and shows its value.
pub(crate) async fn submit_new(mut submission: Submission) -> PageResult {
    submission.describe("Create an API key");
    let scope = submission.signed.project().await?;
    let shell = scope.shell(&submission.signed, "Keys").await?.below(scope.at("/keys"), "New key");
    let (project, roles) = (scope.project.id, selected(&submission.form, KeyRoles::parse).ok());
    let access = RequestedAccess { granted_roles: roles, ..submission.access(Operation::KeyCreate) };
    let submitted = submission.run_once_with(access, async |caller| {
        let new = create_command(&submission.form)?;
        let issued = submission.signed.steward().api_keys.create(caller, project, new).await?;
        NewValue::outcome(shell, &submission.signed, &issued, false)
    });
    submitted.await?.or_show(|form| form_page(&submission.signed, form)).await
}

fn create_command(form: &Form) -> Result<CreateKey, Error> {
    let mut violations = FieldViolations::default();
    let label = violations.check("label", Label::parse(form.text("label")));
    let roles = violations.check("roles", selected(form, KeyRoles::parse));
    let expires_at = violations.check("expires_at", expiry(form)).flatten();
    let is_private = form.text("visibility") != "public";
    violations.finish(label.zip(roles).map(|(label, roles)| CreateKey { label, roles, is_private, expires_at }))
}

/// Changes a key.
pub(crate) async fn submit_edit(mut submission: Submission) -> PageResult {
    submission.describe("Give more permissions to the API key");
    let (project, id) = (submission.signed.project_id()?, key_id(&submission.signed)?);
    let when = submission.precondition();
    let submitted = submission.run_once(Operation::KeyUpdate, async |caller| {
        let command = update_command(&submission.form)?;
        submission.signed.steward().api_keys.update(caller, project, id, command, &when).await?;
        Ok(Outcome::next(address(project, id), "The key was changed."))
    });
    submitted.await?.or_show(|form| form_page(&submission.signed, form)).await
}

fn update_command(form: &Form) -> Result<UpdateKey, Error> {
    let mut violations = FieldViolations::default();
    let command = UpdateKey {
        label: violations.check("label", Label::parse(form.text("label"))),
        roles: violations.check("roles", selected(form, KeyRoles::parse)),
        expires_at: None,
    };
    violations.finish(Some(command))
}

/// Shows the form of a new key, or of the one in the path.
pub(crate) async fn form_page(signed: &Signed, form: FormState) -> PageResult {
    let (scope, key) = match signed.parameter("key") {
        "" => (signed.project().await?, None),
        _ => load(signed).await.map(|(scope, key)| (scope, Some(key)))?,
    };
    let roles = key.as_ref().map(|key| key.roles.to_string()).unwrap_or_default();
    let (values, operation, title, button) = match &key {
        None => (vec![("visibility", "private")], Operation::KeyCreate, "New key", "Create the key"),
        Some(key) => {
            let values = roles.split(',').map(|role| ("roles", role)).chain([("label", key.label.as_str())]);
            (values.collect(), Operation::KeyUpdate, "Edit the key", "Save")
        }
    };
    form.require(scope.permitted, operation)?;
    let (form, tab) = (form.starting_with(&values), scope.shell(signed, "Keys").await?);
    let view = KeyForm {
        shell: match &key {
            None => tab.below(scope.at("/keys"), title),
            Some(key) => below_key(tab, &scope, key, "Edit"),
        },
        roles: RoleOptions::of(scope.permitted, &form, key.as_ref().is_none_or(|key| key.is_private)),
        form: form.with_revision(key.as_ref().map(|key| key.revision)),
        title,
        button,
        visibilities: key.is_none().then_some(VISIBILITIES),
        about_public_keys: key.is_none_or(|key| !key.is_private).then(about_public_keys),
    };
    view.form.page(signed, &view)
}

/// Returns what a public key may have, and what browsers use instead.
fn about_public_keys() -> String {
    let allowed: Vec<&str> = KeyRoles::of_public_keys().iter().map(|permission| permission.as_str()).collect();
    format!(
        "A public key can have only the individual permissions {}. Browsers and apps read users and items with the \
         access token of the signed-in user.",
        allowed.join(" and ")
    )
}

/// Returns when the key expires: at the beginning of the day that the form contains, or never.
fn expiry(form: &Form) -> Result<Option<Time>, &'static str> {
    let Some(date) = form.given("expires_at") else { return Ok(None) };
    // The parser also accepts years of more than four digits.
    let is_plain = date.len() == 10 && date.bytes().all(|b| b.is_ascii_digit() || b == b'-');
    let at = format!("{date}T00:00:00Z").parse::<Time>().ok().filter(|_| is_plain);
    at.map(Some).ok_or("must be a date like 2030-01-31")
}

/// The choices of the field `roles`: names and labels.
struct RoleOptions {
    shorthands: Vec<(&'static str, &'static str)>,
    permissions: Vec<(&'static str, String)>,
}

impl RoleOptions {
    /// Returns what the person may grant and a key of this visibility may have, and what the form selects already: a
    /// key keeps what someone else gave it.
    fn of(permitted: Permitted, form: &FormState, is_private: bool) -> Self {
        let is_offered = |name: &str| {
            let roles = KeyRoles::parse(name).ok();
            let is_grantable = |roles: &KeyRoles| roles.suit(is_private) && permitted.may_grant(roles.permissions());
            roles.is_some_and(|roles| form.has("roles", name) || is_grantable(&roles))
        };
        let shorthands = SHORTHANDS.into_iter().filter(|(name, _)| is_offered(name));
        let permissions = Permission::ALL.iter().copied().filter(|permission| is_offered(permission.as_str()));
        Self {
            shorthands: shorthands.collect(),
            permissions: permissions.map(|one| (one.as_str(), describe(one))).collect(),
        }
    }

    /// Whether the form selects a single permission.
    fn has_single(&self, form: &FormState) -> bool {
        self.permissions.iter().any(|(name, _)| form.has("roles", name))
    }
}

/// Returns a permission as people read it: "Read items (db:read)".
fn describe(permission: Permission) -> String {
    let verb = if permission.is_read() { "Read" } else { "Change" };
    let subject = match permission.resource() {
        "team" => "the team",
        "member" => "the members of the team",
        "invite" => "the invites to the team",
        "project" => "the project and its settings",
        "key" => "keys, without their values",
        "schema" => "the schema",
        "user" => "users",
        "db" => "items",
        "audit" => "the audit log",
        other => other,
    };
    format!("{verb} {subject} ({permission})")
}

#[derive(Template)]
#[template(path = "console/administration/key/form.html")]
struct KeyForm {
    shell: Shell,
    form: FormState,
    roles: RoleOptions,
    title: &'static str,
    button: &'static str,
    /// The choices that only a new key has: the visibility and the expiry of a key do not change.
    visibilities: Option<[(&'static str, &'static str); 2]>,
    about_public_keys: Option<String>,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn form(query: &str) -> Form {
        Form::of_query(&actix_web::test::TestRequest::with_uri(&format!("/?{query}")).to_http_request())
    }

    #[test]
    fn an_expiry_is_a_plain_date() {
        assert_eq!(expiry(&form("")), Ok(None));
        let at = expiry(&form("expires_at=2030-01-31")).unwrap().unwrap();
        assert_eq!(at.to_rfc3339(), "2030-01-31T00:00:00+00:00");
        for invalid in ["2030-02-30", "tomorrow", "%2B99999-1-1", "2030-01-31T00:00:00Z", "31.01.2030"] {
            assert!(expiry(&form(&format!("expires_at={invalid}"))).is_err(), "{invalid}");
        }
    }

    #[test]
    fn every_shorthand_is_a_role_of_keys_and_selected_names_are_joined() {
        for (name, _) in SHORTHANDS {
            assert!(KeyRoles::parse(name).is_ok(), "{name}");
        }
        let selected_roles = |text| selected(&form(text), KeyRoles::parse);
        assert_eq!(selected_roles("roles=db:read&roles=write&label=x").unwrap().to_string(), "write,db:read");
        assert!(selected_roles("label=x").is_err());
    }
}
