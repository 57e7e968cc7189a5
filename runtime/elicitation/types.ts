import type {
  ContentItem,
  ContentReference,
  ElicitResult,
  InterceptRequest,
  KnownEffect,
  KnownElicitRequestParams,
} from '../../generated/index.js';

/**
 * Gives the bytes behind an authorized reference, or null when they are not there. Rejecting counts as not there, with
 * the error kept as the cause. Called after correlation only (Semantics §2).
 */
export type ResolveBody = (
  reference: ContentReference,
  context: { readonly item: ContentItem; readonly signal: AbortSignal },
) => Promise<Uint8Array | null> | Uint8Array | null;

export interface ElicitationExchange {
  /** Envelope of `user.elicitation.request`. */
  readonly request: InterceptRequest;
  /** Envelope of `user.elicitation.result`. */
  readonly result: InterceptRequest;
  readonly resolveBody: ResolveBody;
  /** The identity that the host authenticated; never taken from a payload. */
  readonly principal: string;
  readonly signal?: AbortSignal | undefined;
}

export interface ElicitationEffects {
  readonly request: InterceptRequest;
  /** With it the effects arrive at the result boundary, without it at the request boundary. */
  readonly result?: InterceptRequest | undefined;
  readonly effects: readonly KnownEffect[];
  readonly resolveBody: ResolveBody;
  /** The authenticated supplier of the effects. */
  readonly principal: string;
  readonly signal?: AbortSignal | undefined;
}

/** Who answers for a result: `mcp` is no verified human, `hook` is a hook's supplied or edited answer. */
export type ElicitationProvenance =
  | { readonly kind: 'mcp'; readonly authenticatedSource: string }
  | {
      readonly kind: 'hook';
      readonly authenticatedSource: string;
      /** Types of the effects in order, without messages. */
      readonly effects: readonly ('return' | 'deny' | 'modify')[];
    };

/** How much of a body a subscriber was given; an absent descriptor counts as `omit`. */
export type ElicitationSelection = 'body' | 'metadata' | 'omit';

/** Both bodies were decoded and hold together. Frozen. */
export interface CheckedElicitation {
  readonly request: KnownElicitRequestParams;
  readonly result: ElicitResult;
  readonly provenance: ElicitationProvenance;
  /** An accepted URL is consent to open it, never its completion. */
  readonly externalCompletion: false;
}

/** A body was not selected: this establishes no executable input. Frozen. */
export interface UnselectedElicitation {
  readonly selection: { readonly request: ElicitationSelection; readonly result: ElicitationSelection };
  readonly bodyValidation: 'not-selected';
  readonly provenance: ElicitationProvenance;
  readonly externalCompletion: false;
}

export type ElicitationOutcome = CheckedElicitation | UnselectedElicitation;

/** A staged list of effects. Frozen; nothing of it is shared with mutable inputs. */
export interface StagedElicitation {
  readonly request: KnownElicitRequestParams;
  /** Absent when messages alone arrived at the request boundary. */
  readonly result?: ElicitResult;
  readonly provenance: ElicitationProvenance;
  readonly externalCompletion: false;
  /** Texts for the user, without authority; absent when there are none. */
  readonly messages?: readonly string[];
}
