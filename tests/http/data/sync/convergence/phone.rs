//! A device of the model test: connected or not, with messages that are not acknowledged yet.

use std::time::Duration;

use serde_json::json;
use steward_tests::device::{Device, DeviceState, Items, Pending};

use super::Edit;
use super::case::{Case, id};

/// How long a device waits for what the service may send.
const PAUSE: Duration = Duration::from_millis(60);

/// A device.
#[derive(Default)]
pub struct Phone {
    device: Option<Device>,
    /// What the device keeps while it is not connected.
    state: DeviceState,
    /// Messages that are not acknowledged.
    pending: Vec<Pending>,
}

/// Returns the message with these changes.
fn message(case: &Case, edits: &[Edit]) -> Pending {
    let mut message = Pending::default();
    for edit in edits {
        match edit {
            Edit::Put(item) => message.put(&id(*item), &case.next_value()),
            Edit::Title(item) => message.set_title(&id(*item), &case.next_value()),
            Edit::Rank(item, rank) => message.set_rank(&id(*item), *rank),
            Edit::Delete(item) => message.delete(&id(*item)),
        }
    }
    message
}

impl Phone {
    /// Changes items in one message, and sends it if the device is connected.
    pub async fn change(&mut self, case: &Case, edits: &[Edit]) {
        self.edit(case, edits);
        self.send(case).await;
    }

    fn edit(&mut self, case: &Case, edits: &[Edit]) {
        let pending = message(case, edits);
        match &mut self.device {
            Some(device) => device.edit(&pending.changes),
            None => self.state.edit(&pending.changes),
        }
        self.pending.push(pending);
    }

    /// Sends the messages that are not acknowledged, one after the other.
    async fn send(&mut self, case: &Case) {
        let Some(device) = &mut self.device else { return };
        while let Some(pending) = self.pending.first_mut() {
            pending.begin(&case.history);
            if device.try_push(&pending.changes).await.is_err() {
                self.lose();
                return;
            }
            pending.acknowledge(&case.history);
            self.pending.remove(0);
        }
    }

    /// Whether the device believes that it has a connection.
    pub fn is_connected(&self) -> bool {
        self.device.is_some()
    }

    /// Changes an item and loses the connection and the acknowledgement, perhaps before the change is stored.
    pub async fn change_and_lose(&mut self, case: &Case, edit: &Edit, is_stored: bool) {
        self.edit(case, std::slice::from_ref(edit));
        if let (Some(device), Some(pending)) = (&mut self.device, self.pending.last_mut()) {
            pending.begin(&case.history);
            // The connection may have been lost before.
            match is_stored {
                // The acknowledgement shows that the change is stored. The device forgets it.
                true => drop(device.try_push(&pending.changes).await),
                false => drop(device.try_begin_push(&pending.changes).await),
            }
        }
        self.lose();
    }

    /// Loses the connection in the middle of a message.
    pub async fn lose_halfway(&mut self, case: &Case, edit: &Edit) {
        self.edit(case, std::slice::from_ref(edit));
        if let (Some(device), Some(pending)) = (&mut self.device, self.pending.last()) {
            device.send_half(&pending.changes).await.ok();
        }
        self.lose();
    }

    pub fn lose(&mut self) {
        if let Some(device) = self.device.take() {
            self.state = device.lose();
        }
    }

    pub async fn disconnect(&mut self) {
        if let Some(device) = self.device.take() {
            self.state = device.disconnect().await;
        }
    }

    /// Connects the device if it is not connected: it sends its messages, and then gets what it lacks.
    pub async fn connect(&mut self, case: &Case) {
        if self.device.is_some() {
            return;
        }
        let mut device = self.state.connect(&case.app.base, &case.ann.token, &case.ann.world.project).await.unwrap();
        if self.pending.is_empty() {
            device.push(Vec::new()).await;
        }
        self.device = Some(device);
        self.send(case).await;
        self.device.as_mut().unwrap().subscribe().await;
    }

    /// Applies what arrives.
    pub async fn read(&mut self) {
        if let Some(device) = &mut self.device
            && device.listen(PAUSE).await.is_err()
        {
            self.lose();
        }
    }

    /// Checks that the service ends the connection, and begins as a new device: the SDK deletes its copy when the
    /// person is signed out.
    pub async fn sign_out(&mut self) {
        if let Some(device) = &mut self.device {
            assert_eq!(device.end().await, (Some(json!("UNAUTHORIZED")), 4401));
        }
        *self = Self::default();
    }

    /// Waits until the device has these items.
    pub async fn converge(&mut self, stored: &Items) {
        self.device.as_mut().unwrap().converge(stored).await;
    }
}
