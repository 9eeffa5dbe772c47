//! Rules of the window, with responses in any order.

use std::collections::BTreeSet;

use chrono::TimeDelta;
use proptest::prelude::*;

use super::*;
use crate::mocks::{id_of, instant};

/// Events at every second position, each of one of some projects; the first project is the team itself.
fn messages(projects: &[u8]) -> Vec<EventMessage> {
    let message = |(index, project): (usize, &u8)| EventMessage {
        position: 2 * i64::try_from(index).unwrap() + 2,
        project: (*project > 0).then(|| ProjectId::from(id_of(&format!("project {project}")))),
        name: "item.updated".to_owned(),
        body: "{}".to_owned(),
    };
    projects.iter().enumerate().map(message).collect()
}

/// The progress after a position, with failed attempts to deliver the next event.
fn after(position: i64, attempts: u32) -> Progress {
    Progress { position, attempts, retry_at: None, accepts_others: false }
}

/// Starts as many attempts as may start. Returns their positions.
fn start_all(window: &mut Window) -> Vec<i64> {
    std::iter::from_fn(|| window.start()).map(|(message, _)| message.position).collect()
}

fn window(ordering: WebhookOrdering, projects: &[u8]) -> Window {
    let mut window = Window::new(ordering, after(0, 0), Attempted::new());
    window.extend(messages(projects), 100, instant());
    window
}

/// A run over random events: responses arrive in any order, and some events fail.
#[derive(Debug, Clone)]
struct Run {
    projects: Vec<u8>,
    failing: BTreeSet<usize>,
    /// Which of the requests in flight ends next.
    responses: Vec<prop::sample::Index>,
    attempts: u32,
    ordering: WebhookOrdering,
}

fn runs() -> impl Strategy<Value = Run> {
    let ordering = prop_oneof![Just(WebhookOrdering::Project), Just(WebhookOrdering::Unordered)];
    let failing = prop::collection::btree_set(0_usize..300, 0..4);
    let responses = prop::collection::vec(any::<prop::sample::Index>(), 400);
    (prop::collection::vec(0_u8..20, 1..300), failing, responses, 0_u32..2, ordering).prop_map(
        |(projects, failing, responses, attempts, ordering)| Run { projects, failing, responses, attempts, ordering },
    )
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn events_keep_the_order_of_their_project_and_the_position_passes_none_of_them(run in runs()) {
        let events = messages(&run.projects);
        let last = events.last().map_or(0, |event| event.position) + 5;
        let fails = |position: i64| run.failing.contains(&(usize::try_from(position).unwrap() / 2 - 1));
        let mut unread = events.iter().cloned().peekable();
        let mut window = Window::new(run.ordering, after(0, run.attempts), Attempted::new());
        let (mut flying, mut sent, mut delivered) = (Vec::new(), Vec::new(), BTreeSet::new());
        for response in &run.responses {
            while window.has_room() && unread.peek().is_some() {
                let batch: Vec<_> = unread.by_ref().take(EVENT_BATCH_SIZE.into()).collect();
                let through = if unread.peek().is_some() { batch.last().unwrap().position } else { last };
                window.extend(batch, through, instant());
            }
            let started = start_all(&mut window);
            sent.extend(started.iter().copied());
            flying.extend(started);
            prop_assert!(flying.len() <= MAX_IN_FLIGHT && flying.len() == window.in_flight());
            prop_assert!(window.events.len() <= WINDOW_SIZE);
            if run.ordering == WebhookOrdering::Project {
                let projects: BTreeSet<u8> =
                    flying.iter().map(|position| run.projects[usize::try_from(position / 2 - 1).unwrap()]).collect();
                prop_assert_eq!(projects.len(), flying.len(), "One request per project.");
            }
            if flying.is_empty() {
                break;
            }
            let position = flying.swap_remove(response.index(flying.len()));
            if fails(position) {
                window.failed(position, instant());
            } else {
                window.delivered(position);
                delivered.insert(position);
            }
            let progress = window.progress();
            let passed = events.iter().filter(|event| event.position <= progress.position);
            prop_assert!(passed.clone().all(|event| delivered.contains(&event.position)));
        }
        prop_assert_eq!(sent.iter().collect::<BTreeSet<_>>().len(), sent.len(), "No event is sent twice.");
        if run.ordering == WebhookOrdering::Project {
            for project in 0..20 {
                let of_project: Vec<i64> = sent
                    .iter()
                    .copied()
                    .filter(|position| run.projects[usize::try_from(position / 2 - 1).unwrap()] == project)
                    .collect();
                prop_assert!(of_project.is_sorted());
                let failed = of_project.iter().position(|position| fails(*position));
                prop_assert!(failed.is_none_or(|failed| failed == of_project.len() - 1), "{:?}", of_project);
            }
        }
        if events.iter().all(|event| !fails(event.position)) {
            let progress = window.progress();
            prop_assert_eq!(progress, Progress { accepts_others: progress.accepts_others, ..after(last, 0) });
        }
    }
}

