//! Pages of lists (docs/contract.md#lists).

use crate::openapi::IntoParams;
use serde::Serialize;

/// Pagination parameters.
#[derive(Debug, Clone, Default, Serialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct PageParameters {
    /// Maximum number of entries of the page. A page also ends after 4 MiB. Without `limit` the list is complete, unless
    /// the description of the operation states a default.
    #[param(example = 100)]
    pub limit: Option<u16>,
    /// `next_cursor` of the previous page.
    #[param(example = "MS4xNzY5ODYwODAwMDAwMDAwLjAxOGYyYTNjLTdkMWUtN2NjNC05YjNhLTJmNmQxYzBlOGE1NQ")]
    pub cursor: Option<String>,
}
