//! `steward whoami` and `steward auth`.

use serde_json::{Value, json};

use crate::remote::command::by_hand;
use crate::remote::{Context, NoArguments, Remote};
use crate::terminal;

by_hand! {
    AuthCommand {
        /// Print a valid access token, for other programs
        #[command(after_help = "Examples:\n  \
            curl -H \"Authorization: Bearer $(steward auth token)\" http://localhost:3003/team")]
        Token(Remote<NoArguments>) => token,
    }
}

/// Prints the signed-in account, or the credential in the environment.
pub async fn run(context: &Context, _: NoArguments) -> anyhow::Result<()> {
    let credential = context.client.account().credential().data().await?;
    let mut person = serde_json::to_value(&credential)?;
    let members = person.as_object_mut();
    // Personal access tokens, API keys and clients that act on their own behalf cannot read the user info.
    let user_info = match credential.kind.as_ref() {
        "account" | "user" => serde_json::to_value(context.client.account().user_info().json().await?)?,
        _ => Value::Null,
    };
    if let Some(members) = members {
        if let Value::Object(mut user_info) = user_info {
            // Its value is that of `username`.
            user_info.shift_remove("preferred_username");
            members.extend(user_info);
        }
        members.insert("server".into(), json!(context.client.server().as_str()));
        if let Some(profile) = &context.profile {
            members.insert("profile".into(), json!(profile));
        }
    }
    context.output.json_unless_terminal().entry(&person)
}

async fn token(context: &Context, _: NoArguments) -> anyhow::Result<()> {
    // Refreshes the token if it has expired.
    context.client.account().credential().done().await?;
    terminal::print(&context.token()?)
}
