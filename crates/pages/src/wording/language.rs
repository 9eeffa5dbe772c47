//! The languages of the pages on which people sign in, and their messages
//! (docs/decisions/0061-languages-and-branding.md).

use std::borrow::Cow;
use std::cmp::Reverse;
use std::sync::LazyLock;

use fluent_bundle::concurrent::FluentBundle;
use fluent_bundle::{FluentArgs, FluentResource};
use fluent_langneg::{NegotiationStrategy, negotiate_languages};
use steward_domain::kernel::Locale;
use unic_langid::{CharacterDirection, LanguageIdentifier};

/// Maximum number of languages of a request that are read.
const MAX_REQUESTED: usize = 20;

/// A language with its messages.
pub(crate) struct Language {
    /// Its tag (BCP 47), for the `lang` attribute.
    pub(crate) tag: &'static str,
    /// Parsed once, when the service starts.
    messages: LazyLock<Messages>,
}

struct Messages {
    id: LanguageIdentifier,
    bundle: FluentBundle<FluentResource>,
}

/// Declares a language, with the messages of its file.
macro_rules! language {
    ($tag:literal) => {
        Language::new($tag, || parse($tag, include_str!(concat!("../../messages/", $tag, ".ftl"))))
    };
}

/// All languages. The first one is the fallback.
pub(crate) static LANGUAGES: [Language; 6] =
    [language!("en"), language!("de"), language!("fr"), language!("es"), language!("pt"), language!("ja")];

/// A language that is written from right to left, for tests.
#[cfg(test)]
pub(crate) static ARABIC: Language = Language::new("ar", || parse("ar", "signed-out = تم تسجيل الخروج"));

/// Parses messages. What cannot be parsed is missing; a test finds it.
fn parse(tag: &str, source: &str) -> Messages {
    let id: LanguageIdentifier = tag.parse().unwrap_or_default();
    let mut bundle = FluentBundle::new_concurrent(vec![id.clone()]);
    // Elements isolate the values.
    bundle.set_use_isolating(false);
    let (Ok(resource) | Err((resource, _))) = FluentResource::try_new(source.to_owned());
    bundle.add_resource_overriding(resource);
    Messages { id, bundle }
}

impl Language {
    const fn new(tag: &'static str, messages: fn() -> Messages) -> Self {
        Self { tag, messages: LazyLock::new(messages) }
    }

    /// Returns the language of a person.
    pub(crate) fn of(locale: Locale) -> &'static Self {
        LANGUAGES.iter().find(|language| language.tag == locale.as_str()).unwrap_or_else(Self::english)
    }

    /// Returns English, the source of all messages.
    pub(crate) fn english() -> &'static Self {
        let [english, ..] = &LANGUAGES;
        english
    }

    /// Parses the messages of all languages.
    pub(crate) fn load_all() {
        for language in &LANGUAGES {
            LazyLock::force(&language.messages);
        }
    }

    /// Returns the direction of its text, for the `dir` attribute.
    pub(crate) fn direction(&self) -> &'static str {
        match self.messages.id.character_direction() {
            CharacterDirection::RTL => "rtl",
            CharacterDirection::LTR | CharacterDirection::TTB => "ltr",
        }
    }

    /// Returns the language that suits a reader best, given the value of `Accept-Language` (RFC 9110 §12.5.4).
    pub(crate) fn accepted(header: &str) -> Option<&'static Self> {
        let mut ranges: Vec<(u16, LanguageIdentifier)> =
            header.split(',').take(MAX_REQUESTED).filter_map(range).collect();
        ranges.sort_by_key(|(quality, _)| Reverse(*quality));
        best(ranges.into_iter().map(|(_, id)| id))
    }

    /// Returns the language that suits a reader best, given tags in the order of preference (`ui_locales`, OpenID
    /// Connect Core §3.1.2.1).
    pub(crate) fn preferred(tags: &str) -> Option<&'static Self> {
        best(tags.split(' ').take(MAX_REQUESTED).filter_map(|tag| tag.parse().ok()))
    }

    /// Returns a message with these values of its variables, or `None` if there is none with this ID.
    pub(crate) fn message(&'static self, id: &str, values: &[(&'static str, String)]) -> Option<Cow<'static, str>> {
        let bundle = &self.messages.bundle;
        let pattern = bundle.get_message(id)?.value()?;
        if values.is_empty() {
            return Some(bundle.format_pattern(pattern, None, &mut Vec::new()));
        }
        let values: FluentArgs<'_> = values.iter().map(|(name, value)| (*name, value.as_str())).collect();
        Some(bundle.format_pattern(pattern, Some(&values), &mut Vec::new()).into_owned().into())
    }
}

