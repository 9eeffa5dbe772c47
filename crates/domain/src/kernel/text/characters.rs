//! The characters of texts that people read: none that people cannot see, except where Unicode uses them
//! (docs/contract.md#text). These are the rules of UTS 39 and of the FreeformClass of RFC 8264 §4.3 about characters,
//! with the sequences of emoji.

use std::borrow::Cow;
use std::fmt;

use icu_normalizer::ComposingNormalizerBorrowed;
use icu_properties::props::{
    BinaryProperty as _, DefaultIgnorableCodePoint, EnumeratedProperty as _, GeneralCategory, GeneralCategoryGroup,
    PrependedConcatenationMark,
};

use crate::kernel::InvalidValue;
use crate::kernel::text::character_sequences::Sequences;

/// Characters that are drawn as nothing, or as a space, although their properties are those of a letter or a symbol:
/// the blank of Braille, the musical notehead without a shape, the filler of Khitan, the blanks of Egyptian
/// hieroglyphs, and the placeholder of an object.
const BLANKS: [char; 6] = ['\u{2800}', '\u{1d159}', '\u{16fe4}', '\u{13441}', '\u{13442}', '\u{fffc}'];

/// Why a text is not valid.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum InvalidText {
    /// It violates another rule.
    #[error(transparent)]
    Value(#[from] InvalidValue),
    /// It contains a character that people cannot see there.
    #[error("must not contain the character {0}, which people cannot see. Remove it, or type the text again")]
    Hidden(CodePoint),
    /// It contains no character that people can see.
    #[error("must contain a visible character")]
    NothingVisible,
}

/// A character, named as `U+200B`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CodePoint(pub char);

impl fmt::Display for CodePoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "U+{:04X}", u32::from(self.0))
    }
}

/// Returns a text with the characters that it is compared by (NFKC, UAX 15): the same for texts that look alike and were typed
/// on different keyboards.
pub(crate) fn nfkc(text: &str) -> Cow<'_, str> {
    ComposingNormalizerBorrowed::new_nfkc().normalize(text)
}

/// Checks that people can see what a text contains.
pub(crate) fn check_text(text: &str) -> Result<(), InvalidText> {
    let characters: Vec<char> = text.chars().collect();
    let sequences = Sequences::of(&characters);
    let mut numbered = characters.iter().enumerate();
    match numbered.find(|(position, c)| !is_shown(**c) && !sequences.contain(*position)) {
        Some((_, c)) => Err(InvalidText::Hidden(CodePoint(*c))),
        None if !characters.is_empty() && !characters.iter().any(|c| is_visible(*c)) => {
            Err(InvalidText::NothingVisible)
        }
        None => Ok(()),
    }
}

/// Returns what people can see of a text from another service or program, which nobody can correct here. Empty if there
/// is nothing.
pub fn visible_part(text: &str) -> String {
    // Twice, because a sequence can end where a character was removed.
    let text = without_hidden(without_hidden(text.trim()).trim());
    if text.chars().any(is_visible) { text.trim().to_owned() } else { String::new() }
}

fn without_hidden(text: &str) -> String {
    let characters: Vec<char> = text.chars().collect();
    let sequences = Sequences::of(&characters);
    let numbered = characters.iter().enumerate();
    numbered.filter(|(position, c)| is_shown(**c) || sequences.contain(*position)).map(|(_, c)| *c).collect()
}

/// Returns whether people see the character, the space that it leaves, or how it changes the one before.
fn is_shown(c: char) -> bool {
    if BLANKS.contains(&c) || DefaultIgnorableCodePoint::for_char(c) {
        return false;
    }
    match GeneralCategory::for_char(c) {
        // Numbers and abbreviations in Arabic and Syriac have such a character around them.
        GeneralCategory::Format => PrependedConcatenationMark::for_char(c),
        // Fonts have nothing for characters that are private or not assigned.
        GeneralCategory::Control
        | GeneralCategory::LineSeparator
        | GeneralCategory::ParagraphSeparator
        | GeneralCategory::PrivateUse
        | GeneralCategory::Surrogate
        | GeneralCategory::Unassigned => false,
        _ => true,
    }
}

