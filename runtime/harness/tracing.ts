import type { Tracer } from '@opentelemetry/api';

type Attributes = Readonly<Record<string, string | number | boolean>>;

/** Spans around the harness's work; attributes are ids, codes and counts, never content. */
export interface Tracing {
  /** Runs `work` inside a span. `describe` turns its result into closing attributes; a rejection marks the span failed. */
  span<T>(
    name: string,
    attributes: Attributes,
    work: () => Promise<T>,
    describe?: (result: T) => Attributes,
  ): Promise<T>;
}

const silent: Tracing = { span: (_name, _attributes, work) => work() };

let loaded: Promise<Tracing> | undefined;

/** OpenTelemetry's spans when the host has `@opentelemetry/api`, else none. Loaded once a process. */
export function loadTracing(): Promise<Tracing> {
  loaded ??= import('@opentelemetry/api').then(
    ({ SpanStatusCode, trace }) => traceWith(() => trace.getTracer('ahp-toolkit'), SpanStatusCode.ERROR),
    () => silent,
  );
  return loaded;
}

function traceWith(tracer: () => Tracer, errorStatus: number): Tracing {
  return {
    span: (name, attributes, work, describe) =>
      tracer().startActiveSpan(name, { attributes: { ...attributes } }, async (span) => {
        try {
          const result = await work();
          if (describe !== undefined) span.setAttributes({ ...describe(result) });
          return result;
        } catch (error) {
          // Not recordException: messages and stacks may be a host's own, and nothing of theirs is known to be harmless.
          span.setStatus({ code: errorStatus });
          throw error;
        } finally {
          span.end();
        }
      }),
  };
}