#[test]
fn events_of_projects_are_sent_side_by_side_and_those_of_one_project_in_turn() {
    let mut of_project = window(WebhookOrdering::Project, &[1, 1, 2, 0, 0, 1]);
    assert_eq!(start_all(&mut of_project), [2, 6, 8]);
    of_project.delivered(6);
    assert_eq!((start_all(&mut of_project), of_project.progress().position), (vec![], 1));
    of_project.delivered(2);
    assert_eq!((start_all(&mut of_project), of_project.progress().position), (vec![4], 3));

    let mut unordered = window(WebhookOrdering::Unordered, &[1; 20]);
    assert_eq!(start_all(&mut unordered).len(), MAX_IN_FLIGHT);
    unordered.delivered(8);
    assert_eq!((start_all(&mut unordered), unordered.progress().position), (vec![34], 1));
}

#[test]
fn a_failing_event_blocks_its_project_and_the_window_bounds_the_others() {
    let mut projects = vec![1];
    projects.extend([2; 2 * WINDOW_SIZE]);
    let mut unread = messages(&projects).into_iter();
    let mut window = Window::new(WebhookOrdering::Project, after(0, 0), Attempted::new());
    let mut delivered = 0;
    loop {
        while window.has_room() {
            let batch: Vec<_> = unread.by_ref().take(EVENT_BATCH_SIZE.into()).collect();
            let through = batch.last().unwrap().position;
            window.extend(batch, through, instant());
        }
        let started = start_all(&mut window);
        if started.is_empty() {
            break;
        }
        for position in started {
            if position == 2 {
                window.failed(position, instant());
            } else {
                window.delivered(position);
                delivered += 1;
            }
        }
    }
    assert_eq!(delivered, WINDOW_SIZE - 1);
    assert_eq!(
        window.progress(),
        Progress { retry_at: Some(instant()), ..after(1, 1) },
        "There is no room for others."
    );

    // The next turn sends only what was not delivered.
    let mut next = Window::new(WebhookOrdering::Project, after(1, 1), window.into_attempted());
    next.extend(messages(&projects).into_iter().take(WINDOW_SIZE), 1_000, instant());
    assert_eq!(start_all(&mut next), [2]);
    next.delivered(2);
    assert_eq!((start_all(&mut next), next.progress().position), (vec![], 1_000));
}

#[test]
fn attempts_are_counted_per_event() {
    let mut first = window(WebhookOrdering::Project, &[1, 2, 3]);
    assert_eq!(start_all(&mut first), [2, 4, 6]);
    first.failed(2, instant());
    first.failed(4, instant());
    first.delivered(6);
    let attempted = first.into_attempted();
    assert_eq!(attempted.len(), 3);

    let mut second = Window::new(WebhookOrdering::Project, after(1, 1), attempted);
    second.extend(messages(&[1, 2, 3]), 6, instant());
    let started: Vec<_> = [second.start(), second.start()].into_iter().flatten().collect();
    let numbered: Vec<_> = started.iter().map(|(message, attempt)| (message.position, *attempt)).collect();
    assert_eq!(numbered, [(2, 2)], "After a failure, one event is sent first.");
    second.delivered(2);
    assert_eq!(second.progress(), Progress { accepts_others: true, ..after(3, 1) });
    assert_eq!(second.start().map(|(message, attempt)| (message.position, attempt)), Some((4, 2)));
    second.delivered(4);
    assert_eq!(second.progress(), Progress { accepts_others: true, ..after(6, 0) });
}

