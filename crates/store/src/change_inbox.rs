//! The users whose items changed, kept until the process reads the changes.

use std::sync::Mutex;

use steward_domain::data::ChangedUsers;
use steward_domain::kernel::lock;
use tokio::sync::Notify;

/// Collects changes for the one task that waits for them.
#[derive(Default)]
pub(crate) struct ChangeInbox {
    users: Mutex<ChangedUsers>,
    wake: Notify,
}

impl ChangeInbox {
    pub(crate) fn add(&self, users: ChangedUsers) {
        if !users.is_empty() {
            lock(&self.users).add(users);
            self.wake.notify_one();
        }
    }

    /// Waits until something changes. Returns what has changed since the last call.
    pub(crate) async fn next(&self) -> ChangedUsers {
        loop {
            let users = std::mem::take(&mut *lock(&self.users));
            if !users.is_empty() {
                return users;
            }
            self.wake.notified().await;
        }
    }

    /// Returns whether the changes of other processes are received.
    pub(crate) const fn is_listening(&self) -> bool {
        false
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use steward_domain::kernel::ProjectUserId;
    use steward_domain::mocks::id_of;

    use super::*;

    fn user(name: &str) -> ProjectUserId {
        id_of(name).into()
    }

    #[tokio::test]
    async fn changes_are_reported_once_and_none_is_lost_by_a_caller_that_stops_waiting() {
        let inbox = ChangeInbox::default();
        tokio::select! {
            biased;
            _ = inbox.next() => panic!("Nothing has changed."),
            () = std::future::ready(()) => {}
        }
        inbox.add([user("ann")].into_iter().collect());
        inbox.add([user("bob"), user("ann")].into_iter().collect());
        assert_eq!(inbox.next().await, ChangedUsers::Listed(HashSet::from([user("ann"), user("bob")])));
        assert!(lock(&inbox.users).is_empty());

        let many = (0..=ChangedUsers::MAX_LISTED).map(|number| user(&format!("user{number}")));
        inbox.add(many.collect());
        assert_eq!(inbox.next().await, ChangedUsers::Any);
    }
}
