//! The TOML file of settings.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Context as _, bail};

use super::settings::keys;

/// Reads the settings of a TOML file, by the names of their environment variables.
pub fn read(path: &Path) -> anyhow::Result<BTreeMap<String, String>> {
    let text = std::fs::read_to_string(path)
        .with_context(|| format!("Cannot read the configuration file {}", path.display()))?;
    let table: toml::Table = toml::from_str(&text)
        .with_context(|| format!("The configuration file {} is not valid TOML", path.display()))?;
    table
        .into_iter()
        .map(|(name, value)| {
            let value = match value {
                toml::Value::String(text) => text,
                toml::Value::Integer(number) => number.to_string(),
                _ => bail!("`{name}` in the configuration file {} must be a string or a number.", path.display()),
            };
            Ok((environment_name(&name), value))
        })
        .collect()
}

fn environment_name(name: &str) -> String {
    let upper = name.to_uppercase();
    if keys().any(|key| key.name == upper) { upper } else { format!("STEWARD_{upper}") }
}
