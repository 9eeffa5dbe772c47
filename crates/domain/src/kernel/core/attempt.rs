//! Attempts of use cases, which are repeated after concurrent changes, and what several use cases read.

use crate::kernel::error::{Conflict, Error, Forbidden, OAuthError, ResourceKind};
use crate::kernel::{AccountId, Caller, CommitError, Identity, Kernel, Page, PageRequest, Slug, StoreError};

/// Why one attempt to read, decide and commit failed. Only [`retry_stale`] distinguishes the variants.
#[derive(Debug)]
pub(crate) enum RetryError {
    /// The data was changed concurrently after it was read: read and decide again.
    Stale(ResourceKind),
    /// The request was refused or failed.
    Failed(Error),
}

// Keeps stale commits retryable: `commit(...).await?` inside `retry_stale` is retried.
impl From<CommitError> for RetryError {
    fn from(error: CommitError) -> Self {
        match error {
            CommitError::Stale(kind) => Self::Stale(kind),
            other => Self::Failed(other.into()),
        }
    }
}

macro_rules! failed {
    ($($error:ty),+) => {
        $(impl From<$error> for RetryError {
            fn from(error: $error) -> Self {
                Self::Failed(error.into())
            }
        })+
    };
}

failed!(Error, StoreError, Conflict, Forbidden, OAuthError);

/// Runs an attempt to read, decide and commit, and repeats it while it fails because of concurrent changes. Returns
/// `Contended` after the last attempt.
pub(crate) async fn retry_stale<T>(mut attempt: impl AsyncFnMut() -> Result<T, RetryError>) -> Result<T, Error> {
    const MAX_ATTEMPTS: usize = 8;
    let mut contended = ResourceKind::Team;
    for _ in 0..MAX_ATTEMPTS {
        match attempt().await {
            Ok(value) => return Ok(value),
            Err(RetryError::Stale(kind)) => contended = kind,
            Err(RetryError::Failed(error)) => return Err(error),
        }
    }
    Err(Conflict::Contended(contended).into())
}

/// Runs an attempt to authenticate a caller and to act as them, and repeats it while their access changes in between.
/// So it fails only if the caller has lost access. A first attempt may use what is known of the caller.
pub async fn retry_access_changed<T>(mut attempt: impl AsyncFnMut() -> Result<T, Error>) -> Result<T, Error> {
    const MAX_ATTEMPTS: usize = 6;
    for _ in 1..MAX_ATTEMPTS {
        match attempt().await {
            Err(Error::AccessChanged) => {}
            result => return result,
        }
    }
    attempt().await
}

/// Returns the ID of the signed-in account. Callers with any other credential are refused.
pub(crate) fn account_of(caller: &Caller) -> Result<AccountId, Error> {
    match &caller.identity {
        Identity::Account(id) => Ok(*id),
        other => Err(other.refusal()),
    }
}

/// Reads all pages of a list.
pub(crate) async fn complete<T>(
    read: impl AsyncFn(PageRequest) -> Result<Page<T>, StoreError>,
) -> Result<Vec<T>, StoreError> {
    let (mut items, mut after) = (Vec::new(), None);
    loop {
        let page = read(PageRequest { after, ..PageRequest::FIRST }).await?;
        items.extend(page.items);
        if page.next.is_none() {
            return Ok(items);
        }
        after = page.next;
    }
}

/// Alternatives to a taken slug: the slug with a number.
pub(crate) fn alternatives(slug: &Slug) -> Vec<Slug> {
    (2..=50).map(|number| slug.numbered(number)).collect()
}

/// Returns the first alternative that is not taken. If all are, returns one with a random number, which hardly ever is.
pub(crate) fn first_free(core: &Kernel, slug: &Slug, taken: Result<Vec<Slug>, StoreError>) -> Result<Slug, Error> {
    let taken = taken?;
    let free = alternatives(slug).into_iter().find(|candidate| !taken.contains(candidate));
    Ok(free.unwrap_or_else(|| {
        let entropy = core.system.secrets.entropy();
        slug.numbered(entropy.first_chunk().map_or(u32::MAX, |bytes| u32::from_be_bytes(*bytes)))
    }))
}
