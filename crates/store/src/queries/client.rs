//! Columns of an OAuth client, shared by everything that refers to one.

use steward_domain::model::ClientId;

use crate::sql_types::Id;

pub(super) fn client(client_id: String, project_id: Option<Id>) -> ClientId {
    ClientId::stored(client_id, project_id.map(|id| id.0.into()))
}

pub(super) fn project_of(client: &ClientId) -> Option<Id> {
    client.project().map(|id| Id(id.uuid()))
}
