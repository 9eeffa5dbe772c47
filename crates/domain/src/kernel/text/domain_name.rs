//! Domains with letters outside ASCII (IDNA: UTS #46, nontransitional, as browsers do). They are stored and compared as
//! A-labels, such as `xn--mller-kva.example`, and shown with their letters, such as `müller.example`.

use std::borrow::Cow;

use idna::AsciiDenyList;
use idna::uts46::{DnsLength, Hyphens, Uts46};
use unicode_security::confusable_detection::skeleton;
use unicode_security::{RestrictionLevel, RestrictionLevelDetection as _};

/// The prefix of an A-label.
const PREFIX: &str = "xn--";

/// Returns the domain with A-labels; `None` if it is not valid. A domain in ASCII is returned as it is.
pub(crate) fn with_a_labels(domain: &str) -> Option<Cow<'_, str>> {
    let domain = if domain.is_ascii() {
        Cow::Borrowed(domain)
    } else {
        let bytes = domain.as_bytes();
        Uts46::new().to_ascii(bytes, AsciiDenyList::STD3, Hyphens::CheckFirstLast, DnsLength::Verify).ok()?
    };
    let is_valid = domain.split('.').all(is_label);
    is_valid.then_some(domain)
}

/// Returns the domain with the letters of its A-labels; `None` if it has no A-labels, or one that is not valid. A label
/// that people could take for another one stays an A-label.
pub(crate) fn with_letters(domain: &str) -> Option<String> {
    let is_a_label = |label: &str| label.get(..PREFIX.len()).is_some_and(|start| start.eq_ignore_ascii_case(PREFIX));
    if !domain.split('.').any(is_a_label) {
        return None;
    }
    let shown =
        Uts46::new().to_user_interface(domain.as_bytes(), AsciiDenyList::STD3, Hyphens::Allow, |label, _, _| {
            is_recognizable(label)
        });
    match shown {
        (letters, Ok(())) => Some(letters.into_owned()),
        (_, Err(_)) => None,
    }
}

fn is_label(label: &str) -> bool {
    (1..=63).contains(&label.len())
        && label.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-')
        && !label.starts_with('-')
        && !label.ends_with('-')
}

/// Returns whether people can tell the label from others: its letters are of one script (UTS #39, Highly Restrictive),
/// and not all of them look like letters of ASCII.
fn is_recognizable(label: &[char]) -> bool {
    let label: String = label.iter().collect();
    label.as_str().check_restriction_level(RestrictionLevel::HighlyRestrictive)
        && skeleton(&label).any(|c| !c.is_ascii())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn domains_are_stored_as_a_labels_and_shown_with_letters() {
        for (typed, stored) in [
            ("Müller.DE", "xn--mller-kva.de"),
            ("mu\u{308}ller.de", "xn--mller-kva.de"),
            ("例子。广告", "xn--fsqu00a.xn--4rr70v"),
            ("straße.example", "xn--strae-oqa.example"),
            ("ｅｘａｍｐｌｅ.com", "example.com"),
        ] {
            assert_eq!(with_a_labels(typed).as_deref(), Some(stored), "{typed}");
        }
        for invalid in ["mü ller.de", "mü_ller.de", "-mü.de", "mü..de", "mü.de.", "\u{200b}.de", "ü@b.de"] {
            assert_eq!(with_a_labels(invalid), None, "{invalid:?}");
        }
        assert_eq!(with_letters("XN--mller-KVA.de").as_deref(), Some("müller.de"));
        assert_eq!(with_letters("xn--fsqu00a.xn--4rr70v").as_deref(), Some("例子.广告"));
        assert_eq!((with_letters("example.com"), with_letters("xn--a.com")), (None, None));
    }

    #[test]
    fn a_label_that_looks_like_another_one_is_not_shown_with_letters() {
        // All letters are Cyrillic in the first, and one is in the second.
        for look_alike in ["\u{430}\u{440}\u{440}\u{4cf}\u{435}.com", "p\u{430}ypal.com"] {
            let stored = with_a_labels(look_alike).unwrap();
            assert_eq!(with_letters(&stored).as_deref(), Some(&*stored), "{look_alike}");
        }
    }
}
