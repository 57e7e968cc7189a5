import { createHash, generateKeyPairSync, sign, type KeyObject } from 'node:crypto';

/** A certificate and its key, both in PEM. */
export interface TestCertificate {
  readonly cert: string;
  readonly key: string;
}

/** An authority made for one test run; nothing of it is ever written to disk. */
export interface TestAuthority extends TestCertificate {
  /** A certificate for host names and addresses, or for a client that is known by its name. */
  issue(commonName: string, hosts?: readonly string[]): TestCertificate;
}

const DAY_MS = 86_400_000;
const ECDSA_WITH_SHA256 = derSequence(derOid('2a8648ce3d040302'));

/** Makes an authority with a key of its own. */
export function createAuthority(commonName = 'Test Authority'): TestAuthority {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const cert = certify({ subject: commonName, issuer: commonName, publicKey, signer: privateKey, ca: true, hosts: [] });
  return {
    cert,
    key: toPem(privateKey),
    issue(subject, hosts = []) {
      const pair = generateKeyPairSync('ec', { namedCurve: 'P-256' });
      const order = { subject, issuer: commonName, publicKey: pair.publicKey, signer: privateKey, ca: false, hosts };
      return { cert: certify(order), key: toPem(pair.privateKey) };
    },
  };
}

interface CertificateOrder {
  readonly subject: string;
  readonly issuer: string;
  readonly publicKey: KeyObject;
  readonly signer: KeyObject;
  readonly ca: boolean;
  readonly hosts: readonly string[];
}

function certify({ subject, issuer, publicKey, signer, ca, hosts }: CertificateOrder): string {
  const subjectKey = publicKey.export({ type: 'spki', format: 'der' });
  const serial = createHash('sha256').update(subjectKey).digest().subarray(0, 12);
  const extensions = [extension('551d13', true, derSequence(...(ca ? [der(0x01, Buffer.from([0xff]))] : [])))];
  if (hosts.length > 0) extensions.push(extension('551d11', false, derSequence(...hosts.map(alternativeName))));
  const body = derSequence(
    der(0xa0, derInteger(Buffer.from([2]))),
    derInteger(Buffer.concat([Buffer.from([0x01]), serial])),
    ECDSA_WITH_SHA256,
    distinguishedName(issuer),
    derSequence(derTime(Date.now() - DAY_MS), derTime(Date.now() + 30 * DAY_MS)),
    distinguishedName(subject),
    subjectKey,
    der(0xa3, derSequence(...extensions)),
  );
  const signature = sign('sha256', body, signer);
  const whole = derSequence(body, ECDSA_WITH_SHA256, der(0x03, Buffer.concat([Buffer.from([0]), signature])));
  const lines = whole.toString('base64').match(/.{1,64}/g) ?? [];
  return `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`;
}

function alternativeName(host: string): Buffer {
  const octets = host.split('.').map(Number);
  if (octets.length === 4 && octets.every((octet) => Number.isInteger(octet))) return der(0x87, Buffer.from(octets));
  if (host === '::1') return der(0x87, Buffer.from([...Array<number>(15).fill(0), 1]));
  return der(0x82, Buffer.from(host, 'ascii'));
}

function extension(oid: string, critical: boolean, value: Buffer): Buffer {
  const flag = critical ? [der(0x01, Buffer.from([0xff]))] : [];
  return derSequence(derOid(oid), ...flag, der(0x04, value));
}

function distinguishedName(commonName: string): Buffer {
  return derSequence(der(0x31, derSequence(derOid('550403'), der(0x0c, Buffer.from(commonName, 'utf8')))));
}

function derTime(at: number): Buffer {
  const digits = new Date(at).toISOString().replace(/[-:T]/g, '').slice(0, 14);
  return der(0x18, Buffer.from(`${digits}Z`, 'ascii'));
}

function derOid(hex: string): Buffer {
  return der(0x06, Buffer.from(hex, 'hex'));
}

function derInteger(bytes: Buffer): Buffer {
  return der(0x02, bytes);
}

function derSequence(...parts: readonly Buffer[]): Buffer {
  return der(0x30, Buffer.concat(parts));
}

function der(tag: number, content: Buffer): Buffer {
  const size = content.byteLength;
  if (size < 0x80) return Buffer.concat([Buffer.from([tag, size]), content]);
  const bytes = size < 0x100 ? [0x81, size] : [0x82, size >> 8, size & 0xff];
  return Buffer.concat([Buffer.from([tag, ...bytes]), content]);
}

function toPem(key: KeyObject): string {
  return key.export({ type: 'pkcs8', format: 'pem' }).toString();
}
