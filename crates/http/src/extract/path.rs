//! Which things the path names. A malformed id is as unknown as a wrong one (contract 1.7).

use std::future::{Ready, ready};

use actix_web::dev::Payload;
use actix_web::{FromRequest, HttpRequest};
use steward_domain::changes::ItemPlace;
use steward_domain::error::{Error, ResourceKind};
use steward_domain::model::{
    AccountId, ApiKeyId, DeliveryId, InviteId, ItemId, PersonalTokenId, ProjectId, ProjectUserId, ServiceAddress,
    TeamId, WebhookId,
};

use crate::endpoint::endpoint_of;
use crate::error::ApiError;

/// The things that the path names. Each is judged when it is asked for: a bad credential is told before a bad id.
pub(crate) struct PathIds(HttpRequest);

impl FromRequest for PathIds {
    type Error = ApiError;
    type Future = Ready<Result<Self, ApiError>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        ready(Ok(Self(request.clone())))
    }
}

impl PathIds {
    /// The things that a request's path names.
    pub(crate) fn of(request: &HttpRequest) -> Self {
        Self(request.clone())
    }

    /// The request itself.
    pub(crate) fn request(&self) -> &HttpRequest {
        &self.0
    }

    fn text(&self, name: &str) -> &str {
        let path = self.0.match_info().as_str();
        endpoint_of(&self.0).and_then(|endpoint| endpoint.parameter(path, name)).unwrap_or_default()
    }

    fn id<T>(&self, name: &str, kind: ResourceKind, parse: impl Fn(&str) -> Option<T>) -> Result<T, ApiError> {
        parse(self.text(name)).ok_or_else(|| Error::NotFound(kind).into())
    }

    pub(crate) fn team(&self) -> Result<TeamId, ApiError> {
        self.id("team_id", ResourceKind::Team, TeamId::parse)
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

    pub(crate) fn delivery(&self) -> Result<DeliveryId, ApiError> {
        self.id("delivery_id", ResourceKind::Delivery, DeliveryId::parse)
    }

    pub(crate) fn personal_token(&self) -> Result<PersonalTokenId, ApiError> {
        self.id("token_id", ResourceKind::PersonalToken, PersonalTokenId::parse)
    }

    pub(crate) fn project(&self) -> Result<ProjectId, ApiError> {
        self.id("id", ResourceKind::Project, ProjectId::parse)
    }

    /// The project, by its UUID or its DID, whose own `%3A` comes encoded once more (and is left so by the router).
    pub(crate) fn app(&self, address: &ServiceAddress) -> Result<ProjectId, ApiError> {
        self.id("project_id", ResourceKind::Project, |text| address.project_named(&text.replace("%25", "%")))
    }

    /// The project, by the hexadecimal digits of its UUID.
    pub(crate) fn project_hex(&self) -> Result<ProjectId, ApiError> {
        self.id("hex", ResourceKind::Project, ProjectId::parse_hex)
    }

    /// The account, by the hexadecimal digits of its UUID.
    pub(crate) fn account_hex(&self) -> Result<AccountId, ApiError> {
        self.id("hex", ResourceKind::Account, AccountId::parse_hex)
    }

    pub(crate) fn key(&self) -> Result<ApiKeyId, ApiError> {
        self.id("key_id", ResourceKind::ApiKey, ApiKeyId::parse)
    }

    pub(crate) fn user(&self) -> Result<ProjectUserId, ApiError> {
        self.id("user_id", ResourceKind::ProjectUser, ProjectUserId::parse)
    }

    /// The table. One that no text column can hold is as unknown as any other that no schema has.
    pub(crate) fn table(&self) -> Result<String, ApiError> {
        self.id("table_id", ResourceKind::Table, |text| (!text.contains('\0')).then(|| text.to_owned()))
    }

    pub(crate) fn file(&self) -> &str {
        self.text("file")
    }

    pub(crate) fn item(&self) -> Result<ItemPlace, ApiError> {
        let (project_id, user_id, table) = (self.project()?, self.user()?, self.table()?);
        Ok(ItemPlace { project_id, user_id, table, id: self.item_id()? })
    }

    pub(crate) fn item_id(&self) -> Result<ItemId, ApiError> {
        self.id("item_id", ResourceKind::Item, |text| ItemId::parse(text).ok())
    }
}
