//! The HTTP server. It does what `actix_web::HttpServer` does, with connections that bound what they receive.

use std::fmt;
use std::future::ready;
use std::io;
use std::net::TcpListener;
use std::time::Duration;

use actix_http::body::MessageBody;
use actix_http::error::DispatchError;
use actix_http::{Extensions, HttpService, Payload, Protocol, Request, Response};
use actix_service::{IntoServiceFactory, ServiceFactoryExt as _, apply_fn_factory, fn_service, map_config};
use actix_web::dev::{AppConfig, Server, Service, ServiceFactory};
use actix_web::rt::net::TcpStream;

use super::bounded_stream::BoundedStream;
use super::request_heads::{HeadBudget, RequestHeads, RunningBody, Timeouts};

/// How long to wait for running requests after the service stops listening, in seconds.
const SHUTDOWN_TIMEOUT: u64 = 20;
/// How long an idle connection stays open. This is longer than in common proxies, so that the proxy closes the
/// connection and never sends a request on one that the service is closing.
const KEEP_ALIVE: Duration = Duration::from_secs(75);
/// Timeout for receiving the head of a request.
const REQUEST_HEAD: Duration = Duration::from_secs(10);
/// How long a client may take to close a connection that the service ends.
const DISCONNECT: Duration = Duration::from_secs(1);

/// Serves an app on a listener.
pub fn start<F, I, S, B>(listener: TcpListener, app: F) -> io::Result<Server>
where
    F: Fn() -> I + Send + Clone + 'static,
    I: IntoServiceFactory<S, Request>,
    S: ServiceFactory<Request, Config = AppConfig> + 'static,
    S::Error: Into<actix_web::Error> + 'static,
    S::InitError: fmt::Debug,
    S::Response: Into<Response<B>> + 'static,
    S::Service: 'static,
    <S::Service as Service<Request>>::Future: 'static,
    B: MessageBody + 'static,
{
    let builder = actix_server::Server::build().shutdown_timeout(SHUTDOWN_TIMEOUT).disable_signals();
    let (stopping, address) = (builder.graceful_shutdown_signal(), listener.local_addr()?);
    let budget = HeadBudget::default();
    let builder =
        builder.listen("http", listener, move || {
            let stopping = stopping.clone();
            let stop = move || {
                let stopping = stopping.clone();
                async move { stopping.notified().await }
            };
            let respond = app().into_factory().map_err(|error| error.into().error_response());
            let respond = apply_fn_factory(respond, |mut request: Request, app: &_| {
                let has_body = !matches!(request.payload(), Payload::None);
                let running = request.conn_data::<RequestHeads>().map(|heads| heads.begin(has_body));
                let response = Service::call(app, request);
                async move {
                    response.await.map(|response| response.into().map_body(|_, body| RunningBody { body, running }))
                }
            });
            let http = HttpService::build()
                .graceful_shutdown_signal(stop)
                .client_request_timeout(REQUEST_HEAD)
                .client_disconnect_timeout(DISCONNECT)
                .keep_alive(KEEP_ALIVE)
                // A client that closes its side of the connection has left: stop the work on its request.
                .h1_allow_half_closed(false)
                .local_addr(address)
                .on_connect_ext(|stream: &BoundedStream<TcpStream>, extensions: &mut Extensions| {
                    extensions.insert(stream.ahead.clone());
                    extensions.insert(stream.heads.clone());
                })
                .finish(map_config(respond, |()| AppConfig::default()));
            let budget = budget.clone();
            fn_service(move |stream: TcpStream| {
                let heads = RequestHeads::new(budget.clone(), Timeouts { head: REQUEST_HEAD, keep_alive: KEEP_ALIVE });
                let client = stream.peer_addr().ok();
                ready(Ok::<_, DispatchError>((BoundedStream::new(stream, heads), Protocol::Http1, client)))
            })
            .and_then(http)
        })?;
    Ok(builder.run())
}
