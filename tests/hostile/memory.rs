//! What a process has in memory, as the kernel counts it.

use steward_tests::App;

/// The most that was resident since the service began, or since [`forget_peak`], in MiB.
pub fn peak(app: &App) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{}/status", app.process_id())).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    line.trim().trim_end_matches(" kB").parse::<u64>().unwrap() / 1024
}

/// Begins to look for the peak anew.
pub fn forget_peak(app: &App) {
    std::fs::write(format!("/proc/{}/clear_refs", app.process_id()), "5").unwrap();
}
