//! Texts in the cells of CSV files that spreadsheet programs would evaluate as formulas (OWASP, CSV injection).

/// How the texts of a CSV file are written and read.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum CellText {
    /// A text that a spreadsheet program would evaluate as a formula has an apostrophe before it, which such a program
    /// does not show. An import removes it again, so that every text is read as it was before the export.
    #[default]
    Safe,
    /// All texts are as they are, for programs.
    Raw,
}

impl CellText {
    /// Returns the cell of a text.
    pub fn cell(self, text: String) -> String {
        if self == Self::Safe && is_formula(&text) { format!("{APOSTROPHE}{text}") } else { text }
    }

    /// Returns the text of a cell, the reverse of [`cell`](Self::cell).
    pub fn text(self, cell: &str) -> &str {
        match cell.strip_prefix(APOSTROPHE) {
            Some(text) if self == Self::Safe && is_formula(text) => text,
            _ => cell,
        }
    }
}

const APOSTROPHE: char = '\'';
/// Some programs also treat the full-width forms of the characters as the start of a formula.
const STARTS: [char; 11] = ['=', '+', '-', '@', '\t', '\r', '\n', '\u{ff1d}', '\u{ff0b}', '\u{ff0d}', '\u{ff20}'];

/// Returns whether a text starts like a formula. Apostrophes before it do not matter: one more is added to a text that
/// has some, so that exactly one can be removed again. Spaces do not either, because some programs remove them.
fn is_formula(text: &str) -> bool {
    let text = text.trim_start_matches(APOSTROPHE).trim_start_matches(' ');
    text.starts_with(STARTS) && !is_number(text)
}

/// Returns whether a text is a decimal number, such as -0.5 or +1e3. It stays a number in a spreadsheet program.
fn is_number(text: &str) -> bool {
    let is_plain = text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'.' | b'e' | b'E' | b'+' | b'-'));
    is_plain && text.parse::<f64>().is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_that_would_be_a_formula_gets_an_apostrophe() {
        for text in
            ["=1+1", "+cmd", "-1+1", "@SUM(A1)", "\tx", "\rx", "\n=1", "\u{ff1d}1", " =1", "'=1", "''@x", "-inf", "-"]
        {
            assert_eq!(CellText::Safe.cell(text.to_owned()), format!("'{text}"));
            assert_eq!(CellText::Raw.cell(text.to_owned()), text);
        }
        for text in ["", "a=1", "-1.5", "+2", "1e3", "-2E-3", "'", "'x", "'-5", "don't", "{\"a\":1}", "x\n=1"] {
            assert_eq!(CellText::Safe.cell(text.to_owned()), text);
        }
    }

    #[test]
    fn every_text_of_a_cell_is_read_back() {
        let parts = ["'", "=", "-", "5", " ", "\t", "\n", "@", "a", "\u{ff0b}", "."];
        let mut texts = vec![String::new()];
        for _ in 0..4 {
            let longer = texts.iter().flat_map(|text| parts.map(|part| format!("{text}{part}")));
            texts = texts.iter().cloned().chain(longer).collect();
        }
        for text in texts {
            for form in [CellText::Safe, CellText::Raw] {
                let cell = form.cell(text.clone());
                assert_eq!(form.text(&cell), text, "{form:?}: {cell:?}");
            }
            let cell = CellText::Safe.cell(text);
            assert!(!cell.starts_with(STARTS) || is_number(&cell), "{cell:?}");
        }
    }
}
