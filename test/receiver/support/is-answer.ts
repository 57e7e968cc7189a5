import {
  parseJsonRpcErrorResponse,
  parseCapabilitiesResponse,
  parseInterceptResponse,
  validateCapabilitiesResponse,
  validateInterceptResponse,
  validateJsonRpcErrorResponse,
} from '../../../generated/index.js';

/** Whether a text is a canonical answer of one of the three kinds. */
export function isAnswer(text: string): boolean {
  const error = parseJsonRpcErrorResponse(text);
  if (error.ok) return validateJsonRpcErrorResponse(error.value).ok;
  const decision = parseInterceptResponse(text);
  if (decision.ok) return validateInterceptResponse(decision.value).ok;
  const discovery = parseCapabilitiesResponse(text);
  return discovery.ok && validateCapabilitiesResponse(discovery.value).ok;
}
