/**
 * Tells observers of three settled tool calls: an auditor that must not see the command, a slow one whose deliveries
 * stay in order, one that always fails, and an interceptor whose turn never came. On its own:
 * `npx tsx examples/main/observation-part.ts`.
 */

import type { KnownEvent, ToolBeforeEvent } from '../../generated/index.js';
import { DeliveryQueues, dispatchObservations, type ObservableSubscription } from '../../runtime/observation/index.js';
import { isProgram, type Part, runParts } from './part.js';

interface Subscription extends ObservableSubscription {
  readonly name: string;
  readonly mayReadInput: boolean;
}

const subscriptions: readonly Subscription[] = [
  { id: 'policy#0', mode: 'intercept', name: 'policy', mayReadInput: true },
  { id: 'reviewer#0', mode: 'intercept', name: 'reviewer', mayReadInput: true },
  { id: 'audit#0', mode: 'observe', name: 'auditor', mayReadInput: false },
  { id: 'metrics#0', mode: 'observe', name: 'metrics', mayReadInput: false },
  { id: 'broken#0', mode: 'observe', name: 'broken', mayReadInput: false },
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

/** What a subscription may see of a call. */
function project(event: KnownEvent, { mayReadInput }: Subscription): KnownEvent {
  if (mayReadInput || event.type !== 'tool.before') return event;
  const gaps = [{ path: 'tool.input.command', reason: 'permission_withheld' }];
  return { ...event, tool: { ...event.tool, input: {} }, gaps };
}

export const observationPart: Part = {
  name: 'observation',
  title: 'Observers of settled events',
  async run(print) {
    const queues = new DeliveryQueues<Subscription>();
    const lines: string[] = [];
    const handles = ['ls', 'git tag', 'git push'].map((command, index) => {
      const event = toolCall(`e${index + 1}`, command);
      const handle = dispatchObservations<Subscription>({
        event,
        subscriptions,
        // The policy hook decided on these calls, and stopped before the reviewer's turn.
        called: ['policy#0'],
        schedule: queues.schedule,
        prepare: ({ event: settled, subscription }) => project(settled, subscription),
        async notify({ message, subscription }) {
          if (subscription.name === 'broken') throw new Error('never works');
          if (subscription.name === 'metrics') await new Promise((resolve) => setTimeout(resolve, 5));
          const { id, tool } = message.params.event as ToolBeforeEvent;
          lines.push(`${subscription.name.padEnd(8)}  ${id}  ${tool.name}(${JSON.stringify(tool.input)})`);
        },
        onFailure: ({ subscription, error }) =>
          lines.push(`${subscription.name.padEnd(8)}  ${event.id}  ${error.code}`),
      });
      print(`dispatched ${event.id} to ${handle.pending} observers, waited for none`);
      return handle;
    });
    // Observers keep no process alive, and this program has nothing else to wait for.
    const alive = setInterval(() => undefined, 60_000);
    await Promise.all(handles.map(({ done }) => done));
    clearInterval(alive);
    print();
    for (const name of ['reviewer', 'auditor', 'metrics', 'broken']) {
      for (const line of lines.filter((candidate) => candidate.startsWith(name))) print(line);
    }
    const told = (name: string) => lines.filter((line) => line.startsWith(name)).map((line) => line.split(/ +/)[1]);
    const inOrder = ['reviewer', 'auditor', 'metrics', 'broken'].every((name) => told(name).join() === 'e1,e2,e3');
    const isWithheld = lines.every((line) => !line.startsWith('auditor') || !line.includes('git'));
    return inOrder && isWithheld && told('policy').length === 0;
  },
};

if (isProgram(import.meta.url)) process.exitCode = await runParts([observationPart]);
