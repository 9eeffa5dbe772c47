//! Schemas of projects, their users, and the items of these.

use std::fmt::Display;
use std::time::Duration;

use chrono::{DateTime, Utc};
use serde_json::{Map, Value, json};
use steward_api::{
    CompareSchema, GetJsonSchema, ItemBatch, ItemOperation, ItemValue, ListSyncRejections, PublishParameters, Rollback,
    SchemaDocument, Timestamp, UserChanges, UserConnection, VerifyUpdateSchema,
};

use super::group::groups;
use crate::{CallOf, Client, ListOf};

/// Maximum number of operations in one batch.
pub const MAX_BATCH_OPERATIONS: usize = 100;
/// Timeout of one attempt of a publication, which may read all items of a project.
const PUBLICATION_TIMEOUT: Duration = Duration::from_mins(2);
/// Timeout of an export, which is as large as the data of the user.
const EXPORT_TIMEOUT: Duration = Duration::from_mins(10);

groups! {
    Schemas: schemas(project_id) of "the schema of a project" {
        /// Lists all versions, newest first.
        list() => list GetSchema.query("version", "all");
        /// Returns the newest version, or the version with a number. The list is empty if it is not published.
        get(number: Option<u32>) => GetSchema.optional_query("version", number);
        /// Publishes a document as the next version. An absent `project_id` or `version` is filled in.
        publish(document: Map<String, Value>, options: PublishParameters) => PublishSchema
            .timeout(PUBLICATION_TIMEOUT)
            .parameters(&options)
            .body(&wrapped(document));
        /// Merges changes into the newest version (RFC 7396) and publishes the result.
        patch(changes: Map<String, Value>, options: PublishParameters) => PatchSchema
            .timeout(PUBLICATION_TIMEOUT)
            .parameters(&options)
            .body(&wrapped(changes));
        /// Publishes the document of an earlier version as the next version.
        roll_back(version: u32, options: PublishParameters) => RollbackSchema
            .timeout(PUBLICATION_TIMEOUT)
            .parameters(&options)
            .body(&Rollback { version });
    }

    Users: users(project_id) of "the users of a project" {
        /// Lists the users, newest first. `status` and `q` are filters.
        list() => list ListUsers;
        /// Returns a user.
        get(user_id) => GetUser;
        /// Updates what the project stores about a user, or blocks or unblocks the user.
        update(user_id; changes: &UserChanges) => UpdateUser.body(changes);
        /// Deletes a user with all data that the project stores about them.
        delete(user_id) => DeleteUser;
        /// Returns all data that the project stores about a user.
        export(user_id) => ExportUser.timeout(EXPORT_TIMEOUT);
        /// Lists the active sign-ins of a user to the project, newest first: at most 1,000.
        sessions(user_id) => ListUserSessions;
        /// Ends all sign-ins of a user to the project. The user can sign in again.
        sign_out(user_id) => SignOutUser;
        /// Returns the number of users, and how many were active on each of the last days: 1 to 365.
        stats(days: u16) => GetUserStats.query("days", days);
        /// Connects the person of an access token to the project. The token is for this project or for the service.
        connect(token: &str) => ConnectUser.body(&UserConnection { token: token.into() });
    }

    Tables: tables(project_id) of "the items of all users of a project" {
        /// Lists the tables, with the number and the size of their items.
        list() => ListProjectTables;
        /// Lists the items of all users in a table, by user and ID. Filters are [`query`](crate::List::query) parameters.
        items(table) => list ListProjectItems;
    }

    /// For the signed-in user, the token must be one of this user for the project.
    Items: items(project_id, user_id, table) of "a table's items of one user of a project"
    | own_items(project_id, table) of "a table's items of the signed-in user" {
        /// Lists the items, newest first. Filters are [`query`](crate::List::query) parameters such as `rank` and
        /// `gte.3`; others are `order` and `select`.
        list() => list ListItems | ListOwnItems;
        /// Returns an item.
        get(item_id) => GetItem | GetOwnItem;
        /// Creates an item. The service generates its ID.
        create(value: Map<String, Value>) => CreateItem | CreateOwnItem.body(&ItemValue { value });
        /// Creates or replaces an item.
        put(item_id; value: Map<String, Value>) => PutItem | PutOwnItem.body(&ItemValue { value });
        /// Updates fields of an item. Null removes a field.
        patch(item_id; changes: Map<String, Value>) => PatchItem | PatchOwnItem.body(&ItemValue { value: changes });
        /// Deletes an item. Returns it as it was before.
        delete(item_id) => DeleteItem | DeleteOwnItem;
        /// Performs 1 to [`MAX_BATCH_OPERATIONS`] operations, each on a different item: all of them, or none. Returns
        /// the items in the order of the operations. An error that one operation causes has the detail `index`.
        ///
        /// New items count as created before `created_before`, at most seven days ago, so that a list of the newest
        /// items has the order of the operations. A time in the future counts as now.
        batch(operations: &[ItemOperation], created_before: Option<DateTime<Utc>>) => BatchItems | BatchOwnItems
            .body(&ItemBatch {
                operations: operations.iter().map(|operation| json!(operation)).collect(),
                created_before: created_before.map(|time| Timestamp::from(time).to_string()),
            });
    }
}

impl Client {
    /// Lists the changes of the users' devices that were rejected, newest first.
    pub fn sync_rejections(&self, project_id: impl Display) -> ListOf<ListSyncRejections> {
        self.list::<ListSyncRejections>(&[&project_id])
    }
}

/// Operations whose paths do not name the project.
impl Schemas {
    /// Compares a document with the newest version of the project that it names.
    pub fn compare(&self, document: Map<String, Value>) -> CallOf<CompareSchema> {
        self.0.client.call::<CompareSchema>(&[]).body(&wrapped(document))
    }

    /// Checks whether a document can be published as the next version of the project that it names. Requires no
    /// credential.
    pub fn check_update(&self, document: Map<String, Value>) -> CallOf<VerifyUpdateSchema> {
        self.0.client.call::<VerifyUpdateSchema>(&[]).body(&wrapped(document))
    }

    /// Returns the rules of schema documents as a JSON Schema (draft-07).
    pub fn json_schema(&self) -> CallOf<GetJsonSchema> {
        self.0.client.call::<GetJsonSchema>(&[])
    }
}

fn wrapped(schema: Map<String, Value>) -> SchemaDocument {
    SchemaDocument { schema: Value::Object(schema) }
}
