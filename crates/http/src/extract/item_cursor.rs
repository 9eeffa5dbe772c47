//! Cursors of lists of items (docs/contract.md#lists).

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;

const PREFIX: &str = "2.";

/// Encodes the position in a list of items as an opaque cursor.
pub(crate) fn encode(position: &str) -> String {
    URL_SAFE_NO_PAD.encode(format!("{PREFIX}{position}"))
}

/// Decodes a cursor of a list of items. The query validates the position; an invalid cursor becomes the empty string,
/// which no query accepts.
pub(super) fn decode(text: &str) -> String {
    let plain = URL_SAFE_NO_PAD.decode(text).ok().and_then(|plain| String::from_utf8(plain).ok());
    plain.as_deref().and_then(|plain| plain.strip_prefix(PREFIX)).unwrap_or_default().to_owned()
}
