//! Fields with one value per line.

use steward_domain::kernel::violations::{Violation, quoted};

use crate::request::form::Form;

/// Returns the values in a field, with the number of the line of each.
pub(crate) fn entered<'f>(form: &'f Form, name: &str) -> impl Iterator<Item = (usize, &'f str)> {
    let lines = (1..).zip(form.text(name).lines().map(str::trim));
    lines.filter(|(_, line)| !line.is_empty())
}

/// Returns a violation as one of the field `name`. That of a value, such as `redirect_uris[1]`, names its line.
pub(crate) fn in_field(violation: &Violation, name: &str, form: &Form) -> Violation {
    let (_, index) = violation.field.split_once('[').unwrap_or_default();
    let index = index.trim_end_matches(']').parse::<usize>().ok();
    let message = match index.and_then(|index| entered(form, name).nth(index)) {
        Some((line, value)) => format!("Line {line} (\"{}\") {}", quoted(value), violation.message),
        None => violation.message.clone(),
    };
    Violation { field: name.to_owned(), code: violation.code, message }
}
