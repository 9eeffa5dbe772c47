//! Numbers in JSON that would be stored as other numbers (docs/contract.md#request-bodies).

use std::borrow::Cow;
use std::iter::Peekable;
use std::ops::Range;

/// A string that no store keeps, in JSON.
const NOT_STORABLE: &str = r#""\u0000""#;
/// A decimal number with at most this many digits is the shortest form of its double.
const MAX_SHORT_DIGITS: usize = 15;

/// Returns the position of the first number that would be changed.
pub(super) fn first_changed(text: &[u8]) -> Option<usize> {
    numbers(text).find(|number| is_changed_at(text, number)).map(|number| number.start)
}

/// Replaces the numbers that would be changed by strings that no store keeps.
pub fn without_changed(text: &str) -> Cow<'_, str> {
    let (mut replaced, mut kept) = (String::new(), 0);
    for number in numbers(text.as_bytes()).filter(|number| is_changed_at(text.as_bytes(), number)) {
        replaced.push_str(text.get(kept..number.start).unwrap_or_default());
        replaced.push_str(NOT_STORABLE);
        kept = number.end;
    }
    if kept == 0 {
        return Cow::Borrowed(text);
    }
    replaced.push_str(text.get(kept..).unwrap_or_default());
    Cow::Owned(replaced)
}

/// Returns the places of the numbers in a JSON text.
fn numbers(text: &[u8]) -> impl Iterator<Item = Range<usize>> + '_ {
    let mut bytes = text.iter().copied().enumerate().peekable();
    std::iter::from_fn(move || {
        while let Some((start, byte)) = bytes.next() {
            match byte {
                b'"' => skip_string(&mut bytes),
                b'-' | b'0'..=b'9' => {
                    let mut end = start.saturating_add(1);
                    while bytes.next_if(|(_, byte)| is_part_of_number(*byte)).is_some() {
                        end += 1;
                    }
                    return Some(start..end);
                }
                _ => {}
            }
        }
        None
    })
}

/// Skips the rest of a string and the quotation mark that ends it.
fn skip_string(bytes: &mut Peekable<impl Iterator<Item = (usize, u8)>>) {
    while let Some((_, byte)) = bytes.next() {
        match byte {
            b'\\' => {
                bytes.next();
            }
            b'"' => return,
            _ => {}
        }
    }
}

/// Returns whether a text has only what a number has, unlike `inf`, which is a number in Rust.
pub(super) fn is_whole(text: &str) -> bool {
    text.bytes().all(is_part_of_number)
}

const fn is_part_of_number(byte: u8) -> bool {
    matches!(byte, b'0'..=b'9' | b'.' | b'e' | b'E' | b'+' | b'-')
}

fn is_changed_at(text: &[u8], place: &Range<usize>) -> bool {
    let number = text.get(place.clone()).and_then(|number| std::str::from_utf8(number).ok());
    number.is_some_and(is_changed)
}

/// Returns whether a number overflows, becomes 0, or is an integer that is neither exact nor the shortest form of a
/// double. Other fractions are rounded, as in every program.
pub(super) fn is_changed(text: &str) -> bool {
    if text.parse::<i64>().is_ok() || text.parse::<u64>().is_ok() {
        return false;
    }
    let Ok(double) = text.parse::<f64>() else { return false };
    let sent = Decimal::of(text);
    if sent.digits.is_empty() {
        return false;
    }
    if double == 0.0 || double.is_infinite() {
        return true;
    }
    let is_long_integer = sent.exponent >= 0 && sent.digits.len() > MAX_SHORT_DIGITS;
    let is_shortest = || sent == Decimal::of(&format!("{double:e}"));
    let is_exact = || sent == Decimal::of(&format!("{double:.0}"));
    is_long_integer && !is_shortest() && !is_exact()
}

/// A decimal number without its sign: its digits without zeros at both ends, times a power of ten.
#[derive(PartialEq)]
struct Decimal {
    /// Empty for 0.
    digits: String,
    exponent: i64,
}

impl Decimal {
    fn of(text: &str) -> Self {
        let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let digits = format!("{}{fraction}", whole.trim_start_matches('-'));
        let significant = digits.trim_end_matches('0');
        let zeros = digits.len().saturating_sub(significant.len());
        // An exponent that cannot be parsed leads to an infinite double, or to 0.
        let exponent: i64 = exponent.parse().unwrap_or_default();
        let exponent = exponent.saturating_add(count(zeros)).saturating_sub(count(fraction.len()));
        Self { digits: significant.trim_start_matches('0').to_owned(), exponent }
    }
}

fn count(digits: usize) -> i64 {
    i64::try_from(digits).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_that_a_store_keeps_is_not_changed() {
        for kept in [
            "0",
            "-0",
            "0e999",
            "-0.000",
            "0.1",
            "0.1000000000000000055511151231257827",
            "5e-324",
            "1.7976931348623157e308",
            "-9223372036854775808",
            "9007199254740993",
            "18446744073709551615",
            "18446744073709551616",
            "18446744073709552000",
            "1.8446744073709552e+19",
            "-1.8446744073709551616E19",
            "1e22",
            "1e23",
            "123456789012345000000000",
            "99999999999999991611392",
            "1.0",
            "9007199254740992.0",
        ] {
            assert!(!is_changed(kept), "{kept}");
        }
    }

    #[test]
    fn a_number_that_becomes_another_one_is_changed() {
        for changed in [
            "1e-400",
            "-1e-99999999999999999999",
            "1e400",
            "-1e99999999999999999999",
            "12345678901234567890123",
            "12345678901234567890123.000",
            "1.2345678901234567890123e22",
            "18446744073709551617",
            "-9223372036854775809",
            "9007199254740993.0",
        ] {
            assert!(is_changed(changed), "{changed}");
        }
        assert!(is_whole("-1e-400") && !is_whole("inf") && !is_whole("1,5"));
    }

    #[test]
    fn every_double_can_be_sent_as_programs_write_it() {
        for bits in (0..u64::MAX).step_by(0x0031_4159_2653_5897).chain([1, 0x7fef_ffff_ffff_ffff]) {
            let double = f64::from_bits(bits);
            if double.is_finite() {
                for text in [serde_json::json!(double).to_string(), format!("{double}"), format!("{double:e}")] {
                    assert!(!is_changed(&text), "{text}");
                }
            }
        }
    }

    #[test]
    fn numbers_are_found_outside_strings() {
        let text = r#"{"a1":[-1,2.5e+3],"b\"2\\":"3","c":"\\",
            "é":1e-400}"#;
        let found: Vec<&str> = numbers(text.as_bytes()).map(|number| &text[number]).collect();
        assert_eq!(found, ["-1", "2.5e+3", "1e-400"]);
        assert_eq!(first_changed(text.as_bytes()), text.find("1e-400"));
        assert_eq!(first_changed(b"[1,2]"), None);
    }

    #[test]
    fn numbers_that_would_be_changed_are_replaced() {
        let text = r#"{"a":1e-400,"b":1,"c":[18446744073709551617]}"#;
        assert_eq!(without_changed(text), r#"{"a":"\u0000","b":1,"c":["\u0000"]}"#);
        assert!(matches!(without_changed(r#"{"a":1,"b":"1e-400"}"#), Cow::Borrowed(_)));
    }
}
