//! A Citus cluster for a single test.

use steward_tests::{App, Cluster, has_citus};
use tokio::task::block_in_place;

const OPTIONS: &str = "-c shared_preload_libraries=citus -c wal_level=logical -c max_prepared_transactions=100 \
     -c citus.node_conninfo=sslmode=disable";

/// A coordinator and two workers. Dropping the value stops them.
pub struct CitusCluster {
    pub coordinator: Cluster,
    pub workers: [Cluster; 2],
}

impl CitusCluster {
    /// Starts an empty cluster. Returns `None` if Citus is not installed.
    pub async fn start() -> Option<Self> {
        if !has_citus() {
            return None;
        }
        let start = || Cluster::start_with(OPTIONS);
        let (coordinator, first, second) = tokio::join!(start(), start(), start());
        let cluster = Self { coordinator, workers: [first, second] };
        cluster.coordinator.execute("CREATE EXTENSION citus");
        let (host, port) = address(&cluster.coordinator);
        cluster.coordinator.execute(&format!("SELECT citus_set_coordinator_host('{host}', {port})"));
        cluster.workers.iter().for_each(|worker| cluster.add(worker));
        Some(cluster)
    }

    fn add(&self, worker: &Cluster) {
        worker.execute("CREATE EXTENSION citus");
        let (host, port) = address(worker);
        self.coordinator.execute(&format!("SELECT citus_add_node('{host}', {port})"));
    }

    /// Starts another worker, which has no data yet.
    pub async fn add_worker(&self) -> Cluster {
        let worker = Cluster::start_with(OPTIONS).await;
        self.add(&worker);
        worker
    }

    /// Moves shards until all workers have as many.
    pub fn rebalance(&self) {
        let rebalance = "SELECT rebalance_table_shards(shard_transfer_mode => 'force_logical')";
        block_in_place(|| self.coordinator.execute(rebalance));
    }

    /// Starts the service on the cluster, with its items distributed.
    pub async fn distributed(&self, settings: &[(&str, &str)]) -> App {
        let mut app = App::start_on_database(&self.coordinator.url(), settings).await;
        app.terminate();
        assert!(app.exited_successfully().await, "{}", app.log());
        let distributed = app.run(&["migrate", "--distribute", "--shards", "8"], "").await;
        assert!(distributed.status.success(), "{}", String::from_utf8_lossy(&distributed.stderr));
        app.begin();
        app.until_ready().await;
        app
    }

    /// Returns whether the service itself has committed writes on a worker, and not only the coordinator.
    pub fn was_written_to(&self, worker: &Cluster) -> bool {
        worker.accepts(
            "SELECT 1 / count(*) FROM pg_stat_activity WHERE backend_type = 'client backend' \
             AND application_name NOT LIKE 'citus%' AND query = 'COMMIT'",
        )
    }

    /// Returns whether the items of a project are on this worker.
    pub fn is_on(&self, worker: &Cluster, project: &str) -> bool {
        let (_, port) = address(worker);
        self.coordinator.accepts(&format!(
            "SELECT 1 / count(*) FROM citus_shards WHERE nodeport = {port} \
             AND shardid = get_shard_id_for_distribution_column('items', '{project}'::uuid)"
        ))
    }

    /// Moves the items of a project, and of others that share its shard, to another worker.
    pub fn move_project(&self, project: &str, from: &Cluster, to: &Cluster) {
        let ((from_host, from_port), (to_host, to_port)) = (address(from), address(to));
        self.coordinator.execute(&format!(
            "SELECT citus_move_shard_placement(get_shard_id_for_distribution_column('items', '{project}'::uuid), \
             '{from_host}', {from_port}, '{to_host}', {to_port})"
        ));
    }
}

fn address(node: &Cluster) -> (String, String) {
    node.host().rsplit_once(':').map(|(host, port)| (host.to_owned(), port.to_owned())).unwrap()
}
