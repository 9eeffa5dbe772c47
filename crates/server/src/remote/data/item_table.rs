//! Options that name a table of a user, and the items in it.

use anyhow::{Context as _, anyhow};
use clap::Args;
use serde::de::DeserializeOwned;
use serde_json::Value;
use steward_client::{Items, List};
use steward_domain::data::schema::Document;
use steward_domain::kernel::error::UnknownTable;

use crate::remote::{Context, ProjectOption, api, people};
use crate::terminal::UsageError;

#[derive(Debug, Args)]
pub struct TableOptions {
    /// Name of the table
    #[arg(long)]
    pub table: String,
    /// ID, DID, username or email address of the user
    #[arg(long, required_unless_present = "own", conflicts_with = "own")]
    user: Option<String>,
    /// Use the items of the user whose token for the project is in STEWARD_TOKEN
    #[arg(long)]
    own: bool,
    #[command(flatten)]
    project: ProjectOption,
}

#[derive(Debug, Args)]
pub struct QueryOptions {
    /// Condition that the items must meet, such as rank=gte.3; can be repeated
    #[arg(long = "filter", value_name = "FIELD=OPERATOR.VALUE", value_parser = api::pair)]
    filters: Vec<(String, String)>,
    /// Sort order, such as rank.desc,title.asc
    #[arg(long)]
    order: Option<String>,
}

/// The items of a user in one table.
pub struct Table {
    pub items: Items,
    project_id: String,
}

impl TableOptions {
    pub async fn open(&self, context: &Context) -> anyhow::Result<Table> {
        let project = self.project.project.as_deref();
        if let Some(user) = &self.user {
            let project_id = context.project_id(project).await?;
            let user_id = people::user_id(context, &project_id, user).await?;
            return Ok(Table { items: context.client.items(&project_id, &user_id, &self.table), project_id });
        }
        let project_id = match project {
            Some(project) => context.project_id(Some(project)).await?,
            None => {
                let id = context.client.account().credential().data().await?.project_id;
                id.context(UsageError(
                    "--own requires a token of a user for the project, in STEWARD_TOKEN.".to_owned(),
                ))?
                .to_string()
            }
        };
        Ok(Table { items: context.client.own_items(&project_id, &self.table), project_id })
    }
}

impl Table {
    /// Returns the schema of the project.
    pub async fn document(&self, context: &Context) -> anyhow::Result<Document> {
        let newest = context.client.schemas(&self.project_id).get(None).json().await?.data.into_iter().next();
        let newest = newest.context("The project has no schema. Publish one with `steward schema push`.")?;
        Document::parse(&Value::Object(newest.schema))
            .map_err(|_| anyhow!("The schema of the project is not valid for this version of steward. Update steward."))
    }
}

impl QueryOptions {
    pub fn apply<T: DeserializeOwned>(&self, list: List<T>) -> List<T> {
        let filters = self.filters.iter().map(|(name, value)| (name.clone(), value));
        let list = filters.fold(list, |list, (name, value)| list.query(name, value));
        list.optional_query("order", self.order.as_ref())
    }
}

pub fn no_such_table(name: &str, schema: &Document) -> String {
    UnknownTable::new(name, Some(schema)).to_string()
}
