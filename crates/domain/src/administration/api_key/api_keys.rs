//! API keys: creating, reading, updating, regenerating and deleting them.

use std::num::NonZeroUsize;
use std::sync::{Arc, Mutex};

use chrono::TimeDelta;
use lru::LruCache;

use crate::administration::{AdministrationCore, ApiKey, KeyValue};
use crate::kernel::changes::Changes;
use crate::kernel::error::{Error, Forbidden, ResourceKind};
use crate::kernel::policy::{AuthorityChange, KeyRoles, Operation, Permit};
use crate::kernel::{
    AccessEpoch, ApiKeyId, Caller, CommitError, Issued, Label, Page, PageRequest, Precondition, ProjectId,
    ReplacedValues, Revision, Secret, Time, lock, retry_stale,
};

/// Values of a new API key.
#[derive(Debug, Clone)]
#[expect(missing_docs, reason = "each field is named after its value")]
pub struct CreateKey {
    pub label: Label,
    pub roles: KeyRoles,
    pub is_private: bool,
    pub expires_at: Option<Time>,
}

/// Changes to an API key.
#[derive(Debug, Clone)]
#[expect(missing_docs, reason = "each field is named after its value; `None` leaves it unchanged")]
pub struct UpdateKey {
    pub label: Option<Label>,
    pub roles: Option<KeyRoles>,
    /// Must equal the stored expiry, which cannot be changed.
    pub expires_at: Option<Time>,
}

/// Use cases of API keys.
pub struct ApiKeys {
    core: Arc<AdministrationCore>,
    /// The keys that were verified recently, by the digests of their values, with the access epochs of their projects,
    /// which every change of a key increments.
    verified: Arc<Mutex<LruCache<String, (ApiKey, AccessEpoch)>>>,
}

/// Maximum number of keys in the cache of verified keys.
const MAX_VERIFIED: NonZeroUsize = NonZeroUsize::MIN.saturating_add(9_999);

impl ApiKeys {
    /// Creates the use cases from the shared components.
    pub fn new(core: &Arc<AdministrationCore>) -> Self {
        Self { core: core.clone(), verified: Arc::new(Mutex::new(LruCache::new(MAX_VERIFIED))) }
    }

    /// Lists the project's keys without their values.
    pub async fn list(&self, caller: &Caller, project: ProjectId, page: &PageRequest) -> Result<Page<ApiKey>, Error> {
        self.core.access.project(caller, project).await?.permit(Operation::KeyList).await?;

        let (mut keys, now) = (self.core.ports.api_keys.keys(project, page).await?, self.core.now());
        keys.items = keys.items.into_iter().map(|key| key.as_of(now)).collect();
        Ok(keys)
    }

    /// Returns a key without its value.
    pub async fn get(&self, caller: &Caller, project: ProjectId, id: ApiKeyId) -> Result<ApiKey, Error> {
        self.core.access.project(caller, project).await?.permit(Operation::KeyGet).await?;

        Ok(self.stored(project, id).await?.as_of(self.core.now()))
    }

    async fn stored(&self, project: ProjectId, id: ApiKeyId) -> Result<ApiKey, Error> {
        self.core.ports.api_keys.key(project, id).await?.ok_or(Error::NotFound(ResourceKind::ApiKey))
    }

    /// Returns the key that a write changes if it meets the condition.
    async fn unchanged(&self, project: ProjectId, id: ApiKeyId, when: &Precondition) -> Result<ApiKey, Error> {
        let key = self.stored(project, id).await?;
        when.check(ResourceKind::ApiKey, key.revision)?;
        Ok(key)
    }

    /// Commits a changed key. Returns it as it is stored.
    async fn replace(&self, permit: Permit, now: Time, loaded: ApiKey, key: ApiKey) -> Result<ApiKey, CommitError> {
        self.core.commit(Changes::by(permit, now).replace(loaded, key.clone())).await?;
        Ok(ApiKey { revision: key.revision.next(), ..key }.as_of(now))
    }

