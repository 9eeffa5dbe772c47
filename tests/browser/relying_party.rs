//! A small test app (relying party) that users sign in to with the service.

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use steward_tests::{App, Client, TIMEOUT, World};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;
use url::Url;

/// An app on a loopback port. Dropping the value stops it.
pub struct RelyingParty {
    pub client: Client,
    pub origin: String,
    base: String,
    callbacks: Arc<Mutex<Vec<Url>>>,
    server: JoinHandle<()>,
}

impl RelyingParty {
    /// Starts an app with the world's project as its OAuth client.
    pub async fn start(app: &App, world: &World) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let origin = format!("http://127.0.0.1:{}", listener.local_addr().unwrap().port());
        let callbacks: Arc<Mutex<Vec<Url>>> = Arc::default();
        let (received, own, service) = (Arc::clone(&callbacks), origin.clone(), app.base.clone());
        let server = tokio::spawn(async move {
            loop {
                let (stream, _) = listener.accept().await.unwrap();
                tokio::spawn(serve(stream, own.clone(), service.clone(), Arc::clone(&received)));
            }
        });
        let mut client = Client::of(app, world);
        client.redirect_uri = format!("{origin}/callback");
        Self { client, origin, base: app.base.clone(), callbacks, server }
    }

    /// Returns the URL of its "sign in" link.
    pub fn authorize(&self, changes: &[(&str, &str)]) -> String {
        format!("{}{}", self.base, self.client.authorize(changes))
    }

    /// Waits for this number of callbacks and returns the URL of the newest one.
    pub async fn nth_answer(&self, count: usize) -> Url {
        let deadline = Instant::now() + TIMEOUT;
        loop {
            let callbacks = self.callbacks.lock().unwrap().clone();
            match callbacks.last() {
                Some(newest) if callbacks.len() >= count => return newest.clone(),
                _ => assert!(Instant::now() < deadline, "Received {} callbacks, expected {count}.", callbacks.len()),
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    }
}

impl Drop for RelyingParty {
    fn drop(&mut self) {
        self.server.abort();
    }
}

async fn serve(mut stream: TcpStream, origin: String, service: String, callbacks: Arc<Mutex<Vec<Url>>>) {
    let mut head = vec![0; 16 * 1024];
    let Ok(count) = stream.read(&mut head).await else { return };
    let head = String::from_utf8_lossy(&head[..count]).into_owned();
    let Some(target) = head.split(' ').nth(1) else { return };
    let url = Url::parse(&format!("{origin}{target}")).unwrap();
    let page = match url.path() {
        "/callback" => {
            callbacks.lock().unwrap().push(url.clone());
            "<h1>Hello from the app</h1>".to_owned()
        }
        "/frame" => format!("<h1>A trap</h1><iframe src=\"{service}/auth/sign-in\"></iframe>"),
        "/script" => "<title>scripts are off</title><script>document.title = 'scripts are on'</script>".to_owned(),
        _ => "<h1>The app</h1>".to_owned(),
    };
    let response = format!(
        "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{page}",
        page.len()
    );
    drop(stream.write_all(response.as_bytes()).await);
}
