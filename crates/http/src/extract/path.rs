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

    /// Parses the ID in the path of a request.
    fn read(request: &HttpRequest) -> Result<Self::Id, ApiError>;
}

/// The segments of a path, and their IDs. They are parsed only when they are read, so that an invalid credential is
/// reported before an invalid ID.
pub(crate) trait Ids {
    /// The parsed IDs: one, or a tuple of several.
    type Parsed;

    /// Parses the IDs in the order of the segments.
    fn read(request: &HttpRequest) -> Result<Self::Parsed, ApiError>;
}

/// Returns the text of a parameter in the path of a request; empty without one.
pub(crate) fn text<'a>(request: &'a HttpRequest, name: &str) -> &'a str {
    let route = frame(request).route;
    route.parameter(request.match_info().as_str(), name).unwrap_or_default()
}

/// Parses the text of a parameter.
pub(crate) fn parsed<T>(
    request: &HttpRequest,
    name: &str,
    kind: ResourceKind,
    parse: impl Fn(&str) -> Option<T>,
) -> Result<T, ApiError> {
    parse(text(request, name)).ok_or_else(|| Error::NotFound(kind).into())
}

macro_rules! segments {
    ($($segment:ident => $id:ty, $kind:ident, $parse:expr;)+) => {
        $(impl Segment for wire::$segment {
            type Id = $id;

            fn read(request: &HttpRequest) -> Result<$id, ApiError> {
                let name = <Self as wire::Segment>::NAMES.first().copied().unwrap_or_default();
                parsed(request, name, ResourceKind::$kind, $parse)
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
    // A name with a NUL character cannot be stored, so such a table is not found.
    Table => String, Table, |name| (!name.contains('\0')).then(|| name.to_owned());
    Item => ItemId, Item, |text| ItemId::stored(text).ok();
    NewItem => ItemId, Item, |text| ItemId::parse(text).ok();
    File => String, Image, |text| Some(text.to_owned());
}

impl Segment for wire::Scope {
    type Id = ResourceScope;

    fn read(request: &HttpRequest) -> Result<ResourceScope, ApiError> {
        if text(request, "team_id").is_empty() {
            wire::Project::read(request).map(ResourceScope::Project)
        } else {
            wire::Team::read(request).map(ResourceScope::Team)
        }
    }
}

impl Segment for wire::App {
    type Id = ProjectId;

    /// Clients encode the `%3A` of a DID again, and the router does not decode it.
    fn read(request: &HttpRequest) -> Result<ProjectId, ApiError> {
        let address = &api_of(request)?.steward.address;
        parsed(request, "project_id", ResourceKind::Project, |text| address.project_named(&text.replace("%25", "%")))
    }
}

impl<A: Segment> Ids for (A,) {
    type Parsed = A::Id;

    fn read(request: &HttpRequest) -> Result<A::Id, ApiError> {
        A::read(request)
    }
}

macro_rules! ids {
    ($($parsed:ty: $($segment:ident)*;)+) => {
        $(impl<$($segment: Segment),*> Ids for ($($segment,)*) {
            type Parsed = $parsed;

            fn read(_request: &HttpRequest) -> Result<Self::Parsed, ApiError> {
                Ok(($($segment::read(_request)?),*))
            }
        })+
    };
}

ids! {
    (): ;
    (A::Id, B::Id): A B;
    (A::Id, B::Id, C::Id): A B C;
}
