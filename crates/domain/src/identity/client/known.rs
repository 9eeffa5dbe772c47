//! OAuth clients: what they may request, and how they are presented to users.

use crate::administration::{Project, ProjectImage};
use crate::identity::{ClientId, FirstPartyClient, GrantType, IdentityCore, ProjectClient, RedirectUri, ScopeSet};
use crate::kernel::error::{Error, ErrorCode, OAuthError};
use crate::kernel::{COMMAND_LINE_NAME, ProjectClientId, Time};

/// Where a client comes from, which people learn before they give it access.
#[derive(Debug, Clone, Copy)]
pub enum ClientOrigin<'a> {
    /// It is the command line of this service.
    Service,
    /// The operator of the service registered it.
    Operator,
    /// It is this project, or belongs to it.
    Project(&'a Project),
    /// It registered itself, so that nobody has checked its name.
    Itself,
}

/// A registered OAuth client.
#[derive(Debug, Clone)]
pub struct Client {
    /// The `client_id` that the client sends.
    pub id: ClientId,
    /// The project that the client belongs to; `None` for a first-party client.
    pub project: Option<Project>,
    /// The registration; `None` for a project itself and for this service's own client.
    pub(crate) registration: Option<Registration>,
}

/// The registration of a client.
#[derive(Debug, Clone)]
pub(crate) enum Registration {
    /// By the operator.
    FirstParty(FirstPartyClient),
    /// By a project.
    Project(Box<ProjectClient>),
}

impl Client {
    /// Returns the client with this ID, or `invalid_client` if there is none.
    pub(crate) async fn find(core: &IdentityCore, id: &str) -> Result<Self, Error> {
        let parsed = core.settings.first_party_clients.parse_id(id, &core.address).ok_or_else(unknown_client)?;
        let Some(project) = parsed.project() else {
            let registration = core.settings.first_party_clients.find(&parsed).cloned().map(Registration::FirstParty);
            return Ok(Self { id: parsed, project: None, registration });
        };
        if let Some(found) = core.ports.projects.project(project).await? {
            return Ok(Self { id: parsed, project: Some(found.project), registration: None });
        }
        // The UUID of a client looks like that of a project. A client has no DID.
        let id = ProjectClientId::parse(id).ok_or_else(unknown_client)?;
        let client = core.ports.project_clients.client(id).await?.ok_or_else(unknown_client)?;
        let found = core.ports.projects.project(client.project_id).await?.ok_or_else(unknown_client)?;
        let (id, registration) = (parsed.of_registered(&client), Some(Registration::Project(Box::new(client))));
        Ok(Self { id, project: Some(found.project), registration })
    }

    /// The name shown to users: that of the client or of the project, a fixed name for this service's own client, or the
    /// ID of another first-party client.
    pub fn name(&self) -> &str {
        match (&self.registration, &self.project) {
            (Some(Registration::Project(client)), _) => client.settings.name.as_str(),
            (Some(Registration::FirstParty(registration)), _) => registration.id(),
            (None, Some(project)) => project.name.as_str(),
            (None, None) => COMMAND_LINE_NAME,
        }
    }

