//! `steward item`.

use anyhow::anyhow;
use clap::Args;
use serde_json::{Map, Value, json};
use steward_client::{Error, ItemOperation};

use crate::remote::command::by_hand;
use crate::remote::{Context, ListColumns, PageOptions, ProjectOption, Remote, api, as_sent, json_input, people};
use crate::terminal::UsageError;

use super::item_table::{QueryOptions, TableOptions};
use super::{export, import};

const REJECTION_COLUMNS: &[&str] = &["at", "user", "device", "table", "key", "code", "message"];

by_hand! {
    ItemCommand {
        /// List the items of a table, newest first
        #[command(after_help = "Examples:\n  \
            steward item list --project notes --user ann --table notes --filter rank=gte.3 --order rank.desc --limit 10\n  \
            steward item list --own --table notes --filter 'title=ilike.*milk*' --select title,done\n  \
            steward item list --project notes --user ann --table notes --all --json > notes.json\n\n\
            Operators: eq, neq, gt, gte, lt, lte, in.(a,b), is.null, and for text like and ilike, with * as the wildcard. \
            The prefix not. negates an operator.")]
        List(Remote<ListItems>) => list,
        /// List the items of all users in a table, by user
        #[command(after_help = "Examples:\n  \
            steward item list-project --project notes --table notes --limit 20\n  \
            steward item list-project --project notes --table notes --filter conforms=false --json\n\n\
            Conditions and another order search among at most 100,000 items of the project.")]
        ListProject(Remote<ListProjectItems>) => list_project,
        /// Get an item
        Get(Remote<NamedItem>) => get,
        /// Create an item
        #[command(after_help = "Examples:\n  \
            steward item create --project notes --user ann --table notes -f title='Buy milk' -F done=false\n  \
            steward item create --own --table notes --id first --input note.json")]
        Create(Remote<CreateItem>) => create,
        /// Create or replace an item
        Put(Remote<ChangeItem>) => put,
        /// Change fields of an item; null removes a field
        #[command(after_help = "Examples:\n  \
            steward item patch first --project notes --user ann --table notes -F done=true -F rank=null")]
        Patch(Remote<ChangeItem>) => patch,
        /// Delete an item
        Delete(Remote<NamedItem>) => delete,
        /// Perform up to 100 operations: all of them, or none
        #[command(after_help = "Examples:\n  \
            echo '[{\"op\": \"put\", \"id\": \"a\", \"value\": {\"title\": \"A\"}}, {\"op\": \"delete\", \"id\": \"b\"}]' \
            |\n    \
            steward item batch - --project notes --user ann --table notes")]
        Batch(Remote<BatchItems>) => batch,
        /// Import items from a CSV or NDJSON file
        #[command(after_help = import::EXAMPLES)]
        Import(Remote<import::ImportItems>) => import::run,
        /// Export items to a CSV or NDJSON file
        #[command(after_help = export::EXAMPLES)]
        Export(Remote<export::ExportItems>) => export::run,
        /// List the changes of the users' devices that were rejected, newest first
        #[command(after_help = "Examples:\n  steward item rejections --project notes --limit 20")]
        Rejections(Remote<ListRejections>) => rejections,
    }
}

#[derive(Debug, Args)]
pub struct ListItems {
    #[command(flatten)]
    table: TableOptions,
    #[command(flatten)]
    query: QueryOptions,
    /// Comma-separated fields to return besides the ID
    #[arg(long, value_name = "FIELDS")]
    select: Option<String>,
    #[command(flatten)]
    list: PageOptions,
}

#[derive(Debug, Args)]
pub struct ListProjectItems {
    /// Name of the table
    #[arg(long)]
    table: String,
    #[command(flatten)]
    project: ProjectOption,
    #[command(flatten)]
    query: QueryOptions,
    /// Comma-separated fields to return besides the ID
    #[arg(long, value_name = "FIELDS")]
    select: Option<String>,
    #[command(flatten)]
    list: PageOptions,
}

#[derive(Debug, Args)]
pub struct NamedItem {
    /// ID of the item
    id: String,
    #[command(flatten)]
    table: TableOptions,
}

#[derive(Debug, Args)]
pub struct ValueOptions {
    /// String field of the item; can be repeated
    #[arg(short = 'f', long = "field", value_name = "NAME=VALUE", value_parser = api::pair)]
    strings: Vec<(String, String)>,
    /// Like --field, with a value in JSON, such as true, 5 or {"a": 1}
    #[arg(short = 'F', long = "json-field", value_name = "NAME=JSON", value_parser = json_pair)]
    values: Vec<(String, Value)>,
    /// File with the fields as a JSON object, or - for standard input
    #[arg(long, value_name = "FILE", conflicts_with_all = ["strings", "values"])]
    input: Option<String>,
}

#[derive(Debug, Args)]
pub struct CreateItem {
    #[command(flatten)]
    table: TableOptions,
    #[command(flatten)]
    value: ValueOptions,
    /// ID of the item, which must not exist [default: a new UUID]
    #[arg(long)]
    id: Option<String>,
}

#[derive(Debug, Args)]
pub struct ChangeItem {
    #[command(flatten)]
    named: NamedItem,
    #[command(flatten)]
    value: ValueOptions,
}