    /// Returns the key with this value, or `None` if the value is not a valid, unexpired key of this project.
    pub async fn verify(&self, caller: &Caller, project: ProjectId, value: &Secret) -> Result<Option<ApiKey>, Error> {
        let access = self.core.access.project_with_basis(caller, project).await?;
        let permit = access.permit(Operation::KeyVerify).await?;

        let found = match KeyValue::parse(value.expose()) {
            Ok(value) => self.find(project, access.project().access_epoch, &value).await?,
            Err(_) => None,
        };
        self.core.access.check_current(caller, permit.basis()).await?;
        Ok(found)
    }

    /// Returns the key of the project with this value. It was valid at the given epoch of the project, or later.
    async fn find(&self, project: ProjectId, epoch: AccessEpoch, value: &KeyValue) -> Result<Option<ApiKey>, Error> {
        let (digests, now) = (self.core.ports.digester.candidates(value), self.core.now());
        let known = digests.iter().find_map(|digest| lock(&self.verified).get(&digest.hex).cloned());
        let known = known.filter(|(key, known)| key.project_id == project && *known == epoch);
        let key = match known {
            Some((key, _)) => Some(key),
            None => {
                let found = self.core.system.access.key_bearer(&digests).await?;
                let found = found.filter(|found| found.key.project_id == project);
                found.map(|found| {
                    let known = (found.key.clone(), found.project.access_epoch);
                    lock(&self.verified).put(found.key.digest.hex.clone(), known);
                    found.key
                })
            }
        };
        Ok(key.filter(|key| key.value_of(&digests, now).is_some() && !key.is_expired(now)))
    }

    /// Updates a key's label or roles; its value does not change. Returns the key and the time of the change.
    pub async fn update(
        &self,
        caller: &Caller,
        project: ProjectId,
        id: ApiKeyId,
        command: UpdateKey,
        when: &Precondition,
    ) -> Result<(ApiKey, Time), Error> {
        retry_stale(async || {
            let command = command.clone();
            let access = self.core.access.project(caller, project).await?;
            let permit = access.permit(Operation::KeyUpdate).await?;

            let loaded = self.unchanged(project, id, when).await?;
            if command.expires_at.is_some() && command.expires_at != loaded.expires_at {
                let error = "cannot be changed; create a key with this expiry and delete the current one";
                return Err(Error::invalid("expires_at", error).into());
            }
            let changed = ApiKey {
                label: command.label.unwrap_or_else(|| loaded.label.clone()),
                roles: command.roles.unwrap_or_else(|| loaded.roles.clone()),
                ..loaded.clone()
            };
            if changed.roles != loaded.roles {
                access.may_grant(&permit, changed.roles.permissions()).await?;
                check_public_roles(&changed)?;
                permit.confirm(AuthorityChange::Key { before: &loaded.roles, after: &changed.roles })?;
            }

            let now = self.core.now();
            Ok((self.replace(permit, now, loaded, changed).await?, now))
        })
        .await
    }

    /// Deletes a key. Its value stops working immediately.
    pub async fn delete(
        &self,
        caller: &Caller,
        project: ProjectId,
        id: ApiKeyId,
        when: &Precondition,
    ) -> Result<(), Error> {
        retry_stale(async || {
            let permit = self.core.access.project(caller, project).await?.permit(Operation::KeyDelete).await?;

            let loaded = self.unchanged(project, id, when).await?;

            self.core.save(Changes::by(permit, self.core.now()).remove(loaded)).await
        })
        .await
    }

