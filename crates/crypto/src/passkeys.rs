//! Passkeys, with `webauthn-rs`.

use serde::Serialize;
use serde::de::DeserializeOwned;
use steward_domain::identity::{
    Account, Ceremony, Passkey as StoredPasskey, PasskeyCeremonies, PasskeyError, VerifiedCredential,
};
use steward_domain::kernel::{AccountId, ServiceAddress};
use webauthn_rs::prelude::{
    DiscoverableAuthentication, Passkey, PasskeyRegistration, PublicKeyCredential, RegisterPublicKeyCredential, Url,
    Webauthn, WebauthnBuilder, WebauthnError,
};
use webauthn_rs_proto::{CollectedClientData, PublicKeyCredentialDescriptor, ResidentKeyRequirement};

/// Maximum length of a response of a browser in bytes. Without an attestation, the largest keys and signatures need half of it.
const MAX_RESPONSE_BYTES: usize = 8 * 1024;
/// Maximum length of the ID of a credential in bytes (WebAuthn §7.1, step 25).
const MAX_CREDENTIAL_ID_BYTES: usize = 1023;

/// The ceremonies of passkeys that are bound to the host name of the service.
pub struct WebauthnCeremonies(Option<Webauthn>);

impl WebauthnCeremonies {
    /// Creates the ceremonies for a service. There are none where browsers have no WebAuthn: without a host name, and without
    /// TLS except on `localhost`.
    ///
    /// # Errors
    ///
    /// If the host name cannot be that of a relying party.
    pub fn new(address: &ServiceAddress) -> anyhow::Result<Self> {
        let url = Url::parse(address.as_str())?;
        let host =
            url.domain().filter(|host| address.is_https() || *host == "localhost" || host.ends_with(".localhost"));
        let Some(host) = host else { return Ok(Self(None)) };
        Ok(Self(Some(WebauthnBuilder::new(host, &url)?.rp_name(host).build()?)))
    }

    fn webauthn(&self) -> Result<&Webauthn, PasskeyError> {
        self.0.as_ref().ok_or(PasskeyError::Unavailable)
    }
}

impl PasskeyCeremonies for WebauthnCeremonies {
    fn are_available(&self) -> bool {
        self.0.is_some()
    }

    fn begin_registration(&self, account: &Account, existing: &[StoredPasskey]) -> Result<Ceremony, PasskeyError> {
        let (email, name) = (account.email.shown(), account.username.as_ref().map(|name| name.as_str()));
        let (mut options, state) = self
            .webauthn()?
            .start_passkey_registration(account.id.uuid(), email, name.unwrap_or(email), None)
            .map_err(error)?;
        // Not part of the state, which the form sends back: no two passkeys can have the same ID anyway.
        let excluded = existing.iter().map(|passkey| PublicKeyCredentialDescriptor {
            type_: "public-key".to_owned(),
            id: passkey.credential_id.clone(),
            transports: None,
        });
        options.public_key.exclude_credentials = Some(excluded.collect());
        // Discoverable, so that a person can sign in without typing a name.
        if let Some(selection) = &mut options.public_key.authenticator_selection {
            selection.resident_key = Some(ResidentKeyRequirement::Required);
            selection.require_resident_key = true;
        }
        ceremony(&options.public_key, &state)
    }

    fn finish_registration(&self, state: &[u8], response: &str) -> Result<VerifiedCredential, PasskeyError> {
        let (state, response): (PasskeyRegistration, RegisterPublicKeyCredential) = (from(state)?, parse(response)?);
        refuse_frames(&response.response.client_data_json)?;
        let passkey = self.webauthn()?.finish_passkey_registration(&response, &state).map_err(error)?;
        // The library accepts longer ones.
        if passkey.cred_id().len() > MAX_CREDENTIAL_ID_BYTES { Err(PasskeyError::Invalid) } else { verified(&passkey) }
    }

