//! Memory and CPU time of the service, as reported by the kernel.

use std::process::Command;
use std::time::Duration;

use steward_tests::App;
use tokio::time::sleep;

/// Limit of the resident memory in MiB, under any load.
pub const MAX_MEMORY: u64 = 250;

/// Asserts that the resident memory never exceeded its limit since the start of the service or the last reset.
pub fn check_memory(app: &App) {
    let peak = app.peak_memory();
    assert!(peak < MAX_MEMORY, "The resident memory reached {peak} MiB.");
}

/// Returns the current resident memory in KiB.
pub fn resident_kib(app: &App) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{}/status", app.process_id())).unwrap();
    let resident = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
    resident.trim().trim_end_matches(" kB").parse().unwrap()
}

/// Raises the limit of open files of this process, and of those that it starts later.
pub fn raise_file_limit(count: usize) {
    let (id, limit) = (std::process::id().to_string(), format!("--nofile={count}:"));
    let raised = Command::new("prlimit").args(["--pid", &id, &limit]).output();
    let is_raised = raised.is_ok_and(|output| output.status.success());
    assert!(is_raised, "Processes cannot open {count} files. Run `ulimit -Hn {count}` as root first.");
}

/// Measures the CPU time that the service uses for a duration. Returns it as a share of one core.
pub async fn cpu_share(app: &App, duration: Duration) -> f64 {
    let before = cpu_time(app);
    sleep(duration).await;
    (cpu_time(app) - before).as_secs_f64() / duration.as_secs_f64()
}

/// Returns the CPU time that the service has used so far.
fn cpu_time(app: &App) -> Duration {
    let stat = std::fs::read_to_string(format!("/proc/{}/stat", app.process_id())).unwrap();
    // The process name can contain any character, so parsing starts after its last parenthesis.
    let after_name = stat.rsplit_once(") ").unwrap().1;
    let ticks: u64 = after_name.split(' ').skip(11).take(2).map(|field| field.parse::<u64>().unwrap()).sum();
    // Linux reports 100 ticks per second.
    Duration::from_millis(ticks * 10)
}
