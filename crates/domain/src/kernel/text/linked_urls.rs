//! The URLs in free JSON, such as the profile of a project: programs that show it link to them, so none may have
//! another scheme than http and https.

use serde_json::{Map, Value};

use crate::administration::project::entity::has_other_scheme;
use crate::kernel::error::FieldViolations;
use crate::kernel::violations::Violation;

/// Endings of the names of members that contain URLs, in lowercase.
const URL_NAMES: [&str; 4] = ["url", "uri", "href", "src"];
/// Schemes that run scripts in any text that a program links to.
const SCRIPT_SCHEMES: [&str; 2] = ["javascript:", "vbscript:"];

/// Checks the URLs in an object at any depth. `path` is the name of the object.
pub fn check_linked_urls(path: &str, members: &Map<String, Value>) -> FieldViolations {
    let mut violations = FieldViolations::default();
    check_members(path, members, &mut violations);
    violations
}

fn check_members(path: &str, members: &Map<String, Value>, violations: &mut FieldViolations) {
    for (name, value) in members {
        check(&format!("{path}.{name}"), name, value, violations);
    }
}

/// Checks a value. The elements of a list have the name of the list. The depth of JSON is limited when it is parsed.
fn check(path: &str, name: &str, value: &Value, violations: &mut FieldViolations) {
    match value {
        Value::Object(members) => check_members(path, members, violations),
        Value::Array(elements) => {
            for (index, element) in elements.iter().enumerate() {
                check(&format!("{path}[{index}]"), name, element, violations);
            }
        }
        Value::String(text) if !text.is_empty() => {
            let name = name.to_ascii_lowercase();
            let is_url = URL_NAMES.iter().any(|ending| name.trim_end_matches('s').ends_with(ending));
            if is_url && has_other_scheme(text) || runs_script(text) {
                violations.add(Violation::invalid(path.to_owned(), "must be an http(s) URL"));
            }
        }
        _ => {}
    }
}

/// Returns whether a browser would run the text as a script if it were a link. Browsers ignore leading control
/// characters and spaces, and tabs and line breaks anywhere (URL Standard).
fn runs_script(text: &str) -> bool {
    let link = text.trim_start_matches(|c: char| c <= ' ').chars().filter(|c| !matches!(c, '\t' | '\n' | '\r'));
    let start: String = link.take(12).collect::<String>().to_ascii_lowercase();
    SCRIPT_SCHEMES.iter().any(|scheme| start.starts_with(scheme))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn invalid(value: &Value) -> Vec<String> {
        let found = check_linked_urls("profile", value.as_object().unwrap());
        match found.finish(Some(())) {
            Err(crate::kernel::error::Error::Invalid(found)) => {
                found.as_slice().iter().map(|one| one.field.clone()).collect()
            }
            _ => Vec::new(),
        }
    }

    #[test]
    fn urls_must_be_http_urls_at_any_depth() {
        let valid = json!({
            "icon_url": "https://cdn.example/i.png", "styles": {"background_url": "", "accent": "red"}, "about": "data: all",
            "links": [{"href": "http://a.example/"}], "url": null, "imageUrls": ["https://a.example/x", "/x"], "x_url": 1, "back_url": "x", "uri": "//cdn.example/x",
        });
        assert_eq!(invalid(&valid), Vec::<String>::new());
        let refused = json!({
            "icon_url": "javascript:alert(1)", "styles": {"background_url": "data:image/png;base64,x"},
            "links": [{"href": "ftp://a.example/"}, {"src": "java\nscript:x"}], "imageUrls": ["blob:https://a.example/x"],
            "about": " java\tscript:alert(1)", "more": {"any": ["\u{1}VBScript:x"]}, "website_uri": "mailto:a@example.com",
        });
        let expected = [
            "profile.icon_url",
            "profile.styles.background_url",
            "profile.links[0].href",
            "profile.links[1].src",
            "profile.imageUrls[0]",
            "profile.about",
            "profile.more.any[0]",
            "profile.website_uri",
        ];
        assert_eq!(invalid(&refused), expected);
    }
}
