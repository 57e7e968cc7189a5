import type { JsonObject } from '../json/index.js';
import type { UnknownVariant } from '../support/results.js';

/**
 * Asks the user to fill in a form. Open object. An absent mode means `form`; it is never written.
 * @see mcp-elicitation.json#/$defs/ElicitFormParams
 */
export interface ElicitFormParams {
  /** Metadata of the request. */
  readonly _meta?: McpMeta;
  /** The user fills in a form. */
  readonly mode?: 'form';
  /** What the user is asked. */
  readonly message: string;
  /** The form. */
  readonly requestedSchema: McpRequestedSchema;
  /** Asks that the request is run as a task. */
  readonly task?: McpTask;
  readonly [member: string]: unknown;
}

/**
 * Params of MCP's `elicitation/create`, revision 2025-11-25: a form or a URL, told by `mode`; without one it is a form.
 * @see mcp-elicitation.json#/$defs/ElicitRequestParams
 */
export type ElicitRequestParams = KnownElicitRequestParams | UnknownElicitRequestParams;

/**
 * The variants of `ElicitRequestParams` that this revision knows. `isKnownElicitRequestParams` tells them from the others.
 * @see mcp-elicitation.json#/$defs/ElicitRequestParams
 */
export type KnownElicitRequestParams = ElicitUrlParams | ElicitFormParams;

/**
 * A value of `ElicitRequestParams` whose tag this revision does not know, kept whole.
 * @see mcp-elicitation.json#/$defs/ElicitRequestParams
 */
export type UnknownElicitRequestParams = UnknownVariant & { readonly mode: string };

/**
 * MCP's `ElicitResult`, revision 2025-11-25. Open object. That content comes only with accepted forms and fits the form is a runtime rule.
 * @see mcp-elicitation.json#/$defs/ElicitResult
 */
export interface ElicitResult {
  /** Metadata of the result, an open object. */
  readonly _meta?: JsonObject;
  /** What the user did. */
  readonly action: 'accept' | 'decline' | 'cancel' | (string & {});
  /** The answers by field name: texts, numbers, booleans or lists of texts. */
  readonly content?: {
    readonly [member: string]: readonly string[] | string | number | boolean;
  };
  readonly [member: string]: unknown;
}

/**
 * Asks the user to open a URL. Open object.
 * @see mcp-elicitation.json#/$defs/ElicitUrlParams
 */
export interface ElicitUrlParams {
  /** Metadata of the request. */
  readonly _meta?: McpMeta;
  /** The user opens a URL. */
  readonly mode: 'url';
  /** What the user is asked. */
  readonly message: string;
  /**
   * The URL to open; a valid URI is not thereby safe.
   * Valid: format uri.
   */
  readonly url: string;
  /** Id of the elicitation, for the notice of completion. */
  readonly elicitationId: string;
  /** Asks that the request is run as a task. */
  readonly task?: McpTask;
  readonly [member: string]: unknown;
}

/**
 * A yes or no. Closed object.
 * @see mcp-elicitation.json#/$defs/McpBooleanField
 */
export interface McpBooleanField {
  /** The JSON type of the answer. */
  readonly type: 'boolean';
  /** The field's name for the user. */
  readonly title?: string;
  /** What the field is for. */
  readonly description?: string;
  /** The answer offered by default; an annotation that is never injected. */
  readonly default?: boolean;
}

/**
 * A choice with a title. Closed object.
 * @see mcp-elicitation.json#/$defs/McpChoice
 */
export interface McpChoice {
  /** The value. */
  readonly const: string;
  /** What the user sees. */
  readonly title: string;
}

/**
 * One of several values. Closed object.
 * @see mcp-elicitation.json#/$defs/McpEnumField
 */
export interface McpEnumField {
  /** The JSON type of the answer. */
  readonly type: 'string';
  /** The field's name for the user. */
  readonly title?: string;
  /** What the field is for. */
  readonly description?: string;
  /** The values. */
  readonly enum: readonly string[];
  /** The answer offered by default; an annotation that is never injected. */
  readonly default?: string;
}

/**
 * The values of a multiple choice. Closed object.
 * @see mcp-elicitation.json#/$defs/McpEnumItems
 */
export interface McpEnumItems {
  /** The JSON type of one answer. */
  readonly type: 'string';
  /** The values. */
  readonly enum: readonly string[];
}

/**
 * One field of a form. At least one of the forms holds; no member tells them all apart.
 * @see mcp-elicitation.json#/$defs/McpField
 */
export type McpField =
  | McpStringField
  | McpNumberField
  | McpBooleanField
  | McpEnumField
  | McpTitledEnumField
  | McpMultipleEnumField
  | McpTitledMultipleEnumField
  | McpNamedEnumField;

/**
 * Metadata of an MCP request. Open object.
 * @see mcp-elicitation.json#/$defs/McpMeta
 */
