import { BlockList, isIP, isIPv4, isIPv6 } from 'node:net';

/**
 * What kind of place an IP address is. `private` includes carrier-grade NAT and unique local IPv6; `unspecified` is
 * `0.0.0.0/8` and `::` (which reach the own machine); `reserved` is multicast, documentation, benchmarking and the
 * like. IPv4 addresses inside IPv6 (mapped, compatible, 6to4, NAT64) count as what they hold.
 */
export type AddressClass = 'public' | 'private' | 'link-local' | 'loopback' | 'unspecified' | 'reserved';

/** Which classes of addresses may be dialled. */
export interface AddressPolicy {
  readonly allowed: ReadonlySet<AddressClass>;
}

const ALL_CLASSES: readonly AddressClass[] = ['public', 'private', 'link-local', 'loopback', 'unspecified', 'reserved'];

/** For endpoints that the host itself configured (Semantics §6). */
export const ANY_ADDRESS: AddressPolicy = { allowed: new Set(ALL_CLASSES) };

/** For plain `http`. */
export const LOOPBACK_ONLY: AddressPolicy = { allowed: new Set<AddressClass>(['loopback']) };

/** For addresses that were discovered and not configured (Semantics §6, OAuth discovery). */
export const PUBLIC_ONLY: AddressPolicy = { allowed: new Set<AddressClass>(['public']) };

/** For discovered addresses when the host allows loopback. */
export const PUBLIC_OR_LOOPBACK: AddressPolicy = { allowed: new Set<AddressClass>(['public', 'loopback']) };

const IPV4_CLASSES: readonly (readonly [AddressClass, readonly string[]])[] = [
  ['loopback', ['127.0.0.0/8']],
  ['unspecified', ['0.0.0.0/8']],
  ['link-local', ['169.254.0.0/16']],
  ['private', ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '100.64.0.0/10']],
  [
    'reserved',
    [
      '192.0.0.0/24',
      '192.0.2.0/24',
      '192.88.99.0/24',
      '198.18.0.0/15',
      '198.51.100.0/24',
      '203.0.113.0/24',
      '224.0.0.0/3',
    ],
  ],
];

const IPV6_CLASSES: readonly (readonly [AddressClass, readonly string[]])[] = [
  ['loopback', ['::1/128']],
  ['unspecified', ['::/128']],
  ['link-local', ['fe80::/10']],
  ['private', ['fc00::/7', 'fec0::/10']],
  ['reserved', ['ff00::/8', '64:ff9b::/32', '100::/64', '2001::/23', '2001:db8::/32', '3fff::/20', '5f00::/16']],
];

const ipv4Lists = buildLists(IPV4_CLASSES, 'ipv4');
const ipv6Lists = buildLists(IPV6_CLASSES, 'ipv6');

/** The class of an IP address; a text that is no address is `reserved`, so that no policy but "any" lets it pass. */
export function classifyAddress(address: string): AddressClass {
  const bare = address.replace(/%.*$/, '');
  if (isIPv4(bare)) return findClass(ipv4Lists, bare, 'ipv4');
  if (!isIPv6(bare)) return 'reserved';
  const groups = expandIpv6(bare);
  const embedded = embeddedIpv4(groups);
  if (embedded !== null) return classifyAddress(embedded);
  return findClass(ipv6Lists, bare, 'ipv6');
}

/** Tells whether the policy lets this address be dialled. */
export function isAddressAllowed(policy: AddressPolicy, address: string): boolean {
  return isIP(address.replace(/%.*$/, '')) !== 0 && policy.allowed.has(classifyAddress(address));
}

function buildLists(
  classes: readonly (readonly [AddressClass, readonly string[]])[],
  family: 'ipv4' | 'ipv6',
): readonly (readonly [AddressClass, BlockList])[] {
  return classes.map(([name, subnets]) => {
    const list = new BlockList();
    for (const subnet of subnets) {
      const [network = '', prefix = ''] = subnet.split('/');
      list.addSubnet(network, Number(prefix), family);
    }
    return [name, list] as const;
  });
}

function findClass(
  lists: readonly (readonly [AddressClass, BlockList])[],
  address: string,
  family: 'ipv4' | 'ipv6',
): AddressClass {
  for (const [name, list] of lists) if (list.check(address, family)) return name;
  return 'public';
}

/** The eight 16-bit groups of a valid IPv6 address. */
function expandIpv6(address: string): readonly number[] {
  const dotted = /^(.*:)(\d+)\.(\d+)\.(\d+)\.(\d+)$/.exec(address);
  let text = address;
  if (dotted !== null) {
    const [, head = '', a, b, c, d] = dotted;
    text = `${head}${((Number(a) << 8) | Number(b)).toString(16)}:${((Number(c) << 8) | Number(d)).toString(16)}`;
  }
  const [left = '', right] = text.split('::');
  const leftGroups = left === '' ? [] : left.split(':');
  const rightGroups = right === undefined || right === '' ? [] : right.split(':');
  const zeros = right === undefined ? 0 : 8 - leftGroups.length - rightGroups.length;
  return [...leftGroups, ...Array<string>(zeros).fill('0'), ...rightGroups].map((group) => Number.parseInt(group, 16));
}

/** The IPv4 address that an IPv6 address stands for, or null. */
function embeddedIpv4(groups: readonly number[]): string | null {
  const at = (index: number): number => groups[index] ?? 0;
  const zeroUntil = (end: number): boolean => groups.slice(0, end).every((group) => group === 0);
  const dotted = (high: number, low: number): string => `${high >> 8}.${high & 255}.${low >> 8}.${low & 255}`;
  const mapped = zeroUntil(5) && at(5) === 0xffff;
  const translated = zeroUntil(4) && at(4) === 0xffff && at(5) === 0;
  const compatible = zeroUntil(6) && (at(6) !== 0 || at(7) > 1);
  // Of the translators' prefixes, only the well-known one says where the IPv4 address stands (RFC 6052, section 3.1).
  const nat64 = at(0) === 0x64 && at(1) === 0xff9b && groups.slice(2, 6).every((group) => group === 0);
  if (mapped || translated || compatible || nat64) return dotted(at(6), at(7));
  if (at(0) === 0x2002) return dotted(at(1), at(2));
  return null;
}
