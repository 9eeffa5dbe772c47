//! HTTP Basic authentication of OAuth clients (RFC 6749 §2.3.1).

use actix_web::HttpRequest;
use actix_web::http::header::AUTHORIZATION;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use steward_domain::kernel::Secret;
use url::form_urlencoded;

use crate::error::ApiError;

/// The user name and the password of HTTP Basic.
pub(crate) struct BasicClient {
    /// The `client_id`.
    pub(crate) id: String,
    /// The client secret; `None` if it is empty.
    pub(crate) secret: Option<Secret>,
}

/// Returns the client that uses HTTP Basic. `None` if the request does not use it.
pub(crate) fn basic_client(request: &HttpRequest) -> Result<Option<BasicClient>, ApiError> {
    let mut headers = request.headers().get_all(AUTHORIZATION);
    let header = headers.next().and_then(|header| header.to_str().ok()).unwrap_or_default().trim();
    let (scheme, credential) = header.split_once(' ').unwrap_or((header, ""));
    if !scheme.eq_ignore_ascii_case("basic") {
        return Ok(None);
    }
    match (decoded(credential.trim()), headers.next()) {
        (Some(client), None) => Ok(Some(client)),
        _ => Err(ApiError::invalid_client(
            "The Authorization header is not valid HTTP Basic. Send the `client_id` as the user name, or in the body.",
        )),
    }
}

/// Decodes the user name and the password, which are encoded like a form.
fn decoded(credential: &str) -> Option<BasicClient> {
    let text = String::from_utf8(STANDARD.decode(credential).ok()?).ok()?;
    // Some libraries do not encode the name. The colons of a DID then precede that of the password.
    let (name, password) = if text.starts_with("did:") { text.rsplit_once(':') } else { text.split_once(':') }?;
    let secret = form_decoded(password).filter(|password| !password.is_empty()).map(Secret::new);
    Some(BasicClient { id: form_decoded(name)?, secret })
}

fn form_decoded(text: &str) -> Option<String> {
    let text = text.replace('&', "%26").replace('=', "%3D");
    let (decoded, _) = form_urlencoded::parse(text.as_bytes()).next()?;
    Some(decoded.into_owned())
}

#[cfg(test)]
mod tests {
    use actix_web::test::TestRequest;

    use super::*;

    fn client(header: &str) -> Result<Option<BasicClient>, ApiError> {
        basic_client(&TestRequest::post().insert_header((AUTHORIZATION, header)).to_http_request())
    }

    fn read(user_and_password: &str) -> BasicClient {
        client(&format!("Basic {}", STANDARD.encode(user_and_password))).unwrap().unwrap()
    }

    fn named(user_and_password: &str) -> Option<String> {
        Some(read(user_and_password).id)
    }

    #[test]
    fn the_user_name_and_the_password_are_decoded() {
        for (password, decoded) in
            [("", None), ("secret", Some("secret")), ("with:colon", Some("with:colon")), ("p%C3%A4s+s", Some("päs s"))]
        {
            let client = read(&format!("steward-cli:{password}"));
            let secret = client.secret.as_ref().map(Secret::expose);
            assert_eq!((client.id.as_str(), secret), ("steward-cli", decoded), "{password}");
        }
        let did = "did:web:localhost%3A3003:projects:0194";
        assert_eq!(named("did%3Aweb%3Alocalhost%253A3003%3Aprojects%3A0194:x").as_deref(), Some(did));
        assert_eq!(named(&format!("{did}:x")), Some(did.replace("%3A", ":")));
        assert_eq!(named("a+b%26c=d&e:").as_deref(), Some("a b&c=d&e"));
    }

    #[test]
    fn other_schemes_are_ignored_and_malformed_headers_are_rejected() {
        assert!(client("Bearer x").unwrap().is_none());
        for malformed in ["Basic", "basic  ", "Basic ???", "Basic c3Rld2FyZA==", "Basic OnNlY3JldA==", "Basic /zo="] {
            assert!(client(malformed).is_err(), "{malformed}");
        }
    }
}
