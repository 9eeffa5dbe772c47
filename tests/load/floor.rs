//! The floor of the CPU time of a request: a bare actix-web server that answers 200 bytes of JSON from memory, with the
//! framework's defaults and two workers. CPU times in floors hold on machines of different speed.

use std::io::Write as _;
use std::process::Stdio;
use std::time::{Duration, Instant};

use actix_web::{App, HttpResponse, HttpServer, rt, web};
use tokio::io::{AsyncBufReadExt as _, BufReader};
use tokio::process::{Child, Command};
use tokio::task::JoinSet;

use crate::connection::Connection;
use crate::{load, usage};

/// The only argument of the process that is the server.
pub const ARGUMENT: &str = "--floor";

/// Number of connections, as of most types of requests.
const CLIENTS: usize = 32;

/// A server in a process of its own, which ends with this value.
pub struct Floor {
    process: Child,
    address: String,
}

impl Floor {
    pub async fn start() -> Self {
        let program = std::env::current_exe().unwrap();
        let mut process =
            Command::new(program).arg(ARGUMENT).stdout(Stdio::piped()).kill_on_drop(true).spawn().unwrap();
        let mut address = String::new();
        BufReader::new(process.stdout.take().unwrap()).read_line(&mut address).await.unwrap();
        Self { process, address: address.trim().to_owned() }
    }

    /// Returns the CPU time in microseconds of a request.
    pub async fn measure(&self, duration: Duration) -> f64 {
        self.send(Duration::from_millis(300)).await;
        let process = self.process.id().unwrap();
        let before = usage::of_process(process);
        let count = self.send(duration).await;
        (usage::of_process(process) - before) / load::to_number(count)
    }

    /// Sends requests for a duration. Returns their number.
    async fn send(&self, duration: Duration) -> u64 {
        let request = format!("GET / HTTP/1.1\r\nHost: {}\r\n\r\n", self.address);
        let mut clients = JoinSet::new();
        for _ in 0..CLIENTS {
            let (address, request) = (self.address.clone(), request.clone());
            clients.spawn(async move {
                let (mut connection, mut count, ends) =
                    (Connection::open(&address).await, 0, Instant::now() + duration);
                while Instant::now() < ends {
                    assert_eq!(connection.send(request.as_bytes()).await, 200);
                    count += 1;
                }
                count
            });
        }
        clients.join_all().await.into_iter().sum()
    }
}

/// Runs the server. Prints its address.
pub fn serve() {
    let body = format!(r#"{{"data":"{}"}}"#, "x".repeat(189));
    let route = move || {
        let body = body.clone();
        let answer = move || {
            let body = body.clone();
            async move { HttpResponse::Ok().content_type("application/json").body(body) }
        };
        App::new().route("/", web::get().to(answer))
    };
    rt::System::new().block_on(async {
        let server = HttpServer::new(route).workers(2).bind(("127.0.0.1", 0)).unwrap();
        println!("{}", server.addrs()[0]);
        std::io::stdout().flush().unwrap();
        server.run().await.unwrap();
    });
}
