//! The response to a refresh, stored so that it can be returned again.

use chrono::TimeDelta;

use crate::identity::{KeyThumbprint, TokenFamily, TokenGrants, Tokens};
use crate::kernel::error::Error;
use crate::kernel::{Secret, Time, to_the_second};

impl TokenGrants {
    /// Encrypts the response to a refresh with the presented refresh token, so that it can be returned again only to a
    /// client that presents the same token. One line each: access token, its expiry in Unix time, refresh token, ID
    /// token, scope, and the key to which the access token is bound; earlier versions did not store the last two.
    pub(crate) fn encrypt_response(&self, secret: &Secret, tokens: &Tokens, now: Time) -> Result<Vec<u8>, Error> {
        let end = (to_the_second(now) + tokens.lasts).timestamp();
        let id_token = tokens.id_token.as_ref().map_or("", Secret::expose);
        let refresh = tokens.refresh_token.as_ref().map_or("", Secret::expose);
        let (access, scope) = (tokens.access_token.expose(), &tokens.scope);
        let key = tokens.bound_to.as_ref().map_or("", KeyThumbprint::as_str);
        let response = format!("{access}\n{end}\n{refresh}\n{id_token}\n{scope}\n{key}");
        self.core.system.vault.encrypt(secret, &Secret::new(response))
    }

    /// Returns the stored response of an earlier refresh.
    pub(crate) fn stored_response(
        &self,
        secret: &Secret,
        answer: &[u8],
        family: &TokenFamily,
        now: Time,
    ) -> Result<Tokens, Error> {
        let text = self.core.system.vault.decrypt(secret, answer)?;
        let mut lines = text.expose().split('\n');
        let mut line = || {
            lines.next().ok_or_else(|| Error::Internal(anyhow::anyhow!("A stored token response has too few lines.")))
        };
        let (access, end, refresh, id_token) = (line()?, line()?, line()?, line()?);
        let scope = lines.next().map_or_else(|| family.scopes.to_string(), str::to_owned);
        let bound_to = lines.next().and_then(KeyThumbprint::parse);
        let end: i64 = end
            .parse()
            .map_err(|_| Error::Internal(anyhow::anyhow!("A stored token response has an invalid expiry.")))?;
        Ok(Tokens {
            access_token: Secret::new(access.to_owned()),
            lasts: TimeDelta::seconds(end.saturating_sub(now.timestamp())),
            refresh_token: (!refresh.is_empty()).then(|| Secret::new(refresh.to_owned())),
            id_token: (!id_token.is_empty()).then(|| Secret::new(id_token.to_owned())),
            scope,
            bound_to,
        })
    }
}
