//! How the bytes of a body are encoded. Only UTF-8 that is not compressed is read (docs/contract.md#request-bodies).

use actix_web::HttpRequest;
use actix_web::http::header::{CONTENT_ENCODING, CONTENT_TYPE, HeaderName};

use crate::error::RequestError;

/// Charsets of which every text is the same in UTF-8.
const UTF_8: [&str; 4] = ["utf-8", "utf8", "us-ascii", "ascii"];

/// What a request says about the bytes of its body, if it is not supported.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct BodyEncoding {
    charset: Option<String>,
    content_encoding: Option<String>,
}

impl BodyEncoding {
    pub(super) fn of(request: &HttpRequest) -> Self {
        let texts =
            |name: HeaderName| request.headers().get_all(name).map(|value| String::from_utf8_lossy(value.as_bytes()));
        let charset = texts(CONTENT_TYPE).next().and_then(|content_type| charset(&content_type));
        let mut encodings = texts(CONTENT_ENCODING).map(|encoding| encoding.trim().to_owned());
        Self {
            charset: charset.filter(|charset| !UTF_8.iter().any(|known| charset.eq_ignore_ascii_case(known))),
            content_encoding: encodings.find(|text| !text.is_empty() && !text.eq_ignore_ascii_case("identity")),
        }
    }

    /// Fails if the body is compressed.
    pub(super) fn expect_identity(&self) -> Result<(), RequestError> {
        let encoding = self.content_encoding.clone();
        encoding.map_or(Ok(()), |encoding| Err(RequestError::UnsupportedContentEncoding(encoding)))
    }

    /// Fails if the text of the body is in another charset.
    pub(super) fn expect_utf_8(&self) -> Result<(), RequestError> {
        let charset = self.charset.clone();
        charset.map_or(Ok(()), |charset| Err(RequestError::UnsupportedCharset(charset)))
    }

    /// Fails if the body cannot be JSON in UTF-8, also if only its first bytes show that. A parser would report them as
    /// a mistake in the JSON.
    pub(super) fn expect_json(&self, bytes: &[u8]) -> Result<(), RequestError> {
        self.expect_identity()?;
        self.expect_utf_8()?;
        match bytes {
            [0x1f, 0x8b, ..] => Err(RequestError::UnsupportedContentEncoding("gzip".into())),
            [0xff, 0xfe, 0, 0, ..] | [0, 0, ..] | [_, 0, 0, 0, ..] => {
                Err(RequestError::UnsupportedCharset("UTF-32".into()))
            }
            [0xff, 0xfe, ..] | [0xfe, 0xff, ..] | [0, ..] | [_, 0, ..] => {
                Err(RequestError::UnsupportedCharset("UTF-16".into()))
            }
            _ => Ok(()),
        }
    }
}

/// Returns the parameter `charset` of a media type.
fn charset(content_type: &str) -> Option<String> {
    let mut parameters = content_type.split(';').skip(1).filter_map(|parameter| parameter.split_once('='));
    let (_, value) = parameters.find(|(name, _)| name.trim().eq_ignore_ascii_case("charset"))?;
    Some(value.trim().trim_matches('"').to_owned())
}

#[cfg(test)]
mod tests {
    use actix_web::test::TestRequest;

    use super::*;

    fn json(headers: &[(&str, &str)], bytes: &[u8]) -> Result<(), RequestError> {
        let request = headers.iter().fold(TestRequest::default(), |request, header| request.append_header(*header));
        BodyEncoding::of(&request.to_http_request()).expect_json(bytes)
    }

    #[test]
    fn a_body_in_utf_8_is_read() {
        for (content_type, content_encoding) in [
            ("application/json", ""),
            ("application/json; charset=UTF-8", "identity"),
            ("application/json;profile=x; Charset=\"utf8\"", "Identity"),
            ("application/json; charset=us-ascii", ""),
        ] {
            let headers = [("Content-Type", content_type), ("Content-Encoding", content_encoding)];
            assert_eq!(json(&headers, "\u{feff}{}".as_bytes()), Ok(()), "{headers:?}");
        }
        assert_eq!((json(&[], b"1"), json(&[], b"{\"\0"), json(&[], b"")), (Ok(()), Ok(()), Ok(())));
    }

    #[test]
    fn another_charset_or_a_compressed_body_is_named() {
        let charset = |name: &str| Err(RequestError::UnsupportedCharset(name.to_owned()));
        let encoding = |name: &str| Err(RequestError::UnsupportedContentEncoding(name.to_owned()));
        let latin = [("Content-Type", "application/json; charset=ISO-8859-1")];
        assert_eq!(json(&latin, b"{}"), charset("ISO-8859-1"));
        assert_eq!(json(&[("Content-Encoding", "identity"), ("Content-Encoding", "br")], b"{}"), encoding("br"));
        assert_eq!(json(&[], b"\x1f\x8b\x08"), encoding("gzip"));
        for bytes in [b"\xff\xfe{\0}\0", b"\xfe\xff\0{\0}", b"{\0\"\0a\0", b"\0{\0\"\0a"] {
            assert_eq!(json(&[], bytes), charset("UTF-16"), "{bytes:?}");
        }
        for bytes in [b"\xff\xfe\0\0{\0\0\0", b"\0\0\xfe\xff\0\0\0{", b"{\0\0\0}\0\0\0", b"\0\0\0{\0\0\0}"] {
            assert_eq!(json(&[], bytes), charset("UTF-32"), "{bytes:?}");
        }
    }
}
