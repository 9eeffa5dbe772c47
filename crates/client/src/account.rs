//! The caller: its credential and its account.

use steward_api::{CurrentCredential, Data, GetOwnCredential, GetUserInfo, UserInfo};

use crate::{Call, Client};

/// Operations of the caller's own account and credential.
#[derive(Debug, Clone)]
pub struct Account {
    pub(crate) client: Client,
}

impl Account {
    /// Returns the identity and the permissions of the credential. It works with every kind of credential.
    pub fn credential(&self) -> Call<(), Data<CurrentCredential>> {
        self.client.call::<GetOwnCredential>(&[])
    }

    /// Returns the person who signed in. Only for access tokens.
    pub fn user_info(&self) -> Call<(), UserInfo> {
        self.client.call::<GetUserInfo>(&[])
    }
}
