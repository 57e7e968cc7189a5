import type { JsonObject, JsonValue } from '../json/index.js';
import type { Identity } from './common.js';
import type { ContentItem } from './content.js';
import type { UnknownVariant } from '../support/results.js';

/**
 * One try of a model request. Closed object.
 * @see execution-parts.json#/$defs/Attempt
 */
export interface Attempt {
  /**
   * The attempt's identity, non-empty.
   * Valid: length at least 1.
   */
  readonly id: string;
  /**
   * Which try this is, counted from 1.
   * Valid: at least 1.
   */
  readonly number: number;
  /** True when the adapter made the id up; it then stays stable for the life of the attempt. */
  readonly synthesized?: boolean;
}

/**
 * Usage of one attempt: an amount, of scope attempt.
 * @see execution-parts.json#/$defs/AttemptUsage
 */
export interface AttemptUsage extends Usage {
  /** An amount of its own. */
  readonly kind: 'amount';
  /** The figures cover this attempt. */
  readonly scope: 'attempt';
  /** Where the figures come from; an attempt never mixes. */
  readonly provenance: 'provider' | 'estimate' | (string & {});
}

/**
 * Calls that were issued together. Closed object.
 * @see execution-parts.json#/$defs/Batch
 */
export interface Batch {
  /**
   * The batch's identity, non-empty.
   * Valid: length at least 1.
   */
  readonly id: string;
  /**
   * Ids of the calls in the batch, at least one, no repeats.
   * Valid: at least 1 elements, no repeats.
   */
  readonly callIds: readonly string[];
  /** True when the adapter made the id up; it then stays stable for the life of the batch. */
  readonly synthesized?: boolean;
}

/**
 * The operation was skipped because it was cancelled. Closed object.
 * @see execution-parts.json#/$defs/CancelledExecution
 */
export interface CancelledExecution {
  /** The operation did not run. */
  readonly status: 'skipped';
  /** Why it did not run. */
  readonly reason: 'cancelled';
  /**
   * More about the reason, non-empty.
   * Valid: length at least 1.
   */
  readonly detail?: string;
}

/**
 * An address member of a connection that could not be told. Closed object.
 * @see execution-parts.json#/$defs/ConnectionGap
 */
export interface ConnectionGap {
  /**
   * Name of the missing member, such as `url`.
   * Valid: length at least 1.
   */
  readonly path: string;
  /**
   * Why it is missing, non-empty.
   * Valid: length at least 1.
   */
  readonly reason: string;
}

/**
 * What the work cost. Closed object.
 * @see execution-parts.json#/$defs/Cost
 */
export interface Cost {
  /**
   * Amount in units of the currency, not below 0; its spelling is kept.
   * Valid: at least 0.
   */
  readonly amount: number;
  /**
   * ISO 4217 code, three capital letters.
   * Valid: pattern ^[A-Z]{3}$.
   */
  readonly currency: string;
  /** How the amount is known. */
  readonly basis: 'billed' | 'reported' | 'estimated' | (string & {});
}

/**
 * What went wrong. Closed object. It carries no secret (a runtime rule).
 * @see execution-parts.json#/$defs/ErrorInfo
 */
export interface ErrorInfo {
  /**
   * What went wrong, for a reader, non-empty.
   * Valid: length at least 1.
   */
  readonly message: string;
  /**
   * Class of error, as the harness names it.
   * Valid: length at least 1.
   */
  readonly class: string;
  /**
   * Machine-readable code, non-empty.
   * Valid: length at least 1.
   */
  readonly code?: string;
  /** Status of the failed operation: a non-empty text or an integer such as an HTTP status. */
  readonly status?: string | number;
  /** The harness's own error object, any JSON; off by default. */
  readonly native?: JsonValue;
}

/**
 * The operation ran. Closed object.
 * @see execution-parts.json#/$defs/ExecutedExecution
 */
export interface ExecutedExecution {
  /** The operation ran. */
  readonly status: 'executed';
}

/**
 * Whether the operation ran, and if not, why. Told by `status`, then by `reason`.
 * @see execution-parts.json#/$defs/Execution
 */
export type Execution = KnownExecution | UnknownExecution;

/**
 * The variants of `Execution` that this revision knows. `isKnownExecution` tells them from the others.
 * @see execution-parts.json#/$defs/Execution
 */
export type KnownExecution =
  | ExecutedExecution
  | SuppliedExecution
  | PolicySkippedExecution
  | CancelledExecution
  | TimedOutExecution
  | OtherSkippedExecution;

/**
 * A value of `Execution` whose tag this revision does not know, kept whole.
 * @see execution-parts.json#/$defs/Execution
 */
export type UnknownExecution = UnknownVariant & { readonly status: string };

/**
 * A change to one file. Closed object. A move names the previous path; a created file has no `before`, a deleted one no `after`.
 * @see execution-parts.json#/$defs/FileChange
 */
