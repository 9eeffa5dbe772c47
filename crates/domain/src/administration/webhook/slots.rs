//! How many webhooks this process delivers to, and how many requests are in flight, in total and per team.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};

use crate::kernel::{TeamId, WebhookId};

/// Maximum number of webhooks that this process delivers to concurrently, in total and per team.
const MAX_CONCURRENT: usize = 32;
const MAX_CONCURRENT_PER_TEAM: usize = 4;
/// Maximum number of requests in flight beyond the first one of each webhook, in total and per team. Each webhook may
/// always send one request, so no team waits because others use all of these.
const MAX_SHARED_REQUESTS: usize = 96;
const MAX_SHARED_REQUESTS_PER_TEAM: usize = 28;

/// Deliveries in progress in this process.
#[derive(Debug, Default)]
pub(crate) struct Running {
    webhooks: BTreeMap<WebhookId, Delivering>,
    pub(crate) stopping: bool,
}

#[derive(Debug)]
struct Delivering {
    team: TeamId,
    /// Number of requests in flight.
    requests: usize,
}

impl Running {
    /// Number of webhooks that this process delivers to.
    pub(crate) fn len(&self) -> usize {
        self.webhooks.len()
    }

    /// The webhooks that this process delivers to, in order.
    pub(crate) fn ids(&self) -> Vec<WebhookId> {
        self.webhooks.keys().copied().collect()
    }

    fn of_team(&self, team: TeamId) -> usize {
        self.webhooks.values().filter(|other| other.team == team).count()
    }

    /// How many more deliveries may start.
    pub(crate) fn free(&self) -> usize {
        if self.stopping { 0 } else { MAX_CONCURRENT.saturating_sub(self.webhooks.len()) }
    }

    /// Teams that have reached their limit.
    pub(crate) fn full_teams(&self) -> Vec<TeamId> {
        let teams: BTreeSet<TeamId> = self.webhooks.values().map(|webhook| webhook.team).collect();
        teams.into_iter().filter(|team| self.of_team(*team) >= MAX_CONCURRENT_PER_TEAM).collect()
    }

    /// Reserves slots for as many of the webhooks as the limits allow. Teams with fewer deliveries in progress come first.
    pub(crate) fn reserve(&mut self, found: &[(WebhookId, TeamId)]) -> Vec<WebhookId> {
        let mut chosen = Vec::new();
        for limit in 1..=MAX_CONCURRENT_PER_TEAM {
            for (webhook, team) in found {
                if self.free() == 0 || self.of_team(*team) >= limit {
                    continue;
                }
                if let Entry::Vacant(slot) = self.webhooks.entry(*webhook) {
                    slot.insert(Delivering { team: *team, requests: 0 });
                    chosen.push(*webhook);
                }
            }
        }
        chosen
    }

    /// Releases the slot of a webhook, with its requests.
    pub(crate) fn release(&mut self, webhook: WebhookId) {
        self.webhooks.remove(&webhook);
    }

    /// Counts another request to a webhook. Returns `false` if the limits do not allow it now.
    pub(crate) fn start_request(&mut self, webhook: WebhookId) -> bool {
        let Some((team, requests)) = self.webhooks.get(&webhook).map(|found| (found.team, found.requests)) else {
            return false;
        };
        // The first request of a webhook does not count against the shared limits.
        let shared = |of: &dyn Fn(&Delivering) -> bool| -> usize {
            self.webhooks.values().filter(|other| of(other)).map(|other| other.requests.saturating_sub(1)).sum()
        };
        let is_allowed = requests == 0
            || shared(&|_| true) < MAX_SHARED_REQUESTS
                && shared(&|other| other.team == team) < MAX_SHARED_REQUESTS_PER_TEAM;
        if let Some(found) = self.webhooks.get_mut(&webhook).filter(|_| is_allowed) {
            found.requests += 1;
        }
        is_allowed
    }

