//! Statistics of the requests to a project.

use steward_api as wire;
use steward_domain::administration::RequestStats;

use crate::route::serve;
use crate::serve::{Call, Outcome};

serve! {
    GetRequestStats => stats;
}

fn request_stats(stats: RequestStats) -> wire::RequestStats {
    let days = stats.series.into_iter();
    wire::RequestStats {
        total: stats.total,
        today: stats.today,
        series: days.map(|(day, requests)| wire::DailyRequests { date: day.to_string(), requests }).collect(),
    }
}

async fn stats(call: Call<wire::GetRequestStats>) -> Outcome<wire::GetRequestStats> {
    let period = call.query().period()?;
    call.reply(request_stats(call.api.steward.projects.request_stats(&call.caller, call.path, period).await?))
}
