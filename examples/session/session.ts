/**
 * One session of a harness with real backends: a policy over HTTP, a redactor on stdin and stdout, and one that cannot
 * run. Everything goes over sockets and pipes; what is printed of the backends is what they wrote down themselves.
 */

import { rmSync } from 'node:fs';
import { mkdtemp, readdir, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { EventFor, EventName, Registration } from '../../generated/index.js';
import { createCredentials, createHooks, type HookRecord, type Hooks } from '../../runtime/index.js';
import { undoneOnExit } from './clean-up.js';
import { compact } from './compaction.js';
import { elicitForm, elicitUrl } from './elicitations.js';
import { type JournalEntry, readJournal } from './journal.js';
import { sessionManifest } from './manifest.js';
import { ABSENT, POLICY, REDACTOR } from './names.js';
import { LOADER, type ReceiverProcess, startReceiverProcess } from './receiver-process.js';

const POLICY_MODULE = fileURLToPath(new URL('./policy-backend.ts', import.meta.url));
const REDACTOR_PROGRAM = fileURLToPath(new URL('./redactor-backend.ts', import.meta.url));

export interface SessionOptions {
  /** Bearer tokens of the event and of the upload connection. */
  readonly eventToken: string;
  readonly uploadToken: string;
  /** The conversation that is compacted. */
  readonly conversation: readonly string[];
}

/** One thing that the harness did, and what came of it. */
export interface SessionStep {
  readonly title: string;
  /** Ids of the events that it sent. */
  readonly events: readonly string[];
  readonly results: readonly string[];
}

export interface SessionReport {
  readonly steps: readonly SessionStep[];
  readonly journal: readonly JournalEntry[];
  readonly records: readonly HookRecord[];
  /** What the receiver process wrote to stderr, and how it ended. */
  readonly receiverStderr: string;
  readonly receiverExitCode: number | null;
  /** Summaries as published: the receiver's item for each, and whether its stored bytes are the summary's. */
  readonly summary: string;
  readonly published: readonly string[];
  readonly spoolIsEmpty: boolean;
}

/** What a step of the session works with. */
export interface SessionContext extends SessionOptions {
  readonly hooks: Hooks;
  readonly receiver: ReceiverProcess;
  /** The folder in which the receiver keeps bodies. */
  readonly store: string;
  makeEvent<N extends EventName>(type: N, members: Omit<EventFor<N>, Envelope>): EventFor<N>;
}

type Envelope = 'id' | 'source' | 'type' | 'time' | 'session';

/** Runs the session from start to end; nothing of it is left afterwards. */
export async function runSession(options: SessionOptions): Promise<SessionReport> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'ahp-session-')));
  const undo: (() => void)[] = [() => rmSync(folder, { recursive: true, force: true })];
  return undoneOnExit(
    () => {
      for (const step of undo) step();
    },
    async () => {
      try {
        // The receiver goes before its folder does, which it would make anew.
        return await runIn(folder, options, (kill) => undo.unshift(kill));
      } finally {
        await rm(folder, { recursive: true, force: true });
      }
    },
  );
}

async function runIn(
  folder: string,
  options: SessionOptions,
  onStarted: (kill: () => void) => void,
): Promise<SessionReport> {
  const { eventToken, uploadToken } = options;
  const store = join(folder, 'store');
  const spool = await mkdtemp(join(folder, 'spool-'));
  const journal = join(folder, 'journal.jsonl');
  const tokens = { SESSION_EVENT_TOKEN: eventToken, SESSION_UPLOAD_TOKEN: uploadToken };
  const env = { ...tokens, SESSION_JOURNAL: journal };
  const receiver = await startReceiverProcess(POLICY_MODULE, { store, env, onStarted });
  const hooks = createHooks({
    registration: registrationOf(receiver),
    manifest: sessionManifest,
    credentials: createCredentials({ env: tokens }),
    allowLoopback: true,
    cwd: folder,
    env: { SESSION_JOURNAL: journal, SESSION_STORE: store },
    spool: { directory: spool, maxMemoryBytes: 64 },
  });
  const records = collect(hooks);
  let receiverExitCode: number | null = null;
  let steps: SessionStep[];
  let compacted: Awaited<ReturnType<typeof compact>>;
  try {
    const context: SessionContext = { ...options, hooks, receiver, store, makeEvent: eventMaker() };
    steps = [await discover(context), await startSession(context), ...(await callTools(context))];
    steps.push(await elicitForm(context), await elicitUrl(context));
    compacted = await compact(context);
    steps.push(compacted.step, await changeTasks(context), await endSession(context));
    await untilTold(journal, steps.at(-1)?.events.at(-1) ?? '');
  } finally {
    await hooks.close();
    receiverExitCode = await receiver.stop();
  }
  return {
    steps,
    journal: readJournal(journal),
    records: await records,
    receiverStderr: receiver.stderr(),
    receiverExitCode,
    summary: compacted.summary,
    published: compacted.published,
    spoolIsEmpty: (await readdir(spool)).length === 0,
  };
}

/**
 * Waits until both backends have written down that they were told of the last event. On stdio a notification is done
 * when it is written, which says nothing of its being read.
 */
async function untilTold(journal: string, event: string): Promise<void> {
  const isTold = (backend: string): boolean =>
    readJournal(journal).some((entry) => entry.backend === backend && entry.event === event);
  for (let tries = 0; tries < 500 && !(isTold(POLICY) && isTold(REDACTOR)); tries += 1) await pause(20);
}

