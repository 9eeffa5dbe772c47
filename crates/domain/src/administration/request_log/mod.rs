//! The newest requests of each project, in the memory of this process (docs/decisions/0064-log-of-requests.md).

pub(super) mod entity;
mod sizes;

use std::collections::{HashMap, VecDeque};
use std::mem::size_of;
use std::sync::{Mutex, MutexGuard};

use crate::administration::{LoggedRequest, RequestCursor, RequestFilter, RequestPage};
use crate::kernel::{PerThread, ProjectId, TeamId, Time, lock};
use sizes::Sizes;

/// Maximum number of bytes of one project: some 600 requests.
const MAX_PROJECT_BYTES: usize = 128 * 1024;
/// Maximum number of bytes of all projects.
const MAX_BYTES: usize = 8 * 1024 * 1024;
/// What a project takes besides its requests.
const PROJECT_BYTES: usize = 256;
/// Maximum number of requests that a thread keeps until it adds them to those of all.
const MAX_PENDING: usize = 32;

/// The log of requests. Writing to it neither waits nor stores anything.
pub struct RequestLog {
    /// Distinguishes the positions of this process from those of others.
    instance: u32,
    max_bytes: usize,
    /// Requests that are not in the logs yet, so that few requests wait for those.
    pending: PerThread<Vec<(ProjectId, TeamId, LoggedRequest)>>,
    logs: Mutex<Logs>,
}

#[derive(Default)]
struct Logs {
    /// The position of the newest request.
    position: u64,
    projects: HashMap<ProjectId, ProjectLog>,
    sizes: Sizes,
    /// The highest position of a request that was removed with the log of its project.
    forgotten: u64,
}

/// The requests of a project.
struct ProjectLog {
    team: TeamId,
    bytes: usize,
    requests: VecDeque<(u64, LoggedRequest)>,
    /// The position of the newest request that was removed.
    removed: u64,
}

impl RequestLog {
    /// Creates an empty log of an instance with this ID.
    pub fn new(instance: u32) -> Self {
        Self { instance, max_bytes: MAX_BYTES, pending: PerThread::new(Vec::new), logs: Mutex::default() }
    }

    /// Adds a request to a project of a team. It replaces the oldest ones of the project. If all projects together have too many,
    /// it replaces the oldest of the project that has most, in the team that has most: a team with many requests does not take
    /// the place of others.
    pub fn add(&self, project: ProjectId, team: TeamId, request: LoggedRequest) {
        let mut pending = self.pending.own();
        pending.push((project, team, request));
        if pending.len() >= MAX_PENDING {
            drop(pending);
            drop(self.logs());
        }
    }

    /// Returns the logs with what all threads have added, in the order in which the responses were ready.
    fn logs(&self) -> MutexGuard<'_, Logs> {
        let mut logs = lock(&self.logs);
        let mut pending = self.pending.all();
        let mut added: Vec<_> = pending.iter_mut().flat_map(|pending| pending.drain(..)).collect();
        drop(pending);
        added.sort_by_key(|(_, _, request)| request.at);
        for (project, team, request) in added {
            logs.add(project, team, request);
            while logs.sizes.total() > self.max_bytes && logs.remove_oldest_of_largest() {}
        }
        logs
    }

    /// Returns requests of a project after a cursor, oldest first; without one, the newest ones.
    pub fn page(
        &self,
        project: ProjectId,
        cursor: Option<&RequestCursor>,
        filter: &RequestFilter,
        limit: usize,
        now: Time,
    ) -> RequestPage {
        let logs = self.logs();
        let log = logs.projects.get(&project);
        let after = cursor.and_then(|cursor| cursor.position(self.instance));
        let is_after = |position: u64, at: Time| match (cursor, after) {
            (Some(_), Some(after)) => position > after,
            (Some(cursor), None) => cursor.is_since(at),
            (None, _) => true,
        };
        let matching = log.into_iter().flat_map(|log| &log.requests);
        let matching =
            matching.filter(|(position, request)| is_after(*position, request.at) && filter.matches(request));
        let matching: Vec<&(u64, LoggedRequest)> = matching.collect();
        let (start, end) = match cursor {
            Some(_) => (0, matching.len().min(limit)),
            None => (matching.len().saturating_sub(limit), matching.len()),
        };
        // What follows the last request that is returned is in the next page, unless this is all.
        let is_complete = end == matching.len();
        let returned = matching.get(start..end).unwrap_or_default();
        let position = match returned.last() {
            Some((position, _)) if !is_complete => *position,
            _ => logs.position,
        };
        let removed = log.map_or(logs.forgotten, |log| log.removed);
        let begun = cursor.cloned().unwrap_or_else(|| RequestCursor::beginning(now));
        RequestPage {
            requests: returned.iter().map(|(_, request)| request.clone()).collect(),
            next: begun.at(self.instance, position),
            is_truncated: after.is_some_and(|after| after < removed),
            instance: self.instance,
        }
    }
}

