//! Numbers as people read them.

/// Returns a number with commas between its thousands.
pub(crate) fn count(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && digits.len().saturating_sub(index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Returns a number of bytes in the largest unit that is not larger.
pub(crate) fn size(bytes: u64) -> String {
    const UNITS: [(u64, &str); 3] = [(1024 * 1024 * 1024, "GiB"), (1024 * 1024, "MiB"), (1024, "KiB")];
    match UNITS.into_iter().find(|(unit, _)| bytes >= *unit) {
        Some((unit, name)) => {
            let tenths = bytes.saturating_mul(10) / unit;
            format!("{}.{} {name}", tenths / 10, tenths % 10)
        }
        None => format!("{bytes} bytes"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_the_largest_fitting_unit() {
        let cases = [(0, "0 bytes"), (1_023, "1023 bytes"), (1_024, "1.0 KiB"), (10_737_418_240, "10.0 GiB")];
        for (bytes, expected) in cases {
            assert_eq!(size(bytes), expected);
        }
    }

    #[test]
    fn thousands_are_separated() {
        let cases = [(0, "0"), (999, "999"), (1_000, "1,000"), (10_000_000, "10,000,000")];
        for (number, expected) in cases {
            assert_eq!(count(number), expected);
        }
    }
}
