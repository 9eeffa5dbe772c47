//! Typed client of the Steward API.
//!
//! ```no_run
//! # async fn example() -> Result<(), steward_client::Error> {
//! use steward_client::{Client, Credential, NewTeam};
//!
//! let token = Credential::Token("stw_pat_...".into());
//! let client = Client::builder("https://steward.example.com").credential(token).build()?;
//! let team = client.teams().create(&NewTeam { name: "Acme".into(), slug: "acme".into() }).data().await?;
//! let members = client.members(team.summary.id).list().all().await?;
//! println!("{} has {} member(s).", team.summary.name, members.len());
//! # Ok(())
//! # }
//! ```
//!
//! The groups of operations, such as [`Teams`], are shortcuts. Every operation of the API can be called by its type,
//! which has the types of its request and response:
//!
//! ```no_run
//! # async fn example(client: &steward_client::Client) -> Result<(), steward_client::Error> {
//! use steward_client::{GetTeam, TeamChanges, UpdateTeam};
//!
//! let team = client.call::<GetTeam>(&[&"018f2a3b-5c90-7a41-8f27-1e0d4b6a9c53"]).versioned().await?;
//! let changes = TeamChanges { name: Some("Acme Inc.".into()), ..TeamChanges::default() };
//! let call = client.call::<UpdateTeam>(&[&team.value.summary.id]).body(&changes);
//! call.if_match(&team.etag.unwrap_or_default()).done().await?;
//! # Ok(())
//! # }
//! ```
//!
//! `GET` requests, and requests with an `Idempotency-Key`, are retried after an outage, a rate limit or a connection
//! error. Operations that support a key send one: a new one for each call, unless it is passed with
//! [`Call::idempotency_key`]. Other operations are not retried, such as [`Apps::leave`] and [`Users::connect`], and those
//! that send a `POST` request and change nothing, such as [`Tokens::introspect`] and [`Keys::verify`].
//!
//! Types ignore unknown members of responses, so that a client works with later versions of the service.
//!
//! # Features
//!
//! - `live`: `Client::live` keeps the items of a person on this device, in sync over WebSocket, also offline.
//! - `sign-in`: `Client::sign_in` signs people in with OAuth 2.0 and PKCE. `SignInSession` refreshes their tokens, and
//!   `WebSignIn` keeps the sessions of a web app.
//!
//! Without them, the crate has all operations of the API. A [`TokenSource`] provides access tokens that expire.

#![cfg_attr(docsrs, feature(doc_cfg))]
#![warn(missing_docs)]

mod call;
mod client;
mod credential;
mod debug;
mod error;
mod groups;
mod images;
mod list;
#[cfg(feature = "live")]
mod live;
mod request;
mod response;
mod retry;
mod service_url;
#[cfg(feature = "sign-in")]
mod sign_in;
#[cfg(test)]
mod tests;
mod transport;

pub use call::{Call, CallOf};
pub use client::{Client, ClientBuilder};
pub use credential::{Credential, TokenSource};
pub use error::{ApiError, Error, TokenError, Violation};
pub use groups::{
    Account, Apps, AuditLog, IdentityProviders, Images, Invites, Items, Keys, MAX_BATCH_OPERATIONS, Members,
    OAuthClients, OwnInvites, Projects, Schemas, Sessions, Settings, Tables, Teams, Tokens, Users, Webhooks,
};
pub use images::ImageKind;
pub use list::{List, ListOf, Paged};
#[cfg(feature = "live")]
pub use live::{
    AtomicWrite, Fields, LiveChange, LiveChanges, LiveError, LiveItems, LiveReason, LiveState, LiveStatus, LiveTable,
};
pub use request::Request;
pub use reqwest::{self, Method};
pub use response::{Response, Versioned};
pub use service_url::ServiceUrl;
#[cfg(feature = "sign-in")]
pub use sign_in::{PendingSignIn, SignIn, SignInSession, SignInTokens, StartedSignIn, WebSignIn};
// The names above take precedence: `Method` and `Response` of the rows are those of HTTP here.
pub use steward_api::*;

/// The examples of the README, which tests compile.
#[cfg(all(doctest, feature = "live", feature = "sign-in"))]
#[doc = include_str!("../README.md")]
struct Readme;
