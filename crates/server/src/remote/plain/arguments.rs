//! The arguments of a command: those of its path, its flags, and the options of all commands.

use clap::{Arg, Args as _, Command};
use serde_json::Value;
use steward_client::Method;

use crate::remote::parent::Parent;
use crate::remote::{ContextOptions, ListOptions, PageOptions, ProjectOption};

use super::table::{Outcome, Plain, parameters};

const PROJECT: &str = "ID or slug of the project [default: the project in steward.json]";

impl Plain {
    /// Returns the command, as its arguments are parsed.
    pub fn command(&self) -> Command {
        let command = Command::new(self.verb()).about(self.about).visible_aliases(self.alias);
        let command = self.with_options(self.with_path(match self.after_help() {
            text if text.is_empty() => command,
            text => command.after_help(text),
        }));
        ContextOptions::augment_args(match self.outcome {
            Outcome::List(_) if self.has_query() => ListOptions::augment_args(command),
            Outcome::Pages(_) => PageOptions::augment_args(command),
            _ => command,
        })
    }

    fn after_help(&self) -> String {
        let examples = self.examples.iter().map(|example| format!("\n  steward {} {example}", self.name));
        let examples: String = examples.map(|example| example.trim_end().to_owned()).collect();
        let head = if examples.is_empty() { "" } else { "Examples:" };
        format!("{head}{examples}{}", self.remark.map(|remark| format!("\n\n{remark}")).unwrap_or_default())
    }

    /// Adds the parameters of the path. The last one has no name, unless it is the team or project of another resource.
    fn with_path(&self, command: Command) -> Command {
        let [row, others @ ..] = self.rows.as_slice() else { return command };
        let mut names: Vec<&str> = parameters(row).collect();
        let place = names.first().copied().filter(|name| matches!(*name, "team_id" | "id"));
        names.drain(..usize::from(place.is_some()));
        let command = match names.as_slice() {
            [] => command,
            [above @ .., named] => {
                let options = above.iter().map(|name| {
                    let noun = name.trim_end_matches("_id");
                    argument(name).long(noun.to_owned()).value_name(noun.to_uppercase())
                });
                command.arg(argument(named)).args(options)
            }
        };
        let noun = self.name.rsplit_once(' ').map(|(noun, _)| noun);
        match place {
            None => command,
            Some(_) if !others.is_empty() => Parent::augment_args(command),
            Some("team_id") => {
                let team = Arg::new("team").help("ID or slug of the team").value_name("TEAM").required(true);
                command.arg(if noun == Some("team") { team } else { team.long("team") })
            }
            Some(_) if noun == Some("project") => {
                let is_required = row.method.as_str() == Method::DELETE.as_str();
                let help = if is_required { PROJECT.split(" [").next().unwrap_or(PROJECT) } else { PROJECT };
                command.arg(Arg::new("project").help(help).value_name("PROJECT").required(is_required))
            }
            Some(_) => ProjectOption::augment_args(command),
        }
    }

    /// Adds the flags. Those of one member exclude each other. One of a required member is required, and one of a change.
    fn with_options(&self, command: Command) -> Command {
        let required = self.required_members();
        let is_change = self.rows.iter().any(|row| row.method.as_str() == Method::PATCH.as_str());
        let (mut args, mut members): (Vec<Arg>, Vec<&str>) = (Vec::new(), Vec::new());
        for flag in &self.flags {
            let has_no_default = flag.arg.get_default_values().is_empty();
            let is_required = flag.arg.is_required_set() || (has_no_default && required.contains(&flag.member));
            let others = members.iter().zip(&args).filter(|(member, _)| **member == flag.member);
            let excluded: Vec<_> = others.map(|(_, arg)| arg.get_id().clone()).collect();
            let others = self.flags.iter().filter(|other| other.member == flag.member && other.arg != flag.arg);
            let arg = flag.arg.clone().conflicts_with_all(excluded.clone());
            args.push(match others.map(|other| other.arg.get_id().clone()).collect::<Vec<_>>() {
                others if !is_required || others.is_empty() => arg.required(is_required),
                others if excluded.is_empty() => arg.required_unless_present_any(others),
                _ => arg,
            });
            members.push(&flag.member);
        }
        if let Some((first, others)) = args.split_first_mut().filter(|_| is_change) {
            let others = others.iter().map(|arg| arg.get_id().clone());
            *first = first.clone().required_unless_present_any(others.collect::<Vec<_>>());
        }
        command.args(args)
    }

    /// Returns the members without which the body is not valid.
    pub fn required_members(&self) -> Vec<String> {
        let mut schemas = Vec::new();
        if let Some(body) = self.rows.first().and_then(|row| row.request.as_ref()) {
            (body.schema.components)(&mut schemas);
        }
        let schema = schemas.first().and_then(|(_, schema)| serde_json::to_value(schema).ok()).unwrap_or_default();
        let required = schema.get("required").and_then(Value::as_array);
        required.into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect()
    }
}

/// Returns the argument for a parameter of a path.
fn argument(name: &'static str) -> Arg {
    let noun = name.trim_end_matches("_id");
    let (value, help) = match name {
        "user_id" => ("USER".to_owned(), "ID, DID, username or email address of the user".to_owned()),
        "client_id" => (name.to_uppercase(), "Client ID".to_owned()),
        _ => (name.to_uppercase(), format!("ID of the {noun}")),
    };
    Arg::new(name).value_name(value).help(help).required(true)
}
