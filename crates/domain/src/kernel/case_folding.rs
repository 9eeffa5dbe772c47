//! Case folding: the simple folding of Unicode (CaseFolding.txt, statuses C and S), which replaces each character by
//! one (docs/contract.md#comparisons). It does not depend on a language.

use std::sync::LazyLock;

use icu_casemap::{CaseMapper, CaseMapperBorrowed};

const CASES: CaseMapperBorrowed<'static> = CaseMapper::new();

/// No character after it folds to another one.
const LAST: char = '\u{1ffff}';

/// All characters that fold to another one: the other one, and the character.
static FOLDS: LazyLock<Vec<(char, char)>> = LazyLock::new(|| {
    let mut folds: Vec<(char, char)> =
        ('\0'..=LAST).map(|character| (fold(character), character)).filter(|(folded, other)| folded != other).collect();
    folds.sort_unstable();
    folds
});

fn fold(character: char) -> char {
    if character.is_ascii() { character.to_ascii_lowercase() } else { CASES.simple_fold(character) }
}

/// Returns the text with every character folded. Texts that differ only in case have the same result.
pub fn folded(text: &str) -> String {
    // Most texts are compared with a pattern on each row of a list.
    if text.is_ascii() { text.to_ascii_lowercase() } else { text.chars().map(fold).collect() }
}

/// Returns the pairs of a folded character and each other character that folds to it, in ascending order.
pub fn folds_to(folded: char) -> &'static [(char, char)] {
    let start = FOLDS.partition_point(|(other, _)| *other < folded);
    let rest = FOLDS.get(start..).unwrap_or_default();
    rest.get(..rest.partition_point(|(other, _)| *other == folded)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::{env, fs};

    use super::*;

    #[test]
    fn each_character_is_folded_to_one() {
        assert_eq!(folded("ÄRGER Straße ẞ \u{212a} ſ Σσς İı Ⱥ 𐐀"), "ärger straße ß k s σσσ İı ⱥ 𐐨");
        assert!((LAST..=char::MAX).all(|character| fold(character) == character));
        assert!(FOLDS.iter().all(|(folded, _)| fold(*folded) == *folded), "A folded text stays as it is.");
    }

    #[test]
    fn only_two_other_characters_fold_to_ascii() {
        let others: Vec<_> = FOLDS.iter().filter(|(folded, other)| folded.is_ascii() && !other.is_ascii()).collect();
        assert_eq!(others, [&('k', '\u{212a}'), &('s', 'ſ')]);
        assert_eq!(folds_to('k'), [('k', 'K'), ('k', '\u{212a}')]);
        assert_eq!(folds_to('1'), []);
        assert_eq!(folds_to(char::MAX), []);
    }

    /// Returns a number in base 36, which JavaScript parses.
    fn base_36(number: i64) -> String {
        let (mut rest, mut digits) = (number.unsigned_abs(), Vec::new());
        while rest > 0 || digits.is_empty() {
            digits.push(char::from_digit(u32::try_from(rest % 36).unwrap(), 36).unwrap());
            rest /= 36;
        }
        if number < 0 { "-" } else { "" }.chars().chain(digits.into_iter().rev()).collect()
    }

    /// Returns the table as the SDK reads it: runs of characters with the same distance to each other and to what they fold to.
    fn table() -> String {
        let mut folds: Vec<(i64, i64)> =
            FOLDS.iter().map(|(folded, other)| (i64::from(u32::from(*other)), i64::from(u32::from(*folded)))).collect();
        folds.sort_unstable();
        // The first character of a run, what is added to fold it, how many characters follow, and their distance.
        let mut runs: Vec<(i64, i64, i64, i64)> = Vec::new();
        for (character, folded) in folds {
            let distance = |run: &(i64, i64, i64, i64)| character - (run.0 + run.2 * run.3);
            match runs.last_mut() {
                Some(run) if run.1 == folded - character && run.2 == 0 && distance(run) <= 2 => {
                    (run.2, run.3) = (1, distance(run));
                }
                Some(run) if run.1 == folded - character && run.2 > 0 && distance(run) == run.3 => run.2 += 1,
                _ => runs.push((character, folded - character, 0, 1)),
            }
        }
        let mut before = 0;
        let texts = runs.iter().map(|(first, added, more, step)| {
            let mut numbers = vec![base_36(first - before), base_36(*added)];
            numbers.extend((*more > 0).then(|| base_36(*more)));
            numbers.extend((*step > 1).then(|| base_36(*step)));
            before = first + more * step;
            numbers.join(",")
        });
        texts.collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn the_table_of_the_sdk_is_that_of_the_service() {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../sdks/typescript/src/generated/case_folding.ts");
        let expected = format!(
            "// Generated from Unicode's CaseFolding.txt by crates/domain/src/kernel/case_folding.rs. Do not edit.\n\n\
             export const FOLDS =\n  \"{}\";\n",
            table()
        );
        if env::var_os("STEWARD_UPDATE_GOLDEN").is_some() {
            fs::write(&path, &expected).unwrap();
        }
        let current = fs::read_to_string(&path).unwrap_or_default();
        assert!(current == expected, "{} is not current. Run `make generate`.", path.display());
    }
}
