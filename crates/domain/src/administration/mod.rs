//! Teams, their members and projects, and what they set up for programs.

mod activity;
pub(crate) mod api_key;
pub(crate) mod audit;
mod core;
pub(crate) mod image;
pub(crate) mod invite;
pub(crate) mod member;
pub(crate) mod operator;
pub(crate) mod project;
mod request_log;
pub(crate) mod team;
pub(crate) mod webhook;

pub use self::core::AdministrationCore;
pub use activity::{ActivityCounts, ActivityWindow, Day, Period, RequestCount, RequestStats, UserStats};
pub use api_key::api_keys::{ApiKeys, CreateKey, UpdateKey};
pub use api_key::entity::{ApiKey, KeyBearer, KeyValue};
pub use api_key::port::ApiKeyReader;
pub use audit::event::{AuditEvent, AuditFilter, History, ItemChanges, RecordedActor};
pub use audit::port::{AuditLog, MatchingEvents, RetentionCutoff, SealedBatch, UnsealedEvents};
pub use audit::seal::{AuditChain, AuditSeal, SealedPart};
pub use audit::{Audit, AuditRetention, Verification};
pub use image::images::{Images, PublicImage};
pub use image::port::{BlobReader, BlobStore};
pub use image::{BlobKey, Image, ImageError, ImageFile, ImageFormat, ImageUse, ProjectImage, ProjectImages};
pub use invite::entity::{EmailDelivery, Invite, InviteError, InviteState, InviteWithTeam, Recipient};
pub use invite::invites::{CreateInvite, Invited, Invites, TeamInvite};
pub use invite::port::InviteReader;
pub use invite::proofs::{InviteOffer, InviteProofs};
pub use member::authority::{AffectedResources, Authority};
pub use member::entity::{Member, MemberWithAccount};
pub use member::members::{Members, UpdateMember};
pub use member::people::People;
pub use operator::operators::{InstanceHealth, InstanceOverview, Operators, PartState};
pub use operator::port::TenantSizeReader;
pub use operator::search::{Found, Search, SearchResults};
pub use operator::tenant_size::{ProjectSize, SizeOrder, SizePage, TeamSize};
pub use project::cleanup::ProjectCleanup;
pub use project::entity::{DeletedProject, Project, ProjectInTeam, ProjectMembership, ProjectUsage, Website};
pub use project::port::{DeletedProjects, ProjectReader};
pub use project::projects::{CreateProject, Projects, UpdateProject};
pub use request_log::RequestLog;
pub use request_log::entity::{LoggedRequest, RequestCursor, RequestFilter, RequestPage, StatusFilter};
pub use team::entity::{Team, TeamContents, TeamMembership};
pub use team::port::TeamReader;
pub use team::teams::{CreateTeam, ListsVersion, TeamDetails, Teams, UpdateTeam};
pub use webhook::deliveries::WebhookDeliveries;
pub use webhook::delivery::{DeliveryDetails, NextAttempt, WebhookDelivery, WebhookMessage, WebhookResponse};
pub use webhook::entity::{EventSelection, Webhook, WebhookPause, WebhookUrl, is_public};
pub use webhook::ordering::WebhookOrdering;
pub use webhook::port::{
    DeliveryProgress, DueWebhook, MessageSigner, Outbox, Subscriber, WebhookReader, WebhookSender, WebhookWake,
};
pub use webhook::status::{UNAUTHORIZED, WebhookStatus};
pub use webhook::{CreateWebhook, UpdateWebhook, Webhooks};
