// One request and one histogram as the OpenTelemetry SDK for JavaScript exports them: it takes the
// exporter's encoding (proto or json) and the histogram's name, and prints the trace's id.
import { OTLPMetricExporter } from '@opentelemetry/exporter-metrics-otlp-proto'
import { OTLPTraceExporter as JsonExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { OTLPTraceExporter as ProtoExporter } from '@opentelemetry/exporter-trace-otlp-proto'
import { resourceFromAttributes } from '@opentelemetry/resources'
import { MeterProvider, PeriodicExportingMetricReader } from '@opentelemetry/sdk-metrics'
import { BatchSpanProcessor, NodeTracerProvider } from '@opentelemetry/sdk-trace-node'

const SERVER = 1
const CLIENT = 2
const Exporter = process.argv[2] === 'json' ? JsonExporter : ProtoExporter
const resource = resourceFromAttributes({ 'service.name': 'node-app' })
const tracing = new NodeTracerProvider({
  resource, spanProcessors: [new BatchSpanProcessor(new Exporter())],
})
tracing.register()
const tracer = tracing.getTracer('test')
const id = await tracer.startActiveSpan('POST /chat', { kind: SERVER }, async (root) => {
  const attributes = { 'gen_ai.request.model': 'tiny', 'gen_ai.usage.output_tokens': 3 }
  await tracer.startActiveSpan('chat tiny', { kind: CLIENT, attributes }, async (call) => {
    await new Promise((done) => setTimeout(done, 20))
    call.end()
  })
  root.end()
  return root.spanContext().traceId
})
await tracing.shutdown()

const reader = new PeriodicExportingMetricReader({ exporter: new OTLPMetricExporter() })
const metering = new MeterProvider({ resource, readers: [reader] })
const options = { unit: 's', advice: { explicitBucketBoundaries: [0.1, 1] } }
const waits = metering.getMeter('test').createHistogram(process.argv[3], options)
for (const wait of [0.05, 0.5, 5]) waits.record(wait)
await metering.shutdown()
console.log(id)
