//! `steward key`.

use anyhow::bail;
use clap::Args;
use serde_json::json;

use crate::remote::plain::{Outcome, noun};
use crate::remote::{Context, ProjectOption, Remote};
use crate::terminal::prompt;

const STORE_VALUE: &str = "Store the value now. It is not shown again.";

noun! {
    KeyCommand {
        /// Verify the value of an API key on standard input
        #[command(after_help = "Examples:\n  steward key verify --project rocket < key.txt\n\n\
            Exit code 1 if the value is not valid. The value is not an argument, because others can read the arguments of \
            programs.")]
        Verify(Remote<VerifyKey>) => verify,
    }

    /// List the API keys of a project, newest first
    "key list", example("--project rocket"),
        columns(&["id", "label", "roles", "is_private", "hint", "last_used", "expires_at"]) {}
    /// Get an API key without its value
    "key get", prints(Outcome::Member("key")) {}
    /// Create an API key and print its value, which is shown only once
    "key create", example("--project rocket --label Server --roles write"),
        example("--label Browser --roles project:read --public --expires-at 2027-01-31T12:00:00Z"),
        prints(Outcome::Member("key")), note("value", STORE_VALUE) {
        /// Display name
        text "label";
        /// Comma-separated roles (admin, write, read) or permissions such as db:read
        text "roles";
        /// Create a public key, which may appear in browsers; its roles may be project:read and schema:read
        /// only
        switch "public", sets("is_private", false);
        /// When the key expires, such as 2027-01-31T12:00:00Z [default: never]
        time "expires-at";
    }
    /// Change the label or the roles of an API key
    "key update", prints(Outcome::Member("key")) {
        /// New display name
        text "label";
        /// New comma-separated roles (admin, write, read) or permissions such as db:read
        text "roles";
    }
    /// Delete an API key, which stops working immediately
    "key delete", example("018f2a3c-91b7-7e02-8d54-6a0f3be27c19 --yes"),
        confirm("Delete the key {}? It stops working immediately."),
        done("deleted", "The key {} is deleted.") {}
    /// Replace the value of an API key and print the new one, which is shown only once
    "key rotate", example("018f2a3c-91b7-7e02-8d54-6a0f3be27c19 --grace-seconds 3600"),
        confirm("Rotate the key {}? The old value stops working immediately."), prints(Outcome::Member("key")),
        note("value", STORE_VALUE) {
        /// Number of seconds for which the old value continues to work: at most 86400
        seconds "grace-seconds", within(0..=86_400), or("0");
    }
    /// Revoke the values that an API key had before it was rotated, before their grace period ends
    "key revoke-previous", example("018f2a3c-91b7-7e02-8d54-6a0f3be27c19 --project rocket --yes"),
        confirm("Revoke the previous values of the key {}? They stop working immediately."),
        prints(Outcome::Member("key")) {}
    "key verify" {}
}

#[derive(Debug, Args)]
pub struct VerifyKey {
    #[command(flatten)]
    project: ProjectOption,
    /// ID of the key that the value must belong to [default: any key of the project]
    #[arg(long)]
    key_id: Option<String>,
}

async fn verify(context: &Context, arguments: VerifyKey) -> anyhow::Result<()> {
    let value = prompt::secret("the value of the key")?;
    let project = context.project_id(arguments.project.project.as_deref()).await?;
    let verification = context.client.keys(&project).verify(&value, arguments.key_id.as_deref()).json().await?;
    context.output.entry(&json!({"is_valid": verification.is_valid, "key": verification.key}))?;
    if !verification.is_valid {
        bail!("The value is not valid.");
    }
    Ok(())
}
