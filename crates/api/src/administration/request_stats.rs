//! The number of requests of a project.

use crate::openapi::{IntoParams, ToSchema};
use serde::{Deserialize, Serialize};

use crate::operation::operations;

operations! {
    ROWS, "projects";

    /// Get request statistics
    ///
    /// Returns the number of requests to a project on each day up to today. All requests of callers with access to the
    /// project count, whatever their result. Requests of the last seconds may be missing.
    GetRequestStats Get "/project/{id}/request/stats", Reads Safe, at(Project), query(DaysParameter), 200(RequestStats),
        deviates("docs/contract.md#responses"), command("project requests");
}

/// Statistics of the requests to a project. Days are in UTC.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct RequestStats {
    /// Number of requests on all requested days.
    #[schema(example = 18_250)]
    pub total: u64,
    /// Number of requests today.
    #[schema(example = 640)]
    pub today: u64,
    /// Requests of each requested day, oldest first.
    pub series: Vec<DailyRequests>,
}

/// Requests of one day.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct DailyRequests {
    /// Day in UTC.
    #[schema(format = Date)]
    pub date: String,
    /// Number of requests on this day.
    #[schema(example = 640)]
    pub requests: u64,
}

/// The period of statistics.
#[derive(Debug, Clone, Default, Serialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct DaysParameter {
    /// Number of days in `series`: 1 to 365. Default: 30.
    pub days: Option<u16>,
}
