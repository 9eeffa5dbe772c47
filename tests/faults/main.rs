//! What happens when a process dies, stops, starts beside others, or loses its database: nothing acknowledged is lost, and
//! every request has an end.

mod cluster;
mod kills;
mod load;
mod outages;
mod proxy;
mod replicas;
mod shutdown;
mod starts;
