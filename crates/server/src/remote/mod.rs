//! Commands that use the API of a service. They run on a person's own machine.

mod administration;
mod api;
mod command;
mod context;
mod data;
mod exit;
mod identity;
mod init;
mod json_input;
mod listen;
mod output;
mod parent;
mod people;
mod plain;
mod profile;
mod project_file;
mod reachable;
mod sign_in;

use administration::{invite, key, logs, member, project, team, webhook};
use command::by_hand;
use data::{item, schema};
use identity::{app, client, provider, session, whoami};

pub use administration::audit;
pub use command::RunCommand;
pub use context::{Context, ContextOptions, ListOptions, NoArguments, PageOptions, ProjectOption, Remote, as_sent};
pub use data::user;
pub use exit::{SchemaRefused, SignInRequired, exit_code, is_output_closed, print_details};
pub use identity::token;
pub use output::ListColumns;
pub use plain::Commands;
pub use profile::{DEFAULT_SERVER, ProfileOptions, VARIABLES};

by_hand! {
    Command {
        /// Sign in to a service with the browser
        #[command(after_help = "Examples:\n  steward login --server https://steward.example.com\n  \
            steward login --server https://staging.example.com --profile staging")]
        Login(sign_in::LogIn),
        /// Sign out and delete the stored tokens
        Logout(sign_in::LogOut),
        /// Print the signed-in account or the current credential; as JSON if the output is not a terminal
        Whoami(Remote<NoArguments>) => whoami::run,
        /// Write the files of an app: the schema of a project, its types, and an example for a framework
        #[command(after_help = init::EXAMPLES)]
        Init(Remote<init::Init>),
        /// Print credentials
        #[command(subcommand)]
        Auth(whoami::AuthCommand),
        /// Manage teams
        #[command(subcommand)]
        Team(Commands<team::TeamCommand>),
        /// Manage the members of a team
        #[command(subcommand)]
        Member(Commands<member::MemberCommand>),
        /// Manage invites to teams
        #[command(subcommand)]
        Invite(Commands<invite::InviteCommand>),
        /// Manage projects, their settings and images
        #[command(subcommand)]
        Project(Commands<project::ProjectCommand>),
        /// Manage the API keys of a project
        #[command(subcommand)]
        Key(Commands<key::KeyCommand>),
        /// Manage the schema of a project as a file: diff, push, types and more
        #[command(subcommand)]
        Schema(schema::SchemaCommand),
        /// Manage the items of a user, and import and export them
        #[command(subcommand)]
        Item(Box<item::ItemCommand>),
        /// Manage the webhooks of a team or project
        #[command(subcommand)]
        Webhook(Commands<webhook::WebhookCommand>),
        /// Send the events of a project to a program on this machine, as a webhook does
        #[command(after_help = listen::EXAMPLES)]
        Listen(Remote<listen::Listen>) => listen::run,
        /// Show the newest requests of a project, and follow new ones
        #[command(after_help = logs::EXAMPLES)]
        Logs(Remote<logs::Logs>) => logs::run,
        /// Manage the identity providers of a project
        #[command(subcommand)]
        Provider(Commands<provider::ProviderCommand>),
        /// Manage the OAuth clients of a project
        #[command(subcommand)]
        Client(Commands<client::ClientCommand>),
        /// Get the current sign-in
        #[command(subcommand)]
        Session(Commands<session::SessionCommand>),
        /// Get, leave or export the project that a token of its user is for
        #[command(subcommand)]
        App(app::AppCommand),
        /// Send a request to any operation of the API
        #[command(after_help = api::EXAMPLES)]
        Api(Remote<api::Api>) => api::run,
    }
}

