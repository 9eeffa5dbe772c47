//! Records when credentials were last used, and replaces their digests by digests with a newer pepper.

use async_trait::async_trait;
use diesel::prelude::*;
use steward_domain::model::{ApiKeyId, PersonalTokenId, PresentedValue};
use steward_domain::ports::{Credential, CredentialUse, StoreError, UsageRecorder};

use super::{Conn, Database};
use crate::error::JobError;
use crate::sql_types::{At, Id};
use crate::tables::{api_keys, personal_tokens};

#[async_trait]
impl UsageRecorder for Database {
    async fn record_uses(&self, uses: &[CredentialUse]) -> Result<(), StoreError> {
        let uses = uses.to_vec();
        self.write(move |conn| {
            conn.transaction(|conn| {
                for used in &uses {
                    match used.credential {
                        Credential::Key(id, PresentedValue::Current) => current(conn, id, used)?,
                        Credential::Key(id, PresentedValue::Previous) => previous(conn, id, used)?,
                        Credential::Token(id) => token(conn, id, used)?,
                    }
                }
                Ok(())
            })
        })
        .await
    }
}

fn current(conn: &mut Conn, id: ApiKeyId, used: &CredentialUse) -> Result<(), JobError> {
    let (key, at) = (api_keys::table.filter(api_keys::id.eq(Id(id.uuid()))), At(used.at));
    let earlier = api_keys::last_used.is_null().or(api_keys::last_used.lt(at));
    diesel::update(key.filter(earlier)).set(api_keys::last_used.eq(at)).execute(conn)?;
    if let Some((old, new)) = &used.redigested {
        diesel::update(key.filter(api_keys::digest.eq(&old.hex)))
            .set((api_keys::digest.eq(&new.hex), api_keys::pepper.eq(new.pepper)))
            .execute(conn)?;
    }
    Ok(())
}

fn previous(conn: &mut Conn, id: ApiKeyId, used: &CredentialUse) -> Result<(), JobError> {
    let (key, at) = (api_keys::table.filter(api_keys::id.eq(Id(id.uuid()))), At(used.at));
    let earlier = api_keys::previous_last_used.is_null().or(api_keys::previous_last_used.lt(at));
    let exists = api_keys::previous_digest.is_not_null();
    diesel::update(key.filter(exists).filter(earlier)).set(api_keys::previous_last_used.eq(at)).execute(conn)?;
    if let Some((old, new)) = &used.redigested {
        diesel::update(key.filter(api_keys::previous_digest.eq(&old.hex)))
            .set((api_keys::previous_digest.eq(&new.hex), api_keys::previous_pepper.eq(new.pepper)))
            .execute(conn)?;
    }
    Ok(())
}

fn token(conn: &mut Conn, id: PersonalTokenId, used: &CredentialUse) -> Result<(), JobError> {
    let (token, at) = (personal_tokens::table.filter(personal_tokens::id.eq(Id(id.uuid()))), At(used.at));
    let earlier = personal_tokens::last_used.is_null().or(personal_tokens::last_used.lt(at));
    diesel::update(token.filter(earlier)).set(personal_tokens::last_used.eq(at)).execute(conn)?;
    if let Some((old, new)) = &used.redigested {
        diesel::update(token.filter(personal_tokens::digest.eq(&old.hex)))
            .set((personal_tokens::digest.eq(&new.hex), personal_tokens::pepper.eq(new.pepper)))
            .execute(conn)?;
    }
    Ok(())
}