export interface FileChange {
  /**
   * The file's path after the change.
   * Valid: length at least 1.
   */
  readonly path: string;
  /** What happened to the file. */
  readonly change: 'created' | 'modified' | 'deleted' | 'moved' | (string & {});
  /**
   * The path before a move.
   * Valid: length at least 1.
   */
  readonly previousPath?: string;
  /** Content before the change. */
  readonly before?: ContentItem;
  /** Content after the change. */
  readonly after?: ContentItem;
}

/**
 * How the MCP server is reached. Three transports are known by name; any other name starts with `_`. The discriminator is an annotation and changes nothing about what is valid.
 * @see execution-parts.json#/$defs/McpConnection
 */
export type McpConnection = KnownMcpConnection | UnknownMcpConnection;

/**
 * The variants of `McpConnection` that this revision knows. `isKnownMcpConnection` tells them from the others.
 * @see execution-parts.json#/$defs/McpConnection
 */
export type KnownMcpConnection = McpHttpConnection | McpSseConnection | McpStdioConnection;

/**
 * A value of `McpConnection` whose tag this revision does not know, kept whole.
 * @see execution-parts.json#/$defs/McpConnection
 */
export type UnknownMcpConnection = McpExtensionConnection | (UnknownVariant & { readonly transport: string });

/**
 * A connection over a transport outside this draft. Closed object. Its name starts with `_`; each of `addressForm` and `address` is present, or `gaps` names it.
 * @see execution-parts.json#/$defs/McpExtensionConnection
 */
export interface McpExtensionConnection {
  /**
   * Name of the transport, `_` and at least one more character.
   * Valid: pattern ^_.+.
   */
  readonly transport: `_${string}`;
  /**
   * How to read `address`.
   * Valid: length at least 1.
   */
  readonly addressForm?: string;
  /**
   * Where the server is, in that form.
   * Valid: length at least 1.
   */
  readonly address?: string;
  /**
   * Which address members could not be told, and why; at least one entry.
   * Valid: at least 1 elements.
   */
  readonly gaps?: readonly ConnectionGap[];
}

/**
 * A connection over streamable HTTP. Closed object. `url` is present, or `gaps` names it.
 * @see execution-parts.json#/$defs/McpHttpConnection
 */
export interface McpHttpConnection {
  /** Streamable HTTP. */
  readonly transport: 'http';
  /**
   * The server's URL, without credentials (a runtime rule).
   * Valid: format uri, pattern ^https?://.
   */
  readonly url?: string;
  /**
   * Which address members could not be told, and why; at least one entry.
   * Valid: at least 1 elements.
   */
  readonly gaps?: readonly ConnectionGap[];
}

/**
 * Where an MCP tool comes from. Closed object.
 * @see execution-parts.json#/$defs/McpProvenance
 */
export interface McpProvenance {
  /** The server that offers the tool. */
  readonly server: McpServer;
  /**
   * The tool's name on that server.
   * Valid: length at least 1.
   */
  readonly toolName: string;
  /** Whether the harness knows this from its run time or inferred it. */
  readonly provenance: 'runtime' | 'inferred' | (string & {});
  /** How the server is reached. */
  readonly connection: McpConnection;
}

/**
 * The MCP server that offers a tool. Closed object.
 * @see execution-parts.json#/$defs/McpServer
 */
export interface McpServer {
  /**
   * The server's identity, non-empty.
   * Valid: length at least 1.
   */
  readonly id: string;
  /**
   * The server's name for readers.
   * Valid: length at least 1.
   */
  readonly name?: string;
}

/**
 * A connection over HTTP with server-sent events. Closed object. `url` is present, or `gaps` names it.
 * @see execution-parts.json#/$defs/McpSseConnection
 */
export interface McpSseConnection {
  /** HTTP with server-sent events. */
  readonly transport: 'sse';
  /**
   * The server's URL, without credentials (a runtime rule).
   * Valid: format uri, pattern ^https?://.
   */
  readonly url?: string;
  /**
   * Which address members could not be told, and why; at least one entry.
   * Valid: at least 1 elements.
   */
  readonly gaps?: readonly ConnectionGap[];
}

/**
 * A connection to a child process. Closed object. Each of `command`, `args` and `cwd` is present, or `gaps` names it.
 * @see execution-parts.json#/$defs/McpStdioConnection
 */
export interface McpStdioConnection {
  /** Standard input and output of a child process. */
  readonly transport: 'stdio';
  /**
   * The program that was started.
   * Valid: length at least 1.
   */
  readonly command?: string;
  /** Its arguments, in order; secrets are left out (a runtime rule). */
  readonly args?: readonly string[];
  /**
   * Its working directory.
   * Valid: length at least 1.
   */
  readonly cwd?: string;
  /**
   * Which address members could not be told, and why; at least one entry.
   * Valid: at least 1 elements.
   */
  readonly gaps?: readonly ConnectionGap[];
}

/**
 * A model and who serves it. Closed object.
 * @see execution-parts.json#/$defs/Model
 */
