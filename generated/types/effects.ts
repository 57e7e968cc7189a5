import type { JsonValue } from '../json/index.js';
import type { Extensions, ReverseDnsName } from './common.js';
import type { UnknownVariant } from '../support/results.js';

/**
 * Approves the effective operation. Closed object. A later change of the operation voids it (a runtime rule).
 * @see effects.json#/$defs/AllowEffect
 */
export interface AllowEffect {
  /** Approve. */
  readonly type: 'allow';
}

/**
 * Demands that the user is asked. Closed object. It beats `allow` (a runtime rule).
 * @see effects.json#/$defs/AskEffect
 */
export interface AskEffect {
  /** Ask the user. */
  readonly type: 'ask';
}

/**
 * Lets the agent go on. Closed object. It uses one allowance (a runtime rule).
 * @see effects.json#/$defs/ContinueFlowEffect
 */
export interface ContinueFlowEffect {
  /** Steer the agent. */
  readonly type: 'flow';
  /** Go on. */
  readonly operation: 'continue';
  /**
   * What to go on with, non-empty.
   * Valid: length at least 1.
   */
  readonly instruction?: string;
}

/**
 * Refuses the operation and ends the chain. Closed object.
 * @see effects.json#/$defs/DenyEffect
 */
export interface DenyEffect {
  /** Refuse. */
  readonly type: 'deny';
  /**
   * Why, for the model or the user, non-empty.
   * Valid: length at least 1.
   */
  readonly reason: string;
  /** Machine-readable reason, a reverse-DNS name. */
  readonly code?: ReverseDnsName;
  /** Extension data of the denial. */
  readonly extensions?: Extensions;
}

/**
 * One effect, told by `type`, and for `flow` by `operation` too. An unknown effect rejects the whole response.
 * @see effects.json#/$defs/Effect
 */
export type Effect = KnownEffect | UnknownEffect;

/**
 * The variants of `Effect` that this revision knows. `isKnownEffect` tells them from the others.
 * @see effects.json#/$defs/Effect
 */
export type KnownEffect =
  | DenyEffect
  | AllowEffect
  | AskEffect
  | ModifyEffect
  | MessageEffect
  | ReturnEffect
  | StopFlowEffect
  | ContinueFlowEffect
  | InjectEffect;

/**
 * A value of `Effect` whose tag this revision does not know, kept whole.
 * @see effects.json#/$defs/Effect
 */
export type UnknownEffect = UnknownVariant & { readonly type: string };

/**
 * Adds to the model's context. Closed object.
 * @see effects.json#/$defs/InjectEffect
 */
export interface InjectEffect {
  /** Add context. */
  readonly type: 'inject';
  /** The model's context. */
  readonly target: 'context';
  /** Append. */
  readonly operation: 'append';
  /** When the context is delivered. */
  readonly deliverAt: 'now' | 'next_turn' | (string & {});
  /** What is added; any JSON, null included. */
  readonly value: JsonValue;
}

/**
 * Text for the user, without authority. Closed object.
 * @see effects.json#/$defs/MessageEffect
 */
export interface MessageEffect {
  /** Tell the user. */
  readonly type: 'message';
  /** The text, possibly empty. */
  readonly text: string;
}

/**
 * Changes a target. Closed object. The value is an object when the target is `input` or the operation is `merge`; which targets are granted is a runtime rule.
 * @see effects.json#/$defs/ModifyEffect
 */
export interface ModifyEffect {
  /** Change a target. */
  readonly type: 'modify';
  /** What is changed. */
  readonly target:
    | 'input'
    | 'output'
    | 'prompt'
    | 'request'
    | 'response'
    | 'content'
    | 'instructions'
    | 'summary'
    | 'workspace'
    | (string & {});
  /** `replace` puts the value in place of the old one; `merge` puts its members over the old ones, shallowly, null literal. */
  readonly operation: 'replace' | 'merge' | (string & {});
  /** The new value or the members to merge; any JSON, null included. */
  readonly value: JsonValue;
}

/**
 * Supplies the result in place of running the operation. Closed object.
 * @see effects.json#/$defs/ReturnEffect
 */
export interface ReturnEffect {
  /** Supply a result. */
  readonly type: 'return';
  /** The result; any JSON, null included. */
  readonly value: JsonValue;
}

/**
 * Stops the agent. Closed object.
 * @see effects.json#/$defs/StopFlowEffect
 */
export interface StopFlowEffect {
  /** Steer the agent. */
  readonly type: 'flow';
  /** Stop. */
  readonly operation: 'stop';
  /**
   * Why, non-empty.
   * Valid: length at least 1.
   */
  readonly reason: string;
}
