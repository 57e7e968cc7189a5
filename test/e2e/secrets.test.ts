import { inspect } from 'node:util';
import { context, trace } from '@opentelemetry/api';
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { timelineOf } from '../../examples/main/session-part.js';
import { runSession } from '../../examples/session/session.js';
import { createCredentials } from '../../runtime/credentials/index.js';
import {
  answering,
  eventOf,
  httpBackend,
  httpPeer,
  makeHooks,
  stdioBackend,
  subscription,
} from '../harness/support/kit.js';
import { uploadPeer } from '../harness/support/uploads.js';

const exporter = new InMemorySpanExporter();
const printed: string[] = [];

/** All that this process writes anywhere while a test runs, and all spans. */
beforeAll(() => {
  trace.setGlobalTracerProvider(new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }));
});
beforeEach(() => {
  exporter.reset();
  printed.length = 0;
  for (const method of ['log', 'info', 'warn', 'error', 'debug'] as const) {
    vi.spyOn(console, method).mockImplementation((...values: unknown[]) => void printed.push(inspect(values)));
  }
  const onWarning = (warning: Error): void => void printed.push(inspect(warning));
  process.on('warning', onWarning);
  return () => {
    process.off('warning', onWarning);
    vi.restoreAllMocks();
  };
});
afterAll(() => {
  trace.disable();
  context.disable();
});

/** Everything of a value that a log could print: members, symbols, causes, stacks. */
const whole = (value: unknown): string =>
  inspect(value, { depth: Number.POSITIVE_INFINITY, showHidden: true, maxArrayLength: null, maxStringLength: null });

const spans = (): string =>
  whole(
    exporter
      .getFinishedSpans()
      .map(({ name, attributes, events, status, links }) => ({ name, attributes, events, status, links })),
  );

