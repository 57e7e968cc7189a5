import { type ContentUpload, type Validated, validateContentUpload } from '../../generated/index.js';
import { type Endpoint, isLoopbackHost, parseEndpoint } from '../net/endpoint.js';
import { UploadError } from './errors.js';

/** Where an upload goes, checked. */
export interface UploadTarget {
  readonly endpoint: Endpoint;
  readonly config: Validated<ContentUpload>;
}

/**
 * Checks an upload configuration (Semantics §7). Throws `UploadError` `endpoint` for a URL with userinfo or a fragment
 * and for plain `http` that is not loopback or not allowed, `configuration` for everything else that is not canonical.
 */
export function readUploadTarget(config: ContentUpload, allowLoopback: boolean): UploadTarget {
  const given: unknown = config;
  if (typeof given !== 'object' || given === null || !('endpoint' in given) || typeof given.endpoint !== 'string') {
    throw new UploadError(
      'configuration',
      'upload configuration: expected an object with an endpoint, got another value',
    );
  }
  const endpoint = readEndpoint(given.endpoint);
  if (!endpoint.secure && !isLoopbackHost(endpoint.host)) {
    throw new UploadError('endpoint', 'endpoint: expected https, got plain http beyond loopback');
  }
  if (!endpoint.secure && !allowLoopback) {
    throw new UploadError('endpoint', 'endpoint: expected https, got plain http without leave for loopback');
  }
  const validated = validateContentUpload(config);
  if (!validated.ok) {
    const [issue] = validated.issues;
    const place = issue?.pointer ?? '';
    const code = place === '/endpoint' ? 'endpoint' : 'configuration';
    throw new UploadError(code, `upload configuration: expected a canonical one, got a fault at "${place}"`);
  }
  return { endpoint, config: validated.value };
}

function readEndpoint(url: string): Endpoint {
  try {
    return parseEndpoint(url);
  } catch (error) {
    // The endpoint parser's messages quote nothing of the URL.
    const message = error instanceof Error ? error.message : 'endpoint: expected a usable URL';
    throw new UploadError('endpoint', message, { cause: error });
  }
}
