//! The client and its builder.

use std::error::Error as StdError;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use reqwest::Method;
use reqwest::redirect::Policy;

use crate::{
    Account, Apps, AuditLog, Error, Images, Invites, Items, Keys, List, Members, OwnInvites, Projects, Request,
    Schemas, ServiceUrl, Sessions, Settings, SyncRejection, Teams, Tokens, Users, Webhooks,
};

/// Timeout of one attempt, unless the builder or the request sets another one.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(30);
const MAX_RETRIES: u32 = 4;

/// Error of a [`TokenSource`].
pub type TokenError = Box<dyn StdError + Send + Sync>;

/// Provides access tokens that expire.
#[async_trait]
pub trait TokenSource: Send + Sync {
    /// Returns the current access token.
    async fn token(&self) -> Result<String, TokenError>;

    /// Returns an access token to use instead of one that the service rejected, or `None` if there is none.
    async fn refresh(&self, rejected: &str) -> Result<Option<String>, TokenError>;

    /// Returns an access token of a new sign-in, after the service rejected one because the person entered the password
    /// too long ago for the request (RFC 9470). `None`, the default, if the person cannot be asked: the request then
    /// fails with [`Error::Unauthorized`] and the code `insufficient_user_authentication`.
    async fn sign_in_again(&self, rejected: &str) -> Result<Option<String>, TokenError> {
        let _ = rejected;
        Ok(None)
    }
}

/// How the client authenticates.
#[derive(Clone, Default)]
pub enum Credential {
    /// Not at all.
    #[default]
    None,
    /// With an access token, a personal access token (`stw_pat_...`) or an API key (`stw_sk_...`). The service accepts
    /// all of them as bearer tokens.
    Token(String),
    /// With access tokens that are refreshed.
    Source(Arc<dyn TokenSource>),
}

impl fmt::Debug for Credential {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::None => "None",
            Self::Token(_) => "Token",
            Self::Source(_) => "Source",
        })
    }
}

impl Credential {
    pub(crate) async fn token(&self) -> Result<Option<String>, Error> {
        match self {
            Self::None => Ok(None),
            Self::Token(token) => Ok(Some(token.clone())),
            Self::Source(source) => source.token().await.map(Some).map_err(Error::Token),
        }
    }

    pub(crate) async fn sign_in_again(&self, rejected: &str) -> Result<Option<String>, Error> {
        match self {
            Self::None | Self::Token(_) => Ok(None),
            Self::Source(source) => source.sign_in_again(rejected).await.map_err(Error::Token),
        }
    }

    pub(crate) async fn refresh(&self, rejected: &str) -> Result<Option<String>, Error> {
        match self {
            Self::None | Self::Token(_) => Ok(None),
            Self::Source(source) => source.refresh(rejected).await.map_err(Error::Token),
        }
    }
}

/// Client of one service. It is cheap to clone, and clones share their connections.
#[derive(Debug, Clone)]
pub struct Client {
    pub(crate) inner: Arc<Inner>,
}

#[derive(Debug)]
pub(crate) struct Inner {
    pub(crate) http: reqwest::Client,
    pub(crate) server: ServiceUrl,
    pub(crate) credential: Credential,
    pub(crate) max_retries: u32,
}

impl Client {
    /// Returns a builder for a client of the service at a URL.
    pub fn builder(server: impl Into<String>) -> ClientBuilder {
        ClientBuilder {
            server: server.into(),
            credential: Credential::None,
            user_agent: concat!("steward-client/", env!("CARGO_PKG_VERSION")).to_owned(),
            timeout: REQUEST_TIMEOUT,
            max_retries: MAX_RETRIES,
        }
    }

    /// Returns the URL of the service.
    pub fn server(&self) -> &ServiceUrl {
        &self.inner.server
    }

    /// Returns a request for any operation of the API. The path starts with a slash and may have a query.
    pub fn request(&self, method: Method, path: &str) -> Request {
        Request::new(self.clone(), method, self.inner.server.at_path(path))
    }

    /// Returns a request for a path with these segments, which are encoded.
    pub(crate) fn at<S: AsRef<str>>(&self, method: Method, segments: &[S]) -> Request {
        Request::new(self.clone(), method, self.inner.server.at_segments(segments))
    }

    /// Returns the operations of the caller's own account and credential.
    pub fn account(&self) -> Account {
        Account::new(self.clone())
    }

    /// Returns the operations of teams.
    pub fn teams(&self) -> Teams {
        Teams::new(self.clone())
    }

    /// Returns the operations of the members of a team.
    pub fn members(&self, team_id: &str) -> Members {
        Members::new(self.clone(), team_id)
    }

    /// Returns the operations of the invites of a team.
    pub fn invites(&self, team_id: &str) -> Invites {
        Invites::new(self.clone(), team_id)
    }