    /// Returns where the client comes from.
    pub fn origin(&self) -> ClientOrigin<'_> {
        match &self.project {
            Some(_) if self.registered_itself() => ClientOrigin::Itself,
            Some(project) => ClientOrigin::Project(project),
            None if self.is_command_line() => ClientOrigin::Service,
            None => ClientOrigin::Operator,
        }
    }

    /// Returns the path of the image that pages may show: the uploaded logo of the client, or else the uploaded icon of
    /// its project. One that is elsewhere would tell its host who signs in. A client that registered itself has none,
    /// because it would look trusted.
    pub fn icon_path(&self) -> Option<String> {
        let project = self.project.as_ref().filter(|_| !self.registered_itself())?;
        let logo = self.registered().and_then(|client| Some(client.logo.as_ref()?.path(client.id)));
        logo.or_else(|| Some(project.images.get(ProjectImage::Icon)?.path(project.id)))
    }

    /// Returns whether an authorization request must contain a code challenge.
    pub(crate) fn requires_pkce(&self) -> bool {
        match (&self.registration, &self.project) {
            (Some(Registration::Project(client)), _) => client.settings.require_pkce,
            (Some(Registration::FirstParty(registration)), _) => registration.requires_pkce(),
            (None, Some(project)) => project.sign_in.require_pkce,
            (None, None) => true,
        }
    }

    /// Returns whether the client must push its authorization requests (RFC 9126 §6).
    pub(crate) fn requires_pushed_requests(&self) -> bool {
        self.registered().is_some_and(|client| client.settings.require_pushed_requests)
    }

    /// Returns the registration by a project, if that registered the client.
    pub(crate) fn registered(&self) -> Option<&ProjectClient> {
        match &self.registration {
            Some(Registration::Project(client)) => Some(client),
            Some(Registration::FirstParty(_)) | None => None,
        }
    }

    /// Returns whether the client is the command line of this service.
    pub(crate) fn is_command_line(&self) -> bool {
        self.project.is_none() && self.registration.is_none()
    }

    /// Returns whether the client registered itself, so that nobody has checked its name.
    pub fn registered_itself(&self) -> bool {
        self.registered().is_some_and(|client| client.registered_itself)
    }

    /// Returns whether errors are sent to its redirect URI before a person has decided. Not for a client that registered itself:
    /// anyone could register an address to which this service would redirect people (RFC 9700 §4.11.2).
    pub(crate) fn receives_errors(&self) -> bool {
        !self.registered_itself()
    }

    /// Returns whether people are not asked for consent.
    pub(crate) fn skips_consent(&self) -> bool {
        self.registered().is_some_and(|client| client.settings.skip_consent)
    }

    /// Returns the requested scopes that the client may have.
    pub(crate) fn permitted_scopes(&self, requested: ScopeSet) -> Result<ScopeSet, OAuthError> {
        let Some(client) = self.registered() else { return Ok(requested) };
        client.settings.permitted_scopes(&requested).ok_or_else(|| {
            let allowed = &client.settings.scopes;
            let message = format_args!("The client may not request any of these scopes. It may request: {allowed}.");
            OAuthError::new(ErrorCode::InvalidScope, message)
        })
    }

    /// Returns the scopes that tokens with the requested ones have.
    pub(crate) fn effective_scopes(&self, requested: &ScopeSet) -> ScopeSet {
        let requested = requested.clone();
        match (&self.registration, &self.project) {
            (None, Some(project)) => project.sign_in.effective_scopes(requested),
            _ => requested,
        }
    }

    /// Returns whether a person can sign in to the client with a code that they receive by email, if the operator allows it.
    pub fn accepts_email_codes(&self) -> bool {
        self.project.as_ref().is_none_or(|project| project.sign_in.email_codes)
    }

    /// Returns the time from which the project requires a second factor; `None` if it does not.
    pub(crate) fn second_factor_from(&self) -> Option<Time> {
        self.project.as_ref()?.sign_in.second_factor_from
    }

    /// Returns whether the client may use the redirect URI.
    pub(crate) fn allows(&self, uri: &RedirectUri) -> bool {
        match (&self.registration, &self.project) {
            (Some(Registration::Project(client)), _) => client.settings.allow(uri),
            (Some(Registration::FirstParty(registration)), _) => registration.allows(uri),
            (None, Some(project)) => project.sign_in.allow(uri),
            // The command line accepts callbacks at this path only: other programs on the machine may forward requests
            // that they receive.
            (None, None) => uri.is_loopback() && uri.is_at("/callback"),
        }
    }

    /// Returns whether only the client itself receives what is sent to the URI, so that the URI proves which client sent
    /// a request (RFC 8252 §8.6).
    pub(crate) fn is_proven_by(&self, uri: &RedirectUri) -> bool {
        match &self.registration {
            Some(Registration::Project(client)) => client.settings.is_proven_by(uri),
            _ => self.project.as_ref().is_some_and(|project| project.sign_in.is_proven_by(uri)),
        }
    }

    /// Parses a redirect URI that the client may use.
    pub(crate) fn redirect_uri(&self, text: &str) -> Result<RedirectUri, OAuthError> {
        let uri = RedirectUri::parse_of_client(text)
            .map_err(|error| OAuthError::request(format_args!("The `redirect_uri` parameter {error}.")))?;
        if let Some(client) = self.registered() {
            client.check_grant_type(GrantType::AuthorizationCode)?;
        }
        if self.allows(&uri) {
            return Ok(uri);
        }
        Err(OAuthError::request(match &self.registration {
            Some(Registration::Project(_)) => {
                "The `redirect_uri` parameter is not registered for this client. Add it to the client, on the page Clients of the \
                 project."
            }
            _ => {
                "The `redirect_uri` parameter is not registered for this client. Add it on the page Sign-in of the project, or to \
                 `auth.redirect_uris` of its settings."
            }
        }))
    }
}

/// The error for a `client_id` that identifies no client.
pub(crate) fn unknown_client() -> OAuthError {
    OAuthError::new(
        ErrorCode::InvalidClient,
        "No client has this `client_id`. Use the ID or the DID of a project, or the ID of a registered client.",
    )
}
