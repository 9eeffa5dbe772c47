//! What happens when a process dies, stops, starts beside others, or loses its database: nothing acknowledged is lost, and
//! every request has an end.

mod kills;
mod shutdown;
mod starts;