impl Logs {
    fn add(&mut self, project: ProjectId, team: TeamId, request: LoggedRequest) {
        self.position += 1;
        let log = self.projects.entry(project).or_insert_with(|| ProjectLog::new(team, self.forgotten));
        log.bytes = log.bytes.saturating_add(bytes_of(&request));
        log.requests.push_back((self.position, request));
        while log.bytes > MAX_PROJECT_BYTES && log.remove_oldest() {}
        self.sizes.set(log.team, project, log.bytes);
    }

    fn remove_oldest_of_largest(&mut self) -> bool {
        let Some((team, project)) = self.sizes.largest() else { return false };
        let Some(log) = self.projects.get_mut(&project) else {
            self.sizes.set(team, project, 0);
            return true;
        };
        log.remove_oldest();
        if log.requests.is_empty() {
            self.forgotten = self.forgotten.max(log.removed);
            self.projects.remove(&project);
            self.sizes.set(team, project, 0);
        } else {
            self.sizes.set(team, project, log.bytes);
        }
        true
    }
}

impl ProjectLog {
    fn new(team: TeamId, removed: u64) -> Self {
        Self { team, bytes: PROJECT_BYTES, requests: VecDeque::new(), removed }
    }

    /// Returns `false` if there is no request.
    fn remove_oldest(&mut self) -> bool {
        let Some((position, request)) = self.requests.pop_front() else { return false };
        self.bytes = self.bytes.saturating_sub(bytes_of(&request));
        self.removed = position;
        // Memory that a project no longer uses would not count.
        if self.requests.len() < self.requests.capacity() / 4 {
            self.requests.shrink_to(self.requests.len().saturating_mul(2));
        }
        true
    }
}

/// Returns how many bytes a request takes. The text of the caller is shared with other requests.
fn bytes_of(request: &LoggedRequest) -> usize {
    size_of::<(u64, LoggedRequest)>() + request.request_id.len()
}

#[cfg(test)]
mod tests {
    use std::thread;
    use std::time::Duration;

    use chrono::TimeDelta;

    use super::*;
    use crate::mocks::{id_of, instant};

    const TEAM: &str = "acme";

    fn request(id: &str) -> LoggedRequest {
        LoggedRequest {
            at: instant(),
            request_id: id.into(),
            method: "GET",
            route: "/project/{id}",
            operation: "getProject",
            status: 200,
            error: None,
            took: Duration::from_millis(1),
            caller: Some("key:5".into()),
        }
    }

    fn project(name: &str) -> ProjectId {
        id_of(name).into()
    }

    fn add(log: &RequestLog, team: &str, name: &str, id: &str) {
        log.add(project(name), id_of(team).into(), request(id));
    }

    fn page(log: &RequestLog, name: &str, cursor: Option<&RequestCursor>) -> RequestPage {
        log.page(project(name), cursor, &RequestFilter::default(), 100, instant())
    }

    fn ids(page: &RequestPage) -> Vec<&str> {
        page.requests.iter().map(|request| &*request.request_id).collect()
    }

    #[test]
    fn each_request_is_returned_once_and_only_to_its_project() {
        let log = RequestLog::new(1);
        for id in ["1", "2", "3"] {
            add(&log, TEAM, "a", id);
            add(&log, TEAM, "b", "other");
        }
        let newest = log.page(project("a"), None, &RequestFilter::default(), 2, instant());
        assert_eq!(ids(&newest), ["2", "3"]);
        assert!(page(&log, "a", Some(&newest.next)).requests.is_empty());
        for id in ["4", "5", "6"] {
            add(&log, TEAM, "a", id);
        }
        let (mut cursor, mut read) = (newest.next, Vec::new());
        while let page @ RequestPage { .. } =
            log.page(project("a"), Some(&cursor), &RequestFilter::default(), 2, instant())
            && !page.requests.is_empty()
        {
            read.extend(ids(&page).into_iter().map(str::to_owned));
            cursor = page.next;
        }
        assert_eq!(read, ["4", "5", "6"]);
    }

    #[test]
    fn a_filter_leaves_no_request_out_and_repeats_none() {
        let log = RequestLog::new(1);
        let first = page(&log, "a", None).next;
        for (id, status) in [("1", 200), ("2", 404), ("3", 200), ("4", 404)] {
            log.add(project("a"), id_of(TEAM).into(), LoggedRequest { status, ..request(id) });
        }
        let filter =
            RequestFilter { status: Some(crate::administration::StatusFilter::Class(4)), ..RequestFilter::default() };
        let one = log.page(project("a"), Some(&first), &filter, 1, instant());
        let two = log.page(project("a"), Some(&one.next), &filter, 1, instant());
        assert_eq!((ids(&one), ids(&two)), (vec!["2"], vec!["4"]));
        assert!(log.page(project("a"), Some(&two.next), &filter, 1, instant()).requests.is_empty());
    }

