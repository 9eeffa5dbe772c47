//! Schema versions (docs/schema.md).

use serde_json::{Value, json};

use crate::document::{self, Draft, Version};
use crate::expected::{
    Done, ExpectedError, INVALID_SCHEMA, NOT_FOUND, Outcome, SCHEMA_BREAKING, VERSION_CONFLICT, admitted, refuse_if,
};
use crate::operation::{Nth, Schemas};
use crate::world::{Caller, Serves, World};

impl World {
    pub fn take_schema(&mut self, caller: Caller, operation: &Schemas) -> Outcome {
        match operation {
            Schemas::Publish { project, draft } => self.publish(caller, *project, draft),
            Schemas::Read { project, all } => {
                let project = self.published(caller, *project)?;
                let documents = self.projects[project].documents.iter().rev();
                let versions: Vec<Value> = documents
                    .take(if *all { usize::MAX } else { 1 })
                    .map(|document| json!({"project_id": format!("<project {project}>"), "schema": {"=": document}}))
                    .collect();
                let count = if *all { json!(versions.len()) } else { Value::Null };
                Ok(Done::ok(json!({"data": versions, "count": count})))
            }
            Schemas::Compare { project, draft } => {
                let (project, document) = self.drafted(caller, *project, draft)?;
                let errors = [(draft.names_another(), NOT_FOUND), (!draft.is_complete(), INVALID_SCHEMA)];
                refuse_if(&errors)?;
                let changes = document::changes(&self.newest(project), &document);
                Ok(Done::ok(json!({"valid": changes.is_empty(), "changes": changes})))
            }
            Schemas::Verify { project, draft } => {
                let (project, document) = self.drafted(caller, *project, draft)?;
                refuse_if(&[(draft.names_another() && draft.is_complete(), NOT_FOUND)])?;
                Ok(Done::ok(self.verdict(project, draft, &document)))
            }
        }
    }

    /// Published schemas are public.
    fn published(&self, caller: Caller, project: Nth) -> Result<usize, Vec<ExpectedError>> {
        admitted(self.welcome(caller), Vec::new())?;
        self.project(project).ok_or(vec![NOT_FOUND])
    }

    fn drafted(&self, caller: Caller, project: Nth, draft: &Draft) -> Result<(usize, Value), Vec<ExpectedError>> {
        let project = self.published(caller, project)?;
        Ok((project, self.document(project, draft)))
    }

    pub fn document(&self, project: usize, draft: &Draft) -> Value {
        draft.document(&format!("<project {project}>"), self.projects[project].documents.len())
    }

    pub fn newest(&self, project: usize) -> Value {
        let newest = self.projects[project].documents.last().cloned();
        newest.unwrap_or_else(|| document::nothing(&format!("<project {project}>")))
    }

    fn verdict(&self, project: usize, draft: &Draft, document: &Value) -> Value {
        let published = self.projects[project].documents.len();
        let changes = document::changes(&self.newest(project), document);
        let expected = published + 1;
        if !draft.is_complete() {
            json!({"valid": false, "message": "schemas are invalid"})
        } else if document["version"] != json!(expected) {
            let got = &document["version"];
            let detail = format!("Version must be incremented by 1. Expected version:{expected}, got version:{got}");
            json!({"valid": false, "message": "Version must be incremented by 1", "errors": [{"message": detail}]})
        } else if let retyped @ [_, ..] = document::retyped(&self.newest(project), document).as_slice() {
            let errors: Vec<Value> = retyped.iter().map(|message| json!({"message": message})).collect();
            json!({"valid": false, "message": "Invalid schema changes detected", "errors": errors})
        } else {
            json!({"valid": true, "errors": [], "changes": changes, "message": null})
        }
    }

    /// Versions are 1, 2, 3, and so on, without gaps or duplicates. Publishing the newest version again is a conflict,
    /// with or without a race.
    fn publish(&mut self, caller: Caller, project: Nth, draft: &Draft) -> Outcome {
        let access = self.in_project(caller, self.project(project), Serves::Keys, "schema:write");
        let errors = if draft.is_valid() { Vec::new() } else { vec![INVALID_SCHEMA] };
        let project = admitted(access, errors)?;
        let mut document = self.document(project, draft);
        let published = self.projects[project].documents.len();
        let is_newest = document.get("version") == Some(&json!(published));
        let next = matches!(draft.version, Version::Absent | Version::Next);
        let retyped = !document::retyped(&self.newest(project), &document).is_empty();
        refuse_if(&[
            (is_newest, VERSION_CONFLICT),
            // Before the first publication there is no version to conflict with.
            (is_newest && published == 0, INVALID_SCHEMA),
            (!next && !is_newest || retyped, INVALID_SCHEMA),
        ])?;

        for (member, filled) in
            [("project_id", json!(format!("<project {project}>"))), ("version", json!(published + 1))]
        {
            if document.get(member).is_none() {
                document[member] = filled;
            }
        }
        refuse_if(&[(self.leaves_behind(project, &document), SCHEMA_BREAKING)])?;
        self.projects[project].documents.push(document.clone());
        let facts = json!({"project_id": format!("<project {project}>"), "schema": {"=": document}});
        Ok(Done::ok(json!({"data": facts})))
    }

    /// Returns whether stored items would no longer match (docs/decisions/0007-schema-changes.md).
    fn leaves_behind(&self, project: usize, document: &Value) -> bool {
        let newest = self.newest(project);
        let users = self.users.iter().filter(|user| user.project == project);
        let mut stored = users.flat_map(|user| &user.tables);
        stored.any(|(table, items)| {
            items.iter().any(|item| document::leaves_behind(&newest, document, table, &item.fields))
        })
    }
}