export interface Model {
  /**
   * The model's id as the provider spells it.
   * Valid: length at least 1.
   */
  readonly id: string;
  /**
   * Who serves the model.
   * Valid: length at least 1.
   */
  readonly provider: string;
}

/**
 * The operation was skipped for another reason. Closed object.
 * @see execution-parts.json#/$defs/OtherSkippedExecution
 */
export interface OtherSkippedExecution {
  /** The operation did not run. */
  readonly status: 'skipped';
  /** Why it did not run. */
  readonly reason: 'other';
  /**
   * More about the reason, non-empty.
   * Valid: length at least 1.
   */
  readonly detail?: string;
}

/**
 * The operation was skipped by policy. Closed object.
 * @see execution-parts.json#/$defs/PolicySkippedExecution
 */
export interface PolicySkippedExecution {
  /** The operation did not run. */
  readonly status: 'skipped';
  /** Why it did not run. */
  readonly reason: 'policy';
  /**
   * More about the reason, non-empty.
   * Valid: length at least 1.
   */
  readonly detail?: string;
}

/**
 * The operation was skipped because a hook supplied its result. Closed object.
 * @see execution-parts.json#/$defs/SuppliedExecution
 */
export interface SuppliedExecution {
  /** The operation did not run. */
  readonly status: 'skipped';
  /** A hook supplied the result. */
  readonly reason: 'supplied_result';
}

/**
 * The operation was skipped because of a time-out. Closed object.
 * @see execution-parts.json#/$defs/TimedOutExecution
 */
export interface TimedOutExecution {
  /** The operation did not run. */
  readonly status: 'skipped';
  /** Why it did not run. */
  readonly reason: 'timeout';
  /**
   * More about the reason, non-empty.
   * Valid: length at least 1.
   */
  readonly detail?: string;
}

/**
 * Size of the context in tokens. Closed object.
 * @see execution-parts.json#/$defs/TokenCounts
 */
export interface TokenCounts {
  /**
   * Tokens before compaction.
   * Valid: at least 0.
   */
  readonly before?: number;
  /**
   * Tokens after compaction.
   * Valid: at least 0.
   */
  readonly after?: number;
}

/**
 * What every event about one tool call carries. A part of other definitions.
 * @see execution-parts.json#/$defs/ToolCallFields
 */
export interface ToolCallFields {
  /** The call. */
  readonly call: Identity;
  /** The tool and its input. */
  readonly tool: ToolInfo;
  /**
   * The way the call took through the harness, one of the manifest's `toolPaths` (a runtime rule).
   * Valid: length at least 1.
   */
  readonly path: string;
  /** The batch that the call belongs to. */
  readonly batch?: Batch;
  readonly [member: string]: unknown;
}

/**
 * A tool and the input it is called with. Closed object. `mcp` is present exactly when `origin` is `mcp`.
 * @see execution-parts.json#/$defs/ToolInfo
 */
export interface ToolInfo {
  /**
   * The tool's name as the model sees it.
   * Valid: length at least 1.
   */
  readonly name: string;
  /**
   * Kind of tool, such as `shell` or `file_edit`; compared as exact text by filters.
   * Valid: length at least 1.
   */
  readonly kind?: string;
  /** The tool's input, an open object whose members are the tool's own. */
  readonly input: JsonObject;
  /** Whether the harness or an MCP server offers the tool. */
  readonly origin: 'native' | 'mcp' | (string & {});
  /** The MCP server and its connection; only for MCP tools. */
  readonly mcp?: McpProvenance;
}

/**
 * Usage of a whole turn: a total, of scope turn.
 * @see execution-parts.json#/$defs/TurnUsage
 */
export interface TurnUsage extends Usage {
  /** A running total. */
  readonly kind: 'total';
  /** The figures cover the turn. */
  readonly scope: 'turn';
}

/**
 * Tokens and cost. Closed object. Counting rules across attempts are runtime rules.
 * @see execution-parts.json#/$defs/Usage
 */
export interface Usage {
  /** An amount of its own, or a running total. */
  readonly kind: 'amount' | 'total' | (string & {});
  /** What the figures cover. */
  readonly scope: 'attempt' | 'turn' | (string & {});
  /** Whether the figures are complete. */
  readonly completeness: 'complete' | 'partial' | 'unknown' | (string & {});
  /** Where the figures come from. */
  readonly provenance: 'provider' | 'estimate' | 'mixed' | (string & {});
  /**
   * Tokens read.
   * Valid: at least 0.
   */
  readonly inputTokens?: number;
  /**
   * Tokens written.
   * Valid: at least 0.
   */
  readonly outputTokens?: number;
  /**
   * Tokens read from a cache.
   * Valid: at least 0.
   */
  readonly cacheReadTokens?: number;
  /**
   * Tokens written to a cache.
   * Valid: at least 0.
   */
  readonly cacheWriteTokens?: number;
  /** What it cost. */
  readonly cost?: Cost;
}
