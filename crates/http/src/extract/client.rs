//! HTTP Basic authentication of OAuth clients (RFC 6749 §2.3.1).

use actix_web::HttpRequest;
use actix_web::http::header::AUTHORIZATION;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use url::form_urlencoded;

use crate::error::ApiError;

/// Returns the user name: the `client_id`. Clients have no secrets, so the password is ignored. `None` if the request
/// does not use HTTP Basic.
pub(crate) fn basic_client(request: &HttpRequest) -> Result<Option<String>, ApiError> {
    let mut headers = request.headers().get_all(AUTHORIZATION);
    let header = headers.next().and_then(|header| header.to_str().ok()).unwrap_or_default().trim();
    let (scheme, credential) = header.split_once(' ').unwrap_or((header, ""));
    if !scheme.eq_ignore_ascii_case("basic") {
        return Ok(None);
    }
    match (user_name(credential.trim()), headers.next()) {
        (Some(name), None) => Ok(Some(name)),
        _ => Err(ApiError::invalid_client(
            "The Authorization header is not valid HTTP Basic. Send the `client_id` as the user name, or in the body.",
        )),
    }
}

/// Decodes the user name, which is encoded like a form.
fn user_name(credential: &str) -> Option<String> {
    let text = String::from_utf8(STANDARD.decode(credential).ok()?).ok()?;
    // Some libraries do not encode the name. The colons of a DID then precede that of the password.
    let (name, _) = if text.starts_with("did:") { text.rsplit_once(':') } else { text.split_once(':') }?;
    let name = name.replace('&', "%26").replace('=', "%3D");
    let (name, _) = form_urlencoded::parse(name.as_bytes()).next()?;
    Some(name.into_owned())
}

#[cfg(test)]
mod tests {
    use actix_web::test::TestRequest;

    use super::*;

    fn client(header: &str) -> Result<Option<String>, ApiError> {
        basic_client(&TestRequest::post().insert_header((AUTHORIZATION, header)).to_http_request())
    }

    fn named(user_and_password: &str) -> Option<String> {
        client(&format!("Basic {}", STANDARD.encode(user_and_password))).unwrap()
    }

    #[test]
    fn the_user_name_is_decoded_and_the_password_is_ignored() {
        for password in ["", "secret", "with:colon", "p%C3%A4ss"] {
            assert_eq!(named(&format!("steward-cli:{password}")).as_deref(), Some("steward-cli"), "{password}");
        }
        let did = "did:web:localhost%3A3003:projects:0194";
        assert_eq!(named("did%3Aweb%3Alocalhost%253A3003%3Aprojects%3A0194:x").as_deref(), Some(did));
        assert_eq!(named(&format!("{did}:x")), Some(did.replace("%3A", ":")));
        assert_eq!(named("a+b%26c=d&e:").as_deref(), Some("a b&c=d&e"));
    }

    #[test]
    fn other_schemes_are_ignored_and_malformed_headers_are_rejected() {
        assert_eq!(client("Bearer x").unwrap(), None);
        for malformed in ["Basic", "basic  ", "Basic ???", "Basic c3Rld2FyZA==", "Basic OnNlY3JldA==", "Basic /zo="] {
            assert!(client(malformed).is_err(), "{malformed}");
        }
    }
}
