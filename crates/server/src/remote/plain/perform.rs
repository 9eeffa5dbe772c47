//! Runs a command: names the resource, asks, sends the request and prints the result.

use clap::{ArgMatches, FromArgMatches as _};
use serde_json::{Map, Value, json};
use steward_client::{Error, Idempotency, Method, Request, Row};
use url::Url;

use crate::terminal;

use super::super::pages::PAGE_SIZE;
use super::super::parent::{Parent, ParentId};
use super::super::{Context, ContextOptions, ListColumns, ListOptions, people};
use super::table::{Outcome, Plain, parameters};

/// What a command names.
struct Target {
    row: &'static Row,
    /// The parameters of the path.
    ids: Vec<String>,
    /// The last of them as a person wrote it.
    name: String,
}

impl Plain {
    pub async fn run(&self, matches: &ArgMatches) -> anyhow::Result<()> {
        let context = Context::open(&ContextOptions::from_arg_matches(matches)?)?;
        let mut target = self.target(&context, matches).await?;
        let values = self.values(&context, matches).await?;
        // What no path names is named in the body.
        if let (None, Some(Value::String(id))) = (target.ids.last(), values.values().next()) {
            target.name.clone_from(id);
        }
        let has_grace = values.get("grace_seconds").and_then(Value::as_u64).is_some_and(|seconds| seconds > 0);
        if let Some(question) = self.question.filter(|_| !has_grace) {
            context.confirm(&question.replace("{}", &target.name))?;
        }
        let request = || target.request(&context, &values);
        match self.outcome {
            Outcome::List(columns) => {
                let limit = self.has_pages().then(|| ListOptions::from_arg_matches(matches)).transpose()?;
                self.print_pages(&context, request, columns, limit.and_then(|options| options.limit)).await
            }
            Outcome::Done(what, message) => {
                request()?.send().await?;
                let id = target.ids.last().unwrap_or(&target.name);
                context.output.done(&message.replace("{}", &target.name), &json!({"id": id, (what): true}))
            }
            Outcome::Entry(member) => {
                let mut body = request()?.send().await?.json::<Value>()?;
                let entry = match body.get_mut(member) {
                    Some(entry) => entry.take(),
                    None => body,
                };
                if let Some((_, note)) =
                    self.note.filter(|(member, _)| entry.get(*member).is_some_and(|v| !v.is_null()))
                {
                    terminal::note(note);
                }
                context.output.entry(&entry)
            }
        }
    }

    async fn target(&self, context: &Context, matches: &ArgMatches) -> anyhow::Result<Target> {
        let at = |prefix: &str| self.rows.iter().copied().find(|row| row.path.starts_with(prefix));
        let (row, mut ids) = match self.rows.as_slice() {
            [row] => (Some(*row), Vec::new()),
            _ => match Parent::from_arg_matches(matches)?.id(context).await? {
                ParentId::Team(id) => (at("/team/"), vec![id]),
                ParentId::Project(id) => (at("/project/"), vec![id]),
            },
        };
        let row = row.ok_or_else(|| Error::InvalidRequest(format!("`steward {}` has no operation.", self.name)))?;
        let mut name = String::new();
        for parameter in parameters(row).skip(ids.len()) {
            let argument = match parameter {
                "id" => "project",
                "team_id" => "team",
                other => other,
            };
            let text = matches.get_one::<String>(argument).map(String::as_str);
            name = text.unwrap_or_default().to_owned();
            let id = match parameter {
                "id" => context.project_id(text).await?,
                "team_id" => context.team_id(&name).await?,
                "user_id" => people::user_id(context, ids.first().map_or("", String::as_str), &name).await?,
                _ => name.clone(),
            };
            ids.push(id);
        }
        Ok(Target { row, ids, name })
    }

    /// Returns the values of the flags that are given. A team is named by its ID or slug.
    async fn values(&self, context: &Context, matches: &ArgMatches) -> anyhow::Result<Map<String, Value>> {
        let mut values = Map::new();
        for flag in &self.flags {
            let value = match flag.given(matches)? {
                Some(Value::String(team)) if flag.member == "team_id" => context.team_id(&team).await?.into(),
                Some(value) => value,
                None => continue,
            };
            values.insert(flag.member.clone(), value);
        }
        Ok(values)
    }

    /// Prints a list, page by page if it has pages.
    async fn print_pages(
        &self,
        context: &Context,
        request: impl Fn() -> Result<Request, Error>,
        columns: &[&str],
        limit: Option<usize>,
    ) -> anyhow::Result<()> {
        let mut printer = context.output.pages(ListColumns::Named(columns));
        let (mut remaining, mut cursor) = (limit.unwrap_or(usize::MAX), None::<String>);
        loop {
            let mut entries = Vec::new();
            if remaining > 0 {
                let mut request = request()?;
                if self.has_pages() {
                    request = request.query("limit", remaining.min(PAGE_SIZE.into()));
                }
                if let Some(cursor) = &cursor {
                    request = request.query("cursor", cursor);
                }
                let mut page = request.send().await?.json::<Map<String, Value>>()?;
                if let Some(Value::Array(data)) = page.remove("data") {
                    entries = data;
                }
                cursor = page.get("next_cursor").and_then(Value::as_str).map(str::to_owned);
            }
            remaining = remaining.saturating_sub(entries.len());
            let is_last = cursor.is_none() || remaining == 0;
            printer.page(entries, is_last)?;
            if is_last {
                return Ok(());
            }
        }
    }
}

impl Target {
    fn request(&self, context: &Context, values: &Map<String, Value>) -> Result<Request, Error> {
        let method = Method::from_bytes(self.row.method.as_str().as_bytes()).unwrap_or_default();
        let request = context.client.request(method, &self.path()?);
        let request = if self.row.idempotency == Idempotency::Keyed { request.idempotent() } else { request };
        Ok(if self.row.request.is_some() { request.json(values) } else { request })
    }

    /// Returns the path with the parameters, which are encoded.
    fn path(&self) -> Result<String, Error> {
        // These would name another resource.
        if let Some(id) = self.ids.iter().find(|id| matches!(id.as_str(), "" | "." | "..")) {
            return Err(Error::InvalidRequest(format!("{id:?} is not a valid ID.")));
        }
        let mut ids = self.ids.iter().map(String::as_str);
        let parts = self.row.path.split('/').filter(|part| !part.is_empty());
        let segments = parts.map(|part| if part.starts_with('{') { ids.next().unwrap_or_default() } else { part });
        let mut url = Url::parse("http://localhost").map_err(|error| Error::InvalidRequest(error.to_string()))?;
        if let Ok(mut path) = url.path_segments_mut() {
            path.extend(segments);
        }
        Ok(url.path().to_owned())
    }
}
