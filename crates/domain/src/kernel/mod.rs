//! What all areas need: IDs, texts and time, errors, access and its policy, and changes.

pub(crate) mod access;
pub mod case_folding;
pub mod changes;
pub(crate) mod core;
pub mod error;
pub mod hex;
mod id;
pub mod jobs;
mod lock;
pub mod policy;
pub(crate) mod ports;
pub(crate) mod request;
mod service;
pub mod strict_json;
pub(crate) mod text;
mod value;
pub mod violations;
pub mod work;

pub use self::core::Kernel;
pub use self::core::attempt::retry_access_changed;
pub(crate) use self::core::attempt::{RetryError, account_of, alternatives, complete, first_free, retry_stale};
pub(crate) use self::core::use_cases::use_cases;
pub use access::caller::{Caller, Identity, Request};
pub use access::epoch::{AccessBasis, AccessEpoch};
pub use access::port::AccessReader;
pub use access::replay_authorization::{ReplayAuthorization, RequestedAccess};
pub use access::{Access, ProjectAccess, TeamAccess};
pub use id::{
    AccountId, ApiKeyId, AuthenticatorAppId, AuthorizationRequestId, DeliveryId, DeviceAuthorizationId, EmailLinkId,
    GrantId, ID_PATTERN, IdempotentRequestId, IdentityProviderId, ImageId, InviteId, ItemDeletionId, ItemImportId,
    LinkedIdentityId, LogoutDeliveryId, PasskeyId, PersonalTokenId, ProjectClientId, ProjectId, ProjectUserId,
    RecoveryCodesId, RefreshTokenId, SchemaVersionId, ServerKeyId, SessionId, SyncRejectionId, TeamId, TokenFamilyId,
    WebhookId,
};
pub use lock::{PerThread, lock};
pub use ports::backlog::{Backlog, BacklogReader};
pub use ports::clock::Clock;
pub use ports::compute::{Compute, Job, PoolStats};
pub use ports::id_generator::IdGenerator;
pub use ports::secrets::{Encrypter, KeyDigester, SecretGenerator, TokenVault};
pub use ports::store_error::StoreError;
pub use ports::store_health::{HealthError, LaneStats, StoreHealth};
pub use ports::unit_of_work::{CommitError, Committed, ItemOutcome, Unique, UnitOfWork};
pub use ports::usage::{Credential, CredentialUse, UsageRecorder};
pub use ports::work_lease::WorkLeases;
pub use request::action_limiter::ActionLimiter;
pub use request::idempotency::{Idempotency, IdempotencyOutcome};
pub use request::idempotency_key::{IdempotencyKey, IdempotentRequest, KeyReuse};
pub use request::idempotency_store::IdempotencyStore;
pub use request::quota_guard::{QuotaGuard, QuotaStats};
pub use request::rate_limit_store::{LimitOutcome, RateLimitStore};
pub use service::address::ServiceAddress;
pub use service::effective_setting::EffectiveSetting;
pub use service::name::{COMMAND_LINE_NAME, check_new_name};
pub use service::security_contacts::SecurityContacts;
pub use service::shares::Shares;
pub use service::usage::Usage;
pub(crate) use text::as_text::as_text;
pub use text::characters::{CodePoint, InvalidText, visible_part};
pub use text::color::Color;
pub use text::document_url::DocumentUrl;
pub use text::json::JsonObject;
pub use text::linked_urls::check_linked_urls;
pub use text::locale::Locale;
pub use text::name::{Label, Name, RoleName, VISIBLE, is_control};
pub use text::slug::{Slug, slugify};
pub(crate) use text::typed_code::{CODE_DIGITS, six_digits};
pub(crate) use value::audited::{AuditView, Audited, OwnerIds, audited};
pub(crate) use value::debug_only::debug_only;
pub use value::digest::KeyDigest;
pub(crate) use value::named::named;
pub use value::opaque::{OpaqueKind, TokenDigest};
pub use value::page::{Cursor, Page, PageRequest, PageSize, Rows};
pub use value::replaced_values::{PresentedValue, ReplacedValue, ReplacedValues};
pub use value::resource_kind::ResourceKind;
pub use value::resource_scope::{Named, ResourceScope};
pub use value::revision::{Precondition, Revision};
pub use value::secret::{Issued, Secret};
pub(crate) use value::whole_seconds::to_the_second;
pub use value::{InvalidValue, Time};
