//! IDs of OAuth clients: of projects that people sign in to, of clients that projects register, and of first-party
//! clients, which are this service's command line and further ones that the operator registers.

use std::collections::HashSet;
use std::sync::Arc;

use crate::identity::{Audience, ProjectClient, RedirectUri};
use crate::kernel::{InvalidValue, ProjectClientId, ProjectId, ServiceAddress};

/// The `client_id` of the command-line client, and of sessions that start without a client.
const FIRST_PARTY: &str = "steward-cli";

/// The ID of an OAuth client.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClientId {
    text: String,
    project: Option<ProjectId>,
}

impl ClientId {
    /// Returns this service's own client.
    pub fn first_party() -> Self {
        Self { text: FIRST_PARTY.to_owned(), project: None }
    }

    /// Returns the ID of a client that a project registered.
    pub fn registered(client: &ProjectClient) -> Self {
        Self { text: client.id.to_string(), project: Some(client.project_id) }
    }

    /// Returns the ID as it was sent, of a client that a project registered.
    pub(crate) fn of_registered(self, client: &ProjectClient) -> Self {
        Self { project: Some(client.project_id), ..self }
    }

    /// Parses a `client_id`: a project's UUID or DID, or the name of the first-party client (docs/contract.md#clients).
    /// The UUID of a client that a project registered looks like that of a project.
    pub fn parse(text: &str, address: &ServiceAddress) -> Option<Self> {
        if text == FIRST_PARTY {
            return Some(Self::first_party());
        }
        let project = address.project_named(text)?;
        Some(Self { text: text.to_owned(), project: Some(project) })
    }

    /// Restores a stored client.
    pub fn stored(text: String, project: Option<ProjectId>) -> Self {
        Self { text, project }
    }

    /// Returns the ID as the client sent it, which is the `aud` of its ID tokens.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Returns the project; `None` for a first-party client.
    pub fn project(&self) -> Option<ProjectId> {
        self.project
    }

    /// Returns the client that a project registered; `None` if the project itself or a first-party client is meant.
    pub fn project_client(&self) -> Option<ProjectClientId> {
        let id = ProjectClientId::parse(&self.text)?;
        self.project.filter(|project| project.uuid() != id.uuid()).map(|_| id)
    }

    /// Returns whether both IDs identify the same client. A project may be identified by its UUID or its DID.
    pub fn is(&self, other: &Self) -> bool {
        match (self.project_client(), other.project_client()) {
            (None, None) => self.project == other.project && (self.project.is_some() || self.text == other.text),
            // The parsed ID of a registered client looks like that of a project.
            _ => ProjectClientId::parse(&self.text) == ProjectClientId::parse(&other.text),
        }
    }

    /// Returns the audience of the client's access tokens.
    pub fn audience(&self) -> Audience {
        self.project.map_or(Audience::Service, Audience::Project)
    }
}

/// A first-party client that the operator registered. Like this service's command line, it can administer on behalf of
/// a person, and always requires consent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FirstPartyClient {
    id: String,
    redirect_uris: Vec<RedirectUri>,
    require_pkce: bool,
}

impl FirstPartyClient {
    /// Creates a client. Its redirect URIs are compared exactly, also on loopback.
    pub fn new(id: &str, redirect_uris: Vec<RedirectUri>, require_pkce: bool) -> Result<Self, InvalidValue> {
        let is_id = (1..=100).contains(&id.len())
            && id.bytes().all(|b| b.is_ascii_alphanumeric() || b"-._".contains(&b))
            && id != FIRST_PARTY;
        if !is_id {
            return Err(InvalidValue("must have IDs of 1 to 100 letters, digits and `-._`, other than `steward-cli`"));
        }
        if redirect_uris.is_empty() {
            return Err(InvalidValue("must have a redirect URI for each client"));
        }
        Ok(Self { id: id.to_owned(), redirect_uris, require_pkce })
    }

    /// Returns the `client_id`.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// Returns whether the client may use the redirect URI.
    pub fn allows(&self, uri: &RedirectUri) -> bool {
        self.redirect_uris.contains(uri)
    }

    /// Returns whether the client must use PKCE.
    pub fn requires_pkce(&self) -> bool {
        self.require_pkce
    }
}

/// The first-party clients that the operator registered.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FirstPartyClients(Arc<[FirstPartyClient]>);

impl FirstPartyClients {
    /// Creates the list. The IDs must be distinct.
    pub fn new(clients: Vec<FirstPartyClient>) -> Result<Self, InvalidValue> {
        let ids: HashSet<&str> = clients.iter().map(FirstPartyClient::id).collect();
        if ids.len() == clients.len() {
            Ok(Self(clients.into()))
        } else {
            Err(InvalidValue("must not contain an ID twice"))
        }
    }