    /// Returns the operations of the invites that the caller received.
    pub fn own_invites(&self) -> OwnInvites {
        OwnInvites::new(self.clone())
    }

    /// Returns the operations of projects.
    pub fn projects(&self) -> Projects {
        Projects::new(self.clone())
    }

    /// Returns the operations of the settings of a project.
    pub fn settings(&self, project_id: &str) -> Settings {
        Settings::new(self.clone(), project_id)
    }

    /// Returns the operations of the images of a project.
    pub fn images(&self, project_id: &str) -> Images {
        Images::new(self.clone(), project_id)
    }

    /// Returns the operations of the API keys of a project.
    pub fn keys(&self, project_id: &str) -> Keys {
        Keys::new(self.clone(), project_id)
    }

    /// Returns the operations of the schema of a project.
    pub fn schemas(&self, project_id: &str) -> Schemas {
        Schemas::new(self.clone(), project_id)
    }

    /// Returns the operations of the audit log of a team, with its projects.
    pub fn team_audit_log(&self, team_id: &str) -> AuditLog {
        AuditLog::new(self.clone(), "team", team_id)
    }

    /// Returns the operations of the audit log of a project.
    pub fn project_audit_log(&self, project_id: &str) -> AuditLog {
        AuditLog::new(self.clone(), "project", project_id)
    }

    /// Returns the operations of the webhooks of a team.
    pub fn team_webhooks(&self, team_id: &str) -> Webhooks {
        Webhooks::new(self.clone(), "team", team_id)
    }

    /// Returns the operations of the webhooks of a project.
    pub fn project_webhooks(&self, project_id: &str) -> Webhooks {
        Webhooks::new(self.clone(), "project", project_id)
    }

    /// Returns the operations of personal access tokens, and the introspection of tokens.
    pub fn tokens(&self) -> Tokens {
        Tokens::new(self.clone())
    }

    /// Returns the operations of sign-ins.
    pub fn sessions(&self) -> Sessions {
        Sessions::new(self.clone())
    }

    /// Returns the operations of projects that the caller granted access to.
    pub fn apps(&self) -> Apps {
        Apps::new(self.clone())
    }

    /// Returns the operations of the users of a project.
    pub fn users(&self, project_id: &str) -> Users {
        Users::new(self.clone(), project_id)
    }

    /// Returns the operations of a table's items of one user of a project.
    pub fn items(&self, project_id: &str, user_id: &str, table: &str) -> Items {
        Items::of_user(self.clone(), project_id, user_id, table)
    }

    /// Returns the operations of a table's items of the signed-in user. The token must be one of the user for this
    /// project.
    pub fn own_items(&self, project_id: &str, table: &str) -> Items {
        Items::own(self.clone(), project_id, table)
    }

    /// Lists the changes of the users' devices that were rejected, newest first.
    pub fn sync_rejections(&self, project_id: &str) -> List<SyncRejection> {
        List::new(self.clone(), &["project", project_id, "sync", "rejections"])
    }
}

/// Builds a [`Client`].
#[derive(Debug, Clone)]
#[must_use]
pub struct ClientBuilder {
    server: String,
    credential: Credential,
    user_agent: String,
    timeout: Duration,
    max_retries: u32,
}

impl ClientBuilder {
    /// Sets how the client authenticates.
    pub fn credential(self, credential: Credential) -> Self {
        Self { credential, ..self }
    }

    /// Sets the `User-Agent` header.
    pub fn user_agent(self, user_agent: impl Into<String>) -> Self {
        Self { user_agent: user_agent.into(), ..self }
    }

    /// Sets the timeout of one attempt: 30 seconds by default.
    pub fn timeout(self, timeout: Duration) -> Self {
        Self { timeout, ..self }
    }

    /// Sets how many times a request is retried: 4 by default.
    pub fn max_retries(self, max_retries: u32) -> Self {
        Self { max_retries, ..self }
    }

    /// Builds the client.
    ///
    /// # Errors
    ///
    /// [`Error::InvalidServer`] if the URL is not valid or tokens could be intercepted.
    pub fn build(self) -> Result<Client, Error> {
        let server = ServiceUrl::parse(&self.server)?;
        let http = reqwest::Client::builder()
            // A redirect could send the request to another service.
            .redirect(Policy::none())
            .timeout(self.timeout)
            .user_agent(self.user_agent);
        // Requests to this machine must not go through a proxy.
        let http = if server.is_local() { http.no_proxy() } else { http };
        let http = http.build().map_err(|source| Error::Transport { server: server.as_str().to_owned(), source })?;
        let inner = Inner { http, server, credential: self.credential, max_retries: self.max_retries };
        Ok(Client { inner: Arc::new(inner) })
    }
}
