//! Projects.

use std::fmt::Display;

use steward_api::{
    Availability, CheckProjectSlug, CreateProject, CreatedProject, Data, DeleteProject, GetProject, GetProjectProfile,
    GetRequestStats, ListProjects, ListRequests, ListedProject, Message, NewProject, Project, ProjectChanges,
    ProjectDetails, ProjectUpdate, PublicProject, RequestList, RequestParameters, RequestStats, UpdateProject,
};

use crate::{Call, Client, List};

/// Operations of projects.
#[derive(Debug, Clone)]
pub struct Projects {
    pub(crate) client: Client,
}

impl Projects {
    /// Lists the projects of all of the caller's teams, newest first. An API key lists only its own project.
    pub fn list(&self) -> List<ListedProject> {
        self.client.list::<ListProjects>(&[])
    }

    /// Returns a project with its quotas.
    pub fn get(&self, project_id: impl Display) -> Call<(), Data<ProjectDetails>> {
        self.client.call::<GetProject>(&[&project_id])
    }

    /// Returns what everyone may read of a project.
    pub fn profile(&self, project_id: impl Display) -> Call<(), Data<PublicProject>> {
        self.client.call::<GetProjectProfile>(&[&project_id])
    }

    /// Returns the number of requests to a project on each of the last days, up to today. `days`: 1 to 365.
    pub fn request_stats(&self, project_id: impl Display, days: u16) -> Call<(), RequestStats> {
        self.client.call::<GetRequestStats>(&[&project_id]).query("days", days)
    }

    /// Returns the newest requests to a project, or those after a point, oldest first. To receive each request once, continue with
    /// [`RequestList::next`].
    pub fn requests(&self, project_id: impl Display, which: &RequestParameters) -> Call<(), RequestList> {
        let call = self.client.call::<ListRequests>(&[&project_id]);
        call.optional_query("after", which.after.as_ref())
            .optional_query("limit", which.limit)
            .optional_query("caller", which.caller.as_ref())
            .optional_query("method", which.method.as_ref())
            .optional_query("route", which.route.as_ref())
            .optional_query("status", which.status.as_ref())
    }

    /// Creates a project in a team.
    pub fn create(&self, project: &NewProject) -> Call<NewProject, Data<CreatedProject>> {
        self.client.call::<CreateProject>(&[]).body(project)
    }

    /// Updates a project.
    pub fn update(&self, project_id: impl Display, change: ProjectChanges) -> Call<ProjectUpdate, Data<Project>> {
        self.client.call::<UpdateProject>(&[&project_id]).body(&ProjectUpdate { change, data: None })
    }

    /// Deletes a project and all its data.
    pub fn delete(&self, project_id: impl Display) -> Call<(), Message> {
        self.client.call::<DeleteProject>(&[&project_id])
    }

    /// Returns whether a slug is neither taken nor reserved.
    pub fn check_slug(&self, slug: &str) -> Call<(), Availability> {
        self.client.call::<CheckProjectSlug>(&[]).query("slug", slug)
    }
}
