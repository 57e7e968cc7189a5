import type { KnownEvent } from '../../generated/index.js';
import { LineageError } from './errors.js';
import { agrees, type EventFacts, type EventNode, factsOf, findLoop, isCompletion, isSameIdentity } from './graph.js';
import { decodeMessage, readEvent } from './messages.js';
import { requireChange } from './reports.js';

/** Settings of one checker. */
export interface TaskLineageOptions {
  /** A check on a producer's own history: every parent must have been accepted before. Default: false. */
  readonly requireKnownParents?: boolean;
  /** How many events are remembered. Default: 100,000. */
  readonly maxEvents?: number;
}

const MAX_LOOP_IDS = 16;

/**
 * Checks the events of one receiving connection against each other (Semantics §9): identities, parents, cycles, pairs
 * of proposal and completion, and reports of no change. Verdicts do not depend on which end of a pair or of a cycle
 * arrives first.
 *
 * It keeps ids and a few facts of each event, never its content, of at most `maxEvents` events and their parents;
 * nothing is evicted. It proves no mutation, no equality of delivered bytes and no enforcement of capabilities.
 * Throws a RangeError for a `maxEvents` that is no positive integer.
 */
export class TaskLineage {
  readonly #requireKnownParents: boolean;
  readonly #maxEvents: number;
  readonly #sources = new Map<string, Map<string, EventNode>>();
  #size = 0;

  constructor({ requireKnownParents = false, maxEvents = 100_000 }: TaskLineageOptions = {}) {
    if (!Number.isSafeInteger(maxEvents) || maxEvents < 1) {
      throw new RangeError('Task lineage: expected "maxEvents" to be a positive integer, got another value');
    }
    this.#requireKnownParents = requireKnownParents;
    this.#maxEvents = maxEvents;
  }

  /** How many events are remembered. */
  get size(): number {
    return this.#size;
  }

  /** Decodes one JSON-RPC frame strictly, then does as {@link accept}; undecodable text is `not-json`. */
  acceptWire(input: string | Uint8Array): KnownEvent | null {
    return this.accept(decodeMessage(input));
  }

  /**
   * Takes one decoded JSON-RPC message. Returns its event, or null when it carries none.
   * Throws a LineageError with the code of the rule that it breaks; a refused message changes nothing.
   */
  accept(message: unknown): KnownEvent | null {
    const event = readEvent(message);
    if (event === null) return null;
    requireChange(event);
    const facts = factsOf(event);
    const known = this.#find(event.source, event.id);
    if (known?.facts === undefined) this.#admit(event, facts, known);
    else if (!isSameIdentity(known.facts, facts)) {
      throw new LineageError(
        'identity-reused',
        'Event: expected the type, parent and task id that its key had, got others',
        {
          pointer: '/params/event',
        },
      );
    }
    return event;
  }

  /** A new key. Everything is checked before anything is written. */
  #admit(event: KnownEvent, facts: EventFacts, placeholder: EventNode | undefined): void {
    const parent = facts.parentId === undefined ? undefined : this.#find(event.source, facts.parentId);
    this.#requireNoLoop(event.id, facts, placeholder, parent);
    if (this.#requireKnownParents && facts.parentId !== undefined && parent?.facts === undefined) {
      throw new LineageError(
        'unknown-parent',
        'Event: expected a parent that was accepted before, got an unknown one',
        {
          pointer: '/params/event/parentEventId',
        },
      );
    }
    const agreesWithParent = parent?.facts === undefined || agrees(facts, parent.facts);
    if (!agreesWithParent || placeholder?.waiting.some((completion) => !agrees(completion, facts))) {
      throw new LineageError('pair-mismatch', 'Event: expected completion and proposal to agree, got a difference', {
        pointer: '/params/event',
      });
    }
    if (this.#size >= this.#maxEvents) {
      throw new LineageError('capacity', `Event: expected at most ${this.#maxEvents} events, got one more`);
    }
    this.#write(event, facts, placeholder);
  }

  /** Only an event that others named as their parent can close a loop, or one that names itself. */
  #requireNoLoop(
    id: string,
    facts: EventFacts,
    placeholder: EventNode | undefined,
    parent: EventNode | undefined,
  ): void {
    const { parentId } = facts;
    if (parentId === undefined || (placeholder === undefined && parentId !== id)) return;
    const loop = findLoop(id, parentId, parent);
    if (loop === null) return;
    throw new LineageError('cycle', `Event: expected no event among its own ancestors, got a loop of ${loop.length}`, {
      pointer: '/params/event/parentEventId',
      loop: loop.slice(0, MAX_LOOP_IDS),
    });
  }

  #write(event: KnownEvent, facts: EventFacts, placeholder: EventNode | undefined): void {
    const node = placeholder ?? this.#name(event.source, event.id);
    node.facts = facts;
    node.waiting = [];
    if (facts.parentId !== undefined) {
      node.parent = this.#find(event.source, facts.parentId) ?? this.#name(event.source, facts.parentId);
      if (node.parent.facts === undefined && isCompletion(facts.type)) node.parent.waiting.push(facts);
    }
    this.#size += 1;
  }

  #find(source: string, id: string): EventNode | undefined {
    return this.#sources.get(source)?.get(id);
  }

  #name(source: string, id: string): EventNode {
    const nodes = this.#sources.get(source) ?? new Map<string, EventNode>();
    this.#sources.set(source, nodes);
    const node: EventNode = { id, facts: undefined, parent: undefined, waiting: [] };
    nodes.set(id, node);
    return node;
  }
}
