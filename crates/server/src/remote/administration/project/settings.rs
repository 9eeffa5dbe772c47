//! `steward project settings`.

use clap::{Args, Subcommand};
use serde_json::{Map, Value};
use steward_client::ProjectSettings;

use crate::remote::{Context, ProjectOption, Remote, json_input};
use crate::terminal::UsageError;

#[derive(Debug, Subcommand)]
pub enum SettingsCommand {
    /// Get the settings of a project as JSON
    #[command(after_help = "Examples:\n  steward project settings get --project rocket")]
    Get(Remote<ProjectOption>),
    /// Change settings and print all of them
    #[command(after_help = "Examples:\n  steward project settings set auth.require_pkce=false\n  \
        steward project settings set 'auth.redirect_uris=[\"https://rocket.example.com/callback\"]'")]
    Set(Remote<SetSettings>),
    /// Reset settings to their defaults and print all of them
    #[command(after_help = "Examples:\n  steward project settings reset auth.redirect_uris auth.require_pkce\n  \
        steward project settings reset auth")]
    Reset(Remote<ResetSettings>),
}

#[derive(Debug, Args)]
pub struct SetSettings {
    /// Names and values; a value is JSON, or else a string
    #[arg(required = true, value_name = "NAME=VALUE", value_parser = setting)]
    settings: Vec<(String, Value)>,
    #[command(flatten)]
    project: ProjectOption,
}

#[derive(Debug, Args)]
pub struct ResetSettings {
    /// Names, such as auth.redirect_uris
    #[arg(required = true, value_name = "NAME")]
    names: Vec<String>,
    #[command(flatten)]
    project: ProjectOption,
}

fn setting(text: &str) -> Result<(String, Value), String> {
    let (name, value) = text.split_once('=').ok_or("must be a name, =, and a value")?;
    // Any other text is a string, but JSON with a duplicate member is a mistake.
    let value = match (json_input::parse(value.as_bytes()), serde_json::from_str::<Value>(value)) {
        (Ok(value), _) => value,
        (Err(error), Ok(_)) => return Err(format!("the value is not valid JSON: {error}")),
        (Err(_), Err(_)) => Value::from(value),
    };
    Ok((name.to_owned(), value))
}

pub async fn run(command: SettingsCommand) -> anyhow::Result<()> {
    match command {
        SettingsCommand::Get(command) => get(&command.context()?, &command.arguments).await,
        SettingsCommand::Set(command) => set(&command.context()?, &command.arguments).await,
        SettingsCommand::Reset(command) => reset(&command.context()?, &command.arguments).await,
    }
}

async fn get(context: &Context, arguments: &ProjectOption) -> anyhow::Result<()> {
    let id = context.project_id(arguments.project.as_deref()).await?;
    print(context, &context.client.settings(&id).get().data().await?)
}

async fn set(context: &Context, arguments: &SetSettings) -> anyhow::Result<()> {
    let changes = nested(&arguments.settings)?;
    let id = context.project_id(arguments.project.project.as_deref()).await?;
    print(context, &context.client.settings(&id).update(changes).data().await?)
}

async fn reset(context: &Context, arguments: &ResetSettings) -> anyhow::Result<()> {
    let id = context.project_id(arguments.project.project.as_deref()).await?;
    print(context, &context.client.settings(&id).reset(&arguments.names).data().await?)
}

fn print(context: &Context, settings: &ProjectSettings) -> anyhow::Result<()> {
    context.output.value(serde_json::to_value(settings)?)
}

/// Returns settings with dotted names as nested objects.
fn nested(settings: &[(String, Value)]) -> Result<Map<String, Value>, UsageError> {
    let mut root = Map::new();
    for (name, value) in settings {
        let conflict = || UsageError(format!("The setting {name:?} conflicts with another one."));
        let (path, last) = name.rsplit_once('.').map_or((None, name.as_str()), |(path, last)| (Some(path), last));
        let mut members = &mut root;
        for part in path.into_iter().flat_map(|path| path.split('.')) {
            let inner = members.entry(part).or_insert_with(|| Value::Object(Map::new()));
            members = inner.as_object_mut().ok_or_else(conflict)?;
        }
        if members.insert(last.to_owned(), value.clone()).is_some() {
            return Err(conflict());
        }
    }
    Ok(root)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn parsed(texts: &[&str]) -> Result<Map<String, Value>, UsageError> {
        nested(&texts.iter().map(|text| setting(text).unwrap()).collect::<Vec<_>>())
    }

    #[test]
    fn dotted_names_become_objects() {
        let settings =
            parsed(&["auth.require_pkce=false", "auth.backchannel_logout_uri=https://a.example/?a=b", "x=[1]"]);
        let expected =
            json!({"auth": {"require_pkce": false, "backchannel_logout_uri": "https://a.example/?a=b"}, "x": [1]});
        assert_eq!(Value::Object(settings.unwrap()), expected);
        assert_eq!(Value::Object(parsed(&["auth=null"]).unwrap()), json!({"auth": null}));
        assert!(setting("auth={\"require_pkce\": true, \"require_pkce\": false}").is_err());
    }

    #[test]
    fn settings_must_not_conflict() {
        for conflicting in [&["auth=null", "auth.require_pkce=true"], &["a.b=1", "a.b=2"], &["a.b=1", "a=null"]] {
            assert!(parsed(conflicting).is_err(), "{conflicting:?}");
        }
        assert!(setting("auth").is_err());
    }
}
