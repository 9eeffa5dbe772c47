//! Plays a case on the running services: the same requests on both databases, each answer compared with what the rules say
//! and with the other's.

use std::collections::BTreeMap;

use serde_json::Value;
use steward_tests::{Actor, Answer, App};

use crate::expected::{ExpectedError, Outcome};
use crate::names::Names;
use crate::operation::{Person, Step, beginning};
use crate::request::Request;
use crate::shrink::Failure;
use crate::world::World;

/// What a step has touched is looked at at once; everything, only after so many steps: that takes far longer than they do.
const INSPECT_EVERY: usize = 16;

/// One of the two services, in one case.
struct Side<'a> {
    app: &'a App,
    names: Names,
}

impl<'a> Side<'a> {
    /// The service with the people of the case.
    async fn of(app: &'a App, case: &str) -> Self {
        let mut names = Names::default();
        for person in Person::ALL {
            let username = person.username(case);
            let actor =
                if person.is_verified() { app.verified_person(&username).await } else { app.person(&username).await };
            names.bind(&person.symbol(), &actor.id).unwrap();
            names.bind(&person.token(), actor.credential.as_ref().unwrap()).unwrap();
        }
        Self { app, names }
    }

    /// The answer to a request, once it is what the rules say.
    async fn ask(&mut self, request: &Request, outcome: &Outcome) -> Result<(u16, Value), String> {
        let answer = self.send(request).await?;
        let body = if answer.status == 304 { Value::Null } else { answer.json() };
        let status = answer.status.as_u16();
        let told = self.judge(&answer, &body, outcome).map_err(|reason| {
            let log = if status >= 500 { self.app.log() } else { String::new() };
            format!("{reason}\n    answered: {status} {body}\n{log}")
        });
        told.map(|()| (status, self.names.normalised(&body, &self.app.base)))
    }

    async fn send(&self, request: &Request) -> Result<Answer, String> {
        let credential = request.credential.as_ref().map(|credential| self.names.filled(credential));
        let (method, path) = (request.method.clone(), self.names.filled(&request.path));
        let body: Option<Value> =
            request.body.as_ref().map(|body| serde_json::from_str(&self.names.filled(&body.to_string())).unwrap());
        let headers: Vec<_> = request.headers.iter().map(|(name, value)| (*name, self.names.filled(value))).collect();
        let actor = Actor::new(self.app, credential);
        let asked = async move {
            let headers: Vec<_> = headers.iter().map(|(name, value)| (*name, value.as_str())).collect();
            actor.send(method, &path, body, &headers).await
        };
        // A task of its own, for an answer that the OpenAPI document does not describe panics.
        tokio::spawn(asked).await.map_err(|failure| format!("{failure:?}"))
    }

    fn judge(&mut self, answer: &Answer, body: &Value, outcome: &Outcome) -> Result<(), String> {
        let status = answer.status.as_u16();
        match outcome {
            Err(refusals) => {
                let told = body["error"].as_str().unwrap_or_default();
                let one = refusals.iter().any(|ExpectedError(wanted, code)| (*wanted, *code) == (status, told));
                if one { Ok(()) } else { Err(format!("expected a refusal of {refusals:?}")) }
            }
            Ok(done) if done.status != status => Err(format!("expected {} {}", done.status, done.facts)),
            Ok(done) => {
                if let Some(tag) = &done.tag {
                    self.names.bind(tag, answer.header("ETag"))?;
                }
                self.names.compare(&done.facts, body, "")
            }
        }
    }
}

/// How often each operation was answered with which status.
pub type Tally = BTreeMap<String, BTreeMap<u16, usize>>;

/// A case on both services.
pub struct Replay<'a> {
    world: World,
    sides: [Side<'a>; 2],
    story: Vec<String>,
}

impl<'a> Replay<'a> {
    pub async fn begin(case: &str, sqlite: &'a App, postgres: &'a App) -> Self {
        let sides = tokio::join!(Side::of(sqlite, case), Side::of(postgres, case));
        Self { world: World::new(case), sides: sides.into(), story: Vec::new() }
    }

    /// Plays the case.
    pub async fn play(mut self, steps: &[Step], tally: &mut Tally) -> Result<(), Failure> {
        let played = self.take(steps, tally).await;
        let taken = self.story.len().saturating_sub(beginning().len());
        played.map_err(|reason| {
            let story = self.story.iter().enumerate().map(|(nth, line)| format!("{:3}. {line}\n", nth + 1));
            Failure { taken, story: story.collect::<String>() + &reason }
        })
    }

    async fn take(&mut self, steps: &[Step], tally: &mut Tally) -> Result<(), String> {
        for (nth, step) in beginning().iter().chain(steps).enumerate() {
            let request = self.world.request(step);
            let look = self.world.look_after(&step.operation);
            let outcome = self.world.take(step);
            self.story.push(request.to_string());
            let status = self.ask(&request, &outcome).await?;
            self.story.iter_mut().last().unwrap().push_str(&format!(" -> {status}"));
            *tally.entry(step.operation.name()).or_default().entry(status).or_default() += 1;
            if let Some(look) = look.filter(|_| outcome.is_ok()) {
                let look = self.world.by_owner(look);
                self.look(&look).await?;
            }
            if nth % INSPECT_EVERY == 0 {
                self.inspect().await?;
            }
        }
        self.inspect().await
    }

    /// Compares everything that is there with the model.
    async fn inspect(&mut self) -> Result<(), String> {
        for look in self.world.inspection() {
            self.look(&look).await?;
        }
        Ok(())
    }

    /// A step that changes nothing, and does not belong to the story.
    async fn look(&mut self, look: &Step) -> Result<(), String> {
        let request = self.world.request(look);
        let outcome = self.world.take(look);
        self.ask(&request, &outcome).await.map(drop)
    }

    async fn ask(&mut self, request: &Request, outcome: &Outcome) -> Result<u16, String> {
        let [sqlite, postgres] = &mut self.sides;
        let (first, second) = tokio::join!(sqlite.ask(request, outcome), postgres.ask(request, outcome));
        let reason = match (first, second) {
            (Ok(first), Ok(second)) if first == second => return Ok(first.0),
            (Ok(first), Ok(second)) => {
                format!(
                    "the databases differ:\n    SQLite: {} {}\n    PostgreSQL: {} {}",
                    first.0, first.1, second.0, second.1
                )
            }
            (Err(first), Err(second)) => format!("on SQLite: {first}\n  on PostgreSQL: {second}"),
            (Err(reason), _) => format!("on SQLite alone: {reason}"),
            (_, Err(reason)) => format!("on PostgreSQL alone: {reason}"),
        };
        Err(format!("  at {request}\n  {reason}"))
    }
}
