import { describe, expectTypeOf, it } from 'vitest';
import type { EffectFor, EventFor, Manifest } from '../../generated/index.js';
import type {
  Handlers,
  InterceptContext,
  ObserveContext,
  Receiver,
  ReceiverOptions,
} from '../../runtime/receiver/index.js';

/** Checked by the compiler: each line that must not compile says so. */
describe('§8 a handler may return only the effects that its event allows, by type', () => {
  it('of the event', () => {
    const handlers = {
      'tool.before': {
        intercept: (event, { capabilities, body }) => {
          expectTypeOf(event).toEqualTypeOf<EventFor<'tool.before'>>();
          expectTypeOf(event.tool.name).toEqualTypeOf<string>();
          expectTypeOf(capabilities.effects).toExtend<readonly string[]>();
          expectTypeOf(body).returns.resolves.toExtend<{ readonly size: number } | null>();
          return [
            { type: 'deny', reason: 'no' },
            { type: 'modify', target: 'input', operation: 'merge', value: {} },
          ];
        },
        observe: (event) => {
          expectTypeOf(event.type).toEqualTypeOf<'tool.before'>();
        },
      },
      'session.start': { intercept: async () => [{ type: 'message', text: 'hello' }] },
      'context.compact.after': { intercept: () => undefined },
      'file.changed': {
        observe: async (event) => {
          expectTypeOf(event.changes).toExtend<readonly unknown[]>();
        },
      },
    } satisfies Handlers;
    expectTypeOf(handlers['session.start'].intercept).returns.resolves.toExtend<
      readonly EffectFor<'session.start'>[]
    >();
  });

  it('and no other effect, target, operation or shape', () => {
    // @ts-expect-error a session's start cannot be denied
    const denying: Handlers = { 'session.start': { intercept: () => [{ type: 'deny', reason: 'no' }] } };
    const asking: Handlers = {
      // @ts-expect-error a permission request is answered by allow or deny, never by ask
      'tool.permission.request': { intercept: async () => [{ type: 'ask' }] },
    };
    const modifying: Handlers = {
      // @ts-expect-error a tool call has no output yet
      'tool.before': { intercept: () => [{ type: 'modify', target: 'output', operation: 'replace', value: 1 }] },
    };
    const going: Handlers = {
      // @ts-expect-error a turn that begins can be stopped, not continued
      'turn.start': { intercept: () => [{ type: 'flow', operation: 'continue' }] },
    };
    const bare: Handlers = {
      // @ts-expect-error a denial has a reason
      'tool.before': { intercept: () => [{ type: 'deny' }] },
    };
    const single: Handlers = {
      // @ts-expect-error effects are a list
      'tool.before': { intercept: () => ({ type: 'deny', reason: 'no' }) },
    };
    expectTypeOf([denying, asking, modifying, going, bare, single]).items.toEqualTypeOf<Handlers>();
    expectTypeOf<{ type: 'deny'; reason: string }>().not.toExtend<EffectFor<'session.start'>>();
  });

  it('an event that is only observed has no interceptor, an unknown one no handler', () => {
    // @ts-expect-error nobody is asked about a changed file
    const observed: Handlers = { 'file.changed': { intercept: () => [] } };
    // @ts-expect-error no such event
    const unknown: Handlers = { 'tool.befor': { observe: () => undefined } };
    // @ts-expect-error observers return nothing
    const answering: Handlers = { 'tool.after': { observe: () => [{ type: 'message', text: 'x' }] } };
    expectTypeOf([observed, unknown, answering]).items.toEqualTypeOf<Handlers>();
  });

  it('observers are not given what belongs to a decision', () => {
    expectTypeOf<ObserveContext>().not.toHaveProperty('capabilities');
    expectTypeOf<ObserveContext>().not.toHaveProperty('state');
    expectTypeOf<InterceptContext>().toHaveProperty('state');
  });

  it('a receiver needs a manifest, an authenticator and a store', () => {
    expectTypeOf<ReceiverOptions['manifest']>().toEqualTypeOf<Manifest>();
    // @ts-expect-error nobody is served without an authenticator
    const options: ReceiverOptions = { manifest: {} as Manifest, store: {} as ReceiverOptions['store'] };
    expectTypeOf(options).toEqualTypeOf<ReceiverOptions>();
    // @ts-expect-error a stdio link has no default identity
    expectTypeOf<Receiver['serveStdio']>().toBeCallableWith(process.stdin, process.stdout);
  });
});
