/**
 * Chains of policies over tool calls, as functions in this process, with a timeline of what each hook answered and what
 * came of it. On its own: `npx tsx examples/main/chain-part.ts`.
 */

import type { Capabilities, EffectFor, InterceptRequest, ToolBeforeEvent } from '../../generated/index.js';
import { encode } from '../../generated/json/index.js';
import {
  type ChainOutcome,
  type ChainSubscription,
  type Delivery,
  type FailurePolicy,
  runInterceptionChain,
} from '../../runtime/chain/index.js';
import { isProgram, type Part, runParts } from './part.js';

type Effects = readonly EffectFor<'tool.before'>[];

/** One policy: what it makes of a call, given what the hooks before it decided. Throwing is a failure. */
interface Policy {
  readonly id: string;
  readonly failurePolicy: FailurePolicy;
  decide(call: ToolBeforeEvent, state: InterceptRequest['params']['state']): Effects;
}

const CAPABILITIES: Capabilities = {
  effects: ['deny', 'allow', 'ask', 'modify', 'return', 'inject', 'message'],
  modify: { input: { replace: true, merge: true } },
  inject: { context: { append: true, deliverAt: ['next_turn'] } },
};

const commandOf = ({ tool }: ToolBeforeEvent): string => {
  const input = tool.input as { readonly command?: unknown };
  return typeof input.command === 'string' ? input.command : '';
};

/** Denies what nobody may run. */
const guard: Policy = {
  id: 'guard',
  failurePolicy: 'fail-closed',
  decide: (call) =>
    /\brm -rf \//.test(commandOf(call))
      ? [{ type: 'deny', reason: 'the root folder stays', code: 'com.example.root' }]
      : [],
};

/** Approves what only looks. */
const approver: Policy = {
  id: 'approver',
  failurePolicy: 'fail-open',
  decide: (call) => (/^(ls|cat|git (status|push))\b/.test(commandOf(call)) ? [{ type: 'allow' }] : []),
};

/** Rewrites a forced push, which makes the approval before it void. */
const rewriter: Policy = {
  id: 'rewriter',
  failurePolicy: 'fail-open',
  decide: (call) => {
    const command = commandOf(call);
    if (!/--force$/.test(command)) return [];
    const value = { command: command.replace(/--force$/, '--force-with-lease') };
    return [
      { type: 'modify', target: 'input', operation: 'merge', value },
      {
        type: 'inject',
        target: 'context',
        operation: 'append',
        deliverAt: 'next_turn',
        value: 'Pushes take a lease here.',
      },
    ];
  },
};

/** Wants a person for what leaves this machine, unless somebody answered already. */
const reviewer: Policy = {
  id: 'reviewer',
  failurePolicy: 'fail-closed',
  decide: (call, state) =>
    state?.candidate === null && /^git push\b/.test(commandOf(call))
      ? [{ type: 'ask' }, { type: 'message', text: 'A push leaves this machine.' }]
      : [],
};

/** Answers from what it remembers, so that the tool need not run. */
const cache: Policy = {
  id: 'cache',
  failurePolicy: 'fail-open',
  decide: (call) => (commandOf(call) === 'git status' ? [{ type: 'return', value: 'nothing to commit' }] : []),
};

const broken = (failurePolicy: FailurePolicy): Policy => ({
  id: failurePolicy === 'fail-open' ? 'flaky' : 'keystore',
  failurePolicy,
  decide: () => {
    throw new Error('no connection');
  },
});

/** Answers only when it is too late to matter: the person at the keyboard stops the call first. */
const ponderer: Policy = { id: 'ponderer', failurePolicy: 'fail-open', decide: () => [{ type: 'allow' }] };

interface Scene {
  readonly title: string;
  readonly command: string;
  readonly policies: readonly Policy[];
  /** The hook in whose turn the person interrupts. */
  readonly interruptAt?: string;
  readonly expected: Partial<ChainOutcome>;
}

const SCENES: readonly Scene[] = [
  {
    title: 'an approval',
    command: 'ls',
    policies: [guard, approver, reviewer],
    expected: { decision: 'proceed', permission: 'allow' },
  },
  {
    title: 'a denial ends the chain; who was not asked is told afterwards',
    command: 'rm -rf /',
    policies: [guard, approver, reviewer],
    expected: { decision: 'denied', permission: 'deny', called: ['guard'] },
  },
  {
    title: 'a rewrite voids the approval before it, and a question stands',
    command: 'git push --force',
    policies: [guard, approver, rewriter, reviewer],
    expected: { decision: 'proceed', permission: 'ask' },
  },
  {
    title: 'an answer in place of the tool',
    command: 'git status',
    policies: [guard, cache, approver],
    expected: { decision: 'proceed', candidate: { value: 'nothing to commit' }, permission: 'allow' },
  },
  {
    title: 'a failing hook that is fail-open',
    command: 'cat notes.txt',
    policies: [broken('fail-open'), approver],
    expected: { decision: 'proceed', permission: 'allow' },
  },
  {
    title: 'a failing hook that is fail-closed: a denial, but nobody’s',
    command: 'cat notes.txt',
    policies: [approver, broken('fail-closed'), reviewer],
    expected: { decision: 'denied', permission: 'deny', called: ['approver', 'keystore'] },
  },
  {
    title: 'an interruption beats the approval that was accepted and the one that comes too late',
    command: 'git push',
    policies: [approver, ponderer, reviewer],
    interruptAt: 'ponderer',
    expected: { decision: 'interrupted', permission: 'none', called: ['approver', 'ponderer'] },
  },
];

