//! Who someone is: accounts, sign-in, clients and tokens.

pub(crate) mod account;
mod authentication;
pub(crate) mod client;
mod core;
pub(crate) mod email;
mod expiry;
pub(crate) mod factor;
mod grant;
pub(crate) mod logout;
pub(crate) mod oauth;
pub(crate) mod passkey;
pub(crate) mod password;
pub(crate) mod personal_token;
pub(crate) mod provider;
pub(crate) mod server_key;
pub(crate) mod session;
pub(crate) mod token;

pub use self::core::IdentityCore;
pub use account::administration::AccountAdministration;
pub use account::deletion::{AccountDeletion, AccountDeletions};
pub use account::deletion_progress::DeletionProgress;
pub use account::entity::{Account, AccountFilter, Username};
pub use account::export::{AccountExport, AccountExports, ExportedApp};
pub use account::first_operator::FirstOperator;
pub use account::held::{Choice, Choices, Confirmer, Confirming, Held, HeldKind, HeldThing};
pub use account::login::Login;
pub use account::own_account::{OwnAccount, UpdateProfile};
pub use account::port::{AccountCleanup, AccountReader};
pub use account::sign_up_policy::{EmailDomain, SignUpMode, SignUpPolicy};
pub use account::{Accounts, SignUp};
pub use authentication::known_credentials::{CredentialDigest, CredentialHolder, KnownCredential, KnownCredentials};
pub use authentication::{Authentication, PresentedCredential};
pub use client::clients::{Clients, CreateClient};
pub use client::entity::{ClientBearer, ProjectClient};
pub use client::id::{ClientId, FirstPartyClient, FirstPartyClients};
pub use client::keys::{ClientAlgorithm, ClientKeys, KeyThumbprint, is_private_key};
pub use client::known::{Client, ClientOrigin};
pub use client::port::ProjectClientReader;
pub use client::presented::{ASSERTION_TYPE, PresentedAssertion, PresentedClient};
pub use client::redirect_uri::RedirectUri;
pub use client::registration::ClientMetadata;
pub use client::secret::ClientSecret;
pub use client::settings::{
    ACCESS_TOKEN_SECONDS, ClientChanges, ClientInput, ClientSettings, ClientType, SIGN_IN_SECONDS,
};
pub use client::sign_in_settings::SignInSettings;
pub use client::signatures::{AssertionClaims, ClientSignatures, ProofClaims};
pub use email::address::Email;
pub use email::change::EmailChanges;
pub use email::codes::{CodeSignIn, EmailCodes};
pub use email::link::{EMAIL_CODE_TTL, EmailLink, LINK_TTL};
pub use email::links::EmailLinks;
pub use email::look::EmailLook;
pub use email::mailer::{EmailDeliveryStore, EmailStats, Mailer};
pub use email::message::{AccountChange, ComposeEmail, EmailKind, EmailMessage, EmailText, LinkPurpose};
pub use expiry::Expiry;
pub use factor::authenticator_app::{AuthenticatorApp, NewAuthenticatorKey};
pub(crate) use factor::authenticator_app::{KEY_BYTES, accepted_steps, key_purpose};
pub use factor::entity::SecondFactors;
pub use factor::policy::{SecondFactorMode, SecondFactorPolicy, format_due_time, is_due, parse_due_time};
pub use factor::port::{OneTimeCodes, SecondFactorReader};
pub(crate) use factor::recovery_codes::{CODE_BYTES, CODES, recovery_code};
pub use factor::recovery_codes::{RecoveryCodes, SecondFactorCode};
pub use factor::removal::{FactorRemoval, FactorRemovals};
pub use factor::settings::SecondFactorSettings;
pub use factor::sign_in::SecondFactorSignIn;
pub use grant::entity::{ClientScopes, Grant, GrantedProject};
pub use grant::grants::Grants;
pub use logout::deliveries::{LogoutAttempt, LogoutDeliveries};
pub use logout::delivery::LogoutDelivery;
pub use logout::logout_request::LogoutRequest;
pub use logout::queue::LogoutQueue;
pub use oauth::authorize::{Authorizations, Pending};
pub use oauth::code::AuthorizationCode;
pub use oauth::device::DeviceCodes;
pub use oauth::device_authorization::{DeviceAuthorization, UserCode};
pub(crate) use oauth::parameters::requested_by_device;
pub use oauth::parameters::{
    AUTHORIZATION_TTL, AuthorizationParameters, CodeChallenge, MAX_HINT_BYTES, MAX_NONCE_BYTES, MAX_STATE_BYTES,
    Parameters, Prompt,
};
pub use oauth::port::{AuthorizationReader, DeviceKey, Expiring, ExpirySweeper};
pub use oauth::pushed::PushedRequest;
pub use oauth::refused_requests::RefusedRequest;
pub use oauth::request::{AuthorizationRequest, ResponseTarget};
pub use oauth::response_mode::ResponseMode;
pub use oauth::scope::{Scope, ScopeSet};
pub use oauth::session::ActiveSignIn;
pub use oauth::step::{AuthorizationStep, FormPost};
pub use passkey::entity::{MAX_PASSKEYS, Passkey};
pub use passkey::passkeys::{PasskeyChallenge, Passkeys};
pub use passkey::port::{Ceremony, PasskeyCeremonies, PasskeyError, PasskeyReader, VerifiedCredential};
pub use password::breached::BreachedPasswords;
pub use password::entity::{Password, PasswordHash};
pub use password::new_password::AcceptedPassword;
pub use password::port::PasswordHasher;
pub use password::strength::PersonalWords;
pub use personal_token::entity::{PersonalToken, PersonalTokenBearer};
pub use personal_token::personal_tokens::{CreateToken, PersonalTokens};
pub use personal_token::port::PersonalTokenReader;
pub use provider::entity::{
    CLIENT_SECRET_LENGTH, IdentityProvider, Issuer, LinkedIdentity, MAX_LINKED_IDENTITIES, MAX_SERVICE_PROVIDERS,
    PROVIDER_SIGN_IN_TTL, ProviderClientId, ProviderIdentity, ProviderKind, parse_client_secret, parse_email_domains,
};
pub use provider::linking::LinkedIdentities;
pub use provider::port::{
    IdentityProviderClient, IdentityProviderReader, ProviderError, ProviderRequest, ProviderResponse,
};
pub use provider::sign_in::{ProviderCallback, ProviderOutcome, ProviderSignInStart, ProviderSignIns};
pub use provider::state::{ProviderSignInState, UnlinkedIdentity};
pub use provider::{
    CreateIdentityProvider, FailedProviderSignIn, IdentityProviders, ProviderInput, UpdateIdentityProvider,
};
pub use server_key::current_keys::{CurrentKeys, TokenVerifier};
pub use server_key::entity::{
    ServerKey, ServerKeyPurpose, SignedToken, SigningAlgorithm, SigningAlgorithms, SigningKeyState,
};
pub use server_key::port::{KeyGenerator, KeyRing, ServerKeyReader};
pub use server_key::server_keys::ServerKeys;
pub use session::authentication_method::{
    AssuranceLevel, AuthenticationClaims, AuthenticationMethod, AuthenticationMethods,
};
pub use session::authentication_proof::{AuthenticationProof, PendingSignIn, SignInProgress};
pub use session::entity::{KNOWN_BROWSER_TTL, PENDING_SIGN_IN_TTL, Session, SessionLifetime, SignedIn};
pub use session::sessions::Sessions;
pub use session::sign_in_stats::{SignInOutcome, SignInStats};
pub use token::audience::Audience;
pub use token::claims::{ACCESS_TTL, AccessClaims, IdClaims, IdTokenHint, LogoutClaims, Subject, UserClaims};
pub use token::family::{
    FamilyLifetime, REFRESH_GRACE, REFRESH_TTL, RefreshState, RefreshToken, TokenFamily, TokenFamilyWithAccount,
};
pub use token::grant_type::{GrantType, GrantTypes};
pub use token::introspect::Introspection;
pub use token::port::{AccessTokens, TokenError, VerifiedToken, check_lifetime};
pub use token::proofs::{Proof, Proofs};
pub use token::tokens::{TokenGrants, TokenRequest, Tokens};