    #[test]
    fn another_instance_begins_with_the_time_of_the_cursor() {
        let (one, other) = (RequestLog::new(1), RequestLog::new(2));
        let early = LoggedRequest { at: instant() - TimeDelta::seconds(1), ..request("early") };
        other.add(project("a"), id_of(TEAM).into(), early);
        add(&other, TEAM, "a", "late");
        let begun = page(&one, "a", None).next;
        let found = page(&other, "a", Some(&begun));
        assert_eq!((ids(&found), found.instance, found.is_truncated), (vec!["late"], 2, false));
        add(&one, TEAM, "a", "1");
        assert_eq!(ids(&page(&one, "a", Some(&found.next))), ["1"]);
        assert!(page(&other, "a", Some(&found.next)).requests.is_empty());
    }

    #[test]
    fn a_project_has_a_maximum_and_says_that_requests_are_missing() {
        let log = RequestLog::new(1);
        add(&log, TEAM, "a", "first");
        let cursor = page(&log, "a", None).next;
        (0..2_000).for_each(|number| add(&log, TEAM, "a", &number.to_string()));
        let bytes = log.logs().projects[&project("a")].bytes;
        assert!(bytes <= MAX_PROJECT_BYTES && bytes > MAX_PROJECT_BYTES / 2, "{bytes}");
        assert!(page(&log, "a", Some(&cursor)).is_truncated);
        let newest = page(&log, "a", None);
        assert_eq!(ids(&newest).last(), Some(&"1999"));
        assert!(!page(&log, "a", Some(&newest.next)).is_truncated);
    }

    #[test]
    fn a_flood_takes_the_place_of_no_other_team_or_project() {
        let log = RequestLog { max_bytes: 64 * 1024, ..RequestLog::new(1) };
        for number in 0..5 {
            add(&log, "small", "small", &number.to_string());
            add(&log, "large", "beside", &number.to_string());
        }
        let long = "x".repeat(128);
        for number in 0..5_000 {
            add(&log, "large", &format!("flooded {}", number % 50), &long);
            assert!(log.logs().sizes.total() <= 64 * 1024);
        }
        assert_eq!(ids(&page(&log, "small", None)), ["0", "1", "2", "3", "4"]);
        assert_eq!(page(&log, "beside", None).requests.len(), 5);
        // What the counters say is what is stored.
        let logs = log.logs();
        let stored =
            logs.projects.values().flat_map(|log| &log.requests).map(|(_, request)| bytes_of(request)).sum::<usize>();
        assert_eq!(stored + logs.projects.len() * PROJECT_BYTES, logs.sizes.total());
        let capacity: usize = logs.projects.values().map(|log| log.requests.capacity()).sum();
        assert!(capacity * size_of::<(u64, LoggedRequest)>() <= 4 * 64 * 1024, "{capacity}");
    }

    #[test]
    fn a_log_that_was_removed_is_not_taken_for_complete() {
        let log = RequestLog { max_bytes: 2048, ..RequestLog::new(1) };
        add(&log, "a", "a", &"x".repeat(100));
        let cursor = page(&log, "a", None).next;
        add(&log, "a", "a", &"x".repeat(100));
        (0..10).for_each(|number| add(&log, &number.to_string(), &number.to_string(), "1"));
        assert!(!log.logs().projects.contains_key(&project("a")));
        assert!(page(&log, "a", Some(&cursor)).is_truncated);
        add(&log, "a", "a", "new");
        assert!(page(&log, "a", Some(&cursor)).is_truncated);
    }

    #[test]
    fn requests_of_several_threads_are_in_order_and_within_the_limits_of_all() {
        let log = RequestLog { max_bytes: 64 * 1024, ..RequestLog::new(1) };
        let add_at = |millis: i64| {
            let at = instant() + TimeDelta::milliseconds(millis);
            log.add(project("small"), id_of("small").into(), LoggedRequest { at, ..request(&millis.to_string()) });
        };
        for times in [[2, 3], [0, 1]] {
            thread::scope(|scope| drop(scope.spawn(|| times.into_iter().for_each(add_at))));
        }
        let read = page(&log, "small", None);
        assert_eq!(ids(&read), ["0", "1", "2", "3"]);

        let flood = |first: i64| {
            for number in 0..50 {
                add_at(first + number);
                (0..20).for_each(|number| add(&log, "large", &format!("flooded {number}"), "x"));
            }
        };
        thread::scope(|scope| drop([100, 200].map(|first| scope.spawn(move || flood(first)))));
        let found = log.page(project("small"), Some(&read.next), &RequestFilter::default(), 1_000, instant());
        let mut numbers: Vec<u32> = ids(&found).iter().map(|id| id.parse().unwrap()).collect();
        numbers.sort_unstable();
        assert_eq!((numbers, found.is_truncated), ((100..150).chain(200..250).collect(), false));
        assert!(log.logs().sizes.total() <= 64 * 1024);
    }
}