export interface McpMeta {
  /** Token for progress notices: a string or a number. */
  readonly progressToken?: string | number;
  readonly [member: string]: unknown;
}

/**
 * Some of several values. Closed object.
 * @see mcp-elicitation.json#/$defs/McpMultipleEnumField
 */
export interface McpMultipleEnumField {
  /** The JSON type of the answer. */
  readonly type: 'array';
  /** The field's name for the user. */
  readonly title?: string;
  /** What the field is for. */
  readonly description?: string;
  /** The values. */
  readonly items: McpEnumItems;
  /** Fewest choices. */
  readonly minItems?: number;
  /** Most choices. */
  readonly maxItems?: number;
  /** The answers offered by default; an annotation that is never injected. */
  readonly default?: readonly string[];
}

/**
 * One of several values, with names in a list of their own (an older form). Closed object.
 * @see mcp-elicitation.json#/$defs/McpNamedEnumField
 */
export interface McpNamedEnumField {
  /** The JSON type of the answer. */
  readonly type: 'string';
  /** The field's name for the user. */
  readonly title?: string;
  /** What the field is for. */
  readonly description?: string;
  /** The values. */
  readonly enum: readonly string[];
  /** The values' names, in the same order. */
  readonly enumNames?: readonly string[];
  /** The answer offered by default; an annotation that is never injected. */
  readonly default?: string;
}

/**
 * A number. Closed object.
 * @see mcp-elicitation.json#/$defs/McpNumberField
 */
export interface McpNumberField {
  /** The JSON type of the answer. */
  readonly type: 'integer' | 'number' | (string & {});
  /** The field's name for the user. */
  readonly title?: string;
  /** What the field is for. */
  readonly description?: string;
  /** The answer offered by default; an annotation that is never injected. */
  readonly default?: number;
  /** Least value. */
  readonly minimum?: number;
  /** Greatest value. */
  readonly maximum?: number;
}

/**
 * The form that the user fills in: a flat object of primitive fields. Closed object. That required names exist is not checked here.
 * @see mcp-elicitation.json#/$defs/McpRequestedSchema
 */
export interface McpRequestedSchema {
  /** The answer is an object. */
  readonly type: 'object';
  /** The fields by name. */
  readonly properties: {
    readonly [member: string]: McpField;
  };
  /** Names of fields that must be answered. */
  readonly required?: readonly string[];
  /** The dialect that the sender names; it is not consulted. */
  readonly $schema?: string;
}

/**
 * A text. Closed object.
 * @see mcp-elicitation.json#/$defs/McpStringField
 */
export interface McpStringField {
  /** The JSON type of the answer. */
  readonly type: 'string';
  /** The field's name for the user. */
  readonly title?: string;
  /** What the field is for. */
  readonly description?: string;
  /** The answer offered by default; an annotation that is never injected. */
  readonly default?: string;
  /** Format of the text; checked on the answer at run time. */
  readonly format?: 'date' | 'date-time' | 'email' | 'uri' | (string & {});
  /** Fewest characters. */
  readonly minLength?: number;
  /** Most characters. */
  readonly maxLength?: number;
}

/**
 * Asks that the request is run as a task. Open object.
 * @see mcp-elicitation.json#/$defs/McpTask
 */
export interface McpTask {
  /** How long the task is kept, in milliseconds. */
  readonly ttl?: number;
  readonly [member: string]: unknown;
}

/**
 * One of several titled values. Closed object.
 * @see mcp-elicitation.json#/$defs/McpTitledEnumField
 */
export interface McpTitledEnumField {
  /** The JSON type of the answer. */
  readonly type: 'string';
  /** The field's name for the user. */
  readonly title?: string;
  /** What the field is for. */
  readonly description?: string;
  /** The choices. */
  readonly oneOf: readonly McpChoice[];
  /** The answer offered by default; an annotation that is never injected. */
  readonly default?: string;
}

/**
 * The titled values of a multiple choice. Closed object.
 * @see mcp-elicitation.json#/$defs/McpTitledEnumItems
 */
export interface McpTitledEnumItems {
  /** The choices. */
  readonly anyOf: readonly McpChoice[];
}

/**
 * Some of several titled values. Closed object.
 * @see mcp-elicitation.json#/$defs/McpTitledMultipleEnumField
 */
export interface McpTitledMultipleEnumField {
  /** The JSON type of the answer. */
  readonly type: 'array';
  /** The field's name for the user. */
  readonly title?: string;
  /** What the field is for. */
  readonly description?: string;
  /** The choices. */
  readonly items: McpTitledEnumItems;
  /** Fewest choices. */
  readonly minItems?: number;
  /** Most choices. */
  readonly maxItems?: number;
  /** The answers offered by default; an annotation that is never injected. */
  readonly default?: readonly string[];
}
