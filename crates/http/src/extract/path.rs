//! IDs in the path. A malformed ID returns 404, as an unknown one does (docs/contract.md#ids).

use actix_web::HttpRequest;
use steward_api::path as wire;
use steward_domain::data::ItemId;
use steward_domain::kernel::error::{Error, ResourceKind};
use steward_domain::kernel::{
    AccountId, ApiKeyId, DeliveryId, IdentityProviderId, InviteId, PersonalTokenId, ProjectClientId, ProjectId,
    ProjectUserId, ResourceScope, TeamId, WebhookId,
};
use steward_web::frame;

use super::caller::api_of;
use crate::error::ApiError;

/// A segment of a path, and the ID that it holds.
pub(crate) trait Segment: wire::Segment {
    /// The parsed ID.
    type Id;

    /// Parses the ID.
    fn read(ids: &PathIds<'_>) -> Result<Self::Id, ApiError>;
}

/// The segments of a path, and their IDs.
pub(crate) trait Ids {
    /// The parsed IDs: one, or a tuple of several.
    type Parsed;

    /// Parses the IDs in the order of the segments.
    fn read(ids: &PathIds<'_>) -> Result<Self::Parsed, ApiError>;
}

/// The IDs in the path. Each is parsed only when it is read, so that an invalid credential is reported before an
/// invalid ID.
pub(crate) struct PathIds<'a> {
    request: &'a HttpRequest,
}

impl<'a> PathIds<'a> {
    /// Returns the IDs in the path of a request.
    pub(crate) fn of(request: &'a HttpRequest) -> Self {
        Self { request }
    }

    fn text(&self, name: &str) -> &str {
        let route = frame(self.request).route;
        route.parameter(self.request.match_info().as_str(), name).unwrap_or_default()
    }

    /// Returns whether the path has a parameter.
    pub(crate) fn names(&self, name: &str) -> bool {
        !self.text(name).is_empty()
    }

    fn id<T>(&self, name: &str, kind: ResourceKind, parse: impl Fn(&str) -> Option<T>) -> Result<T, ApiError> {
        parse(self.text(name)).ok_or_else(|| Error::NotFound(kind).into())
    }

    /// Returns the ID in a segment.
    pub(crate) fn read<S: Segment>(&self) -> Result<S::Id, ApiError> {
        S::read(self)
    }

    /// Returns the name of the table. A name with a NUL character cannot be stored, so such a table is not found.
    pub(crate) fn table(&self) -> Result<String, ApiError> {
        self.id("table_id", ResourceKind::Table, |text| (!text.contains('\0')).then(|| text.to_owned()))
    }
}

macro_rules! segments {
    ($($segment:ident => $id:ty, $kind:ident, $parse:expr;)+) => {
        $(impl Segment for wire::$segment {
            type Id = $id;

            fn read(ids: &PathIds<'_>) -> Result<$id, ApiError> {
                let name = <Self as wire::Segment>::NAMES.first().copied().unwrap_or_default();
                ids.id(name, ResourceKind::$kind, $parse)
            }
        })+
    };
}

segments! {
    Team => TeamId, Team, TeamId::parse;
    Project => ProjectId, Project, ProjectId::parse;
    ProjectHex => ProjectId, Project, ProjectId::parse_hex;
    AccountHex => AccountId, Account, AccountId::parse_hex;
    Member => AccountId, Member, AccountId::parse;
    Invite => InviteId, Invite, InviteId::parse;
    PersonalToken => PersonalTokenId, PersonalToken, PersonalTokenId::parse;
    Key => ApiKeyId, ApiKey, ApiKeyId::parse;
    Client => ProjectClientId, Client, ProjectClientId::parse;
    IdentityProvider => IdentityProviderId, IdentityProvider, IdentityProviderId::parse;
    Webhook => WebhookId, Webhook, WebhookId::parse;
    Delivery => DeliveryId, Delivery, DeliveryId::parse;
    User => ProjectUserId, ProjectUser, ProjectUserId::parse;
    Item => ItemId, Item, |text| ItemId::stored(text).ok();
    NewItem => ItemId, Item, |text| ItemId::parse(text).ok();
    File => String, Image, |text| Some(text.to_owned());
}

impl Segment for wire::Scope {
    type Id = ResourceScope;

    fn read(ids: &PathIds<'_>) -> Result<ResourceScope, ApiError> {
        if ids.names("team_id") {
            ids.read::<wire::Team>().map(ResourceScope::Team)
        } else {
            ids.read::<wire::Project>().map(ResourceScope::Project)
        }
    }
}

impl Segment for wire::App {
    type Id = ProjectId;

    /// Clients encode the `%3A` of a DID again, and the router does not decode it.
    fn read(ids: &PathIds<'_>) -> Result<ProjectId, ApiError> {
        let address = &api_of(ids.request)?.steward.address;
        ids.id("project_id", ResourceKind::Project, |text| address.project_named(&text.replace("%25", "%")))
    }
}

impl<A: Segment> Ids for (A,) {
    type Parsed = A::Id;

    fn read(ids: &PathIds<'_>) -> Result<A::Id, ApiError> {
        A::read(ids)
    }
}

macro_rules! ids {
    ($($parsed:ty: $($segment:ident)*;)+) => {
        $(impl<$($segment: Segment),*> Ids for ($($segment,)*) {
            type Parsed = $parsed;

            fn read(_ids: &PathIds<'_>) -> Result<Self::Parsed, ApiError> {
                Ok(($($segment::read(_ids)?),*))
            }
        })+
    };
}

ids! {
    (): ;
    (A::Id, B::Id): A B;
    (A::Id, B::Id, C::Id): A B C;
}
