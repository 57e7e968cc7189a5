import { context, trace } from '@opentelemetry/api';
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  type ReadableSpan,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-base';
import { afterAll, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { answering, eventOf, httpBackend, httpPeer, makeHooks, subscription } from './support/kit.js';

const exporter = new InMemorySpanExporter();

beforeAll(() => {
  trace.setGlobalTracerProvider(new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }));
});
beforeEach(() => exporter.reset());
afterAll(() => {
  trace.disable();
  context.disable();
});

const spansOf = (name: string): ReadableSpan[] => exporter.getFinishedSpans().filter((span) => span.name === name);

it('spans tell ids, codes and counts, and end with what they stand for', async () => {
  const peer = await httpPeer(answering([{ type: 'deny', reason: 'marked reason' }]));
  const broken = await httpPeer(({ response }) => response.writeHead(500).end('marked body'));
  const { hooks } = makeHooks([
    httpBackend('one.broken', broken.url, [subscription({ failurePolicy: 'fail-open' })]),
    httpBackend('one.http', peer.url, [subscription(), subscription({ mode: 'observe' })]),
  ]);
  const outcome = await hooks.intercept(eventOf('tool.before'));
  await outcome.observations?.done;
  await hooks.discover('one.broken').catch(() => undefined);
  await vi.waitUntil(() => spansOf('ahp.discover').length === 1);
  expect(spansOf('ahp.intercept').map(({ attributes }) => attributes)).toEqual([
    {
      'ahp.event.type': 'tool.before',
      'ahp.event.id': 'e-1',
      'ahp.decision': 'denied',
      'ahp.called': 2,
      'ahp.failures': 1,
    },
  ]);
  expect(spansOf('ahp.deliver').map(({ attributes, status }) => [attributes['ahp.backend'], status.code])).toEqual([
    ['one.broken', 2],
    ['one.http', 0],
  ]);
  expect(spansOf('ahp.observe').map(({ attributes }) => attributes['ahp.backend'])).toEqual(['one.http', 'one.http']);
  // The second one told of the failure.
  expect(spansOf('ahp.discover').map(({ status }) => status.code)).toEqual([2]);
  const all = exporter
    .getFinishedSpans()
    .map(({ name, attributes, events, status }) => ({ name, attributes, events, status }));
  expect(JSON.stringify(all)).not.toContain('marked');
});