    /// Returns the registered client with this ID.
    pub fn find(&self, id: &ClientId) -> Option<&FirstPartyClient> {
        self.0.iter().find(|client| id.project.is_none() && client.id == id.text)
    }

    /// Parses a `client_id`: that of a registered client, or one that [`ClientId::parse`] accepts.
    pub fn parse_id(&self, text: &str, address: &ServiceAddress) -> Option<ClientId> {
        let registered = ClientId { text: text.to_owned(), project: None };
        if self.find(&registered).is_some() { Some(registered) } else { ClientId::parse(text, address) }
    }

    /// Returns whether a stored client still exists. Only the settings decide this.
    pub fn know(&self, id: &ClientId) -> bool {
        id.project.is_some() || id.text == FIRST_PARTY || self.find(id).is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mocks::id_of;

    fn address() -> ServiceAddress {
        ServiceAddress::parse("http://localhost:3003").unwrap()
    }

    fn client(id: &str) -> FirstPartyClient {
        let uri = RedirectUri::parse("http://localhost:8080/callback").unwrap();
        FirstPartyClient::new(id, vec![uri], false).unwrap()
    }

    #[test]
    fn clients_without_a_project_are_distinguished_by_their_ids() {
        let id = "01940000-0000-7000-8000-00000000abcd";
        let clients = FirstPartyClients::new(vec![client(id), client("deploy")]).unwrap();
        let parse = |text| clients.parse_id(text, &address());
        let registered = parse(id).unwrap();
        assert_eq!((registered.project(), registered.audience()), (None, Audience::Service));
        assert!(registered.is(&registered) && !registered.is(&parse("deploy").unwrap()));
        assert!(!registered.is(&ClientId::first_party()));
        let project = ClientId::parse(id, &address()).unwrap();
        assert!(project.project().is_some() && !project.is(&registered));
        let did = format!("did:web:localhost%3A3003:projects:{}", id.replace('-', ""));
        assert!(project.is(&ClientId::parse(&did, &address()).unwrap()));
        assert_eq!(parse("other"), None);
    }

    #[test]
    fn a_registered_client_is_neither_its_project_nor_another_client() {
        let (project, client) = (ProjectId::from(id_of("project")), id_of("client").to_string());
        let registered = ClientId::stored(client.clone(), Some(project));
        assert_eq!(registered.project_client(), ProjectClientId::parse(&client));
        let of_project = ClientId::stored(project.to_string(), Some(project));
        assert!(of_project.project_client().is_none() && !registered.is(&of_project));
        let other = ClientId::stored(id_of("other").to_string(), Some(project));
        assert!(!registered.is(&other) && registered.is(&ClientId::parse(&client, &address()).unwrap()));
        assert!(!of_project.is(&ClientId::parse(&client, &address()).unwrap()));
    }

    #[test]
    fn a_client_keeps_its_id_in_upper_case_and_is_the_same_client() {
        let project = ProjectId::from(id_of("project"));
        for id in [project.to_string(), id_of("client").to_string()] {
            let (stored, upper) = (ClientId::stored(id.clone(), Some(project)), id.to_uppercase());
            let sent = ClientId::parse(&upper, &address()).unwrap();
            assert_eq!((sent.as_str(), sent.is(&stored), stored.is(&sent)), (upper.as_str(), true, true));
            let sent = ClientId::stored(upper, Some(project));
            assert_eq!((sent.is(&stored), sent.project_client()), (true, stored.project_client()));
        }
        assert!(!ClientId::first_party().is(&ClientId::stored(id_of("client").to_string(), Some(project))));
    }

    #[test]
    fn a_client_that_is_no_longer_registered_is_unknown() {
        let clients = FirstPartyClients::new(vec![client("deploy")]).unwrap();
        let id = clients.parse_id("deploy", &address()).unwrap();
        assert!(clients.know(&id) && !FirstPartyClients::default().know(&id));
        assert!(FirstPartyClients::default().know(&ClientId::first_party()));
    }

    #[test]
    fn a_registered_client_has_a_valid_id_and_exact_redirect_uris() {
        let uri = |text| RedirectUri::parse(text).unwrap();
        let registered = client("deploy");
        assert!(registered.allows(&uri("http://localhost:8080/callback")));
        for other in ["http://localhost:8081/callback", "http://127.0.0.1:8080/callback", "https://localhost:8080/"] {
            assert!(!registered.allows(&uri(other)), "{other}");
        }
        let long = "x".repeat(101);
        for invalid in ["", "a b", "did:web:x", "steward-cli", long.as_str()] {
            assert!(FirstPartyClient::new(invalid, vec![uri("https://a.example/")], true).is_err(), "{invalid}");
        }
        assert!(FirstPartyClient::new("deploy", Vec::new(), true).is_err());
        assert!(FirstPartyClients::new(vec![client("deploy"), client("deploy")]).is_err());
    }
}
