//! The identity of a person, from what a provider says about them.

use steward_domain::identity::{Email, ProviderError, ProviderIdentity};

/// Returns the identity of a person. A subject has at most 255 ASCII characters (OpenID Connect Core §2).
pub(super) fn identity_of(
    subject: &str,
    email: Option<(&str, Option<bool>)>,
    name: Option<&str>,
) -> Result<ProviderIdentity, ProviderError> {
    let is_valid = (1..=255).contains(&subject.len()) && subject.bytes().all(|b| (0x20..=0x7e).contains(&b));
    if !is_valid {
        let problem = "must be 1 to 255 printable ASCII characters".to_owned();
        return Err(ProviderError::Claim { name: "sub", problem });
    }
    let email = email.and_then(|(email, is_verified)| Some((Email::parse(email).ok()?, is_verified)));
    let (email, email_verified) = email.map_or((None, None), |(email, is_verified)| (Some(email), is_verified));
    let name = name.map(str::to_owned);
    Ok(ProviderIdentity { subject: subject.to_owned(), email, email_verified, name })
}
