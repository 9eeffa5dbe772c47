//! Opens connections to PostgreSQL.

use diesel::dsl::sql;
use diesel::sql_types::Text;
use diesel::{Connection as _, ConnectionResult, PgConnection, RunQueryDsl as _};

use super::address;
use crate::error::OpenError;

/// Opens a connection for commands and migrations. Fails if the messages of errors are not in English: Diesel does not pass on
/// their codes, so some are known by their messages.
pub(in crate::postgres) fn connect(url: &str) -> Result<PgConnection, OpenError> {
    let mut conn = establish(url).map_err(|error| OpenError::Connect(error.into()))?;
    let locale = diesel::select(sql::<Text>("current_setting('lc_messages')")).get_result::<String>(&mut conn);
    let locale = locale.map_err(|error| OpenError::Connect(error.into()))?;
    if is_english(&locale) { Ok(conn) } else { Err(OpenError::Language(locale)) }
}

/// Returns whether messages in this locale are in English. An unset locale is that of the server's environment, and usually C.
fn is_english(locale: &str) -> bool {
    let language = locale.split(['_', '.', '@']).next().unwrap_or_default().to_ascii_lowercase();
    ["", "c", "posix", "en", "english"].contains(&language.as_str())
}

/// Opens a connection outside of the pools.
pub(crate) fn establish(url: &str) -> ConnectionResult<PgConnection> {
    initialize_tls();
    PgConnection::establish(&address::with_defaults(url))
}

/// Initializes OpenSSL without its cleanup at the end of the process, which frees what threads with connections still
/// use. MUST be called before the first connection is opened.
pub(in crate::postgres) fn initialize_tls() {
    openssl_sys::init();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_in_english_are_recognized() {
        for locale in ["", "C", "C.UTF-8", "POSIX", "en_US.utf8", "en", "en_GB@euro", "English_United States.1252"] {
            assert!(is_english(locale), "{locale}");
        }
        for locale in ["de_DE.UTF-8", "fr_FR", "ja", "es_ES@euro"] {
            assert!(!is_english(locale), "{locale}");
        }
    }
}
