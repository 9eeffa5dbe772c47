//! Several writes of items in one body, told apart by their index.

use serde::Deserialize;
use serde_json::{Map, Value};
use steward_domain::error::Error;
use steward_domain::model::ItemId;
use steward_domain::usecases::{BatchOperation, BatchStep};
use utoipa::ToSchema;

use crate::body::typed;
use crate::error::ApiError;

#[derive(Deserialize, ToSchema)]
pub(crate) struct BatchBody {
    /// Each of another item. All are done, or none; the first that cannot be is named by its `index`.
    #[schema(value_type = Vec<OperationBody>, min_items = 1, max_items = 100)]
    operations: Vec<Value>,
}

/// One write.
#[derive(Deserialize, ToSchema)]
#[serde(tag = "op", rename_all = "lowercase")]
enum OperationBody {
    /// Store an item whole.
    Put {
        id: String,
        #[schema(value_type = Object)]
        value: Map<String, Value>,
    },
    /// Change fields of an item; null removes one.
    Patch {
        id: String,
        #[schema(value_type = Object)]
        value: Map<String, Value>,
    },
    /// Remove an item.
    Delete { id: String },
}

impl BatchBody {
    /// The operations, or the first that is none.
    pub(crate) fn parsed(self) -> Result<Vec<BatchOperation>, ApiError> {
        let operations = self.operations.into_iter().enumerate();
        operations.map(|(index, operation)| parsed(operation).map_err(|fault| fault.in_batch(index))).collect()
    }
}

fn parsed(operation: Value) -> Result<BatchOperation, ApiError> {
    let (id, step) = match typed(operation)? {
        OperationBody::Put { id, value } => (id, BatchStep::Put(value)),
        OperationBody::Patch { id, value } => (id, BatchStep::Patch(value)),
        OperationBody::Delete { id } => (id, BatchStep::Delete),
    };
    Ok(BatchOperation { id: ItemId::parse(&id).map_err(|fault| Error::invalid("id", fault))?, step })
}
