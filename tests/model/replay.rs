//! Runs a case on the running services: sends the same requests to both databases, and compares each response with the
//! model and with the response of the other database.

use std::collections::BTreeMap;

use serde_json::Value;
use steward_tests::{Actor, Answer, App};

use crate::expected::{ExpectedError, Outcome};
use crate::names::Names;
use crate::operation::{Person, Step, beginning};
use crate::request::Request;
use crate::shrink::Failure;
use crate::world::World;

/// Number of steps after which all resources are compared, which takes much longer than the steps. The resource that a
/// step changes is compared after the step.
const INSPECT_EVERY: usize = 16;

/// One of the two services of a case.
struct Side<'a> {
    app: &'a App,
    names: Names,
}

impl<'a> Side<'a> {
    /// Creates the people of the case on the service.
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

    /// Sends a request, checks the response, and returns its status and normalized body.
    async fn ask(&mut self, request: &Request, outcome: &Outcome) -> Result<(u16, Value), String> {
        let answer = self.send(request).await?;
        let body = if answer.status == 304 { Value::Null } else { answer.json() };
        let status = answer.status.as_u16();
        let checked = self.check(&answer, &body, outcome).map_err(|reason| {
            let log = if status >= 500 { self.app.log() } else { String::new() };
            format!("{reason}\n    response: {status} {body}\n{log}")
        });
        checked.map(|()| (status, self.names.normalised(&body, &self.app.base)))
    }

    async fn send(&self, request: &Request) -> Result<Answer, String> {
        let credential = request.credential.as_ref().map(|credential| self.names.filled(credential));
        let (method, path) = (request.method.clone(), self.names.filled(&request.path));
        let body: Option<Value> =
            request.body.as_ref().map(|body| serde_json::from_str(&self.names.filled(&body.to_string())).unwrap());
        let headers: Vec<_> = request.headers.iter().map(|(name, value)| (*name, self.names.filled(value))).collect();
        let actor = Actor::new(self.app, credential);
        let response = async move {
            let headers: Vec<_> = headers.iter().map(|(name, value)| (*name, value.as_str())).collect();
            actor.send(method, &path, body, &headers).await
        };
        // A separate task, because a response that the OpenAPI document does not describe panics.
        tokio::spawn(response).await.map_err(|failure| format!("{failure:?}"))
    }

    fn check(&mut self, answer: &Answer, body: &Value, outcome: &Outcome) -> Result<(), String> {
        let status = answer.status.as_u16();
        match outcome {
            Err(errors) => {
                let error = body["error"].as_str().unwrap_or_default();
                let expected = errors.iter().any(|ExpectedError(wanted, code)| (*wanted, *code) == (status, error));
                if expected { Ok(()) } else { Err(format!("Expected one of the errors {errors:?}.")) }
            }
            Ok(done) if done.status != status => Err(format!("Expected {} {}.", done.status, done.facts)),
            Ok(done) => {
                if let Some(tag) = &done.tag {
                    self.names.bind(tag, answer.header("ETag"))?;
                }
                self.names.compare(&done.facts, body, "")
            }
        }
    }
}

/// Number of responses by operation and status.
pub type Tally = BTreeMap<String, BTreeMap<u16, usize>>;

/// A case that runs on both services.
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

    /// Runs the case.
    pub async fn play(mut self, steps: &[Step], tally: &mut Tally) -> Result<(), Failure> {
        let result = self.run_steps(steps, tally).await;
        let taken = self.story.len().saturating_sub(beginning().len());
        result.map_err(|reason| {
            let story = self.story.iter().enumerate().map(|(nth, line)| format!("{:3}. {line}\n", nth + 1));
            Failure { taken, story: story.collect::<String>() + &reason }
        })
    }

    async fn run_steps(&mut self, steps: &[Step], tally: &mut Tally) -> Result<(), String> {
        for (nth, step) in beginning().iter().chain(steps).enumerate() {
            let request = self.world.request(step);
            let read = self.world.look_after(&step.operation);
            let outcome = self.world.take(step);
            self.story.push(request.to_string());
            let status = self.ask(&request, &outcome).await?;
            self.story.iter_mut().last().unwrap().push_str(&format!(" -> {status}"));
            *tally.entry(step.operation.name()).or_default().entry(status).or_default() += 1;
            if let Some(read) = read.filter(|_| outcome.is_ok()) {
                let read = self.world.by_owner(read);
                self.read(&read).await?;
            }
            if nth % INSPECT_EVERY == 0 {
                self.inspect().await?;
            }
        }
        self.inspect().await
    }

    /// Compares all resources with the model.
    async fn inspect(&mut self) -> Result<(), String> {
        for step in self.world.inspection() {
            self.read(&step).await?;
        }
        Ok(())
    }

    /// Sends a step that changes nothing and is not logged.
    async fn read(&mut self, step: &Step) -> Result<(), String> {
        let request = self.world.request(step);
        let outcome = self.world.take(step);
        self.ask(&request, &outcome).await.map(drop)
    }

    async fn ask(&mut self, request: &Request, outcome: &Outcome) -> Result<u16, String> {
        let [sqlite, postgres] = &mut self.sides;
        let (first, second) = tokio::join!(sqlite.ask(request, outcome), postgres.ask(request, outcome));
        let reason = match (first, second) {
            (Ok(first), Ok(second)) if first == second => return Ok(first.0),
            (Ok(first), Ok(second)) => {
                format!(
                    "The databases differ:\n    SQLite: {} {}\n    PostgreSQL: {} {}",
                    first.0, first.1, second.0, second.1
                )
            }
            (Err(first), Err(second)) => format!("On SQLite: {first}\n  On PostgreSQL: {second}"),
            (Err(reason), _) => format!("Only on SQLite: {reason}"),
            (_, Err(reason)) => format!("Only on PostgreSQL: {reason}"),
        };
        Err(format!("  Failed request: {request}\n  {reason}"))
    }
}