    fn begin_sign_in(&self) -> Result<Ceremony, PasskeyError> {
        let (options, state) = self.webauthn()?.start_discoverable_authentication().map_err(error)?;
        ceremony(&options.public_key, &state)
    }

    fn identify(&self, response: &str) -> Result<(AccountId, Vec<u8>), PasskeyError> {
        let response: PublicKeyCredential = parse(response)?;
        let identified = self.webauthn()?.identify_discoverable_authentication(&response);
        let (account, id) = identified.map_err(error)?;
        Ok((account.into(), id.to_vec()))
    }

    fn finish_sign_in(&self, state: &[u8], response: &str, stored: &str) -> Result<VerifiedCredential, PasskeyError> {
        let (state, response): (DiscoverableAuthentication, PublicKeyCredential) = (from(state)?, parse(response)?);
        refuse_frames(&response.response.client_data_json)?;
        let mut passkey: Passkey = serde_json::from_str(stored).map_err(|_| PasskeyError::Corrupt)?;
        let result =
            self.webauthn()?.finish_discoverable_authentication_v2(&response, state, &passkey).map_err(error)?;
        if !result.user_verified() {
            return Err(PasskeyError::Invalid);
        }
        passkey.update_credential(&result);
        verified(&passkey)
    }
}

/// Refuses what a browser collected in a frame of another site (WebAuthn §7.1 and §7.2): no page with a challenge can be
/// in a frame. The library checks `crossOrigin` of new passkeys only, and never `topOrigin`.
fn refuse_frames(client_data: &[u8]) -> Result<(), PasskeyError> {
    let data: CollectedClientData = from(client_data)?;
    let names_top = data.unknown_keys.get("topOrigin").is_some_and(|origin| !origin.is_null());
    if data.cross_origin == Some(true) || names_top { Err(PasskeyError::Invalid) } else { Ok(()) }
}

fn error(error: WebauthnError) -> PasskeyError {
    match error {
        WebauthnError::CredentialPossibleCompromise => PasskeyError::Copied,
        _ => PasskeyError::Invalid,
    }
}

fn ceremony(options: &impl Serialize, state: &impl Serialize) -> Result<Ceremony, PasskeyError> {
    let options = serde_json::to_string(options).map_err(|_| PasskeyError::Invalid)?;
    let state = serde_json::to_vec(state).map_err(|_| PasskeyError::Invalid)?;
    Ok(Ceremony { options, state })
}

fn parse<T: DeserializeOwned>(response: &str) -> Result<T, PasskeyError> {
    if response.len() > MAX_RESPONSE_BYTES { Err(PasskeyError::Invalid) } else { from(response.as_bytes()) }
}

fn from<T: DeserializeOwned>(json: &[u8]) -> Result<T, PasskeyError> {
    serde_json::from_slice(json).map_err(|_| PasskeyError::Invalid)
}

/// Returns what to store of a credential.
fn verified(passkey: &Passkey) -> Result<VerifiedCredential, PasskeyError> {
    let record = serde_json::to_value(passkey).map_err(|_| PasskeyError::Corrupt)?;
    let is_synced = record.pointer("/cred/backup_state").and_then(serde_json::Value::as_bool);
    Ok(VerifiedCredential {
        id: passkey.cred_id().to_vec(),
        record: record.to_string(),
        is_synced: is_synced.ok_or(PasskeyError::Corrupt)?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passkeys_require_a_host_name_and_tls_or_localhost() {
        for (address, expected) in [
            ("https://steward.example", true),
            ("https://steward.example:8443", true),
            ("http://localhost:3003", true),
            ("http://steward.localhost:3003", true),
            ("http://steward.example", false),
            ("https://192.0.2.1", false),
            ("http://127.0.0.1:3003", false),
        ] {
            let address = ServiceAddress::parse(address).unwrap();
            assert_eq!(WebauthnCeremonies::new(&address).unwrap().are_available(), expected, "{}", address.as_str());
        }
    }
}
