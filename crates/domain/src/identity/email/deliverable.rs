//! Addresses to which the mail server cannot send.

use crate::identity::{Email, Mailer};
use crate::kernel::error::Error;

/// What is wrong with an address that requires SMTPUTF8, if the mail server does not have it.
const REQUIRES_SMTPUTF8: &str = "must have only letters from a to z, digits and symbols before the @, because the mail \
                                 server of this service does not send to others (SMTPUTF8)";

/// Refuses an address to which the mail server cannot send. It is checked for new addresses, and before something is
/// sent, whether or not the address has an account.
pub(crate) async fn check_deliverable(mailer: &dyn Mailer, email: &Email) -> Result<(), Error> {
    if !email.requires_smtputf8() || mailer.supports_smtputf8().await.map_err(Error::Unavailable)? {
        return Ok(());
    }
    Err(Error::invalid("email", REQUIRES_SMTPUTF8))
}