#[test]
fn an_event_is_not_sent_again_before_its_retry_is_due() {
    let mut first = window(WebhookOrdering::Project, &[1, 2, 2]);
    assert_eq!(start_all(&mut first), [2, 4]);
    let retry_at = instant() + TimeDelta::seconds(5);
    first.failed(4, retry_at);
    let attempted = first.into_attempted();
    for (now, sent) in [(instant(), vec![2]), (retry_at, vec![2, 4])] {
        let mut next = Window::new(WebhookOrdering::Project, after(0, 0), attempted.clone());
        next.extend(messages(&[1, 2, 2]), 100, now);
        assert_eq!(start_all(&mut next), sent);
        next.delivered(2);
        let retry_at = Some(retry_at).filter(|_| now < retry_at);
        assert_eq!(next.progress(), Progress { retry_at, accepts_others: true, ..after(3, 1) });
    }
}

#[test]
fn several_failures_in_a_row_mean_that_the_receiver_is_not_available() {
    let mut window = window(WebhookOrdering::Unordered, &[1; 20]);
    let started = start_all(&mut window);
    for position in &started[..3] {
        window.failed(*position, instant());
    }
    assert!(!window.is_failing());
    window.delivered(started[3]);
    for position in &started[4..8] {
        assert!(!window.is_failing());
        window.failed(*position, instant());
    }
    assert!(window.is_failing());
}

#[test]
fn large_messages_that_wait_limit_what_is_read() {
    let mut window = Window::new(WebhookOrdering::Project, after(0, 0), Attempted::new());
    let large =
        messages(&[1, 1]).into_iter().map(|message| EventMessage { body: "x".repeat(MAX_WAITING_BYTES), ..message });
    window.extend(large, 4, instant());
    assert!(!window.has_room());
    assert_eq!(start_all(&mut window), [2]);
    assert!(!window.has_room());
    window.delivered(2);
    assert_eq!(start_all(&mut window), [4]);
    assert!(window.has_room());
}

#[test]
fn an_event_that_is_no_longer_wanted_leaves_no_attempts() {
    let mut window = Window::new(WebhookOrdering::Project, after(1, 3), Attempted::new());
    assert_eq!(window.progress(), after(1, 3));
    window.extend([], 9, instant());
    assert_eq!(window.progress(), after(9, 0));
}

#[test]
fn other_events_are_sent_before_the_recorded_retry_of_the_first_one() {
    let retry_at = Some(instant() + TimeDelta::days(1));
    let start = Progress { retry_at, accepts_others: true, ..after(0, 3) };
    let mut window = Window::new(WebhookOrdering::Project, start, Attempted::new());
    assert_eq!(window.progress(), start);
    window.extend(messages(&[1, 1, 2]), 6, instant());
    assert_eq!(start_all(&mut window), [6], "The first two events are of the project that waits.");
    window.delivered(6);
    assert_eq!((window.progress(), window.seen()), (Progress { position: 1, ..start }, 6));
}

#[test]
fn a_receiver_accepts_others_if_it_accepted_an_event_in_its_last_turn() {
    let mut window = window(WebhookOrdering::Unordered, &[1; 8]);
    let started = start_all(&mut window);
    assert!(!window.progress().accepts_others, "It is not known.");
    window.failed(started[0], instant());
    assert!(!window.progress().accepts_others);
    window.delivered(started[1]);
    assert!(window.progress().accepts_others);
    window.failed(started[2], instant());
    assert!(window.progress().accepts_others);
    started[3..6].iter().for_each(|position| window.failed(*position, instant()));
    assert!(!window.progress().accepts_others, "It is not available now.");
}