/// Parses a range of `Accept-Language` and its quality in thousandths. `None` for one that is not acceptable, and for
/// `*`.
fn range(text: &str) -> Option<(u16, LanguageIdentifier)> {
    let (tag, parameter) = text.split_once(';').unwrap_or((text, ""));
    let quality = match parameter.trim().split_once('=') {
        Some((name, value)) if name.trim().eq_ignore_ascii_case("q") => quality(value.trim())?,
        _ => 1000,
    };
    (quality > 0).then_some((quality, tag.trim().parse().ok()?))
}

/// Parses a quality with at most three decimals (RFC 9110 §12.4.2).
fn quality(text: &str) -> Option<u16> {
    let (whole, decimals) = text.split_once('.').unwrap_or((text, ""));
    if decimals.len() > 3 || !decimals.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    let thousandths: u16 = format!("{decimals:0<3}").parse().ok()?;
    match whole {
        "0" => Some(thousandths),
        "1" if thousandths == 0 => Some(1000),
        _ => None,
    }
}

fn best(requested: impl Iterator<Item = LanguageIdentifier>) -> Option<&'static Language> {
    let available = LANGUAGES.each_ref().map(|language| language.messages.id.clone());
    let requested: Vec<LanguageIdentifier> = requested.collect();
    let found = negotiate_languages(&requested, &available, None, NegotiationStrategy::Lookup);
    let found = found.first()?;
    LANGUAGES.iter().find(|language| language.messages.id == **found)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn accepted(header: &str) -> &'static str {
        Language::accepted(header).map_or("none", |language| language.tag)
    }

    #[test]
    fn the_acceptable_language_with_the_highest_quality_is_chosen() {
        for (header, expected) in [
            ("de", "de"),
            ("de-CH, en;q=0.5", "de"),
            ("pt-BR,pt;q=0.9,en;q=0.8", "pt"),
            ("en;q=0.5, fr ; q=0.8", "fr"),
            ("fr;q=0.001,ja;Q=0.002", "ja"),
            ("DE-de", "de"),
            ("sv, es;q=0.1", "es"),
            ("es;q=0, ja;q=0.2", "ja"),
            ("en-GB,de", "en"),
            ("de;q=0.300, fr;q=0.3", "de"),
        ] {
            assert_eq!(accepted(header), expected, "{header}");
        }
    }

    #[test]
    fn the_languages_are_those_that_clients_are_told() {
        assert_eq!(LANGUAGES.each_ref().map(|language| language.tag), Locale::ALL.map(Locale::as_str));
        for language in &LANGUAGES {
            assert_eq!(language.direction(), "ltr", "{}", language.tag);
        }
    }

    #[test]
    fn other_languages_and_malformed_headers_are_ignored() {
        for header in ["", "sv", "*", "de;q=0", "de;q=2", "de;q=0.1234", "de;q=x", ";;,,", "x-klingon", "ä"] {
            assert_eq!(accepted(header), "none", "{header}");
        }
        let many = format!("{}de", "sv,".repeat(MAX_REQUESTED));
        assert_eq!(accepted(&many), "none");
        assert_eq!(Language::preferred("sv fr-CA de").map(|language| language.tag), Some("fr"));
        assert!(Language::preferred("").is_none());
    }
}
