//! Read operations that check the state between the steps of a case, sent by callers with access.

use crate::operation::{
    Actor, Invites, ItemName, Items, Keys, Members, Nth, Operation, Person, Place, Projects, Schemas, Step, Teams,
    Users, When,
};
use crate::world::World;

impl World {
    /// Returns an operation that reads the resource that the next operation changes, or `None` if it changes nothing.
    pub fn look_after(&self, operation: &Operation) -> Option<Operation> {
        let project = |project: Option<usize>| Some(Nth(project?));
        Some(match operation.clone() {
            Operation::Teams(Teams::Create { .. }) => Teams::Read { team: Nth(self.teams.len()) }.into(),
            Operation::Teams(Teams::Rename { team, .. } | Teams::Delete { team })
            | Operation::Members(Members::Change { team, .. } | Members::Remove { team, .. })
            | Operation::Invites(Invites::Create { team, .. })
            | Operation::Projects(Projects::Create { team, .. }) => Teams::Read { team }.into(),
            Operation::Invites(Invites::Accept { invite } | Invites::Revoke { invite, .. }) => {
                Teams::Read { team: Nth(self.invites[self.invite(invite)?].team) }.into()
            }
            Operation::Projects(Projects::Rename { project, .. }) => Projects::Read { project }.into(),
            Operation::Keys(Keys::Create { project, .. }) => Keys::List { project }.into(),
            Operation::Keys(
                Keys::Change { key, elsewhere, .. }
                | Keys::Regenerate { key, elsewhere }
                | Keys::Delete { key, elsewhere },
            ) => Keys::List { project: project(self.project_of_key(key, elsewhere))? }.into(),
            Operation::Schemas(Schemas::Publish { project, .. }) => Schemas::Read { project, all: true }.into(),
            Operation::Users(Users::Connect { project, .. }) => Users::List { project }.into(),
            Operation::Users(Users::Change { user, elsewhere, .. } | Users::Delete { user, elsewhere }) => {
                Users::List { project: project(self.project_of_user(user, elsewhere))? }.into()
            }
            Operation::Items(Items::Put { place, .. } | Items::Patch { place, .. } | Items::Delete { place, .. }) => {
                Items::Read { place, when: When::default() }.into()
            }
            Operation::Items(Items::Post { place, .. }) => Items::List { place }.into(),
            _ => return None,
        })
    }

    /// Returns the operation as a step of an owner of its team.
    pub fn by_owner(&self, operation: Operation) -> Step {
        let owner = self.team_of(&operation).and_then(|team| self.owner(team)).unwrap_or(Person::Ann);
        Step { actor: Actor::Person(owner), operation }
    }

    /// Returns steps that read all resources.
    pub fn inspection(&self) -> Vec<Step> {
        let mut steps: Vec<Step> = Person::ALL
            .into_iter()
            .map(|person| Step { actor: Actor::Person(person), operation: Operation::Teams(Teams::List) })
            .collect();
        for team in 0..self.teams.len() {
            let Some(owner) = self.owner(team) else { continue };
            let mut read = |operation: Operation| steps.push(Step { actor: Actor::Person(owner), operation });
            read(Teams::Read { team: Nth(team) }.into());
            for project in (0..self.projects.len()).filter(|project| self.projects[*project].team == team) {
                let project = Nth(project);
                read(Keys::List { project }.into());
                read(Schemas::Read { project, all: false }.into());
                read(Users::List { project }.into());
                let users = (0..self.users.len()).filter(|user| self.users[*user].project == project.0);
                for user in users.filter(|user| !self.users[*user].deleted).map(Nth) {
                    for table in ["notes", "marks"] {
                        let place = Place { user, elsewhere: None, table, item: ItemName::Chosen("one") };
                        read(Items::List { place }.into());
                    }
                }
            }
        }
        steps
    }
}
