//! Compares the tables of a database with those that its migrations create: a database of another program may also have a
//! migration `0001`, and one that was restored in part or changed by hand may lack what the code relies on.

use std::collections::{BTreeMap, BTreeSet};

use crate::error::OpenError;

/// Maximum number of differences in a message.
const MAX_LISTED: usize = 5;

/// A line of the file that lists what the migrations create: the version that creates it, the version that removes it, if
/// any, and what it is.
struct Created<'a> {
    since: &'a str,
    until: Option<&'a str>,
    what: &'a str,
}

impl<'a> Created<'a> {
    fn parse(line: &'a str) -> Option<Self> {
        let (versions, what) = line.split_once(' ')?;
        let (since, until) = versions.split_once('-').map_or((versions, None), |(since, until)| (since, Some(until)));
        Some(Self { since, until, what })
    }

    fn is_expected(&self, applied: &BTreeSet<String>) -> bool {
        applied.contains(self.since) && self.until.is_none_or(|until| !applied.contains(until))
    }
}

/// Returns an error unless the database has what the applied migrations create. It may have more, such as an index that an
/// operator created, except columns that every new row would need.
///
/// `schema` lists what the migrations create up to the version `newest`, `found` what the database has.
pub(crate) fn check(
    (schema, newest): (&str, &str),
    applied: &BTreeSet<String>,
    found: &BTreeSet<String>,
) -> Result<(), OpenError> {
    let created: Vec<Created<'_>> = schema.lines().filter_map(Created::parse).collect();
    if applied.is_empty() {
        let own: BTreeSet<&str> = created.iter().filter_map(|created| table_of(created.what)).collect();
        let foreign = found.iter().filter_map(|line| table_of(line)).find(|table| own.contains(table));
        return foreign.map_or(Ok(()), |table| Err(OpenError::ForeignTable(table.to_owned())));
    }
    let expected: Vec<&str> =
        created.iter().filter(|created| created.is_expected(applied)).map(|created| created.what).collect();
    let differences = if applied.iter().any(|version| version.as_str() > newest) {
        // A later version of the program may have changed types and indexes in ways that this one can work with.
        missing(
            expected.iter().filter_map(|what| name_of(what)),
            &found.iter().filter_map(|line| name_of(line)).collect(),
        )
    } else {
        let missing = missing(expected.iter().copied(), &found.iter().map(String::as_str).collect());
        [missing, required(&expected, found)].concat()
    };
    if differences.is_empty() { Ok(()) } else { Err(OpenError::Different(listed(&differences))) }
}

/// Returns the table and the column of a line that describes a column, without its type.
fn name_of(line: &str) -> Option<&str> {
    let (name, _) = line.strip_prefix("column ")?.split_once(' ')?;
    Some(name)
}

fn table_of(line: &str) -> Option<&str> {
    name_of(line)?.split_once('.').map(|(table, _)| table)
}

fn missing<'a>(expected: impl Iterator<Item = &'a str>, found: &BTreeSet<&str>) -> Vec<String> {
    expected.filter(|what| !found.contains(what)).map(|what| format!("missing: {what}")).collect()
}

/// Returns the columns of known tables that no migration creates and that have no default value.
fn required(expected: &[&str], found: &BTreeSet<String>) -> Vec<String> {
    let columns: BTreeMap<&str, &str> =
        expected.iter().filter_map(|what| Some((name_of(what)?, table_of(what)?))).collect();
    let tables: BTreeSet<&str> = columns.values().copied().collect();
    let is_required = |line: &&String| {
        line.ends_with(" not null")
            && table_of(line).is_some_and(|table| tables.contains(table))
            && name_of(line).is_some_and(|name| !columns.contains_key(name))
    };
    found.iter().filter(is_required).map(|line| format!("unexpected: {line}")).collect()
}

fn listed(differences: &[String]) -> String {
    let mut listed = differences.iter().take(MAX_LISTED).cloned().collect::<Vec<_>>().join("; ");
    let more = differences.len().saturating_sub(MAX_LISTED);
    if more > 0 {
        listed.push_str(&format!("; and {more} more"));
    }
    listed
}

/// Applies the migrations one after the other and compares the list of what each creates with the file. Writes the file
/// instead if `STEWARD_UPDATE_GOLDEN` is set.
#[cfg(test)]
pub(crate) fn compare_file(path: &str, steps: impl Iterator<Item = (String, BTreeSet<String>)>) {
    let mut since: BTreeMap<String, String> = BTreeMap::new();
    let mut lines: Vec<String> = Vec::new();
    for (version, found) in steps {
        let removed: Vec<String> = since.keys().filter(|what| !found.contains(*what)).cloned().collect();
        for what in removed {
            let from = since.remove(&what).unwrap();
            lines.push(format!("{from}-{version} {what}"));
        }
        for what in found {
            since.entry(what).or_insert_with(|| version.clone());
        }
    }
    lines.extend(since.into_iter().map(|(what, from)| format!("{from} {what}")));
    lines.sort();
    let text = lines.into_iter().map(|line| line + "\n").collect::<String>();
    if std::env::var_os("STEWARD_UPDATE_GOLDEN").is_some() {
        std::fs::write(path, text).unwrap();
    } else {
        assert!(std::fs::read_to_string(path).unwrap() == text, "{path} is outdated. Run `make generate`.");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SCHEMA: &str = "0001 column teams.id uuid not null\n0001-0002 column teams.name text\n0002 column teams.name \
        text not null\n0001 index teams_slug\n0002 column teams.size bigint not null default";

    fn check_with(applied: &[&str], found: &[&str]) -> Result<(), String> {
        let own = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect();
        check((SCHEMA, "0002"), &own(applied), &own(found)).map_err(|error| error.to_string())
    }

    #[test]
    fn a_database_must_have_what_its_migrations_create() {
        let first = ["column teams.id uuid not null", "column teams.name text", "index teams_slug"];
        assert_eq!(check_with(&["0001"], &first), Ok(()));
        assert_eq!(
            check_with(&["0001"], &[&first[..], &["index own", "column other.x text not null"]].concat()),
            Ok(())
        );
        let error = check_with(&["0001"], &first[..2]).unwrap_err();
        assert!(error.contains("missing: index teams_slug"), "{error}");
        let error = check_with(&["0001", "0002"], &first).unwrap_err();
        assert!(error.contains("missing: column teams.name text not null; missing: column teams.size"), "{error}");
        let error = check_with(&["0001"], &[&first[..], &["column teams.x text not null"]].concat()).unwrap_err();
        assert!(error.contains("unexpected: column teams.x"), "{error}");
        assert!(check_with(&["0001"], &["column users.id integer not null"]).is_err(), "of another program");
    }

    #[test]
    fn a_later_version_may_change_types_and_indexes() {
        let found = ["column teams.id uuid not null", "column teams.name varchar", "column teams.size bigint"];
        assert_eq!(check_with(&["0001", "0002", "0003"], &found), Ok(()));
        let error = check_with(&["0001", "0002", "0003"], &found[..2]).unwrap_err();
        assert!(error.contains("missing: teams.size"), "{error}");
    }

    #[test]
    fn an_empty_database_may_have_tables_of_other_programs_but_none_with_the_same_name() {
        assert_eq!(check_with(&[], &["column other.id integer"]), Ok(()));
        assert!(check_with(&[], &["column teams.id integer"]).unwrap_err().contains("`teams`"));
    }
}
