import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  ANY_ADDRESS,
  classifyAddress,
  isAddressAllowed,
  LOOPBACK_ONLY,
  PUBLIC_ONLY,
  PUBLIC_OR_LOOPBACK,
} from '../../runtime/net/index.js';

describe('classifyAddress', () => {
  it.each([
    ['127.0.0.1', 'loopback'],
    ['127.255.255.254', 'loopback'],
    ['::1', 'loopback'],
    ['0:0:0:0:0:0:0:1', 'loopback'],
    ['::ffff:127.0.0.1', 'loopback'],
    ['::ffff:7f00:1', 'loopback'],
    ['0.0.0.0', 'unspecified'],
    ['0.1.2.3', 'unspecified'],
    ['::', 'unspecified'],
    ['10.0.0.1', 'private'],
    ['172.16.0.1', 'private'],
    ['172.31.255.255', 'private'],
    ['192.168.1.1', 'private'],
    ['100.64.0.1', 'private'],
    ['fd00::1', 'private'],
    ['fec0::1', 'private'],
    ['::ffff:10.1.2.3', 'private'],
    ['64:ff9b::10.1.2.3', 'private'],
    // A translator of a network's own may read the IPv4 address elsewhere, here 127.0.0.1.
    ['64:ff9b:1:7f00:0:100:808:808', 'reserved'],
    ['64:ff9b:1::8.8.8.8', 'reserved'],
    ['64:ff9b::8.8.8.8', 'public'],
    ['64:ff9b::a9fe:a9fe', 'link-local'],
    ['2002:a01:203::1', 'private'],
    ['::192.168.0.1', 'private'],
    ['169.254.169.254', 'link-local'],
    ['fe80::1', 'link-local'],
    ['fe80::1%eth0', 'link-local'],
    ['::ffff:169.254.1.1', 'link-local'],
    ['224.0.0.1', 'reserved'],
    ['255.255.255.255', 'reserved'],
    ['192.0.2.1', 'reserved'],
    ['198.18.0.1', 'reserved'],
    ['ff02::1', 'reserved'],
    ['2001:db8::1', 'reserved'],
    ['no address', 'reserved'],
    ['', 'reserved'],
    ['8.8.8.8', 'public'],
    ['172.32.0.1', 'public'],
    ['100.128.0.1', 'public'],
    ['2606:4700::1111', 'public'],
    ['::ffff:8.8.8.8', 'public'],
  ])('§6 %s is %s', (address, expected) => {
    expect(classifyAddress(address)).toBe(expected);
  });

  it('an IPv4 address and its mapped forms are of one class', () => {
    fc.assert(
      fc.property(fc.ipV4(), (address) => {
        const [a = 0, b = 0, c = 0, d = 0] = address.split('.').map(Number);
        const hex = `::ffff:${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`;
        expect(classifyAddress(`::ffff:${address}`)).toBe(classifyAddress(address));
        expect(classifyAddress(hex)).toBe(classifyAddress(address));
      }),
      { numRuns: 300 },
    );
  });

  it('classifies any IPv6 text without throwing', () => {
    fc.assert(
      fc.property(fc.ipV6(), (address) => {
        expect(typeof classifyAddress(address)).toBe('string');
      }),
      { numRuns: 300 },
    );
  });
});

describe('isAddressAllowed', () => {
  it('§6 goes by the policy, and by no policy lets through what is no address', () => {
    expect(isAddressAllowed(ANY_ADDRESS, '10.0.0.1')).toBe(true);
    expect(isAddressAllowed(ANY_ADDRESS, 'localhost')).toBe(false);
    expect(isAddressAllowed(LOOPBACK_ONLY, '127.0.0.1')).toBe(true);
    expect(isAddressAllowed(LOOPBACK_ONLY, '0.0.0.0')).toBe(false);
    expect(isAddressAllowed(PUBLIC_ONLY, '127.0.0.1')).toBe(false);
    expect(isAddressAllowed(PUBLIC_ONLY, '8.8.8.8')).toBe(true);
    expect(isAddressAllowed(PUBLIC_OR_LOOPBACK, '127.0.0.1')).toBe(true);
    expect(isAddressAllowed(PUBLIC_OR_LOOPBACK, '10.0.0.1')).toBe(false);
  });
});
