//! A model test: devices and the API change the same items in random order, with lost connections. In the end, every
//! device has exactly what is stored.

use std::collections::BTreeMap;

use proptest::prelude::*;
use proptest::strategy::ValueTree as _;
use proptest::test_runner::TestRunner;
use serde_json::{Value, json};
use steward_tests::{App, on_both};

use super::device::{Device, delete, put, update};
use super::{Synced, WRITE};

const DEVICES: usize = 3;
/// Number of steps of a run.
const STEPS: usize = 60;

/// A step of a run. Items and devices are numbered.
#[derive(Debug, Clone)]
enum Step {
    /// A device changes an item and sends the change.
    Change(usize, Edit),
    /// A device changes an item and loses the connection before it is acknowledged, or before it is sent.
    ChangeOffline(usize, Edit),
    /// The API changes an item.
    Api(Edit),
    /// A device applies everything that has arrived.
    Settle(usize),
}

#[derive(Debug, Clone)]
enum Edit {
    Put(usize, String),
    Rank(usize, i64),
    Delete(usize),
}

fn edit() -> impl Strategy<Value = Edit> {
    prop_oneof![
        (0_usize..4, "[a-z]{1,4}").prop_map(|(item, title)| Edit::Put(item, title)),
        (0_usize..4, 0_i64..100).prop_map(|(item, rank)| Edit::Rank(item, rank)),
        (0_usize..4).prop_map(Edit::Delete),
    ]
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        6 => (0..DEVICES, edit()).prop_map(|(device, edit)| Step::Change(device, edit)),
        2 => (0..DEVICES, edit()).prop_map(|(device, edit)| Step::ChangeOffline(device, edit)),
        3 => edit().prop_map(Step::Api),
        2 => (0..DEVICES).prop_map(Step::Settle),
    ]
}

impl Edit {
    fn change(&self) -> Value {
        let id = |item: &usize| format!("item{item}");
        match self {
            Self::Put(item, title) => put(&id(item), json!({"id": id(item), "title": title})),
            Self::Rank(item, rank) => update(&id(item), json!({"rank": rank})),
            Self::Delete(item) => delete(&id(item)),
        }
    }
}

/// Changes an item through the API. Whether the item exists does not matter.
async fn write(ann: &Synced, app: &App, edit: &Edit) {
    let (caller, path) = (ann.ann(app), |item: &usize| format!("{}/item{item}", ann.notes()));
    match edit {
        Edit::Put(item, title) => drop(caller.put(&path(item), json!({"value": {"title": title}})).await),
        Edit::Rank(item, rank) => drop(caller.patch(&path(item), json!({"value": {"rank": rank}})).await),
        Edit::Delete(item) => drop(caller.delete(&path(item)).await),
    }
}

async fn run(ann: &Synced, app: &App, devices: &mut [Option<Device>], step: &Step) {
    match step {
        Step::Change(number, edit) => devices[*number].as_mut().unwrap().change(vec![edit.change()]).await,
        Step::ChangeOffline(number, edit) => {
            let mut device = devices[*number].take().unwrap();
            let changes = vec![edit.change()];
            // Half of the devices lose the acknowledgement, the others have not sent the change.
            if number % 2 == 0 {
                device.begin_push(changes.clone()).await;
            }
            let device = device.reconnect(app, &ann.token, &ann.world.project, changes).await;
            devices[*number] = Some(device);
        }
        Step::Api(edit) => write(ann, app, edit).await,
        Step::Settle(number) => devices[*number].as_mut().unwrap().settle().await,
    }
}

on_both! {
    async fn devices_converge_to_what_is_stored(app: &App) {
        let ann = Synced::make(app, WRITE).await;
        // The same steps in every run, so that a failure can be reproduced.
        let mut runner = TestRunner::deterministic();
        let steps = proptest::collection::vec(step(), STEPS).new_tree(&mut runner).unwrap().current();
        let mut devices = Vec::new();
        for _ in 0..DEVICES {
            devices.push(Some(ann.device(app).await));
        }
        for step in &steps {
            run(&ann, app, &mut devices, step).await;
        }
        let stored = ann.ann(app).get(&ann.notes()).await.ok();
        let fields = |item: &Value| {
            let mut item = item.clone();
            item.as_object_mut().unwrap().retain(|name, _| !matches!(name.as_str(), "created_at" | "updated_at"));
            item
        };
        let stored = stored["data"].as_array().unwrap().iter().map(fields);
        let stored: BTreeMap<(String, String), Value> =
            stored.map(|item| (("notes".to_owned(), item["id"].as_str().unwrap().to_owned()), item)).collect();
        for (number, device) in devices.iter_mut().flatten().enumerate() {
            device.settle().await;
            assert_eq!(device.items, stored, "Device {number} after {steps:#?}");
        }
    }
}
