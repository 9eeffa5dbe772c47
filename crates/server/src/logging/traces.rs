//! Traces, sent to an OpenTelemetry collector if one is configured.

use std::time::Duration;

use anyhow::Context as _;
use opentelemetry::trace::TracerProvider as _;
use opentelemetry::{KeyValue, global};
use opentelemetry_otlp::{SpanExporter, WithExportConfig as _};
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::propagation::TraceContextPropagator;
use opentelemetry_sdk::trace::SdkTracerProvider;
use tracing::{Metadata, Subscriber};
use tracing_subscriber::Layer;
use tracing_subscriber::filter::filter_fn;
use tracing_subscriber::registry::LookupSpan;
use url::Url;

/// Timeout for sending the last spans when the service stops.
const FLUSH_TIMEOUT: Duration = Duration::from_secs(3);
/// The standard OpenTelemetry variable. It is read here so that a name set by the operator takes precedence.
const SERVICE_NAME: &str = "OTEL_SERVICE_NAME";

/// The exporter of spans. Dropping it sends the remaining spans.
pub struct Traces {
    provider: SdkTracerProvider,
}

impl Traces {
    /// Starts to send spans to the collector at this URL, from a separate thread with a bounded queue: a slow or
    /// unreachable collector costs spans, never requests. The standard `OTEL_` variables configure sampling, headers
    /// and the queue.
    pub fn start(collector: &Url) -> anyhow::Result<Self> {
        let endpoint = format!("{}/v1/traces", collector.as_str().trim_end_matches('/'));
        let exporter = SpanExporter::builder().with_http().with_endpoint(endpoint).build();
        let exporter = exporter.context("Cannot send traces to OTEL_EXPORTER_OTLP_ENDPOINT")?;
        let mut resource =
            Resource::builder().with_attribute(KeyValue::new("service.version", env!("CARGO_PKG_VERSION")));
        if std::env::var_os(SERVICE_NAME).is_none() {
            resource = resource.with_service_name("steward");
        }
        let provider =
            SdkTracerProvider::builder().with_batch_exporter(exporter).with_resource(resource.build()).build();
        global::set_text_map_propagator(TraceContextPropagator::new());
        Ok(Self { provider })
    }

    /// Returns a layer that exports the spans of the service's own crates.
    pub fn layer<S: Subscriber + for<'a> LookupSpan<'a>>(&self) -> impl Layer<S> {
        let is_own = |metadata: &Metadata<'_>| metadata.is_span() && metadata.target().starts_with("steward");
        let layer = tracing_opentelemetry::layer().with_tracer(self.provider.tracer("steward"));
        layer
            .with_location(false)
            .with_target(false)
            .with_threads(false)
            .with_tracked_inactivity(false)
            .with_filter(filter_fn(is_own))
    }
}

impl Drop for Traces {
    fn drop(&mut self) {
        if let Err(error) = self.provider.shutdown_with_timeout(FLUSH_TIMEOUT) {
            tracing::warn!(%error, "The last traces were not sent.");
        }
    }
}
