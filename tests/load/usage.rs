//! Resource usage of processes, read from `/proc`.

use std::fs;

/// A hundredth of a second, in microseconds: the unit of `/proc/<pid>/stat` on Linux.
const TICK: f64 = 10_000.0;

/// Returns the resident memory of a process in MiB.
pub fn resident(process: u32) -> u64 {
    let status = fs::read_to_string(format!("/proc/{process}/status")).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
    line.trim().trim_end_matches(" kB").parse::<u64>().unwrap() / 1024
}

/// Returns the total CPU time of a process in microseconds.
pub fn of_process(process: u32) -> f64 {
    fs::read_to_string(format!("/proc/{process}/stat")).map_or(0.0, |stat| ticks(&stat) * TICK)
}

/// Returns the total CPU time of all PostgreSQL processes in microseconds.
pub fn of_postgres() -> f64 {
    let processes = fs::read_dir("/proc").unwrap().filter_map(|entry| entry.unwrap().file_name().into_string().ok());
    let stats = processes.filter_map(|process| fs::read_to_string(format!("/proc/{process}/stat")).ok());
    stats.filter(|stat| stat.contains("(postgres)")).map(|stat| ticks(&stat) * TICK).sum()
}

/// Returns user plus system time, fields 14 and 15. The program name, field 2, can contain spaces.
fn ticks(stat: &str) -> f64 {
    let fields: Vec<&str> = stat.rsplit(')').next().unwrap().split_whitespace().collect();
    fields[11].parse::<f64>().unwrap() + fields[12].parse::<f64>().unwrap()
}
