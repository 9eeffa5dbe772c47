//! Adapters for what a program does not use: no email, no webhooks, no images, no passwords from data breaches, no
//! identity providers.

use async_trait::async_trait;

use crate::administration::{
    BlobKey, BlobReader, BlobStore, WebhookMessage, WebhookResponse, WebhookSender, WebhookUrl,
};
use crate::identity::{
    BreachedPasswords, EmailMessage, EmailStats, IdentityProvider, IdentityProviderClient, Mailer, Password,
    ProviderError, ProviderIdentity, ProviderRequest, ProviderResponse,
};
use crate::kernel::{InvalidValue, Secret, StoreError};

/// A mailer that discards all emails.
pub struct NoEmail;

#[async_trait]
impl Mailer for NoEmail {
    fn is_configured(&self) -> bool {
        false
    }

    fn send(&self, _: EmailMessage) {}

    async fn supports_smtputf8(&self) -> anyhow::Result<bool> {
        Ok(true)
    }

    fn stats(&self) -> EmailStats {
        EmailStats::default()
    }
}

/// A webhook sender that rejects all messages.
pub struct NoWebhooks;

#[async_trait]
impl WebhookSender for NoWebhooks {
    async fn send(&self, _: &WebhookUrl, _: &WebhookMessage) -> Result<WebhookResponse, String> {
        Err("This program does not send webhooks.".into())
    }

    async fn check_address(&self, _: &WebhookUrl) -> Result<(), InvalidValue> {
        Ok(())
    }

    async fn send_logout_token(&self, _: &WebhookUrl, _: &Secret) -> Result<u16, String> {
        Err("This program does not send logout tokens.".into())
    }
}

/// A blob store that rejects all uploads and contains nothing.
pub struct NoBlobs;

#[async_trait]
impl BlobStore for NoBlobs {
    async fn put(&self, _: &BlobKey, _: Vec<u8>) -> Result<(), StoreError> {
        Err(StoreError::Unavailable(anyhow::anyhow!("this program does not store images")))
    }

    async fn get(&self, _: &BlobKey) -> Result<Option<Box<dyn BlobReader>>, StoreError> {
        Ok(None)
    }

    async fn delete(&self, _: &BlobKey) {}
}

/// Knows no passwords from data breaches.
pub struct NoBreachedPasswords;

#[async_trait]
impl BreachedPasswords for NoBreachedPasswords {
    async fn contains(&self, _: &Password) -> bool {
        false
    }
}

/// Reaches no identity provider.
pub struct NoIdentityProviders;

#[async_trait]
impl IdentityProviderClient for NoIdentityProviders {
    async fn issuer(&self, _: &IdentityProvider) -> Result<String, ProviderError> {
        Err(ProviderError::Unreachable("this program uses no identity providers".into()))
    }

    async fn authorization_url(&self, _: &IdentityProvider, _: &ProviderRequest) -> Result<String, ProviderError> {
        Err(ProviderError::Unreachable("this program uses no identity providers".into()))
    }

    async fn identity<'a>(
        &self,
        _: &IdentityProvider,
        _: Option<&'a Secret>,
        _: &ProviderResponse,
    ) -> Result<ProviderIdentity, ProviderError> {
        Err(ProviderError::Unreachable("this program uses no identity providers".into()))
    }
}
