//! Grants: the access that a person gave to a project.

use std::collections::BTreeMap;

use crate::administration::Project;
use crate::identity::{ClientId, ScopeSet};
use crate::kernel::{AccountId, GrantId, ProjectClientId, ProjectId, Revision, Time, audited};

/// Maximum number of clients whose scopes a grant keeps. More than the default quota of a project.
const MAX_CLIENTS: usize = 200;

/// The access that a person gave to a project and to its clients. A later request of the same client for the same or
/// fewer scopes needs no new consent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Grant {
    /// Unique ID of the grant.
    pub id: GrantId,
    /// The account that gave access.
    pub account_id: AccountId,
    /// The project that has access.
    pub project_id: ProjectId,
    /// The scopes that are granted to the project itself.
    pub scopes: ScopeSet,
    /// The scopes that are granted to each client that the project registered.
    pub client_scopes: ClientScopes,
    /// When access was first granted.
    pub created_at: Time,
    /// When scopes were last added.
    pub updated_at: Time,
    /// The revision, for compare-and-set.
    pub revision: Revision,
}

/// Scopes of the clients of a project.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ClientScopes(pub BTreeMap<ProjectClientId, ScopeSet>);

impl Grant {
    /// Returns whether consent to these scopes was given to the client.
    pub fn covers(&self, client: &ClientId, scopes: &ScopeSet) -> bool {
        match client.project_client() {
            None => self.scopes.covers(scopes),
            Some(client) => self.client_scopes.0.get(&client).is_some_and(|granted| granted.covers(scopes)),
        }
    }

    /// Returns the grant with these scopes added to those of the client.
    pub fn with(mut self, client: &ClientId, scopes: &ScopeSet, now: Time) -> Self {
        let granted = match client.project_client() {
            None => &mut self.scopes,
            Some(client) => self.client_scopes.0.entry(client).or_insert_with(ScopeSet::none),
        };
        *granted = granted.union(scopes);
        // Clients that register themselves can be many. Consent to the others that registered first is asked for again.
        let own = client.project_client();
        while self.client_scopes.0.len() > MAX_CLIENTS {
            let Some(first) = self.client_scopes.0.keys().copied().find(|one| Some(*one) != own) else { break };
            self.client_scopes.0.remove(&first);
        }
        Self { updated_at: now, ..self }
    }

    /// Returns the grant without scopes.
    pub fn emptied(self) -> Self {
        Self { scopes: ScopeSet::none(), client_scopes: ClientScopes::default(), ..self }
    }

    /// Returns all granted scopes, of the project itself and of its clients.
    pub fn all_scopes(&self) -> ScopeSet {
        self.client_scopes.0.values().fold(self.scopes.clone(), |all, scopes| all.union(scopes))
    }
}

audited!(Grant as Grant of |grant| (None, Some(grant.project_id)), |grant| {
    "scope": grant.all_scopes().to_string(),
});

/// A grant with its project.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GrantedProject {
    /// The grant.
    pub grant: Grant,
    /// The project.
    pub project: Project,
}

impl GrantedProject {
    /// Returns the scopes that tokens of the project and of its clients have.
    pub fn effective_scopes(&self) -> ScopeSet {
        let of_project = self.project.sign_in.effective_scopes(self.grant.scopes.clone());
        self.grant.client_scopes.0.values().fold(of_project, |all, scopes| all.union(scopes))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mocks::{id_of, instant};

    #[test]
    fn consent_is_given_to_one_client_of_the_project() {
        let project = ProjectId::from(id_of("project"));
        let itself = ClientId::stored(project.to_string(), Some(project));
        let [first, second] = ["first", "second"].map(|name| ClientId::stored(id_of(name).to_string(), Some(project)));
        let scopes = |text| ScopeSet::parse(text);
        let grant = Grant {
            id: id_of("grant").into(),
            account_id: id_of("ann").into(),
            project_id: project,
            scopes: ScopeSet::none(),
            client_scopes: ClientScopes::default(),
            created_at: instant(),
            updated_at: instant(),
            revision: Revision::FIRST,
        };
        let grant = grant.with(&first, &scopes("openid email"), instant());
        assert!(grant.covers(&first, &scopes("email")) && !grant.covers(&first, &scopes("profile")));
        assert!(!grant.covers(&second, &scopes("openid")) && !grant.covers(&itself, &scopes("openid")));
        let grant = grant.with(&itself, &scopes("app:db:read"), instant()).with(&first, &scopes("profile"), instant());
        assert!(grant.covers(&itself, &scopes("app:db:read")) && !grant.covers(&itself, &scopes("email")));
        assert!(grant.covers(&first, &scopes("email profile")) && !grant.covers(&first, &scopes("app:db:read")));
        assert_eq!(grant.all_scopes(), scopes("openid profile email app:db:read"));

        let numbered = |number: u16| ClientId::stored(format!("01940000-0000-7000-8000-{number:012x}"), Some(project));
        let many = (1..=300).fold(grant, |grant, number| grant.with(&numbered(number), &scopes("openid"), instant()));
        assert!(!many.covers(&numbered(1), &scopes("openid")) && many.covers(&numbered(300), &scopes("openid")));
        let again = many.with(&numbered(0), &scopes("openid"), instant());
        assert!(again.covers(&numbered(0), &scopes("openid")) && again.client_scopes.0.len() == MAX_CLIENTS);
    }
}
