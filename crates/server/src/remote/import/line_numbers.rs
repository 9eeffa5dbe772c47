//! The numbers of the lines of a CSV file on which records start.

use std::collections::VecDeque;

/// Counts the lines of a file while it is read.
#[derive(Debug)]
pub struct LineNumbers {
    /// The first byte and the number of each line that is not blank, up to the lines on which later records start.
    lines: VecDeque<(u64, u64)>,
    /// Number of bytes that were read.
    bytes: u64,
    /// Number of the line of the next byte.
    line: u64,
    is_blank: bool,
    /// Whether the last byte was a carriage return, so that a line feed does not end another line.
    is_after_return: bool,
}

impl LineNumbers {
    pub fn new() -> Self {
        Self { lines: VecDeque::new(), bytes: 0, line: 1, is_blank: true, is_after_return: false }
    }

    /// Counts the lines of the next bytes of the file.
    pub fn count(&mut self, bytes: &[u8]) {
        for byte in bytes {
            match byte {
                b'\n' if self.is_after_return => {}
                b'\n' | b'\r' => {
                    self.line = self.line.saturating_add(1);
                    self.is_blank = true;
                }
                _ if self.is_blank => {
                    self.lines.push_back((self.bytes, self.line));
                    self.is_blank = false;
                }
                _ => {}
            }
            self.is_after_return = *byte == b'\r';
            self.bytes = self.bytes.saturating_add(1);
        }
    }

    /// Returns the number of the line of the record that starts at this byte for the reader: where the record before it
    /// ends, which is before the second byte of CRLF and before blank lines. Later calls must be about later records.
    pub fn at(&mut self, start: u64) -> u64 {
        while self.lines.front().is_some_and(|(first, _)| *first < start) {
            self.lines.pop_front();
        }
        self.lines.front().map_or(self.line, |(_, line)| *line)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_start_after_blank_lines_whatever_ends_the_lines() {
        for end in ["\n", "\r\n", "\r"] {
            let text = ["a", "b", "", "", "c"].join(end);
            let mut numbers = LineNumbers::new();
            // The file is read in parts.
            text.as_bytes().chunks(3).for_each(|part| numbers.count(part));
            let starts = [0, 1, u64::try_from(text.find('b').unwrap()).unwrap() + 1];
            assert_eq!(starts.map(|start| numbers.at(start)), [1, 2, 5], "{end:?}");
        }
    }
}
