//! Items on the nodes of a Citus cluster (docs/decisions/0053-citus.md).

mod coordinator;
mod distribution;
mod item_proof;
mod item_shard;
mod item_values;
mod node_statements;
mod node_write;
mod nodes;

pub(super) use coordinator::Coordinator;
pub(super) use distribution::{ItemLayout, distribute};
pub(super) use item_proof::{prove, read};
pub(super) use item_values::{can_write, write_values};
pub(super) use node_write::write_on_node;
pub(super) use nodes::Nodes;
