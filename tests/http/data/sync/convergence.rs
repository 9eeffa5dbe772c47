//! A model test: devices and the API change the same items in random order, with lost connections, restarts and an
//! erased user. In the end, every device has exactly what is stored, and no acknowledged change is lost.
//!
//! `STEWARD_SYNC_CASES` and `STEWARD_MODEL_STEPS` set the length of the test. `STEWARD_MODEL_SEED` selects other steps,
//! or repeats those of a failure, whose output contains its seed.

mod case;
mod phone;

use futures_util::future::join_all;
use proptest::prelude::*;
use proptest::strategy::ValueTree as _;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use steward_tests::Backend;

use case::Case;
use phone::Phone;

const DEVICES: usize = 3;
/// Number of items that have a name. The API creates others.
const ITEMS: usize = 4;

/// A step of a case. Devices and items are numbered.
#[derive(Debug, Clone)]
enum Step {
    /// A device changes items in one message, and sends it as soon as it is connected.
    Edit(usize, Vec<Edit>),
    /// A device changes an item and loses the connection before the acknowledgement, perhaps before the change is
    /// stored.
    EditAndLose(usize, Edit, bool),
    /// A device loses the connection in the middle of a message.
    LoseHalfway(usize, Edit),
    Disconnect(usize),
    Connect(usize),
    /// A device applies what arrives.
    Read(usize),
    Api(Door),
    /// A device and the API change items at the same time.
    Race(usize, Edit, Door),
    /// The service is killed and started again.
    Restart,
    /// The user is deleted with all items, and signs in again.
    Erase,
}

/// A change that a device makes.
#[derive(Debug, Clone)]
enum Edit {
    Put(usize),
    Title(usize),
    /// Is rejected if the item does not exist, because items must have a title.
    Rank(usize, u64),
    Delete(usize),
}

/// A change through the API.
#[derive(Debug, Clone)]
enum Door {
    Put(usize),
    Patch(usize),
    Delete(usize),
    Post,
    /// Puts one item and deletes another one, by the key of the project.
    Batch(usize),
}

fn edit() -> impl Strategy<Value = Edit> {
    prop_oneof![
        3 => (0..ITEMS).prop_map(Edit::Put),
        3 => (0..ITEMS).prop_map(Edit::Title),
        2 => (0..ITEMS, 0_u64..100).prop_map(|(item, rank)| Edit::Rank(item, rank)),
        2 => (0..ITEMS).prop_map(Edit::Delete),
    ]
}

fn door() -> impl Strategy<Value = Door> {
    prop_oneof![
        3 => (0..ITEMS).prop_map(Door::Put),
        3 => (0..ITEMS).prop_map(Door::Patch),
        2 => (0..ITEMS).prop_map(Door::Delete),
        1 => Just(Door::Post),
        2 => (0..ITEMS).prop_map(Door::Batch),
    ]
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        12 => (0..DEVICES, proptest::collection::vec(edit(), 1..4)).prop_map(|(device, edits)| Step::Edit(device, edits)),
        3 => (0..DEVICES, edit(), any::<bool>())
            .prop_map(|(device, edit, is_stored)| Step::EditAndLose(device, edit, is_stored)),
        2 => (0..DEVICES, edit()).prop_map(|(device, edit)| Step::LoseHalfway(device, edit)),
        2 => (0..DEVICES).prop_map(Step::Disconnect),
        6 => (0..DEVICES).prop_map(Step::Connect),
        4 => (0..DEVICES).prop_map(Step::Read),
        6 => door().prop_map(Step::Api),
        6 => (0..DEVICES, edit(), door()).prop_map(|(device, edit, door)| Step::Race(device, edit, door)),
        1 => Just(Step::Restart),
        1 => Just(Step::Erase),
    ]
}

async fn take(case: &mut Case, phones: &mut [Phone], step: &Step) {
    match step {
        Step::Edit(device, edits) => phones[*device].change(case, edits).await,
        Step::EditAndLose(device, edit, is_stored) => {
            phones[*device].change_and_lose(case, edit, *is_stored).await;
            case.serves_at_most(phones.iter().filter(|phone| phone.is_connected()).count()).await;
        }
        Step::LoseHalfway(device, edit) => phones[*device].lose_halfway(case, edit).await,
        Step::Disconnect(device) => phones[*device].disconnect().await,
        Step::Connect(device) => phones[*device].connect(case).await,
        Step::Read(device) => phones[*device].read().await,
        Step::Api(door) => case.write(door).await,
        Step::Race(device, edit, door) => {
            let edits = [edit.clone()];
            tokio::join!(phones[*device].change(case, &edits), case.write(door));
        }
        Step::Restart => {
            case.app.kill_and_restart().await;
            phones.iter_mut().for_each(Phone::lose);
        }
        Step::Erase => {
            case.erase_user().await;
            for phone in phones {
                phone.sign_out().await;
            }
            case.sign_in_again().await;
        }
    }
}

async fn run(backend: Backend, steps: &[Step]) {
    let mut case = Case::begin(backend).await;
    let mut phones: Vec<Phone> = (0..DEVICES).map(|_| Phone::default()).collect();
    for step in steps {
        take(&mut case, &mut phones, step).await;
    }
    for phone in &mut phones {
        phone.connect(&case).await;
    }
    let stored = case.stored().await;
    join_all(phones.iter_mut().map(|phone| phone.converge(&stored))).await;
    case.check(&stored);
}

#[expect(clippy::disallowed_methods, reason = "This is a setting of the test, not of the service.")]
fn setting(name: &str, default: u64) -> u64 {
    std::env::var(name).map_or(default, |text| text.parse().unwrap())
}

async fn run_cases(backend: Backend) {
    let (first, cases) = (setting("STEWARD_MODEL_SEED", 1), setting("STEWARD_SYNC_CASES", 3));
    let count = usize::try_from(setting("STEWARD_MODEL_STEPS", 60)).unwrap();
    for seed in first..first + cases {
        let mut bytes = [0; 32];
        bytes[..8].copy_from_slice(&seed.to_le_bytes());
        let random = TestRng::from_seed(RngAlgorithm::ChaCha, &bytes);
        let mut runner = TestRunner::new_with_rng(Config::default(), random);
        let steps = proptest::collection::vec(step(), count).new_tree(&mut runner).unwrap().current();
        println!("Seed {seed}: {steps:?}");
        run(backend, &steps).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn devices_converge_to_what_is_stored_on_sqlite() {
    run_cases(Backend::Sqlite).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn devices_converge_to_what_is_stored_on_postgres() {
    run_cases(Backend::Postgres).await;
}
