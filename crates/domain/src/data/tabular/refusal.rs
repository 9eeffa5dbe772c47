//! Why records of a file are refused before their items are checked.

use crate::data::RecordContent;

/// Maximum size of a record, in bytes: that of a request to the API.
pub(super) const MAX_RECORD_BYTES: usize = 1024 * 1024;
/// Why a line or a file is refused that is not text in its encoding.
pub const NOT_TEXT: &str = "This is not text in UTF-8 or UTF-16, or in the encoding that was chosen. Choose the encoding \
    of the file. It is windows-1252 if Excel saved it as CSV: on the command line, pass --encoding windows-1252.";
pub(super) const TOO_LONG: &str = "The line is larger than 1 MiB. Check that all quotation marks are closed.";

pub(super) fn refused(why: &str) -> RecordContent {
    RecordContent::Refused(None, why.to_owned())
}
