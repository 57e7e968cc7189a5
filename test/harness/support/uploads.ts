import { createHash } from 'node:crypto';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

export interface Uploaded {
  readonly ref: string;
  readonly text: string;
  readonly authorization: string | undefined;
}

export interface UploadPeer {
  /** What a subscription says of it. */
  readonly upload: { readonly endpoint: string; readonly timeoutMs: number; readonly maxBytes: number };
  /** Every body that arrived whole, in order. */
  readonly uploads: Uploaded[];
  /** The text behind a reference. */
  textOf(ref: string | undefined): string | undefined;
}

/** An upload endpoint on loopback that keeps what arrives. `respond` replaces its `201`. */
export async function uploadPeer(
  respond?: (response: ServerResponse, uploaded: Uploaded) => void,
  timeoutMs = 60_000,
): Promise<UploadPeer> {
  const uploads: Uploaded[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const bytes = Buffer.concat(chunks);
      const uploaded = {
        ref: `ref-${uploads.length + 1}`,
        text: bytes.toString('utf8'),
        authorization: request.headers.authorization,
      };
      uploads.push(uploaded);
      if (respond !== undefined) {
        respond(response, uploaded);
        return;
      }
      const sha256 = createHash('sha256').update(bytes).digest('hex');
      response.writeHead(201, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ ref: uploaded.ref, size: bytes.byteLength, sha256 }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  onTestFinished(
    () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  );
  return {
    upload: { endpoint: `http://127.0.0.1:${port}/content`, timeoutMs, maxBytes: 100_000_000 },
    uploads,
    textOf: (ref) => uploads.find((one) => one.ref === ref)?.text,
  };
}
