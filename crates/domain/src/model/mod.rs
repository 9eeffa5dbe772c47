//! Entities and value types. A value that violates its rules cannot be constructed.

mod access_epoch;
mod account;
mod activity;
mod address;
mod api_key;
mod app_scheme;
mod audience;
mod audit_event;
mod audit_seal;
mod audited;
mod authentication_method;
mod authenticator_app;
mod authorization;
mod authorization_code;
mod authorization_request;
mod caller;
mod character_sequences;
mod characters;
mod client;
mod client_keys;
mod client_secret;
mod client_settings;
mod color;
mod device_authorization;
mod digest;
mod document_url;
mod domain_name;
mod effective_setting;
mod email;
mod email_link;
mod email_message;
mod grant;
mod grant_type;
mod id;
mod idempotency;
mod identity_provider;
mod image;
mod invite;
mod item;
mod item_deletion;
mod item_id;
mod item_import;
pub(crate) mod json;
mod linked_urls;
mod logged_request;
mod login;
mod logout_delivery;
mod member;
mod opaque;
mod page;
mod passkey;
mod password;
mod password_strength;
mod personal_token;
mod project;
mod project_client;
mod project_user;
mod recovery_codes;
mod redirect_uri;
mod replaced_values;
mod resource_kind;
mod resource_scope;
mod response_mode;
mod revision;
mod schema_draft;
mod scope;
mod second_factor_policy;
mod second_factors;
mod secret;
mod security_contacts;
mod server_key;
mod service_name;
mod session;
mod sign_in_settings;
mod sign_up_policy;
mod slug;
mod sync;
mod team;
mod tenant_size;
mod text;
mod token;
mod token_family;
mod typed_code;
mod webhook;
mod webhook_ordering;
mod webhook_status;
mod whole_seconds;

pub mod case_folding;
pub mod item_query;
pub mod schema;