describe('§6 secrets show up nowhere they do not belong', () => {
  it(
    'in a whole session: no token and no body in timeline, journal, records, spans or output',
    { timeout: 180_000 },
    async () => {
      const options = {
        eventToken: 'MARK-event-token',
        uploadToken: 'MARK-upload-token',
        conversation: ['MARK-first ann@example.com.', 'MARK-second tok_9f3ab2c7d1.', 'MARK-third.'],
      };
      const report = await runSession(options);
      // The marks did travel: the summary that was published is made of them.
      expect(report.summary).toBe('MARK-second [redacted]. MARK-third.');
      expect(report.records.length).toBeGreaterThan(20);
      expect(exporter.getFinishedSpans().length).toBeGreaterThan(20);
      const places = {
        timeline: timelineOf(report).join('\n'),
        journal: whole(report.journal),
        records: whole(report.records),
        stderr: report.receiverStderr,
        output: printed.join('\n'),
        spans: spans(),
      };
      for (const [place, text] of Object.entries(places)) {
        expect(text, place).not.toContain('MARK');
        expect(text, place).not.toMatch(/tok_9f|ann@/);
      }
    },
  );

  it(
    'when everything fails: neither tokens, bodies, reasons and texts of peers, nor what callbacks threw',
    { timeout: 120_000 },
    async () => {
      const credentials = createCredentials({
        env: { MARKED: 'MARK-token', MARKED_UPLOAD: 'MARK-upload-token' },
        readReference: () => {
          throw new Error('OWN-reference');
        },
      });
      const bearer = { authentication: { type: 'bearer', tokenEnv: 'MARKED' } };
      const auth = { type: 'bearer', tokenEnv: 'MARKED_UPLOAD' };
      const refusing = await uploadPeer((response) =>
        response.writeHead(500, { 'x-note': 'MARK-header' }).end('MARK-body'),
      );
      const { upload } = refusing;
      const rpcError = await httpPeer(({ response, message }) => {
        response.writeHead(200, { 'content-type': 'application/json' });
        const id = 'id' in message ? message.id : null;
        response.end(
          JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32603, message: 'MARK-error', data: 'MARK-data' } }),
        );
      });
      const unauthorized = await httpPeer(({ response }) => {
        response.writeHead(401, { 'www-authenticate': 'Bearer error="MARK-challenge"' }).end('MARK-401');
      });
      const junk = await httpPeer(({ response }) =>
        response.writeHead(302, { location: 'http://127.0.0.1/MARK-location' }).end(),
      );
      const noJson = await httpPeer(({ response }) => {
        response.writeHead(200, { 'content-type': 'application/json' }).end('MARK-no-json');
      });
      const denying = await httpPeer(answering([{ type: 'deny', reason: 'MARK-reason', code: 'com.example.denied' }]));
      const watch = await httpPeer();
      const open = subscription({
        failurePolicy: 'fail-open',
        content: { default: 'body' },
        upload: { ...upload, auth },
      });
      const observing = subscription({
        mode: 'observe',
        events: ['*'],
        content: { default: 'body' },
        upload: { ...upload, auth },
      });
      const { hooks, records, of } = makeHooks(
        [
          httpBackend('one.error', rpcError.url, [open, observing], bearer),
          httpBackend('one.unauthorized', unauthorized.url, [open, observing], bearer),
          httpBackend('one.redirect', junk.url, [open], bearer),
          httpBackend('one.nojson', noJson.url, [open], bearer),
          httpBackend('one.reference', watch.url, [open], {
            authentication: { type: 'bearer', tokenRef: 'MARK-ref-name' },
          }),
          stdioBackend(
            'one.child',
            `console.error('MARK-stderr'); raw('MARK-banner\\n'); onMessage(() => { raw('MARK-line\\n'); process.exit(3); })`,
            [open],
          ),
          httpBackend('one.watch', watch.url, [subscription({ mode: 'observe', events: ['hook.failure'] })]),
          httpBackend('one.deny', denying.url, [subscription({ events: ['turn.*'] })], bearer),
        ],
        {
          credentials,
          authorize: (item) => {
            if (item.id === 'withheld') throw new Error('OWN-authorizer');
            return true;
          },
        },
      );
      const errors: unknown[] = [];
      const keep = (error: unknown): void => void errors.push(error);
      const withheld = {
        id: 'withheld',
        kind: 'text',
        mediaType: 'text/plain',
        role: 'user',
        selection: 'omit',
      } as const;
      const start = eventOf('turn.start');
      const event = { ...start, items: [...start.items, withheld], native: { own: 'MARK-native' } };
      const content = { i: Buffer.from('MARK-prompt'), withheld: Buffer.from('MARK-withheld') };
      const outcome = await hooks.intercept(event, { content });
      await outcome.observations?.done;
      for (const id of ['one.error', 'one.unauthorized', 'one.redirect', 'one.nojson', 'one.reference', 'one.child']) {
        await hooks.discover(id, { timeoutMs: 20_000 }).catch(keep);
      }
      await hooks.intercept({ ...event, time: 'MARK-time' }).catch(keep);
      const continuations = { remainingContinuations: -1, continuationCount: 0 };
      await hooks
        .intercept(eventOf('turn.finish.before'), { continuations, values: { response: 'MARK-value' } })
        .catch(keep);

      // The peers did get the tokens and the bodies, and the host its reason.
      expect(rpcError.arrived.length).toBeGreaterThan(0);
      expect(
        refusing.uploads.some(
          ({ text, authorization }) => text === 'MARK-prompt' && authorization === 'Bearer MARK-upload-token',
        ),
      ).toBe(true);
      expect(outcome.ended).toMatchObject({ kind: 'deny', reason: 'MARK-reason' });
      expect(outcome.failures).toHaveLength(6);
      expect(errors).toHaveLength(8);

      await vi.waitUntil(() => watch.told().length === 6, { timeout: 20_000 });
      const events = watch
        .told()
        .map(({ text }) => text)
        .join('\n');
      await hooks.close();
      expect(of('failure')).toHaveLength(6);
      expect(of('observation-failed').length).toBeGreaterThan(0);
      const places = {
        records: whole(records),
        events,
        errors: whole(errors),
        spans: spans(),
        output: printed.join('\n'),
      };
      for (const [place, text] of Object.entries(places)) {
        expect(text, place).not.toContain('MARK-');
        // What the host's own callbacks threw is kept as a cause, for the host, and is nowhere else.
        if (place !== 'errors') expect(text, place).not.toContain('OWN-');
      }
      expect(errors.map((error) => (error as Error).message).join()).not.toContain('OWN-');
    },
  );
});
