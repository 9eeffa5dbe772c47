//! Traces, sent to an OpenTelemetry collector when one is set up.

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

/// How long the last spans may take to be sent when the service stops.
const FLUSH_TIMEOUT: Duration = Duration::from_secs(3);
/// The standard's own variable, read here so that a name of the operator's is kept.
const SERVICE_NAME: &str = "OTEL_SERVICE_NAME";

/// Sends what is left when it is dropped.
pub struct Traces {
    provider: SdkTracerProvider,
}

impl Traces {
    /// Begins to send spans to the collector at this address, by a thread of its own with a bounded queue: a collector that is
    /// slow or gone costs spans, never requests. Sampling, headers and the queue are set by the standard's own `OTEL_`
    /// variables.
    pub fn start(collector: &Url) -> anyhow::Result<Self> {
        let endpoint = format!("{}/v1/traces", collector.as_str().trim_end_matches('/'));
        let exporter = SpanExporter::builder().with_http().with_endpoint(endpoint).build();
        let exporter = exporter.context("OTEL_EXPORTER_OTLP_ENDPOINT: traces cannot be sent there")?;
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

    /// What turns the spans of the service's own crates into those of OpenTelemetry.
    pub fn layer<S: Subscriber + for<'a> LookupSpan<'a>>(&self) -> impl Layer<S> {
        let is_ours = |metadata: &Metadata<'_>| metadata.is_span() && metadata.target().starts_with("steward");
        let layer = tracing_opentelemetry::layer().with_tracer(self.provider.tracer("steward"));
        layer
            .with_location(false)
            .with_target(false)
            .with_threads(false)
            .with_tracked_inactivity(false)
            .with_filter(filter_fn(is_ours))
    }
}

impl Drop for Traces {
    fn drop(&mut self) {
        if let Err(error) = self.provider.shutdown_with_timeout(FLUSH_TIMEOUT) {
            tracing::warn!(%error, "the last traces were not sent");
        }
    }
}