pub use access_epoch::{AccessBasis, AccessEpoch};
pub use account::{Account, AccountFilter, Username};
pub use activity::{ActivityCounts, ActivityWindow, Day, Period, RequestCount, RequestStats, UserStats};
pub use address::ServiceAddress;
pub use api_key::{ApiKey, KeyBearer, KeyValue};
pub use audience::Audience;
pub use audit_event::{AuditEvent, AuditFilter, History, ItemChanges, RecordedActor};
pub use audit_seal::{AuditChain, AuditSeal, SealedPart};
pub(crate) use audited::{AuditView, Audited, OwnerIds};
pub use authentication_method::{AssuranceLevel, AuthenticationClaims, AuthenticationMethod, AuthenticationMethods};
pub use authenticator_app::{AuthenticatorApp, NewAuthenticatorKey};
pub(crate) use authenticator_app::{KEY_BYTES, accepted_steps, key_purpose};
pub(crate) use authorization::requested_by_device;
pub use authorization::{AUTHORIZATION_TTL, AuthorizationParameters, CodeChallenge, Parameters, Prompt, UI_LOCALES};
pub use authorization_code::AuthorizationCode;
pub use authorization_request::{AuthorizationRequest, ResponseTarget};
pub use caller::{Caller, Identity, Request};
pub use characters::{CodePoint, InvalidText, visible_part};
pub use client::{ClientId, FirstPartyClient, FirstPartyClients};
pub use client_keys::{ClientAlgorithm, ClientKeys, KeyThumbprint, is_private_key};
pub use client_secret::ClientSecret;
pub use client_settings::{ClientChanges, ClientInput, ClientSettings, ClientType};
pub use color::Color;
pub use device_authorization::{DeviceAuthorization, UserCode};
pub use digest::KeyDigest;
pub use document_url::DocumentUrl;
pub use effective_setting::EffectiveSetting;
pub use email::Email;
pub use email_link::{EMAIL_CODE_TTL, EmailLink, LINK_TTL};
pub use email_message::{AccountChange, EmailKind, EmailMessage, LinkPurpose};
pub use grant::{ClientScopes, Grant, GrantedProject};
pub use grant_type::{GrantType, GrantTypes};
pub use id::{
    AccountId, ApiKeyId, AuthenticatorAppId, AuthorizationRequestId, DeliveryId, DeviceAuthorizationId, EmailLinkId,
    GrantId, IdempotentRequestId, IdentityProviderId, ImageId, InviteId, ItemDeletionId, ItemImportId,
    LinkedIdentityId, LogoutDeliveryId, PasskeyId, PersonalTokenId, ProjectClientId, ProjectId, ProjectUserId,
    RecoveryCodesId, RefreshTokenId, SchemaVersionId, ServerKeyId, SessionId, SyncRejectionId, TeamId, TokenFamilyId,
    WebhookId,
};
pub use idempotency::{IdempotencyKey, IdempotentRequest, KeyReuse};
pub use identity_provider::{
    IdentityProvider, Issuer, LinkedIdentity, MAX_LINKED_IDENTITIES, MAX_SERVICE_PROVIDERS, PROVIDER_SIGN_IN_TTL,
    ProviderClientId, ProviderIdentity, ProviderKind, parse_client_secret, parse_email_domains,
};
pub use image::{BlobKey, Image, ImageError, ImageFile, ImageFormat, ImageUse, ProjectImage, ProjectImages};
pub use invite::{EmailDelivery, Invite, InviteError, InviteState, InviteWithTeam, Recipient};
pub use item::{Item, ItemKey, ItemPath, ItemValue, StoredItem};
pub use item_deletion::{DeletedItem, ItemDeletion};
pub use item_id::ItemId;
pub use item_import::{ImportRecord, ImportState, ItemImport, LineProblem, PortionResult, RecordContent};
pub use item_query::{ItemPage, ItemQuery, RawItemQuery};
pub use json::JsonObject;
pub use linked_urls::check_linked_urls;
pub use logged_request::{LoggedRequest, RequestCursor, RequestFilter, RequestPage, StatusFilter};
pub use login::Login;
pub use logout_delivery::LogoutDelivery;
pub use member::{Member, MemberWithAccount};
pub use opaque::{OpaqueKind, TokenDigest};
pub use page::{Cursor, Page, PageRequest, PageSize, Rows};
pub use passkey::{MAX_PASSKEYS, Passkey};
pub use password::{Password, PasswordHash};
pub use password_strength::PersonalWords;
pub use personal_token::{PersonalToken, PersonalTokenBearer};
pub use project::{DeletedProject, Project, ProjectInTeam, ProjectMembership, ProjectUsage, Website};
pub use project_client::{ClientBearer, ProjectClient};
pub use project_user::{ProjectUser, UserBearer, UserFilter, UserSearch, UserStatus, VisibleUser};
pub(crate) use recovery_codes::{CODE_BYTES, CODES, recovery_code};
pub use recovery_codes::{RecoveryCodes, SecondFactorCode};
pub use redirect_uri::RedirectUri;
pub use replaced_values::{PresentedValue, ReplacedValue, ReplacedValues};
pub use resource_kind::ResourceKind;
pub use resource_scope::ResourceScope;
pub use response_mode::ResponseMode;
pub use revision::{Precondition, Revision};
pub use schema_draft::{DraftEditor, DraftSummary, SchemaDraft};
pub use scope::{Scope, ScopeSet};
pub use second_factor_policy::{SecondFactorMode, SecondFactorPolicy, format_due_time, is_due, parse_due_time};
pub use second_factors::SecondFactors;
pub use secret::{Issued, Secret};
pub use security_contacts::SecurityContacts;
pub use server_key::{ServerKey, ServerKeyPurpose, SignedToken, SigningAlgorithm, SigningAlgorithms, SigningKeyState};
pub use service_name::{COMMAND_LINE_NAME, check_new_name};
pub use session::{KNOWN_BROWSER_TTL, PENDING_SIGN_IN_TTL, Session, SessionAccount, SessionLifetime, SignedIn};
pub use sign_in_settings::SignInSettings;
pub use sign_up_policy::{EmailDomain, SignUpMode, SignUpPolicy};
pub use slug::{Slug, slugify};
pub use sync::{
    ChangedUsers, ItemChange, SettledChanges, SyncChange, SyncEdit, SyncKey, SyncReceipt, SyncRejection, SyncSpan,
    SyncedItem,
};
pub use team::{Team, TeamContents, TeamMembership};
pub use tenant_size::{ProjectSize, SizeOrder, SizePage, TeamSize};
pub use text::{Label, Name, RoleName, is_control};
pub use token::{ACCESS_TTL, AccessClaims, IdClaims, IdTokenHint, LogoutClaims, Subject, UserClaims};
pub use token_family::{
    FamilyLifetime, REFRESH_GRACE, REFRESH_TTL, RefreshState, RefreshToken, TokenFamily, TokenFamilyWithAccount,
};
pub(crate) use typed_code::{CODE_DIGITS, six_digits};
pub use webhook::{EventSelection, Webhook, WebhookDelivery, WebhookMessage, WebhookPause, WebhookUrl, is_public};
pub use webhook_ordering::WebhookOrdering;
pub use webhook_status::{UNAUTHORIZED, WebhookStatus};
pub(crate) use whole_seconds::to_the_second;

/// A timestamp in UTC with microsecond precision, which every store keeps.
pub type Time = chrono::DateTime<chrono::Utc>;

/// The error for a value that violates a rule. The message is a predicate such as "must be 1 to 100 characters", so
/// that it can follow the name of a field.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct InvalidValue(pub &'static str);
