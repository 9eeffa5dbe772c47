//! Runs a command: names the resource, asks, sends the request and prints the result.

use clap::{ArgMatches, FromArgMatches as _};
use serde_json::{Map, Value, json};
use steward_client::{Error, Idempotency, Row};

use crate::remote::parent::{Parent, ParentId};
use crate::remote::{Context, ContextOptions, ListColumns, ListOptions, PageOptions, as_sent, people};
use crate::terminal;

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
        let (client, row, ids) = (&context.client, target.row, &target.ids);
        let query = || values.iter().filter(|_| row.request.is_none()).flat_map(parameter);
        let list = || query().fold(client.list_of::<Value>(row, ids), |list, (name, value)| list.query(name, value));
        let request = query().fold(client.request_of(row, ids), |request, (name, value)| request.query(&name, value));
        let request = if row.idempotency == Idempotency::Keyed { request.idempotent() } else { request };
        let request = if row.request.is_some() { request.json(&values) } else { request };
        match self.outcome {
            Outcome::List(columns) if self.has_query() => {
                let options = ListOptions::from_arg_matches(matches)?;
                options.print(&context, list(), columns, as_sent).await
            }
            Outcome::Pages(columns) => {
                let options = PageOptions::from_arg_matches(matches)?;
                options.print(&context, list(), ListColumns::Named(columns), as_sent).await
            }
            Outcome::List(columns) => context.output.list(&request.send().await?.data::<Vec<Value>>()?, columns),
            Outcome::Done(what, message) => {
                request.send().await?;
                let id = ids.last().unwrap_or(&target.name);
                context.output.done(&message.replace("{}", &target.name), &json!({"id": id, (what): true}))
            }
            Outcome::Json => context.output.value(request.send().await?.data()?),
            Outcome::Series(columns, _) if matches.get_flag("series") => {
                let mut response = request.send().await?.json::<Map<String, Value>>()?;
                let series = response.remove("series").unwrap_or_default();
                context.output.list(series.as_array().map(Vec::as_slice).unwrap_or_default(), columns)
            }
            Outcome::Series(_, members) => {
                let response = request.send().await?.json::<Map<String, Value>>()?;
                let member =
                    |name: &&str| ((*name).to_owned(), json!(response.get(*name).or_else(|| values.get(*name))));
                context.output.entry(&members.iter().map(member).collect::<Map<_, _>>())
            }
            Outcome::WithFlags => {
                let response = request.send().await?.json::<Map<String, Value>>()?;
                context.output.entry(&values.into_iter().chain(response).collect::<Map<_, _>>())
            }
            Outcome::Data => self.print(&context, "data", request.send().await?.json()?),
            Outcome::Member(member) => self.print(&context, member, request.send().await?.json()?),
        }
    }

    /// Prints a member of a response, or else all of it, after what is to be said about it.
    fn print(&self, context: &Context, member: &str, mut response: Value) -> anyhow::Result<()> {
        let entry = response.get_mut(member).map(Value::take).unwrap_or(response);
        let has = |member: &str| entry.get(member).is_some_and(|value| !value.is_null());
        if let Some((_, note)) = self.note.filter(|(member, _)| has(member)) {
            terminal::note(note);
        }
        context.output.entry(&entry)
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

    /// Returns the values of the flags that are given. Teams and projects are named by their IDs or slugs.
    async fn values(&self, context: &Context, matches: &ArgMatches) -> anyhow::Result<Map<String, Value>> {
        let mut values: Map<String, Value> =
            self.constant.map(|(member, value)| (member.to_owned(), value.into())).into_iter().collect();
        for flag in &self.flags {
            let Some(value) = flag.given(matches)? else { continue };
            let value = match (flag.member.as_str(), value) {
                ("", Value::Object(members)) => {
                    values.extend(members);
                    continue;
                }
                ("", _) => continue,
                ("team_id", Value::String(team)) => context.team_id(&team).await?.into(),
                (member @ ("teams" | "projects"), Value::Array(names)) => {
                    let mut ids = Vec::new();
                    for name in names.iter().filter_map(Value::as_str) {
                        ids.push(match member {
                            "teams" => context.team_id(name).await?,
                            _ => context.project_id(Some(name)).await?,
                        });
                    }
                    ids.into()
                }
                (_, value) => value,
            };
            values.insert(flag.member.clone(), value);
        }
        Ok(values)
    }
}

/// Returns a value as parameters of a query: a list has one for each entry.
fn parameter((name, value): (&String, &Value)) -> Vec<(String, String)> {
    let values = value.as_array().map_or(std::slice::from_ref(value), Vec::as_slice);
    let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    values.iter().map(|value| (name.clone(), text(value))).collect()
}
