//! Resources that have an entity tag.

use std::marker::PhantomData;

use serde::Serialize;
use steward_api as wire;
use steward_domain::kernel::Revision;
use steward_domain::kernel::error::ResourceKind;

use crate::extract::precondition::ResourceTag;

/// What GET returns of a resource, or would return if there were one.
pub(crate) trait Resource: Serialize {
    /// What the resource is, for errors.
    const KIND: ResourceKind;
    /// Whether GET returns it in the member `data`.
    const IS_IN_DATA: bool;
}

macro_rules! resources {
    ($($name:ident $kind:ident $is_in_data:literal;)+) => {
        $(impl Resource for wire::$name {
            const KIND: ResourceKind = ResourceKind::$kind;
            const IS_IN_DATA: bool = $is_in_data;
        })+
    };
}

resources! {
    ConnectedApp ProjectUser true;
    IdentityProvider IdentityProvider true;
    Invite Invite false;
    Item Item true;
    Member Member false;
    OAuthClient Client true;
    PersonalToken PersonalToken false;
    ProjectDetails Project true;
    ProjectImages Project false;
    ProjectSettings Project true;
    ProjectUser ProjectUser true;
    PublicProject Project true;
    SchemaVersion Schema false;
    ShownKey ApiKey false;
    TeamDetails Team true;
    UserInfo Account false;
    Webhook Webhook true;
}

/// The entity tag of a resource that GET returns as `W`.
pub(crate) struct Tag<W> {
    pub(super) tag: ResourceTag,
    of: PhantomData<fn() -> W>,
}

impl<W: Resource> Tag<W> {
    /// Returns the tag of a resource that GET shows like this.
    pub(crate) fn of(revision: Revision, shown: &W) -> Self {
        if W::IS_IN_DATA {
            Self::of_version(revision, &wire::Data { data: shown })
        } else {
            Self::of_version(revision, shown)
        }
    }

    /// Returns the tag of a resource whose revision changes with everything that GET shows.
    pub(crate) fn of_revision(revision: Revision) -> Self {
        Self { tag: revision.into(), of: PhantomData }
    }

    /// Returns the tag of a resource with a version of everything that GET shows.
    pub(crate) fn of_version(revision: Revision, version: &impl Serialize) -> Self {
        Self { tag: ResourceTag::of(revision, version), of: PhantomData }
    }
}
