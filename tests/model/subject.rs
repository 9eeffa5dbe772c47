//! The team and project that an operation refers to.

use crate::operation::{Invites, Items, Keys, Members, Nth, Operation, Projects, Schemas, Teams, Users};
use crate::world::World;

impl World {
    /// Returns the team of an operation, directly or through its project.
    pub fn team_of(&self, operation: &Operation) -> Option<usize> {
        let team = |team: Nth| team.of(self.teams.len());
        match operation {
            Operation::Teams(
                Teams::Rename { team: id, .. } | Teams::Delete { team: id } | Teams::Read { team: id },
            )
            | Operation::Members(
                Members::List { team: id } | Members::Change { team: id, .. } | Members::Remove { team: id, .. },
            )
            | Operation::Invites(Invites::List { team: id } | Invites::Create { team: id, .. })
            | Operation::Projects(Projects::Create { team: id, .. }) => team(*id),
            Operation::Invites(Invites::Revoke { invite, .. }) => Some(self.invites[self.invite(*invite)?].team),
            other => Some(self.projects[self.project_of(other)?].team),
        }
    }

    /// Returns the project of an operation.
    fn project_of(&self, operation: &Operation) -> Option<usize> {
        match operation {
            Operation::Projects(Projects::Rename { project, .. } | Projects::Read { project })
            | Operation::Keys(Keys::Create { project, .. } | Keys::List { project } | Keys::Verify { project, .. })
            | Operation::Schemas(
                Schemas::Publish { project, .. }
                | Schemas::Read { project, .. }
                | Schemas::Compare { project, .. }
                | Schemas::Verify { project, .. },
            )
            | Operation::Users(Users::Connect { project, .. } | Users::List { project }) => self.project(*project),
            Operation::Keys(
                Keys::Change { key, elsewhere, .. }
                | Keys::Regenerate { key, elsewhere }
                | Keys::Delete { key, elsewhere }
                | Keys::Read { key, elsewhere },
            ) => self.project_of_key(*key, *elsewhere),
            Operation::Users(
                Users::Read { user, elsewhere }
                | Users::Change { user, elsewhere, .. }
                | Users::Delete { user, elsewhere },
            ) => self.project_of_user(*user, *elsewhere),
            Operation::Items(
                Items::Put { place, .. }
                | Items::Post { place, .. }
                | Items::Patch { place, .. }
                | Items::Delete { place, .. }
                | Items::Read { place, .. }
                | Items::List { place },
            ) => self.project_of_user(place.user, place.elsewhere),
            Operation::Teams(_) | Operation::Members(_) | Operation::Invites(_) | Operation::Projects(_) => None,
        }
    }
}
