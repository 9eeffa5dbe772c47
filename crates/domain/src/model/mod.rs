//! Entities and values: what Steward is about, in types that cannot hold a bad value.

mod account;
mod address;
mod api_key;
mod authorization;
mod caller;
mod client;
mod digest;
mod email;
mod email_link;
mod grant;
mod id;
mod invite;
mod item;
mod json;
mod letter;
mod member;
mod opaque;
mod page;
mod password;
mod project;
mod project_user;
mod redirect_uri;
mod secret;
mod server_key;
mod session;
mod sign_in_settings;
mod slug;
mod team;
mod text;
mod token;
mod token_family;

pub mod item_query;
pub mod schema;

pub use account::{Account, Username};
pub use address::ServiceAddress;
pub use api_key::{ApiKey, KeyBearer, KeyValue};
pub use authorization::{
    AUTHORIZATION_LASTS, AuthorizationCode, AuthorizationRequest, CodeChallenge, Parameters, Prompt, Wish,
};
pub use caller::{Caller, Identity, Request};
pub use client::ClientId;
pub use digest::KeyDigest;
pub use email::Email;
pub use email_link::{EmailLink, LINK_LASTS};
pub use grant::{Grant, GrantedProject};
pub use id::{
    AccountId, ApiKeyId, AuthorizationRequestId, EmailLinkId, GrantId, InviteId, ProjectId, ProjectUserId,
    RefreshTokenId, SchemaVersionId, ServerKeyId, SessionId, TeamId, TokenFamilyId,
};
pub use invite::{Invite, InviteState, Recipient, Refusal};
pub use item::{Item, ItemId, Precondition, StoredItem};
pub use item_query::{ItemPage, ItemQuery, SentQuery};
pub use json::JsonObject;
pub use letter::{Letter, LinkPurpose};
pub use member::Member;
pub use opaque::{OpaqueKind, TokenDigest};
pub use page::{Cursor, Page, PageRequest};
pub use password::{Password, PasswordHash};
pub use project::{Project, ProjectInTeam, ProjectMembership, Website};
pub use project_user::{ProjectUser, UserBearer, UserStatus};
pub use redirect_uri::RedirectUri;
pub use secret::{Issued, Secret};
pub use server_key::{ServerKey, ServerKeyPurpose, SigningAlgorithm};
pub use session::{SESSION_LASTS, Session, SignedIn};
pub use sign_in_settings::SignInSettings;
pub use slug::{Slug, slugify};
pub use team::{Team, TeamMembership};
pub use text::{Label, Name, RoleName};
pub use token::{AccessClaims, Audience, IdClaims, InvalidScope, Scope, ScopeSet};
pub use token_family::{FamilyOfAccount, REFRESH_GRACE, REFRESH_LASTS, RefreshState, RefreshToken, TokenFamily};

/// A moment, in UTC, to the microsecond: the precision every store keeps.
pub type Time = chrono::DateTime<chrono::Utc>;

/// A value that was refused, with the sentence that says how to mend it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct InvalidValue(pub &'static str);

/// How often a thing has been stored: what compare-and-set compares. An item's is its ETag (contract 7).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Revision(pub i64);

impl Revision {
    /// The revision of a thing that is stored for the first time.
    pub const FIRST: Self = Self(1);
}