function registrationOf({ hooks, content }: ReceiverProcess): Registration {
  const upload = {
    endpoint: content,
    timeoutMs: 20_000,
    maxBytes: 1_000_000,
    auth: { type: 'bearer', tokenEnv: 'SESSION_UPLOAD_TOKEN' },
  } as const;
  const asked = { mode: 'intercept', timeoutMs: 20_000, failurePolicy: 'fail-closed' } as const;
  const redactor = { type: 'stdio', command: process.execPath, args: ['--import', LOADER, REDACTOR_PROGRAM] } as const;
  return {
    protocolVersion: 'draft',
    hooks: [
      {
        id: REDACTOR,
        transport: { ...redactor, lifecycle: 'persistent' },
        subscriptions: [
          { ...asked, events: ['context.*', 'user.elicitation.result'], content: { default: 'body' }, upload },
          { mode: 'observe', events: ['*'], content: { default: 'omit' } },
        ],
      },
      {
        id: POLICY,
        transport: { type: 'http', url: hooks },
        authentication: { type: 'bearer', tokenEnv: 'SESSION_EVENT_TOKEN' },
        subscriptions: [
          { ...asked, events: ['*'], content: { default: 'body', files: 'metadata' }, upload },
          { mode: 'observe', events: ['*'], content: { default: 'metadata' } },
        ],
      },
      {
        id: ABSENT,
        transport: { type: 'stdio', command: 'ahp-no-such-program', lifecycle: 'per_event' },
        subscriptions: [
          { ...asked, failurePolicy: 'fail-open', events: ['session.start'], content: { default: 'omit' } },
        ],
      },
    ],
  };
}

async function collect({ records }: Hooks): Promise<HookRecord[]> {
  const all: HookRecord[] = [];
  for await (const record of records) all.push(record);
  return all;
}

function eventMaker(): SessionContext['makeEvent'] {
  let count = 0;
  return <N extends EventName>(type: N, members: Omit<EventFor<N>, Envelope>): EventFor<N> => {
    count += 1;
    const envelope = { id: `evt-${count}`, source: 'urn:example:harness', type, time: new Date().toISOString() };
    return { ...envelope, session: { id: 'session-1' }, ...members } as unknown as EventFor<N>;
  };
}

async function discover({ hooks }: SessionContext): Promise<SessionStep> {
  const manifests = await Promise.all([POLICY, REDACTOR].map((id) => hooks.discover(id)));
  const results = manifests.map(({ events }, index) => `${[POLICY, REDACTOR][index]} supports ${events.length} events`);
  return { title: 'discovery', events: [], results };
}

async function startSession({ hooks, makeEvent }: SessionContext): Promise<SessionStep> {
  const rules = { id: 'ctx-1', kind: 'context', mediaType: 'text/plain', role: 'system', selection: 'omit' } as const;
  const event = makeEvent('session.start', {
    trigger: 'startup',
    harness: { name: 'example', version: '1' },
    permissionMode: 'default',
    manifest: sessionManifest,
    items: [rules],
  });
  const outcome = await hooks.intercept(event, { content: { 'ctx-1': Buffer.from('Be brief.') } });
  const injected = outcome.injections.map(({ deliverAt, value }) => `injected ${deliverAt}: ${JSON.stringify(value)}`);
  const failed = outcome.failures.map(
    ({ subscription, policy, code }) => `${subscription} failed (${code}), ${policy}`,
  );
  return { title: 'session.start', events: [event.id], results: [outcome.decision, ...injected, ...failed] };
}

async function callTools({ hooks, makeEvent }: SessionContext): Promise<SessionStep[]> {
  const steps: SessionStep[] = [];
  for (const command of ['rm -rf build', 'git push --force']) {
    const call = { id: `call-${steps.length + 1}` };
    const before = makeEvent('tool.before', {
      call,
      path: '/shell',
      tool: { name: 'shell', origin: 'native', input: { command } },
    });
    const outcome = await hooks.intercept(before);
    const events = [before.id];
    const results: string[] = [outcome.decision];
    if (outcome.decision === 'denied') {
      results.push(`reason: ${outcome.ended?.reason}`);
    } else {
      const { tool } = outcome.event;
      results.push(`runs ${String(tool.input.command)}`, ...outcome.messages);
      const output = { id: 'out-1', kind: 'output', mediaType: 'text/plain', role: 'tool', selection: 'omit' } as const;
      const after = makeEvent('tool.after', {
        parentEventId: before.id,
        call,
        path: '/shell',
        tool,
        outcome: 'ok',
        execution: { status: 'executed' },
        items: [output],
      });
      await hooks.observe(after, { content: { 'out-1': Buffer.from('pushed') } }).done;
      events.push(after.id);
    }
    steps.push({ title: `tool.before ${command}`, events, results });
  }
  return steps;
}

async function changeTasks({ hooks, makeEvent }: SessionContext): Promise<SessionStep> {
  const change = { status: 'done' };
  const task = { id: 'task-1', operation: 'update', change, prior: { status: 'open' } } as const;
  const before = makeEvent('task.change.before', { task });
  const outcome = await hooks.intercept(before);
  const after = makeEvent('task.change.after', { parentEventId: before.id, task });
  // A report of a change that changed nothing: canonical, and refused by the receiver's own check.
  const empty = makeEvent('task.change.after', { parentEventId: before.id, task: { ...task, prior: change } });
  const handles = [hooks.observe(after), hooks.observe(empty)];
  await Promise.all([outcome.observations?.done, ...handles.map(({ done }) => done)]);
  return { title: 'task.change', events: [before.id, after.id, empty.id], results: [outcome.decision] };
}

async function endSession({ hooks, makeEvent }: SessionContext): Promise<SessionStep> {
  const event = makeEvent('session.end', { outcome: 'completed', reason: 'done' });
  await hooks.observe(event).done;
  return { title: 'session.end', events: [event.id], results: ['observed'] };
}
