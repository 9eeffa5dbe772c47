//! Names of those who caused events or sent requests.

use std::collections::BTreeMap;

use steward_domain::identity::Account;
use steward_domain::kernel::error::{Error, ResourceKind};
use steward_domain::kernel::policy::Operation;
use steward_domain::kernel::{AccountId, ApiKeyId, ProjectClientId, ProjectId, ProjectUserId};

use crate::console::data::user::scope::name_of;
use crate::console::frame::{Signed, TeamOrProject};
use crate::error::PageError;

/// How many of one page are shown by name. Their names are read one by one.
const MAX_NAMES: usize = 20;

/// Someone: the kind of the credential, its ID, and the project in which it was used.
pub(crate) type Someone<'a> = (&'a str, String, Option<ProjectId>);

/// Names by ID. `None` if the name is not known, or the person may not read it.
pub(crate) struct Names(BTreeMap<String, Option<String>>);

impl Names {
    /// Reads the names of some of them.
    pub(crate) async fn read<'a>(
        signed: &Signed,
        scope: &TeamOrProject,
        all: impl IntoIterator<Item = Someone<'a>>,
    ) -> Result<Self, PageError> {
        let mut names = BTreeMap::new();
        for someone in all {
            if names.len() < MAX_NAMES && !names.contains_key(&someone.1) {
                // The name of someone who is no longer there is unknown.
                let name = match name(signed, scope, &someone).await {
                    Err(Error::NotFound(_)) => None,
                    name => name?,
                };
                names.insert(someone.1, name);
            }
        }
        Ok(Self(names))
    }

    /// Returns the name of someone, or what they are.
    pub(crate) fn of(&self, kind: &str, id: Option<&str>) -> String {
        id.and_then(|id| self.known(id)).map_or_else(|| unnamed(kind, id), str::to_owned)
    }

    /// Returns the name of someone, if it is known.
    pub(crate) fn known(&self, id: &str) -> Option<&str> {
        self.0.get(id)?.as_deref()
    }
}

/// Returns what someone is.
fn unnamed(kind: &str, id: Option<&str>) -> String {
    match (kind, id) {
        ("account", _) => "An account".to_owned(),
        ("key", _) => "An API key".to_owned(),
        // A deleted client has no name, but its requests contained this ID.
        ("client", Some(id)) => format!("Client {id}"),
        ("token", _) => "A personal access token".to_owned(),
        ("user", _) => "A user".to_owned(),
        ("system", _) => "The service".to_owned(),
        (other, _) => other.to_owned(),
    }
}

async fn name(
    signed: &Signed,
    scope: &TeamOrProject,
    (kind, id, project): &Someone<'_>,
) -> Result<Option<String>, Error> {
    let (caller, steward) = (&signed.caller, signed.steward());
    let may = |operation| scope.permitted().may(operation);
    let unknown = || Error::NotFound(ResourceKind::Account);
    Ok(match (*kind, *project) {
        ("account", _) if *id == signed.signed_in.account.id.to_string() => Some("You".to_owned()),
        ("account", _) if may(Operation::MemberList) => {
            let id = AccountId::parse(id).ok_or_else(unknown)?;
            steward.members.get(caller, scope.team(), id).await?.account.map(|account| name_of_account(&account))
        }
        ("key", Some(project)) if may(Operation::KeyGet) => {
            let id = ApiKeyId::parse(id).ok_or_else(unknown)?;
            Some(steward.api_keys.get(caller, project, id).await?.label.to_string())
        }
        ("client", Some(project)) if may(Operation::ClientGet) => {
            let id = ProjectClientId::parse(id).ok_or_else(unknown)?;
            Some(steward.clients.get(caller, project, id).await?.settings.name.to_string())
        }
        ("user", Some(project)) if may(Operation::UserGet) => {
            let id = ProjectUserId::parse(id).ok_or_else(unknown)?;
            let found = steward.project_users.get(caller, project, id).await?;
            Some(name_of(&found.user, found.email.as_ref()))
        }
        _ => None,
    })
}

/// Returns the name of an account, or the address of one without a name.
pub(crate) fn name_of_account(account: &Account) -> String {
    account.name.as_ref().map_or_else(|| account.email.shown().to_owned(), ToString::to_string)
}
