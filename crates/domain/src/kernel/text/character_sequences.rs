//! Characters that are invisible alone, but change what people see in a sequence: joiners, variation selectors, tags
//! and marks of direction. Each is valid only where Unicode uses it (docs/contract.md#text).

use icu_properties::props::{
    BidiClass, BinaryProperty as _, CanonicalCombiningClass, Emoji, EmojiModifier, EnumeratedProperty as _,
    ExtendedPictographic, GeneralCategory, GeneralCategoryGroup, JoiningType, Script,
};

/// Asks for the presentation of a character as an emoji.
const EMOJI_PRESENTATION: char = '\u{fe0f}';
/// Draws a key around a digit, `#` or `*`.
const KEYCAP: char = '\u{20e3}';
/// The emoji before the tags of a subdivision, and the tag after them (UTS 51, emoji tag sequences).
const FLAG: char = '\u{1f3f4}';
const END_OF_TAGS: char = '\u{e007f}';
/// The subdivisions whose flags are emoji in Unicode: England, Scotland and Wales.
const SUBDIVISIONS: [&str; 3] = ["gbeng", "gbsct", "gbwls"];
/// The number of tags after a flag.
const TAGS: usize = 6;

/// The characters of a text in their sequences.
pub(crate) struct Sequences<'a> {
    characters: &'a [char],
    /// Whether the text has a letter of a script that is written from right to left.
    has_right_to_left: bool,
}

impl<'a> Sequences<'a> {
    /// Returns the sequences of a text.
    pub(crate) fn of(characters: &'a [char]) -> Self {
        let is_right_to_left =
            |c: &char| !is_mark(*c) && is_one_of(*c, &[BidiClass::RightToLeft, BidiClass::ArabicLetter]);
        Self { characters, has_right_to_left: characters.iter().any(is_right_to_left) }
    }

    /// Returns whether the character at this position is one that changes the characters around it. A joiner and a mark
    /// are neither the first nor the last character, and the others are not the first.
    pub(crate) fn contain(&self, position: usize) -> bool {
        let before = self.characters.get(..position).unwrap_or_default();
        let (Some(&previous), Some((&c, after))) =
            (before.last(), self.characters.get(position..).and_then(<[char]>::split_first))
        else {
            return false;
        };
        let next = after.first().copied();
        match c {
            '\u{200c}' => next.is_some() && (is_virama(previous) || breaks_join(before, after)),
            '\u{200d}' => next.is_some_and(|next| joins_consonants(previous, next) || joins_emoji(before, next)),
            _ if is_mark(c) => self.has_right_to_left && next.is_some_and(|next| turns_neutral(previous, next)),
            // Free variation selectors, and the vowel separator.
            '\u{180b}'..='\u{180d}' | '\u{180f}' => is_mongolian(previous),
            '\u{180e}' => is_mongolian(previous) && next.is_some_and(is_mongolian),
            // Standardized variants, for the scripts that are in use.
            '\u{fe00}'..='\u{fe02}' => {
                [Script::Han, Script::Myanmar, Script::PhagsPa].contains(&Script::for_char(previous))
            }
            '\u{fe0e}' | EMOJI_PRESENTATION => has_presentations(previous, next),
            '\u{e0020}'..=END_OF_TAGS => self.is_in_flag(position),
            // Ideographic variants (UTS 37).
            '\u{e0100}'..='\u{e01ef}' => Script::for_char(previous) == Script::Han,
            _ => false,
        }
    }

    /// Returns whether the tag at this position belongs to the flag of a subdivision.
    fn is_in_flag(&self, position: usize) -> bool {
        let start = position.saturating_sub(TAGS);
        let near = self.characters.get(start..position).unwrap_or_default();
        let Some(flag) = near.iter().rposition(|c| *c == FLAG) else { return false };
        let tags = self.characters.get(start + flag + 1..).unwrap_or_default();
        SUBDIVISIONS.iter().any(|name| {
            let tag = |c: char| char::from_u32(u32::from(c) + 0xe0000);
            let sequence: Vec<char> = name.chars().filter_map(tag).chain([END_OF_TAGS]).collect();
            tags.starts_with(&sequence)
        })
    }
}

fn is_one_of(c: char, classes: &[BidiClass]) -> bool {
    classes.contains(&BidiClass::for_char(c))
}

/// Returns whether it is an invisible letter of a direction, which only affects characters without one beside it.
fn is_mark(c: char) -> bool {
    matches!(c, '\u{200e}' | '\u{200f}' | '\u{61c}')
}

/// Returns whether a mark between these characters can have an effect: one of them has no direction of its own.
fn turns_neutral(previous: char, next: char) -> bool {
    let has_direction = |c| is_one_of(c, &[BidiClass::LeftToRight, BidiClass::RightToLeft, BidiClass::ArabicLetter]);
    !(is_mark(previous) || is_mark(next) || has_direction(previous) && has_direction(next))
}

fn is_letter(c: char) -> bool {
    GeneralCategoryGroup::Letter.contains(GeneralCategory::for_char(c))
}

fn is_mongolian(c: char) -> bool {
    Script::for_char(c) == Script::Mongolian && is_letter(c)
}

/// Returns whether it takes the vowel from a consonant and so joins it with the next one.
fn is_virama(c: char) -> bool {
    CanonicalCombiningClass::for_char(c) == CanonicalCombiningClass::Virama
}

/// Returns whether the letters would be joined without a non-joiner between them (RFC 5892 appendix A.1).
fn breaks_join(before: &[char], after: &[char]) -> bool {
    let joining = |c: &char| Some(JoiningType::for_char(*c)).filter(|joining| *joining != JoiningType::Transparent);
    let left = before.iter().rev().find_map(joining);
    let right = after.iter().find_map(joining);
    left.is_some_and(|left| left == JoiningType::LeftJoining || left == JoiningType::DualJoining)
        && right.is_some_and(|right| right == JoiningType::RightJoining || right == JoiningType::DualJoining)
}

/// Returns whether a joiner shapes consonants: after a virama (RFC 5892 appendix A.2), or before one, as in Bengali,
/// Kannada and Sinhala (The Unicode Standard §12.2).
fn joins_consonants(previous: char, next: char) -> bool {
    is_virama(previous) || is_letter(previous) && is_virama(next)
}

/// Returns whether a joiner makes one emoji of two (UTS 51, emoji ZWJ sequences). The first can have a presentation and
/// a skin tone.
fn joins_emoji(before: &[char], next: char) -> bool {
    let base = before.iter().rev().find(|c| **c != EMOJI_PRESENTATION && !EmojiModifier::for_char(**c));
    base.is_some_and(|c| ExtendedPictographic::for_char(*c)) && ExtendedPictographic::for_char(next)
}

/// Returns whether a character can be shown as a text and as an emoji (UTS 51, emoji presentation sequences). A digit
/// only as a keycap.
fn has_presentations(c: char, next: Option<char>) -> bool {
    match c {
        '0'..='9' | '#' | '*' => next == Some(KEYCAP),
        _ => Emoji::for_char(c) && ExtendedPictographic::for_char(c),
    }
}
