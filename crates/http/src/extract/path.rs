//! IDs in the path. A malformed ID returns 404, as an unknown one does (docs/contract.md#ids).

use std::future::{Ready, ready};

use actix_web::dev::Payload;
use actix_web::{FromRequest, HttpRequest};
use steward_domain::error::{Error, ResourceKind};
use steward_domain::model::{
    AccountId, ApiKeyId, DeliveryId, IdentityProviderId, InviteId, ItemId, PersonalTokenId, ProjectClientId, ProjectId,
    ProjectUserId, ResourceScope, ServiceAddress, TeamId, WebhookId,
};

use crate::endpoint::endpoint_of;
use crate::error::ApiError;

/// The IDs in the path. Each is parsed only when a handler reads it, so that an invalid credential is reported before
/// an invalid ID.
pub(crate) struct PathIds(HttpRequest);

impl FromRequest for PathIds {
    type Error = ApiError;
    type Future = Ready<Result<Self, ApiError>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        ready(Ok(Self(request.clone())))
    }
}

impl PathIds {
    /// Returns the IDs in the path of a request.
    pub(crate) fn of(request: &HttpRequest) -> Self {
        Self(request.clone())
    }

    /// Returns the request.
    pub(crate) fn request(&self) -> &HttpRequest {
        &self.0
    }

    fn text(&self, name: &str) -> &str {
        let path = self.0.match_info().as_str();
        endpoint_of(&self.0).and_then(|endpoint| endpoint.parameter(path, name)).unwrap_or_default()
    }

    /// Returns whether the path has a parameter.
    pub(crate) fn names(&self, name: &str) -> bool {
        !self.text(name).is_empty()
    }

    fn id<T>(&self, name: &str, kind: ResourceKind, parse: impl Fn(&str) -> Option<T>) -> Result<T, ApiError> {
        parse(self.text(name)).ok_or_else(|| Error::NotFound(kind).into())
    }

    pub(crate) fn team(&self) -> Result<TeamId, ApiError> {
        self.id("team_id", ResourceKind::Team, TeamId::parse)
    }

    /// Returns the ID of the team or project at the start of the path.
    pub(crate) fn scope(&self) -> Result<ResourceScope, ApiError> {
        if self.names("team_id") {
            self.team().map(ResourceScope::Team)
        } else {
            self.project().map(ResourceScope::Project)
        }
    }

    pub(crate) fn member(&self) -> Result<AccountId, ApiError> {
        self.id("member_id", ResourceKind::Member, AccountId::parse)
    }

    pub(crate) fn invite(&self) -> Result<InviteId, ApiError> {
        self.id("invite_id", ResourceKind::Invite, InviteId::parse)
    }

    pub(crate) fn webhook(&self) -> Result<WebhookId, ApiError> {
        self.id("webhook_id", ResourceKind::Webhook, WebhookId::parse)
    }

    pub(crate) fn identity_provider(&self) -> Result<IdentityProviderId, ApiError> {
        self.id("provider_id", ResourceKind::IdentityProvider, IdentityProviderId::parse)
    }

    pub(crate) fn client(&self) -> Result<ProjectClientId, ApiError> {
        self.id("client_id", ResourceKind::Client, ProjectClientId::parse)
    }

    pub(crate) fn delivery(&self) -> Result<DeliveryId, ApiError> {
        self.id("delivery_id", ResourceKind::Delivery, DeliveryId::parse)
    }

    pub(crate) fn personal_token(&self) -> Result<PersonalTokenId, ApiError> {
        self.id("token_id", ResourceKind::PersonalToken, PersonalTokenId::parse)
    }

    pub(crate) fn project(&self) -> Result<ProjectId, ApiError> {
        self.id("id", ResourceKind::Project, ProjectId::parse)
    }

    /// Returns the ID of a project that is given as UUID or DID. Clients encode the `%3A` of a DID again, and the
    /// router does not decode it.
    pub(crate) fn app(&self, address: &ServiceAddress) -> Result<ProjectId, ApiError> {
        self.id("project_id", ResourceKind::Project, |text| address.project_named(&text.replace("%25", "%")))
    }

    /// Returns the ID of a project that is given as the hexadecimal digits of its UUID.
    pub(crate) fn project_hex(&self) -> Result<ProjectId, ApiError> {
        self.id("hex", ResourceKind::Project, ProjectId::parse_hex)
    }

    /// Returns the ID of an account that is given as the hexadecimal digits of its UUID.
    pub(crate) fn account_hex(&self) -> Result<AccountId, ApiError> {
        self.id("hex", ResourceKind::Account, AccountId::parse_hex)
    }

    pub(crate) fn key(&self) -> Result<ApiKeyId, ApiError> {
        self.id("key_id", ResourceKind::ApiKey, ApiKeyId::parse)
    }

    pub(crate) fn user(&self) -> Result<ProjectUserId, ApiError> {
        self.id("user_id", ResourceKind::ProjectUser, ProjectUserId::parse)
    }

    /// Returns the name of the table. A name with a NUL character cannot be stored, so such a table is not found.
    pub(crate) fn table(&self) -> Result<String, ApiError> {
        self.id("table_id", ResourceKind::Table, |text| (!text.contains('\0')).then(|| text.to_owned()))
    }

    pub(crate) fn file(&self) -> &str {
        self.text("file")
    }

    /// Returns the ID of an item that is read, changed or deleted.
    pub(crate) fn item_id(&self) -> Result<ItemId, ApiError> {
        self.id("item_id", ResourceKind::Item, |text| ItemId::stored(text).ok())
    }

    /// Returns the ID of an item that may be new.
    pub(crate) fn new_item_id(&self) -> Result<ItemId, ApiError> {
        self.id("item_id", ResourceKind::Item, |text| ItemId::parse(text).ok())
    }
}
