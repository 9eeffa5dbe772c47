//! Statistics of the requests to a project.

use actix_web::{HttpResponse, web};
use steward_api as wire;
use steward_domain::model::RequestStats;

use crate::Api;
use crate::error::ApiError;
use crate::extract::{Authenticated, PathIds, Query};
use crate::response;
use crate::route::{ApiRoute, routes};

pub(crate) fn routes() -> Vec<ApiRoute> {
    routes! {
        GetRequestStats => stats;
    }
}

pub(crate) fn request_stats(stats: RequestStats) -> wire::RequestStats {
    let days = stats.series.into_iter();
    wire::RequestStats {
        total: stats.total,
        today: stats.today,
        series: days.map(|(day, requests)| wire::DailyRequests { date: day.to_string(), requests }).collect(),
    }
}

pub(crate) async fn stats(
    api: web::Data<Api>,
    caller: Authenticated,
    path: PathIds,
    query: Query,
) -> Result<HttpResponse, ApiError> {
    let (project, period) = (path.project()?, query.period()?);
    let stats = api.steward.projects.request_stats(&caller.0, project, period).await?;
    Ok(response::ok(&request_stats(stats)))
}
