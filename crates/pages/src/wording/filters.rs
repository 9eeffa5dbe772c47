//! The filters with which templates show messages: `{{ "signed-in-as"|with("account", account|strong)|text }}`.
//! Messages contain no markup, and values are escaped before they are inserted.

use std::borrow::Cow;
use std::fmt::Display;

use askama::filters::{Html, Safe, escape};
use askama::{Result, Values, filter_fn};

use crate::console::frame::Timestamp;
use crate::wording::message::Message;
use crate::wording::reader::Reader;

/// Shows a message in the reader's language.
#[filter_fn]
pub(crate) fn text<M: Into<Message>>(message: M, _: &dyn Values) -> Result<Safe<Cow<'static, str>>> {
    Ok(Safe(message.into().text(Reader::language())))
}

/// Adds the value of a variable to a message.
#[filter_fn]
pub(crate) fn with<M: Into<Message>, V: Into<String>>(
    message: M,
    _: &dyn Values,
    name: &'static str,
    value: Safe<V>,
) -> Result<Message> {
    Ok(message.into().with(name, value.0))
}

/// Makes the part of a message between `open` and `close` a link.
#[filter_fn]
pub(crate) fn with_link<M: Into<Message>>(message: M, _: &dyn Values, address: &'static str) -> Result<Message> {
    Ok(message.into().with("open", format!("<a href=\"{address}\">")).with("close", "</a>"))
}

/// A value without an element, for a text of this service.
#[filter_fn]
pub(crate) fn escaped<T: Display>(value: T, _: &dyn Values) -> Result<Safe<String>> {
    Ok(Safe(escape(value, Html)?.0.to_string()))
}

/// A value whose direction does not affect the text around it.
#[filter_fn]
pub(crate) fn isolated<T: Display>(value: T, _: &dyn Values) -> Result<Safe<String>> {
    Ok(Safe(format!("<bdi>{}</bdi>", escape(value, Html)?.0)))
}

/// A value that is emphasized, and whose direction does not affect the text around it.
#[filter_fn]
pub(crate) fn strong<T: Display>(value: T, _: &dyn Values) -> Result<Safe<String>> {
    Ok(Safe(format!("<bdi><strong>{}</strong></bdi>", escape(value, Html)?.0)))
}

/// A value that is emphasized.
#[filter_fn]
pub(crate) fn emphasized<T: Display>(value: T, _: &dyn Values) -> Result<Safe<String>> {
    Ok(Safe(format!("<strong>{}</strong>", escape(value, Html)?.0)))
}

/// A point in time.
#[filter_fn]
pub(crate) fn moment(time: &Timestamp, _: &dyn Values) -> Result<Safe<String>> {
    Ok(Safe(time.in_language(Reader::language())))
}
