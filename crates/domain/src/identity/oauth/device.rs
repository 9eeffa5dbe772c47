//! Devices without a browser: the device shows a code, and a person enters it elsewhere and decides (RFC 8628).

use chrono::TimeDelta;

use crate::identity::client::known::unknown_client;
use crate::identity::{
    AUTHORIZATION_TTL, AuthorizationRequest, Authorizations, Client, DeviceAuthorization, DeviceKey, GrantType,
    Parameters, PresentedClient, ResponseTarget, TokenGrants, UserCode, requested_by_device,
};
use crate::kernel::changes::Changes;
use crate::kernel::error::{Error, ErrorCode, OAuthError, ResourceKind};
use crate::kernel::policy::{LimitedAction, Operation, Permit};
use crate::kernel::{
    CommitError, OpaqueKind, Request, RetryError, Revision, Secret, Time, TokenDigest, Unique, retry_stale,
};

/// How long ago, in seconds, a person who allows a first-party client on a device may have signed in.
const MAX_AGE_OF_FIRST_PARTY: i64 = 600;

/// What a device shows, and what it exchanges for tokens.
#[derive(Debug, Clone)]
pub struct DeviceCodes {
    /// The device code, which the device keeps.
    pub device_code: Secret,
    /// The code that the device shows.
    pub user_code: UserCode,
    /// How long the person has to enter it.
    pub lasts: TimeDelta,
    /// How long the device waits between two requests for its tokens.
    pub interval: TimeDelta,
}

impl Authorizations {
    /// Stores the request of a device. A confidential client MUST authenticate.
    pub async fn begin_for_device(
        &self,
        request: Request,
        parameters: &Parameters,
        presented: &PresentedClient,
    ) -> Result<DeviceCodes, Error> {
        let client = self.calling_client(&request, presented).await?;
        client.check_grant_type(GrantType::DeviceCode)?;
        let (scopes, max_age) = requested_by_device(parameters, &client.id)?;
        // What administers the whole service needs more than a session that was left open. The device itself does not decide
        // that: it may be that of a stranger.
        let max_age = match client.project {
            Some(_) => max_age,
            None => Some(max_age.map_or(MAX_AGE_OF_FIRST_PARTY, |age| age.min(MAX_AGE_OF_FIRST_PARTY))),
        };
        let scopes = client.permitted_scopes(scopes)?;
        retry_stale(async || {
            let now = self.core.now();
            let device_code = self.core.new_secret(OpaqueKind::DeviceCode);
            let user_code = UserCode::from_entropy(&self.core.system.secrets.entropy());
            let device = DeviceAuthorization {
                id: self.core.next_id().into(),
                digest: self.core.digest(&device_code),
                user_code: user_code.clone(),
                client: client.id.clone(),
                scopes: scopes.clone(),
                max_age,
                requested_from: request.address,
                created_at: now,
                expires_at: now + DeviceAuthorization::TTL,
                denied_at: None,
                revision: Revision::FIRST,
            };
            let permit = Permit::system(Operation::DeviceAuthorize, request.clone())?;
            self.core.commit(Changes::by(permit, now).insert(device)).await.map_err(|error| match error {
                // Another device has just received the same user code.
                CommitError::Taken(Unique::UserCode) => RetryError::Stale(ResourceKind::DeviceAuthorization),
                // The project was deleted in the meantime.
                CommitError::Orphaned => unknown_client().into(),
                error => error.into(),
            })?;
            let (lasts, interval) = (DeviceAuthorization::TTL, DeviceAuthorization::INTERVAL);
            Ok(DeviceCodes { device_code, user_code, lasts, interval })
        })
        .await
    }