    /// Creates a key. Its value is returned only here.
    pub async fn create(
        &self,
        caller: &Caller,
        project: ProjectId,
        command: CreateKey,
    ) -> Result<Issued<ApiKey>, Error> {
        let access = self.core.access.project(caller, project).await?;
        let permit = access.permit(Operation::KeyCreate).await?;
        access.may_grant(&permit, command.roles.permissions()).await?;

        let now = self.core.now();
        if command.expires_at.is_some_and(|at| at <= now) {
            return Err(Error::invalid("expires_at", "must be in the future"));
        }
        let value = KeyValue::from_entropy(command.is_private, &self.core.system.secrets.entropy());
        let key = ApiKey {
            id: ApiKeyId::from(self.core.next_id()),
            project_id: project,
            label: command.label,
            roles: command.roles,
            is_private: command.is_private,
            digest: self.core.ports.digester.digest(&value, now),
            hint: value.hint(),
            replaced: ReplacedValues::none(),
            created_by: caller.person().ok_or(Forbidden::ApiKeyNotAccepted)?,
            regenerated_by: None,
            created_at: now,
            expires_at: command.expires_at,
            last_used: None,
            revision: Revision::FIRST,
        };

        check_public_roles(&key)?;

        let changes = Changes::by(permit, now).insert(key.clone());
        self.core.commit(changes).await.map_err(|error| error.within(ResourceKind::Project))?;
        Ok(Issued { value: key, secret: value.secret().clone() })
    }

    /// Regenerates a key's value; ID, label and roles do not change. The old value works for `grace_seconds` more, and those
    /// before it as long as they were to. With 0, none of them works any more.
    pub async fn regenerate(
        &self,
        caller: &Caller,
        project: ProjectId,
        id: ApiKeyId,
        grace_seconds: u32,
    ) -> Result<Issued<ApiKey>, Error> {
        if grace_seconds > ApiKey::MAX_GRACE_SECONDS {
            let error = format_args!("must be 0 to {} seconds", ApiKey::MAX_GRACE_SECONDS);
            return Err(Error::invalid("grace_seconds", error));
        }
        let grace = TimeDelta::seconds(i64::from(grace_seconds));
        retry_stale(async || {
            let access = self.core.access.project(caller, project).await?;
            let permit = access.permit_regeneration(id).await?;

            let loaded = self.stored(access.id(), id).await?;
            // The caller receives the new value and with it the key's permissions.
            access.may_grant(&permit, loaded.roles.permissions()).await?;

            let value = KeyValue::from_entropy(loaded.is_private, &self.core.system.secrets.entropy());
            let (now, by) = (self.core.now(), caller.person());
            let key = loaded.clone().regenerated(&value, self.core.ports.digester.digest(&value, now), by, grace, now);

            let key = self.replace(permit, now, loaded, key).await?;
            Ok(Issued { value: key, secret: value.secret().clone() })
        })
        .await
    }

    /// Revokes the values that a key had before it was regenerated. They stop working immediately, and the current one
    /// stays valid. Without such values, the key stays the same.
    pub async fn revoke_previous(
        &self,
        caller: &Caller,
        project: ProjectId,
        id: ApiKeyId,
        when: &Precondition,
    ) -> Result<ApiKey, Error> {
        retry_stale(async || {
            let permit = self.core.access.project(caller, project).await?.permit(Operation::KeyPreviousRevoke).await?;

            let loaded = self.unchanged(project, id, when).await?;

            let key = ApiKey { replaced: loaded.replaced.revoked(), ..loaded.clone() };
            if key.replaced == loaded.replaced {
                return Ok(loaded);
            }
            Ok(self.replace(permit, self.core.now(), loaded, key).await?)
        })
        .await
    }
}

/// Refuses roles that a public key must not have.
fn check_public_roles(key: &ApiKey) -> Result<(), Error> {
    if key.roles.suit(key.is_private) {
        return Ok(());
    }
    let allowed: Vec<&str> = KeyRoles::of_public_keys().iter().map(|permission| permission.as_str()).collect();
    let error = format_args!(
        "must be one or more of {} for a public key, because everyone can see the key; in browsers, read users and \
         items with the access token of the signed-in user",
        allowed.join(", ")
    );
    Err(Error::invalid("roles", error))
}
