//! A connection to the service that can be interrupted. The DevTools protocol does not interrupt WebSocket connections.

use steward_tests::App;
use tokio::io::copy_bidirectional;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;

/// A connection that starts uninterrupted.
pub struct Link {
    /// Flag of a browser that reaches the service through this connection.
    pub flag: String,
    is_up: watch::Sender<bool>,
}

impl Link {
    pub async fn start(service: &App) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let target = service.base.trim_start_matches("http://").to_owned();
        let flag = format!("--host-resolver-rules=MAP {target} 127.0.0.1:{port}");
        let (is_up, state) = watch::channel(true);
        tokio::spawn(accept(listener, target.replace("localhost", "127.0.0.1"), state));
        Self { flag, is_up }
    }

    /// Ends all connections and refuses further ones.
    pub fn cut(&self) {
        self.is_up.send(false).unwrap();
    }

    pub fn restore(&self) {
        self.is_up.send(true).unwrap();
    }
}

async fn accept(listener: TcpListener, target: String, state: watch::Receiver<bool>) {
    while let Ok((browser, _)) = listener.accept().await {
        tokio::spawn(forward(browser, target.clone(), state.clone()));
    }
}

/// Copies bytes in both directions until the link is cut.
async fn forward(mut browser: TcpStream, target: String, state: watch::Receiver<bool>) {
    let Ok(mut service) = TcpStream::connect(target).await else { return };
    tokio::select! {
        _ = copy_bidirectional(&mut browser, &mut service) => {}
        () = is_cut(state) => {}
    }
}

async fn is_cut(mut state: watch::Receiver<bool>) {
    drop(state.wait_for(|is_up| !is_up).await);
}
