//! A call of an operation.

use std::marker::PhantomData;
use std::ops::Deref;

use steward_api::Operation;
use steward_domain::administration::ImageUse;
use steward_domain::identity::{Parameters, Proof};
use steward_domain::kernel::error::{Error, OAuthError};
use steward_domain::kernel::{Caller, retry_access_changed};

use super::access::{Access, Cached, Signed};
use super::core::Core;
use crate::error::ApiError;
use crate::extract::Query;
use crate::extract::body::JsonBody;
use crate::extract::caller::{authenticated_again, proof};
use crate::extract::path::Ids;

/// A request for an operation. Its credential, its IDs and its preconditions are valid: their errors are reported in
/// this order before the handler runs. The errors of the query and the body are reported when the handler reads them.
pub(crate) struct Call<O: Operation<Path: Ids>, A: Access = Signed> {
    /// The sender.
    pub(crate) caller: A::Caller,
    /// The IDs in the path.
    pub(crate) path: <O::Path as Ids>::Parsed,
    core: Core,
    operation: PhantomData<fn() -> O>,
}

impl<O: Operation<Path: Ids>, A: Access> Deref for Call<O, A> {
    type Target = Core;

    fn deref(&self) -> &Core {
        &self.core
    }
}

impl<O: Operation<Path: Ids>, A: Access> Call<O, A> {
    pub(crate) fn of((core, caller, path): (Core, A::Caller, <O::Path as Ids>::Parsed)) -> Self {
        Self { caller, path, core, operation: PhantomData }
    }

    /// Returns the parameters of the query.
    pub(crate) fn query(&self) -> Query<O::Query> {
        Query::of(&self.request)
    }

    /// Returns the body.
    pub(crate) fn body(&self) -> Result<JsonBody<O::Request>, Error> {
        Ok(self.json()?.typed())
    }

    /// Returns the parameters of an OAuth request, whose errors have the form of OAuth.
    pub(crate) fn parameters(&self) -> Result<Parameters, ApiError> {
        self.form()?.read().map_err(ApiError::into_oauth)
    }

    /// Reads the image in the body.
    pub(crate) async fn image(&self, used_as: ImageUse) -> Result<Vec<u8>, ApiError> {
        self.upload()?.file(used_as).await
    }

    /// Returns the proof of a key that a request of a client has.
    pub(crate) fn proof(&self) -> Result<Option<Proof>, ApiError> {
        proof(&self.api, &self.request).map_err(|error| Error::from(OAuthError::from(error)).into())
    }
}

impl<O: Operation<Path: Ids>> Call<O, Cached> {
    /// Runs an action as the caller. If the caller is cached and the action is rejected or finds nothing, authenticates
    /// the caller and retries, so that an error never depends on cached data. The SQL statements of the action verify
    /// that the caller's access has not changed since it was last read (see `AccessBasis`), so that no read has to
    /// precede them.
    pub(crate) async fn run_as_caller<T>(
        &self,
        action: impl AsyncFn(&Caller) -> Result<T, Error>,
    ) -> Result<T, ApiError> {
        let mut is_first = true;
        let outcome = retry_access_changed(async || {
            let current;
            let caller = if std::mem::take(&mut is_first) {
                &self.caller
            } else {
                // Rare, so that the future of every call is small.
                current = Box::pin(authenticated_again(&self.api, &self.request, &self.caller)).await?;
                &current
            };
            action(caller).await.map_err(|error| match error {
                error if caller.is_cached && !error.is_failure() => Error::AccessChanged,
                error => error,
            })
        });
        Ok(outcome.await?)
    }
}