function toolCall(id: string, command: string): ToolBeforeEvent {
  return {
    id,
    source: 'urn:example:harness',
    type: 'tool.before',
    time: '2026-10-05T12:00:00Z',
    call: { id: `call-${id}` },
    tool: { name: 'Bash', input: { command }, origin: 'native' },
    path: 'native',
  };
}

async function play(scene: Scene, id: string, print: (line?: string) => void): Promise<boolean> {
  const { title, command, policies, interruptAt, expected } = scene;
  const interruption = new AbortController();
  const told: string[] = [];
  const line = (who: string, what: string): void => print(`  ${who.padEnd(9)} ${what}`);
  print(`${id}  ${title}`);
  line('agent', command);
  const subscriptions: readonly ChainSubscription[] = [
    ...policies.map(({ id: policy, failurePolicy }) => ({
      id: policy,
      mode: 'intercept' as const,
      timeoutMs: 5_000,
      failurePolicy,
    })),
    { id: 'audit', mode: 'observe' },
  ];
  const deliver = async ({ message, subscription }: Delivery): Promise<unknown> => {
    if (subscription.id === interruptAt) {
      line('person', 'stops the call');
      interruption.abort();
    }
    const policy = policies.find((one) => one.id === subscription.id);
    const { event, state } = message.params;
    const effects = policy?.decide(event as ToolBeforeEvent, state) ?? [];
    line(subscription.id, effects.length === 0 ? '–' : effects.map(showEffect).join(', '));
    return { jsonrpc: '2.0', id: message.id, result: { protocolVersion: 'draft', effects } };
  };
  const outcome = await runInterceptionChain({
    event: toolCall(id, command),
    capabilities: CAPABILITIES,
    subscriptions,
    deliver,
    notify: ({ subscription }) => void told.push(subscription.id),
    onFailure: ({ subscription, code, policy }) => line(subscription, `fails: ${code}, ${policy}`),
    signal: interruption.signal,
  });
  line('outcome', showOutcome(outcome));
  const keepAlive = setInterval(() => undefined, 60_000);
  await outcome.observations?.done;
  clearInterval(keepAlive);
  line('told', told.join(', '));
  print();
  const isAsExpected = Object.entries(expected).every(
    ([name, value]) => JSON.stringify(outcome[name as keyof ChainOutcome]) === JSON.stringify(value),
  );
  return isAsExpected && told.join() === outcome.observed.join();
}

function showEffect(effect: Effects[number]): string {
  switch (effect.type) {
    case 'deny':
      return `deny "${effect.reason}"`;
    case 'modify':
      return `${effect.operation} ${effect.target} ${encode(effect.value)}`;
    case 'return':
      return `return ${encode(effect.value)}`;
    case 'message':
      return `message "${effect.text}"`;
    default:
      return effect.type;
  }
}

function showOutcome(outcome: ChainOutcome): string {
  const { decision, permission, ended, candidate, injections, messages, event } = outcome;
  const by = ended === null ? '' : ` by ${ended.by ?? 'the person'} (${ended.kind})`;
  return [
    `${decision}${by}`,
    `permission ${permission}`,
    ...(candidate === null ? [] : [`answer ${encode(candidate.value)}`]),
    ...(decision === 'proceed' && candidate === null
      ? [`${permission === 'ask' ? 'asks, then runs' : 'runs'} ${commandOf(event as ToolBeforeEvent)}`]
      : []),
    ...(messages.length === 0 ? [] : [`says "${messages.join(' ')}"`]),
    ...(injections.length === 0 ? [] : [`${injections.length} injected`]),
  ].join('; ');
}

export const chainPart: Part = {
  name: 'chain',
  title: 'A chain of policies',
  async run(print) {
    let isWell = true;
    for (const [index, scene] of SCENES.entries()) {
      if (!(await play(scene, `c${index + 1}`, print))) isWell = false;
    }
    return isWell;
  },
};

if (isProgram(import.meta.url)) process.exitCode = await runParts([chainPart]);
