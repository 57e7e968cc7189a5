// A bare node:http server that takes uploads and keeps nothing; runs in a worker thread and tells its port.
// It believes the digest it is told, so that what is measured is the sending side.
import { createServer } from 'node:http';
import { parentPort } from 'node:worker_threads';

const server = createServer((request, response) => {
  let size = 0;
  request.on('data', (chunk) => {
    size += chunk.byteLength;
  });
  request.on('end', () => {
    const body = JSON.stringify({ ref: 'r', size, sha256: request.headers['ahp-content-sha256'] });
    response.writeHead(201, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) });
    response.end(body);
  });
});
server.keepAliveTimeout = 600_000;
server.listen(0, '127.0.0.1', () => parentPort.postMessage(server.address().port));
