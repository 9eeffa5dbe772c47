//! Projects (docs/contract.md#projects).

mod body;

use steward_api as wire;
use steward_domain::administration::{Project, ProjectUsage};
use steward_domain::kernel::TeamId;

use self::body::{listed_project, parse_new_project, parse_project_changes, project_details, public_project};
pub(crate) use self::body::{project_presentation, project_summary};
use crate::Api;
use crate::route::serve;
use crate::serve::{Call, Open, Outcome, Tag};

serve! {
    ListProjects => list;
    CreateProject => create;
    CheckProjectSlug => slug;
    GetProject => get;
    UpdateProject => update;
    DeleteProject => delete;
    GetProjectProfile => profile;
}

fn tag(project: Project, usage: Option<ProjectUsage>, api: &Api) -> Tag<wire::ProjectDetails> {
    Tag::of(project.revision, &project_details(project, usage, &api.steward))
}

async fn list(call: Call<wire::ListProjects>) -> Outcome<wire::ListProjects> {
    let address = call.api.steward.address.clone();
    let listed = move |project| listed_project(project, &address);
    call.list(listed, async move |steward, caller, page| steward.projects.list(&caller, &page).await).await
}

async fn create(call: Call<wire::CreateProject>) -> Outcome<wire::CreateProject> {
    let project = call.api.steward.projects.create(&call.caller, call.body()?.read(parse_new_project)?).await?;
    let created = wire::CreatedProject { summary: project_summary(&project), created_at: project.created_at.into() };
    call.about(tag(project, Some(ProjectUsage::default()), &call.api), created)
}

async fn slug(call: Call<wire::CheckProjectSlug, Open>) -> Outcome<wire::CheckProjectSlug> {
    let available = call.api.steward.projects.is_slug_available(&call.query().slug()?).await?;
    call.reply(wire::Availability { available })
}

async fn get(call: Call<wire::GetProject>) -> Outcome<wire::GetProject> {
    let (project, usage) = call.api.steward.projects.get(&call.caller, call.path).await?;
    call.shows(project.revision, project_details(project, usage, &call.api.steward))
}

async fn profile(call: Call<wire::GetProjectProfile, Open>) -> Outcome<wire::GetProjectProfile> {
    let project = call.api.steward.projects.profile(call.path).await?;
    call.shows(project.revision, public_project(project, &call.api.steward.address))
}

async fn update(call: Call<wire::UpdateProject>) -> Outcome<wire::UpdateProject> {
    let body = call.body()?.unwrapped().with_id("id", call.path.uuid());
    let team_id = body.member("team_id").map(|team| team.as_str().and_then(TeamId::parse));
    let command = body.typed().read_changes(|changes, errors| parse_project_changes(changes, team_id, errors))?;
    let (project, usage) = call.api.steward.projects.update(&call.caller, call.path, command, call.when()).await?;
    let updated = wire::Project {
        summary: project_summary(&project),
        presentation: project_presentation(&project, &call.api.steward.address),
        updated_at: project.updated_at.into(),
    };
    call.about(tag(project, Some(usage), &call.api), updated)
}

async fn delete(call: Call<wire::DeleteProject>) -> Outcome<wire::DeleteProject> {
    call.api.steward.projects.delete(&call.caller, call.path, call.when()).await?;
    call.reply(wire::Message { message: "The project and its data are deleted.".into() })
}
