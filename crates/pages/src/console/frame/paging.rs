//! Pages of lists whose entries have UUIDs or numbers: the position of the next page is a query parameter.

use steward_domain::kernel::{Cursor, PageRequest, TeamId, Time};

use crate::request::form::with_query;

use super::signed::Signed;

/// Rows of a list on one page.
const ROWS: u16 = 50;

impl Signed {
    /// Returns the page of a list that the query parameter `after` asks for. A malformed one gets the first page.
    pub(crate) fn page_request(&self) -> PageRequest {
        PageRequest { limit: Some(ROWS), after: parse(&self.query("after")), ..PageRequest::FIRST }
    }

    /// Returns the address of the next page. `filter`: the other parameters of the query, which stay.
    pub(crate) fn next_page(&self, next: Option<&Cursor>, filter: &[(&str, &str)]) -> Option<String> {
        let after = format(next?);
        Some(with_query(self.path(), filter.iter().copied().chain([("after", after.as_str())])))
    }
}

fn format(cursor: &Cursor) -> String {
    format!("{}_{}", cursor.at.timestamp_micros(), cursor.id)
}

fn parse(text: &str) -> Option<Cursor> {
    let (at, id) = text.split_once('_')?;
    let at = Time::from_timestamp_micros(at.parse().ok()?)?;
    // The kind of the ID does not matter: all are UUIDs, or numbers.
    let is_number = id.parse::<i64>().is_ok_and(|number| number.to_string() == id);
    (is_number || TeamId::parse(id).is_some()).then(|| Cursor { at, id: id.to_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_position_is_read_as_it_was_written() {
        for id in ["01940000-0000-7000-8000-00000000abcd", "4210"] {
            let at = Time::from_timestamp_micros(1_700_000_000_123_456).unwrap();
            let cursor = Cursor { at, id: id.to_owned() };
            assert_eq!(parse(&format(&cursor)), Some(cursor));
        }
        for invalid in ["", "1", "x_y", "1_", "1_x", "1_+2"] {
            assert_eq!(parse(invalid), None, "{invalid}");
        }
    }
}
