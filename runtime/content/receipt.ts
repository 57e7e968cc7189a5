import {
  type ContentUploadReceipt,
  parseContentUploadReceipt,
  validateContentUploadReceipt,
} from '../../generated/index.js';
import type { ExchangeResponse } from '../net/client.js';
import { jsonMediaTypeProblem } from '../net/headers.js';
import { UploadError } from './errors.js';

/** What was sent, for comparison with what the receiver says it got. */
export interface SentBytes {
  readonly size: number;
  /** Lowercase hex. */
  readonly sha256: string;
}

/** Bound of a receipt in bytes. */
export const MAX_RECEIPT_BYTES = 65_536;

/**
 * Judges the answer to an upload (wire, upload binding): only a 201 that came after the last byte, as
 * `application/json`, with a canonical receipt of exactly these bytes confirms. Throws `UploadError` `redirected`,
 * `authentication`, `status`, `media-type` or `receipt`.
 */
export function judgeUploadResponse(response: ExchangeResponse, sent: SentBytes): ContentUploadReceipt {
  const { status } = response;
  if (status >= 300 && status < 400 && status !== 304) {
    throw new UploadError('redirected', `upload: expected status 201, got the redirect ${status}`, { status });
  }
  if (status === 401) {
    throw new UploadError('authentication', 'upload: expected status 201, got 401', { status });
  }
  if (status !== 201) throw new UploadError('status', `upload: expected status 201, got ${status}`, { status });
  if (!response.bodySent) {
    throw new UploadError('status', 'upload: expected status 201 after the last byte, got it before', { status });
  }
  const problem = jsonMediaTypeProblem(response.headers);
  if (problem !== null) throw new UploadError('media-type', `receipt: ${problem}`, { status });
  return readReceipt(response.body, sent);
}

/** Checks a decoded receipt against the bytes that were sent. Gives what is wrong with it, or null. */
export function describeReceiptProblem(receipt: ContentUploadReceipt, sent: SentBytes): string | null {
  const validated = validateContentUploadReceipt(receipt);
  if (!validated.ok) return `expected a canonical one, got a fault at "${validated.issues[0]?.pointer ?? ''}"`;
  if (receipt.size !== sent.size) return `expected size ${sent.size}, got ${receipt.size}`;
  // The schema holds digests to one spelling, so equal text is equal bytes.
  if (receipt.sha256 !== sent.sha256) return 'expected the SHA-256 of the bytes sent, got another';
  return null;
}

function readReceipt(body: Uint8Array, sent: SentBytes): ContentUploadReceipt {
  const decoded = parseContentUploadReceipt(body);
  if (!decoded.ok) {
    const [issue] = decoded.issues;
    throw new UploadError('receipt', `receipt: expected {ref, size, sha256}, got ${issue?.code ?? 'another value'}`, {
      status: 201,
    });
  }
  const problem = describeReceiptProblem(decoded.value, sent);
  if (problem !== null) throw new UploadError('receipt', `receipt: ${problem}`, { status: 201 });
  const { ref, size, sha256 } = decoded.value;
  return { ref, size, sha256 };
}
