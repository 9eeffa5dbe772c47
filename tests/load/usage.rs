//! What processes have used, from `/proc`.

use std::fs;

/// A hundredth of a second, in microseconds: the unit of `/proc/<pid>/stat` on Linux.
const TICK: f64 = 10_000.0;

/// Resident memory of a process in MiB.
pub fn resident(process: u32) -> u64 {
    let status = fs::read_to_string(format!("/proc/{process}/status")).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
    line.trim().trim_end_matches(" kB").parse::<u64>().unwrap() / 1024
}

/// CPU time of a process so far, in microseconds.
pub fn of_process(process: u32) -> f64 {
    fs::read_to_string(format!("/proc/{process}/stat")).map_or(0.0, |stat| ticks(&stat) * TICK)
}

/// CPU time of all processes of PostgreSQL so far, in microseconds.
pub fn of_postgres() -> f64 {
    let processes = fs::read_dir("/proc").unwrap().filter_map(|entry| entry.unwrap().file_name().into_string().ok());
    let stats = processes.filter_map(|process| fs::read_to_string(format!("/proc/{process}/stat")).ok());
    stats.filter(|stat| stat.contains("(postgres)")).map(|stat| ticks(&stat) * TICK).sum()
}

/// User and system time, the 14th and 15th field. The name of the program, the second, may hold blanks.
fn ticks(stat: &str) -> f64 {
    let fields: Vec<&str> = stat.rsplit(')').next().unwrap().split_whitespace().collect();
    fields[11].parse::<f64>().unwrap() + fields[12].parse::<f64>().unwrap()
}