/// Returns whether people see the character alone, unlike a space or an accent.
pub(crate) fn is_visible(c: char) -> bool {
    use GeneralCategoryGroup as Group;
    let category = GeneralCategory::for_char(c);
    let groups = [Group::Letter, Group::Number, Group::Punctuation, Group::Symbol];
    is_shown(c) && groups.iter().any(|group| group.contains(category))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Texts of many scripts, with invisible characters where Unicode uses them.
    const VALID: &[&str] = &[
        "Ünïcode Straße 1",
        "…",
        "§ 5",
        "Ann\u{3000}Example",
        "Rock\u{a0}&\u{202f}Roll",
        "北京",
        "한국 \u{1112}\u{1161}\u{11ab}",
        "e\u{301}tude",
        // Persian: a non-joiner between letters that would be joined, also with a vowel sign between them.
        "می\u{200c}خواهم",
        "خانه\u{200c}ها",
        "بَه\u{200c}\u{64e}به",
        // Hindi, Bengali, Sinhala and Kannada: joiners after and before a virama.
        "क्\u{200d}ष",
        "क्\u{200c}ष",
        "র\u{200d}\u{9cd}যাব",
        "ශ්\u{200d}රී ලංකා",
        "ಕ ರ\u{200d}\u{ccd}ಕ",
        // Emoji: families, skin tones, presentations, flags, flags of subdivisions and keycaps.
        "👨\u{200d}👩\u{200d}👧\u{200d}👦",
        "Crew 👩🏽\u{200d}🚀",
        "Team ❤\u{fe0f}",
        "❤\u{fe0f}\u{200d}🔥",
        "🏳\u{fe0f}\u{200d}🌈 🏴\u{200d}☠\u{fe0f}",
        "☎\u{fe0e} 24/7",
        "🇩🇪🇫🇷",
        "🏴\u{e0067}\u{e0062}\u{e0073}\u{e0063}\u{e0074}\u{e007f}",
        "🏴\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}",
        "Cymru 🏴\u{e0067}\u{e0062}\u{e0077}\u{e006c}\u{e0073}\u{e007f}",
        "1\u{fe0f}\u{20e3} #\u{fe0f}\u{20e3}",
        // Variants of ideographs and of Mongolian letters.
        "葛\u{e0100}城",
        "渡邉\u{e0101}",
        "ᠬ\u{180b}ᠠ",
        "ᠠᠨ\u{180e}ᠠ",
        // Marks of direction beside characters without one, in texts with letters from right to left.
        "שלום\u{200f} שלום",
        "שלום\u{200f}!",
        "עברית\u{200e} - C++",
        "\u{600}\u{661}\u{662}",
    ];

    /// Texts with a character that people cannot see there, and this character.
    const HIDDEN: &[(&str, char)] = &[
        ("\u{200b}", '\u{200b}'),
        ("Ac\u{200b}me", '\u{200b}'),
        ("\u{feff}Acme", '\u{feff}'),
        ("Ac\u{ad}me", '\u{ad}'),
        ("Ac\u{34f}me", '\u{34f}'),
        ("\u{2060}", '\u{2060}'),
        ("a\u{2063}b", '\u{2063}'),
        ("\u{17b4}", '\u{17b4}'),
        // Fillers and blanks.
        ("\u{3164}", '\u{3164}'),
        ("Ac\u{3164}me", '\u{3164}'),
        ("\u{ffa0}x", '\u{ffa0}'),
        ("x\u{115f}", '\u{115f}'),
        ("\u{1160}", '\u{1160}'),
        ("\u{2800}", '\u{2800}'),
        ("Ac\u{2800}me", '\u{2800}'),
        ("\u{1d159}", '\u{1d159}'),
        ("\u{16fe4}", '\u{16fe4}'),
        ("x\u{13441}", '\u{13441}'),
        ("\u{fffc}", '\u{fffc}'),
        // Joiners without letters or emoji to join, and at the ends.
        ("\u{200d}", '\u{200d}'),
        ("\u{200c}", '\u{200c}'),
        ("Ac\u{200d}me", '\u{200d}'),
        ("Ac\u{200c}me", '\u{200c}'),
        ("Acme\u{200d}", '\u{200d}'),
        ("\u{200d}Acme", '\u{200d}'),
        ("می\u{200c}", '\u{200c}'),
        ("می\u{200c}\u{200c}خواهم", '\u{200c}'),
        ("می\u{200c} خواهم", '\u{200c}'),
        ("क्\u{200d}", '\u{200d}'),
        ("क्\u{200d}\u{200d}ष", '\u{200d}'),
        ("👨\u{200d}", '\u{200d}'),
        ("👨\u{200d}a", '\u{200d}'),
        ("a\u{200d}👩", '\u{200d}'),
        ("👨\u{200d}\u{200d}👩", '\u{200d}'),
        // Variation selectors after characters without variants.
        ("\u{fe0f}", '\u{fe0f}'),
        ("Acme\u{fe0f}", '\u{fe0f}'),
        ("Acme 1\u{fe0f}", '\u{fe0f}'),
        ("❤\u{fe0f}\u{fe0f}", '\u{fe0f}'),
        ("漢\u{fe0f}", '\u{fe0f}'),
        ("a\u{fe00}", '\u{fe00}'),
        ("漢\u{fe05}", '\u{fe05}'),
        ("a\u{e0100}", '\u{e0100}'),
        ("漢\u{e0100}\u{e0101}", '\u{e0101}'),
        ("a\u{180b}", '\u{180b}'),
        ("ᠬ\u{180b}\u{180b}", '\u{180b}'),
        ("a\u{180e}b", '\u{180e}'),
        // Tags, which can carry a text of their own.
        ("\u{e0001}", '\u{e0001}'),
        ("Acme\u{e0067}\u{e0062}", '\u{e0067}'),
        ("🏴\u{e0067}\u{e0062}", '\u{e0067}'),
        ("🏴\u{e0061}\u{e0062}\u{e0063}\u{e0064}\u{e0065}\u{e007f}", '\u{e0061}'),
        ("🏴\u{e0067}\u{e0062}\u{e0073}\u{e0063}\u{e0074}\u{e007f}\u{e007f}", '\u{e007f}'),
        // Direction.
        ("ann\u{202e}gnp.exe", '\u{202e}'),
        ("\u{202a}ann", '\u{202a}'),
        ("\u{2067}ann\u{2069}", '\u{2067}'),
        ("Ac\u{200e}me", '\u{200e}'),
        ("Acme\u{200f}", '\u{200f}'),
        ("Acme\u{200f} 2", '\u{200f}'),
        ("\u{61c}Acme", '\u{61c}'),
        ("של\u{200f}ום", '\u{200f}'),
        ("שלום\u{200f}", '\u{200f}'),
        ("שלום\u{200f}\u{200f} שלום", '\u{200f}'),
        // Controls, and characters that have no meaning for others.
        ("a\u{7}b", '\u{7}'),
        ("a\u{9b}31mb", '\u{9b}'),
        ("a\u{2028}b", '\u{2028}'),
        ("a\nb", '\n'),
        ("a\tb", '\t'),
        ("a\u{fff9}b", '\u{fff9}'),
        ("a\u{1d173}b", '\u{1d173}'),
        ("\u{e000}", '\u{e000}'),
        ("a\u{f8ff}", '\u{f8ff}'),
        ("\u{378}", '\u{378}'),
        ("a\u{fdd0}", '\u{fdd0}'),
        ("a\u{10ffff}", '\u{10ffff}'),
    ];

    #[test]
    fn characters_that_change_what_people_see_are_valid() {
        for text in VALID {
            assert_eq!(check_text(text), Ok(()), "{}", text.escape_unicode());
            assert_eq!(visible_part(text), *text, "{}", text.escape_unicode());
        }
        assert_eq!(check_text(""), Ok(()));
    }

    #[test]
    fn characters_that_people_cannot_see_are_refused_alone_and_inside_a_text() {
        for (text, hidden) in HIDDEN {
            assert_eq!(check_text(text), Err(InvalidText::Hidden(CodePoint(*hidden))), "{}", text.escape_unicode());
        }
    }

    #[test]
    fn a_text_needs_a_character_that_people_see_without_another_one() {
        for text in ["\u{301}", "\u{20e3}\u{301}", "\u{93f}"] {
            assert_eq!(check_text(text), Err(InvalidText::NothingVisible), "{}", text.escape_unicode());
        }
    }

    #[test]
    fn a_text_from_elsewhere_loses_what_people_cannot_see() {
        for (text, visible) in [
            ("  Ann\u{200b} Ex\u{202e}ample\u{feff} ", "Ann Example"),
            ("क्\u{200d}\u{200b}", "क्"),
            ("Acme\u{e0067}\u{200d}", "Acme"),
            (" \u{200b} ", ""),
            ("\u{2800}\u{3164}", ""),
            ("\u{301}", ""),
            ("", ""),
        ] {
            assert_eq!(visible_part(text), visible, "{}", text.escape_unicode());
        }
        for (text, _) in HIDDEN {
            let visible = visible_part(text);
            assert_eq!(check_text(&visible), Ok(()), "{}", text.escape_unicode());
        }
    }
}
