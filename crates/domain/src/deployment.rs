//! The settings of a program that embeds the whole domain.

use chrono::TimeDelta;

use crate::administration::AuditRetention;
use crate::identity::{FamilyLifetime, FirstPartyClients, SecondFactorPolicy, SessionLifetime, SignUpPolicy};
use crate::kernel::policy::Quotas;
use crate::kernel::{ActionLimiter, EffectiveSetting, ProjectId, ServiceAddress};

/// Settings of a deployment.
pub struct Deployment {
    /// Public address of the service.
    pub address: ServiceAddress,
    /// How people sign in.
    pub identity: IdentitySettings,
    /// Rate limiter, which may be turned off.
    pub action_limiter: ActionLimiter,
    /// Retention of audit log entries.
    pub audit_retention: AuditRetention,
    /// Quotas of teams and projects.
    pub quotas: Quotas,
    /// The settings in effect, without secrets, which operators can see.
    pub settings: Vec<EffectiveSetting>,
}

impl Deployment {
    /// Returns the default settings for a service at an address.
    pub fn at(address: ServiceAddress) -> Self {
        Self {
            address,
            identity: IdentitySettings::default(),
            action_limiter: ActionLimiter::on(),
            audit_retention: AuditRetention::default(),
            quotas: Quotas::default(),
            settings: Vec::new(),
        }
    }
}

/// How people sign in.
pub struct IdentitySettings {
    /// Policy that decides who may sign up.
    pub sign_up: SignUpPolicy,
    /// Whether people can sign in with a code that they receive by email.
    pub email_codes: bool,
    /// The project in which clients may register themselves without a token; `None` for none.
    pub open_registration: Option<ProjectId>,
    /// Who has to use a second factor.
    pub second_factor: SecondFactorPolicy,
    /// First-party clients besides this service's own.
    pub first_party_clients: FirstPartyClients,
    /// Whether `POST /auth/login` exchanges a password for tokens, outside of OAuth.
    pub password_tokens: bool,
    /// How long the session of a browser lasts.
    pub session_lifetime: SessionLifetime,
    /// How long the tokens of a sign-in can be renewed.
    pub family_lifetime: FamilyLifetime,
    /// Age at which a signing key is replaced; `None` to never replace it automatically.
    pub signing_key_age: Option<TimeDelta>,
}

impl Default for IdentitySettings {
    fn default() -> Self {
        Self {
            sign_up: SignUpPolicy::default(),
            email_codes: true,
            open_registration: None,
            second_factor: SecondFactorPolicy::default(),
            first_party_clients: FirstPartyClients::default(),
            password_tokens: true,
            session_lifetime: SessionLifetime::default(),
            family_lifetime: FamilyLifetime::default(),
            signing_key_age: None,
        }
    }
}
