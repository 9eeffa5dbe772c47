//! Settings that others replaced. They are refused: one that is ignored would look as if it had an effect.

/// The settings, and what to set instead.
const REPLACED: [(&str, &str); 1] = [(
    "STEWARD_ALLOW_PLAINTEXT",
    "STEWARD_DATABASE_ALLOW_PLAINTEXT for PostgreSQL, or STEWARD_MAIL_ALLOW_PLAINTEXT for the mail server",
)];

/// Returns an error for each setting that others replaced.
pub(super) fn refused(is_set: impl Fn(&str) -> bool) -> Vec<String> {
    let found = REPLACED.iter().filter(|(name, _)| is_set(name));
    found.map(|(name, instead)| format!("{name} no longer exists. Remove it, and set {instead}.")).collect()
}

#[cfg(test)]
mod tests {
    use super::super::Config;
    use super::super::settings::keys;
    use super::*;

    #[test]
    fn a_replaced_setting_prevents_the_start_and_names_those_that_exist() {
        for (name, instead) in REPLACED {
            for value in ["true", "false"] {
                let error = Config::from_lookup(|other| (other == name).then(|| value.to_owned())).unwrap_err();
                assert!(error.to_string().contains(&format!("{name} no longer exists")), "{error}");
                assert!(error.to_string().contains(instead), "{error}");
            }
            assert!(keys().all(|key| key.name != name), "{name} is a setting.");
            assert!(keys().any(|key| instead.contains(key.name)), "{instead} names no setting.");
        }
    }
}
