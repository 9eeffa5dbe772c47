//! Settings that this version does not know: named in a warning, so that the version before starts with the settings of
//! the one after it.

use std::collections::BTreeMap;

use crate::config::KEYS;

/// How alike, from 0 to 1, a name must be to a known one to be taken for it, misspelt.
const MIN_SIMILARITY: f64 = 0.8;

/// A warning for each setting that is not known: of the environment those that begin like ours, of the file all.
pub fn warnings(environment: &BTreeMap<String, String>, file: &BTreeMap<String, String>) -> Vec<String> {
    let is_known = |name: &str| KEYS.iter().any(|key| key.name == name);
    let of_environment = environment.keys().filter(|name| name.starts_with("STEWARD_") && !is_known(name));
    let of_file = file.keys().filter(|name| !is_known(name) && !environment.contains_key(*name));
    of_environment.chain(of_file).map(|name| warning(name)).collect()
}

fn warning(name: &str) -> String {
    let nearest = KEYS.iter().map(|key| key.name).max_by(|a, b| likeness(name, a).total_cmp(&likeness(name, b)));
    match nearest.filter(|nearest| likeness(name, nearest) >= MIN_SIMILARITY) {
        Some(nearest) => format!("The setting {name} is not known and has no effect. Did you mean {nearest}?"),
        None => format!("The setting {name} is not known and has no effect. See `steward --help` for all settings."),
    }
}

/// How alike two names are after the prefix that most settings have.
fn likeness(name: &str, other: &str) -> f64 {
    strsim::jaro_winkler(name.trim_start_matches("STEWARD_"), other.trim_start_matches("STEWARD_"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn map(names: &[&str]) -> BTreeMap<String, String> {
        names.iter().map(|name| ((*name).to_owned(), "x".to_owned())).collect()
    }

    #[test]
    fn an_unknown_setting_is_named_with_the_nearest_known_one() {
        let warnings = warnings(&map(&["STEWARD_BIND", "STEWARD_PUBLIC_URI", "PATH"]), &map(&["STEWARD_COLOUR"]));
        assert_eq!(warnings.len(), 2, "{warnings:?}");
        assert!(warnings[0].contains("STEWARD_PUBLIC_URI") && warnings[0].contains("mean STEWARD_PUBLIC_URL?"));
        assert!(warnings[1].contains("STEWARD_COLOUR") && warnings[1].contains("--help"), "{}", warnings[1]);
    }

    #[test]
    fn a_setting_is_warned_about_once_wherever_it_stands() {
        assert_eq!(warnings(&map(&["STEWARD_NEXT"]), &map(&["STEWARD_NEXT", "STEWARD_LOG"])).len(), 1);
    }
}
