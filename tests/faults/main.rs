//! Tests of crashes, shutdown, concurrent starts and database outages: no acknowledged write is lost, and every request
//! completes.

mod cluster;
mod kills;
mod load;
mod outages;
mod proxy;
mod replicas;
mod shutdown;
mod starts;
