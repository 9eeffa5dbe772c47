//! Warnings about unknown settings. They are not errors, so that a version starts with the settings of the next one.

use std::collections::BTreeMap;

use super::settings::keys;
use crate::remote;

/// Minimum similarity, from 0 to 1, at which a known setting is suggested for an unknown one.
const MIN_SIMILARITY: f64 = 0.8;

/// Returns a warning for each unknown setting: each environment variable that starts with `STEWARD_` and each name in
/// the file.
pub fn warnings(environment: &BTreeMap<String, String>, file: &BTreeMap<String, String>) -> Vec<String> {
    let is_known = |name: &str| keys().any(|key| key.name == name);
    let is_remote = |name: &str| remote::VARIABLES.iter().any(|(variable, _)| *variable == name);
    let of_environment =
        environment.keys().filter(|name| name.starts_with("STEWARD_") && !is_known(name) && !is_remote(name));
    let of_file = file.keys().filter(|name| !is_known(name) && !environment.contains_key(*name));
    of_environment.chain(of_file).map(|name| warning(name)).collect()
}

fn warning(name: &str) -> String {
    let nearest = keys().map(|key| key.name).max_by(|a, b| similarity(name, a).total_cmp(&similarity(name, b)));
    match nearest.filter(|nearest| similarity(name, nearest) >= MIN_SIMILARITY) {
        Some(nearest) => format!("The setting {name} is unknown and has no effect. Did you mean {nearest}?"),
        None => format!("The setting {name} is unknown and has no effect. Run `steward --help` to list all settings."),
    }
}

/// Returns the similarity of two names, without the prefix `STEWARD_`.
fn similarity(name: &str, other: &str) -> f64 {
    strsim::jaro_winkler(name.trim_start_matches("STEWARD_"), other.trim_start_matches("STEWARD_"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn map(names: &[&str]) -> BTreeMap<String, String> {
        names.iter().map(|name| ((*name).to_owned(), "x".to_owned())).collect()
    }

    #[test]
    fn an_unknown_setting_is_reported_with_the_most_similar_known_one() {
        let warnings = warnings(&map(&["STEWARD_BIND", "STEWARD_PUBLIC_URI", "PATH"]), &map(&["STEWARD_COLOUR"]));
        assert_eq!(warnings.len(), 2, "{warnings:?}");
        assert!(warnings[0].contains("STEWARD_PUBLIC_URI") && warnings[0].contains("mean STEWARD_PUBLIC_URL?"));
        assert!(warnings[1].contains("STEWARD_COLOUR") && warnings[1].contains("--help"), "{}", warnings[1]);
    }

    #[test]
    fn a_setting_in_both_the_environment_and_the_file_is_reported_once() {
        assert_eq!(warnings(&map(&["STEWARD_NEXT"]), &map(&["STEWARD_NEXT", "STEWARD_LOG"])).len(), 1);
    }
}