    /// Begins the decision of a person who entered the code of a device, and returns the one-time ID of the request. The person
    /// is always asked for consent: anyone can send a code to a person (RFC 8628 §5.4). So only the browser in which the code
    /// was entered may decide.
    ///
    /// Fails with `Invalid` if the text is not a code, which is not an attempt, and with `NotFound` if no device waits with it.
    pub async fn enter_user_code(&self, request: Request, text: &str) -> Result<Secret, Error> {
        let now = self.core.now();
        let mistyped = || Error::invalid("user_code", "must be the eight letters that the device shows");
        let code = UserCode::parse(text).ok_or_else(mistyped)?;
        self.core.action_limiter.take_from(LimitedAction::UserCodeFrom, &request, now).await?;
        let not_found = || Error::NotFound(ResourceKind::DeviceAuthorization);
        let found = self.core.ports.authorizations.device_authorization(&DeviceKey::UserCode(code)).await?;
        let device = found.filter(|device| device.is_waiting(now)).ok_or_else(not_found)?;
        self.core.action_limiter.refund_from(LimitedAction::UserCodeFrom, &request).await;
        self.core.action_limiter.take_from(LimitedAction::AuthorizeFrom, &request, now).await?;
        let (kind, target) = (OpaqueKind::AuthorizationRequest, ResponseTarget::Device(device.id));
        let (client, parameters) = (device.client.clone(), (&device).into());
        let (secret, authorization) = self.new_request(kind, client, target, parameters, (now, AUTHORIZATION_TTL));
        let permit = Permit::system(Operation::Authorize, request)?;
        self.core.commit(Changes::by(permit, now).insert(authorization)).await.map_err(|error| match error {
            CommitError::Orphaned => not_found(),
            error => error.into(),
        })?;
        Ok(secret)
    }

    /// Returns the device that waits for the response to a request; `None` if a client waits for it.
    ///
    /// Fails with `NotFound` if the device no longer waits.
    pub(crate) async fn waiting_device(
        &self,
        authorization: &AuthorizationRequest,
        now: Time,
    ) -> Result<Option<DeviceAuthorization>, Error> {
        let ResponseTarget::Device(id) = authorization.target else { return Ok(None) };
        let found = self.core.ports.authorizations.device_authorization(&DeviceKey::Id(id)).await?;
        let device = found.filter(|device| device.is_waiting(now));
        Ok(Some(device.ok_or(Error::NotFound(ResourceKind::AuthorizationRequest))?))
    }
}

impl TokenGrants {
    /// Limits how often a device that waits asks for its tokens.
    async fn check_interval(&self, device_code: &TokenDigest) -> Result<(), Error> {
        let taken = self.core.action_limiter.take(LimitedAction::DevicePollBy, &device_code.0, self.core.now()).await;
        taken.map_err(|error| match error {
            Error::TooMany { .. } => {
                let message = "The device asks too often. Wait 5 seconds longer between two requests.";
                OAuthError::new(ErrorCode::SlowDown, message).into()
            }
            error => error,
        })
    }

    /// Returns why a device receives no tokens yet, or no longer (RFC 8628 §3.5).
    pub(crate) async fn why_no_tokens(
        &self,
        device_code: TokenDigest,
        presented: Option<&PresentedClient>,
    ) -> Result<OAuthError, RetryError> {
        let authorizations = &self.core.ports.authorizations;
        let found = authorizations.device_authorization(&DeviceKey::DeviceCode(device_code.clone())).await?;
        let Some(device) = found.filter(|device| self.core.now() < device.expires_at) else {
            // The person may have allowed the request since the code was read.
            if authorizations.authorization_code(&device_code).await?.is_some() {
                return Err(RetryError::Stale(ResourceKind::DeviceAuthorization));
            }
            let message = "The device code is invalid, expired or already used. Begin again on the device.";
            return Ok(OAuthError::new(ErrorCode::ExpiredToken, message));
        };
        self.check_owner(&device.client, presented, "device code").await?;
        if device.denied_at.is_some() {
            return Ok(OAuthError::new(ErrorCode::AccessDenied, "The user denied the request."));
        }
        self.check_interval(&device_code).await?;
        let message = "The user has not decided yet. Send the same request again after 5 seconds.";
        Ok(OAuthError::new(ErrorCode::AuthorizationPending, message))
    }
}

impl Client {
    /// Checks that the client may use a grant type that only registered clients and this service's own have: the ID of a
    /// project is public, and anyone could send people the codes of devices in its name.
    fn check_grant_type(&self, grant_type: GrantType) -> Result<(), OAuthError> {
        match self.registered() {
            Some(client) => client.check_grant_type(grant_type),
            None if self.is_command_line() => Ok(()),
            None => Err(OAuthError::new(
                ErrorCode::UnauthorizedClient,
                format_args!(
                    "Only a registered client can use the grant type {}. Register one on the page Clients of the project.",
                    grant_type.as_str()
                ),
            )),
        }
    }
}
