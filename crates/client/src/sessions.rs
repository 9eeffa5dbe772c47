//! The sign-in that issued the access token of the caller.

use steward_api::{GetSession, Session};

use crate::{Call, Client};

/// Operations of sign-ins.
#[derive(Debug, Clone)]
pub struct Sessions {
    pub(crate) client: Client,
}

impl Sessions {
    /// Returns the sign-in that issued the access token. [`Error::Unauthorized`](crate::Error::Unauthorized) if the token
    /// is not valid, or the sign-in has ended. In the second case, the member `reauth_required` of
    /// [`ApiError::details`](crate::ApiError::details) is `true`.
    pub fn current(&self) -> Call<(), Session> {
        self.client.call::<GetSession>(&[])
    }
}