/// Returns the part of `--help` about all of these commands.
pub fn help() -> String {
    let variables = VARIABLES.iter().map(|(name, description)| format!("  {name:<30} {description}\n"));
    let head =
        "Commands that use the API of a service accept their options before and after the command, and read these \
        environment variables:\n"
            .to_owned();
    std::iter::once(head).chain(variables).chain([format!("\n{}", exit::HELP)]).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use clap::Subcommand as _;
    use clap::error::ErrorKind;
    use serde_json::{Value, json};
    use steward_client::Row;

    use super::plain::{Noun as _, Plain};
    use super::*;

    /// Commands that no row names, and why.
    const WITHOUT_ROW: &[(&str, &str)] = &[
        ("api", "Sends a request to any operation."),
        ("audit export", "Reads all pages of `audit list`."),
        ("auth token", "Prints the token that requests have."),
        ("item export", "Reads all pages of `item list` and the schema."),
        ("item import", "Performs `item batch` for each part of a file."),
        ("invite get", "Selects an entry of `invite list`."),
        ("init", "Writes the files of an app, after `project create` or `project get`."),
        ("listen", "Reads `audit events` and sends them as webhooks do."),
        ("login", "Authorizes itself in the browser and exchanges the code."),
        ("member get", "Selects an entry of `member list`."),
        ("schema diff", "A dry run of `schema push`."),
        ("schema history", "Lists the versions of `schema get`."),
        ("schema init", "Writes files for `schema get`."),
        ("schema pull", "Writes the document of `schema get` to a file."),
        ("schema types", "Generates code from the document of `schema get`, or without the service."),
        ("user block", "A case of `user update`."),
        ("user unblock", "A case of `user update`."),
    ];

    /// Adds the commands below a command that have none below them.
    fn add_leaves(above: &str, command: &clap::Command, leaves: &mut BTreeSet<String>) {
        for below in command.get_subcommands() {
            let name = format!("{above} {}", below.get_name()).trim_start().to_owned();
            if below.has_subcommands() {
                add_leaves(&name, below, leaves);
            } else {
                leaves.insert(name);
            }
        }
    }

    #[test]
    fn every_command_is_that_of_an_operation_or_has_a_reason_not_to_be() {
        let mut leaves = BTreeSet::new();
        add_leaves("", &Command::augment_subcommands(clap::Command::new("steward")), &mut leaves);
        for (name, commands) in [
            ("audit", audit::AuditCommand::augment_subcommands(clap::Command::new("audit"))),
            ("token", Commands::<token::TokenCommand>::augment_subcommands(clap::Command::new("token"))),
            ("user", Commands::<user::UserCommand>::augment_subcommands(clap::Command::new("user"))),
        ] {
            add_leaves(name, &commands, &mut leaves);
        }
        let of_rows: BTreeSet<&str> = steward_client::rows().filter_map(|row| row.command).collect();
        let others: BTreeSet<&str> = WITHOUT_ROW.iter().map(|(name, _)| *name).collect();
        assert_eq!(
            of_rows.union(&others).copied().collect::<BTreeSet<_>>(),
            leaves.iter().map(String::as_str).collect()
        );
        assert!(of_rows.is_disjoint(&others), "{:?}", of_rows.intersection(&others));
    }

    /// The commands that follow from the contract.
    fn plain_commands() -> impl Iterator<Item = Plain> {
        let nouns = [
            team::TeamCommand::commands(),
            member::MemberCommand::commands(),
            invite::InviteCommand::commands(),
            project::ProjectCommand::commands(),
            project::settings::SettingsCommand::commands(),
            key::KeyCommand::commands(),
            webhook::WebhookCommand::commands(),
            provider::ProviderCommand::commands(),
            client::ClientCommand::commands(),
            identity::client_logo::LogoCommand::commands(),
            session::SessionCommand::commands(),
            token::TokenCommand::commands(),
            user::UserCommand::commands(),
        ];
        nouns.into_iter().flatten().filter(|command| !command.rows.is_empty())
    }

    /// The members of a body and their schemas, also of the parts of which it consists.
    fn members(row: &Row) -> BTreeMap<String, Value> {
        let mut schemas = Vec::new();
        if let Some(body) = &row.request {
            (body.schema.components)(&mut schemas);
        }
        let schemas: Vec<Value> = schemas.into_iter().map(|(_, schema)| json!(schema)).collect();
        let parts = schemas.iter().take(1).flat_map(|schema| schema["allOf"].as_array().into_iter().flatten());
        let all = schemas.iter().take(1).chain(parts.flat_map(|part| [part].into_iter().chain(&schemas)));
        let properties = all.filter_map(|schema| schema["properties"].as_object());
        properties.flatten().map(|(name, schema)| (name.clone(), schema.clone())).collect()
    }

    #[test]
    fn each_flag_of_a_plain_command_sets_a_member_of_the_contract() {
        assert!(plain_commands().count() >= 50);
        for command in plain_commands() {
            for row in &command.rows {
                let members = members(row);
                let query = row.query.iter().flat_map(|parameters| parameters());
                let parameters: BTreeSet<String> = query.map(|parameter| parameter.name).collect();
                for flag in command.flags.iter().filter(|flag| !flag.member.is_empty()) {
                    let is_list = matches!(flag.arg.get_action(), clap::ArgAction::Append);
                    match members.get(&flag.member) {
                        Some(schema) => assert_eq!(schema["type"].to_string().contains("array"), is_list, "{flag:?}"),
                        None => assert!(row.request.is_none() && parameters.contains(&flag.member), "{flag:?}"),
                    }
                }
                let set: BTreeSet<&String> = command.flags.iter().map(|flag| &flag.member).collect();
                let required = command.required_members();
                assert!(required.iter().all(|member| set.contains(member)), "{}: {required:?}", command.name);
            }
        }
    }

    #[test]
    fn the_arguments_of_a_plain_command_follow_from_its_row() {
        let parse = |line: &str| {
            let command = Commands::<project::ProjectCommand>::augment_subcommands(clap::Command::new("project"));
            command.try_get_matches_from(line.split(' ')).map(drop).map_err(|error| error.kind())
        };
        assert_eq!(parse("project get"), Ok(()));
        assert_eq!(parse("project delete"), Err(ErrorKind::MissingRequiredArgument));
        assert_eq!(parse("project create --team acme --name Rocket"), Ok(()));
        assert_eq!(parse("project create --team acme"), Err(ErrorKind::MissingRequiredArgument));
        assert_eq!(parse("project update rocket"), Err(ErrorKind::MissingRequiredArgument));
        assert_eq!(parse("project update rocket --remove-website"), Ok(()));
        assert_eq!(parse("project update --website x --remove-website"), Err(ErrorKind::ArgumentConflict));
        assert_eq!(parse("project check-slug"), Err(ErrorKind::MissingRequiredArgument));
    }

    #[test]
    fn the_help_has_the_order_of_the_table() {
        let mut keys = Commands::<key::KeyCommand>::augment_subcommands(clap::Command::new("key"));
        let help = keys.render_help().to_string();
        let places = ["list", "get", "create", "update", "delete", "rotate", "verify"];
        assert!(places.map(|name| help.find(&format!("\n  {name} ")).unwrap()).is_sorted(), "{help}");
    }
}
