//! Statistics of the requests to a project.

use actix_web::{HttpResponse, web};
use serde::Serialize;
use steward_domain::model::RequestStats;
use utoipa::ToSchema;

use crate::Api;
use crate::error::ApiError;
use crate::extract::{Authenticated, PathIds, Query};
use crate::response;
use crate::route::{ApiRoute, operations};

pub(crate) fn routes() -> Vec<ApiRoute> {
    operations! {
        RequestStats => stats;
    }
}

/// Statistics of the requests to a project. Days are in UTC.
#[derive(Serialize, ToSchema)]
pub(crate) struct RequestStatsBody {
    /// Number of requests on all requested days.
    #[schema(example = 18_250)]
    total: u64,
    /// Number of requests today.
    #[schema(example = 640)]
    today: u64,
    /// Requests of each requested day, oldest first.
    series: Vec<RequestDayBody>,
}

/// Requests of one day.
#[derive(Serialize, ToSchema)]
pub(crate) struct RequestDayBody {
    /// Day in UTC.
    #[schema(format = Date)]
    date: String,
    /// Number of requests on this day.
    #[schema(example = 640)]
    requests: u64,
}

impl From<RequestStats> for RequestStatsBody {
    fn from(stats: RequestStats) -> Self {
        let days = stats.series.into_iter();
        Self {
            total: stats.total,
            today: stats.today,
            series: days.map(|(day, requests)| RequestDayBody { date: day.to_string(), requests }).collect(),
        }
    }
}

/// Get request statistics
///
/// Returns the number of requests to a project on each day up to today. All requests of callers with access to the
/// project count, whatever their result. Requests of the last seconds may be missing.
#[utoipa::path(get, path = "/project/{id}/request/stats", tag = "projects",
    params(("days" = Option<u16>, Query, description = "Number of days in `series`: 1 to 365. Default: 30.")),
    responses((status = 200, body = RequestStatsBody)))]
pub(crate) async fn stats(
    api: web::Data<Api>,
    caller: Authenticated,
    path: PathIds,
    query: Query,
) -> Result<HttpResponse, ApiError> {
    let (project, period) = (path.project()?, query.period()?);
    let stats = api.steward.projects.request_stats(&caller.0, project, period).await?;
    Ok(response::ok(&RequestStatsBody::from(stats)))
}
