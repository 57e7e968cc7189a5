export {
  ANY_ADDRESS,
  classifyAddress,
  isAddressAllowed,
  LOOPBACK_ONLY,
  PUBLIC_ONLY,
  PUBLIC_OR_LOOPBACK,
  type AddressClass,
  type AddressPolicy,
} from './address.js';
export {
  createHttpClient,
  type ExchangeRequest,
  type ExchangeResponse,
  type HttpClient,
  type HttpClientOptions,
  type RequestBody,
} from './client.js';
export type { ConnectTarget, Connector, Lookup, ResolvedAddress, TlsOptions } from './connect.js';
export { type Endpoint, isLoopbackHost, parseEndpoint } from './endpoint.js';
export { NetError, type NetErrorCode } from './errors.js';
export { bearerAuthorization, checkHeader, headerValues, jsonMediaTypeProblem } from './headers.js';
export { armTimeout, type LinkedSignal, linkSignals, MAX_TIMER_MS } from './timers.js';