    /// Records that a request ended.
    pub(crate) fn end_request(&mut self, webhook: WebhookId) {
        if let Some(found) = self.webhooks.get_mut(&webhook) {
            found.requests = found.requests.saturating_sub(1);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mocks::id_of;

    /// Some webhooks of each of these teams.
    fn webhooks_of(teams: &[&str], count: usize) -> Vec<(WebhookId, TeamId)> {
        let of_team = |team: &&str| {
            let (name, team) = (*team, TeamId::from(id_of(team)));
            (0..count).map(move |number| (id_of(&format!("{name} {number}")).into(), team)).collect::<Vec<_>>()
        };
        teams.iter().flat_map(of_team).collect()
    }

    /// Starts requests to the webhook until one is refused. Returns how many were started.
    fn start_all(running: &mut Running, webhook: WebhookId) -> usize {
        std::iter::from_fn(|| running.start_request(webhook).then_some(())).take(1_000).count()
    }

    #[test]
    fn a_team_delivers_to_a_limited_number_of_webhooks() {
        let mut running = Running::default();
        let found = webhooks_of(&["acme", "other"], MAX_CONCURRENT_PER_TEAM + 1);
        let chosen = running.reserve(&found);
        assert_eq!((chosen.len(), running.full_teams().len()), (2 * MAX_CONCURRENT_PER_TEAM, 2));
        running.release(chosen[0]);
        assert_eq!(running.reserve(&found), [chosen[0]]);
        let teams: Vec<String> = (0..20).map(|number| format!("team {number}")).collect();
        let teams: Vec<&str> = teams.iter().map(String::as_str).collect();
        running.reserve(&webhooks_of(&teams, 4));
        assert_eq!((running.len(), running.free()), (MAX_CONCURRENT, 0));
    }

    #[test]
    fn teams_with_fewer_deliveries_in_progress_come_first() {
        let mut running = Running::default();
        let busy: Vec<String> = (0..7).map(|number| format!("busy {number}")).collect();
        let busy: Vec<&str> = busy.iter().map(String::as_str).collect();
        running.reserve(&webhooks_of(&busy, MAX_CONCURRENT_PER_TEAM));
        let waiting = [webhooks_of(&["first"], 5), webhooks_of(&["second"], 1)].concat();
        let chosen = running.reserve(&waiting);
        assert_eq!((chosen[..2].to_vec(), chosen.len()), (vec![waiting[0].0, waiting[5].0], MAX_CONCURRENT - 28));
    }

    #[test]
    fn one_team_never_uses_all_requests() {
        let mut running = Running::default();
        let chosen = running.reserve(&webhooks_of(&["acme"], MAX_CONCURRENT_PER_TEAM));
        let started: usize = chosen.iter().map(|webhook| start_all(&mut running, *webhook)).sum();
        assert_eq!(started, MAX_CONCURRENT_PER_TEAM + MAX_SHARED_REQUESTS_PER_TEAM);
        let other = running.reserve(&webhooks_of(&["other"], 1))[0];
        assert_eq!(start_all(&mut running, other), 1 + MAX_SHARED_REQUESTS_PER_TEAM);
        const { assert!(MAX_SHARED_REQUESTS_PER_TEAM * 2 < MAX_SHARED_REQUESTS) };
    }

    #[test]
    fn every_webhook_may_send_one_request_however_many_are_in_flight() {
        let mut running = Running::default();
        let teams = ["one", "two", "three", "four", "five", "six", "seven", "eight"];
        let chosen = running.reserve(&webhooks_of(&teams, MAX_CONCURRENT_PER_TEAM));
        assert_eq!(chosen.len(), MAX_CONCURRENT);
        let started: Vec<usize> = chosen.iter().map(|webhook| start_all(&mut running, *webhook)).collect();
        assert!(started.iter().all(|requests| *requests >= 1), "{started:?}");
        assert_eq!(started.iter().sum::<usize>(), MAX_CONCURRENT + MAX_SHARED_REQUESTS);
        running.end_request(chosen[0]);
        assert!(running.start_request(chosen[0]) && !running.start_request(chosen[0]));
        running.release(chosen[0]);
        assert!(!running.start_request(chosen[0]), "It is not delivered to.");
        assert!(
            running.start_request(chosen[teams.len()]),
            "The requests of the other webhook of its team are released."
        );
    }
}
