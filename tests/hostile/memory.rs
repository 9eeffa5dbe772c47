//! Memory of a process as reported by the kernel.

use steward_tests::App;

/// Returns the peak resident memory in MiB since the start of the service or the last [`forget_peak`].
pub fn peak(app: &App) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{}/status", app.process_id())).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    line.trim().trim_end_matches(" kB").parse::<u64>().unwrap() / 1024
}

/// Resets the peak.
pub fn forget_peak(app: &App) {
    std::fs::write(format!("/proc/{}/clear_refs", app.process_id()), "5").unwrap();
}