#[derive(Debug, Args)]
pub struct BatchItems {
    /// File with a JSON array of operations, or - for standard input
    file: String,
    #[command(flatten)]
    table: TableOptions,
}

#[derive(Debug, Args)]
pub struct ListRejections {
    #[command(flatten)]
    project: ProjectOption,
    #[command(flatten)]
    list: PageOptions,
}

fn json_pair(text: &str) -> Result<(String, Value), String> {
    let (name, value) = api::pair(text)?;
    let value = json_input::parse(value.as_bytes()).map_err(|error| format!("the value is not valid JSON: {error}"))?;
    Ok((name, value))
}

async fn list(context: &Context, arguments: ListItems) -> anyhow::Result<()> {
    let list = arguments.query.apply(arguments.table.open(context).await?.items.list());
    let list = list.optional_query("select", arguments.select.as_ref());
    arguments.list.print(context, list, ListColumns::Members, as_sent).await
}

async fn list_project(context: &Context, arguments: ListProjectItems) -> anyhow::Result<()> {
    let project = context.project_id(arguments.project.project.as_deref()).await?;
    let list = arguments.query.apply(context.client.tables(&project).items(&arguments.table));
    let list = list.optional_query("select", arguments.select.as_ref());
    let named = async |entries| {
        let named = people::name_users(context, &project, entries).await;
        named.into_iter().map(flattened).collect()
    };
    arguments.list.print(context, list, ListColumns::Members, named).await
}

/// Returns the name of a user, followed by the members of their item.
fn flattened(mut entry: Value) -> Value {
    let user = entry.get_mut("user").map(Value::take).unwrap_or_default();
    let item = entry.get_mut("item").and_then(Value::as_object_mut).map(std::mem::take).unwrap_or_default();
    std::iter::once(("user".to_owned(), user)).chain(item).collect::<Map<_, _>>().into()
}

async fn get(context: &Context, named: NamedItem) -> anyhow::Result<()> {
    let table = named.table.open(context).await?;
    context.output.entry(&table.items.get(&named.id).data().await?)
}

async fn create(context: &Context, arguments: CreateItem) -> anyhow::Result<()> {
    let value = arguments.value.read()?;
    let items = arguments.table.open(context).await?.items;
    let created = match &arguments.id {
        Some(id) => items.put(id, value).if_absent().data().await.map_err(|error| match error {
            Error::PreconditionFailed(_) => {
                anyhow!("An item with the ID {id} exists. To replace it, run `steward item put`.")
            }
            error => error.into(),
        })?,
        None => items.create(value).data().await?,
    };
    context.output.entry(&created)
}

async fn put(context: &Context, arguments: ChangeItem) -> anyhow::Result<()> {
    let value = arguments.value.read()?;
    let table = arguments.named.table.open(context).await?;
    context.output.entry(&table.items.put(&arguments.named.id, value).data().await?)
}

async fn patch(context: &Context, arguments: ChangeItem) -> anyhow::Result<()> {
    let changes = arguments.value.read()?;
    let table = arguments.named.table.open(context).await?;
    context.output.entry(&table.items.patch(&arguments.named.id, changes).data().await?)
}

async fn delete(context: &Context, named: NamedItem) -> anyhow::Result<()> {
    let table = named.table.open(context).await?;
    context.confirm(&format!("Delete the item {} of the table {}?", named.id, named.table.table))?;
    table.items.delete(&named.id).done().await?;
    context.output.done(&format!("The item {} is deleted.", named.id), &json!({"id": named.id, "deleted": true}))
}

async fn batch(context: &Context, arguments: BatchItems) -> anyhow::Result<()> {
    let operations: Vec<ItemOperation> = json_input::parse(&api::read(&arguments.file)?)
        .map_err(|error| UsageError(format!("{} is not a JSON array of operations: {error}", arguments.file)))?;
    let table = arguments.table.open(context).await?;
    let items =
        table.items.batch(&operations, None).data().await?.into_iter().map(|item| Value::Object(item.0)).collect();
    context.output.pages(ListColumns::Members).page(items, true)
}

async fn rejections(context: &Context, arguments: ListRejections) -> anyhow::Result<()> {
    let project = context.project_id(arguments.project.project.as_deref()).await?;
    let rejections = context.client.sync_rejections(&project);
    let named = async |entries| people::name_users(context, &project, entries).await;
    arguments.list.print(context, rejections, ListColumns::Named(REJECTION_COLUMNS), named).await
}

impl ValueOptions {
    fn read(&self) -> anyhow::Result<Map<String, Value>> {
        let Some(input) = &self.input else {
            let strings = self.strings.iter().map(|(name, value)| (name.clone(), json!(value)));
            return Ok(strings.chain(self.values.iter().cloned()).collect());
        };
        let invalid = |error: serde_json::Error| UsageError(format!("{input} is not a JSON object: {error}"));
        Ok(json_input::parse(&api::read(input)?).map_err(invalid)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_field_in_json_has_a_name_and_a_value() {
        assert_eq!(json_pair("a=[1]"), Ok(("a".to_owned(), json!([1]))));
        assert!(json_pair("a=b").is_err() && json_pair("5").is_err());
        assert!(json_pair("a={\"b\": 1, \"b\": 2}").is_err());
    }
}
