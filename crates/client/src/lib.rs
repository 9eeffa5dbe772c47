//! Typed client of the Steward API.
//!
//! ```no_run
//! # async fn example() -> Result<(), steward_client::Error> {
//! use steward_client::{Client, Credential, NewTeam};
//!
//! let token = Credential::Token("stw_pat_...".into());
//! let client = Client::builder("https://steward.example.com").credential(token).build()?;
//! let team = client.teams().create(&NewTeam { name: "Acme".into(), slug: "acme".into() }).await?;
//! let members = client.members(&team.id).list().all().await?;
//! println!("{} has {} member(s).", team.name, members.len());
//! # Ok(())
//! # }
//! ```
//!
//! `GET` requests, and requests with an `Idempotency-Key`, are retried after an outage, a rate limit or a connection
//! error. The methods that change something send a key: a new one for each call, unless it is passed as with
//! [`Items::batch_with_key`]. Only [`Apps::leave`] and [`Users::connect`] send none, because the service does not
//! support it for them. They are not retried. Neither are the methods that send a `POST` request and change nothing:
//! [`Tokens::introspect`], [`Keys::verify`], [`Schemas::compare`] and [`Schemas::check_update`].
//!
//! Types ignore unknown members of responses, so that a client works with later versions of the service.

mod account;
mod apps;
mod audit;
mod client;
mod credential;
mod error;
mod images;
mod invites;
mod items;
mod keys;
mod list;
mod members;
mod projects;
mod request;
mod resources;
mod response;
mod retry;
mod schemas;
mod service_url;
mod sessions;
mod settings;
mod slugs;
mod teams;
#[cfg(test)]
mod tests;
mod tokens;
mod transport;
mod users;
mod webhooks;

pub use account::{Account, CurrentCredential, UserInfo};
pub use apps::{App, Apps};
pub use audit::{AuditActor, AuditEvent, AuditFilter, AuditLog, AuditTarget, Events};
pub use client::{Client, ClientBuilder};
pub use credential::{Credential, TokenSource};
pub use error::{ApiError, Error, TokenError, Violation};
pub use images::{ImageKind, Images, UploadedImage, UploadedImages};
pub use invites::{CreatedInvite, Invite, Invites, NewInvite, OwnInvite, OwnInvites};
pub use items::{Item, ItemOperation, Items, MAX_BATCH_OPERATIONS, SyncRejection};
pub use keys::{
    Key, KeyChanges, KeyVerification, KeyWithValue, Keys, NewKey, PreviousKeyValue, UpdatedKey, VerifiedKey,
};
pub use list::{List, Page};
pub use members::{
    AffectedInvite, AffectedKey, AffectedResources, AffectedWebhook, Member, MemberChanges, Members, Membership,
    UpdatedMember,
};
pub use projects::{
    CreatedProject, DailyRequests, ListedProject, NewProject, Project, ProjectAppearance, ProjectChanges,
    ProjectDetails, ProjectStyles, ProjectUsage, Projects, PublicProject, PublicSignIn, QuotaUsage, RequestStats,
};
pub use request::Request;
pub use reqwest::Method;
pub use response::{Response, Versioned};
pub use schemas::{
    Publication, PublishOptions, SchemaChange, SchemaCheck, SchemaComparison, SchemaDiff, SchemaVersion, SchemaWarning,
    Schemas,
};
pub use service_url::ServiceUrl;
pub use sessions::{Session, Sessions};
pub use settings::{ProjectSettings, Settings, SignInSettings};
pub use teams::{
    CreatedTeam, ListedTeam, NewTeam, ProjectIcon, Team, TeamChanges, TeamDetails, TeamInvite, TeamMember, TeamProject,
    Teams,
};
pub use tokens::{CreatedPersonalToken, Introspection, NewPersonalToken, PersonalToken, Tokens};
pub use users::{ActiveUsers, ConnectedUser, ProjectUser, UserChanges, UserSession, UserStats, Users};
pub use webhooks::{NewWebhook, Webhook, WebhookChanges, WebhookDelivery, WebhookWithSecret, Webhooks};
