import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { freezeDeep } from '../../runtime/wire/freeze.js';
import { getAt, placesOf, pointerNames, pointerSegment, removeAt, setAt } from '../../runtime/wire/pointer.js';
import { encode, parse } from '../../templates/support/json/index.js';

function parsed(text: string): unknown {
  const result = parse(text);
  if (!result.ok) throw new Error('the test text is no JSON');
  return result.value;
}

describe('JSON Pointers', () => {
  it('unescape names, and refuse text that is no pointer', () => {
    expect(pointerNames('')).toEqual([]);
    expect(pointerNames('/a/0/~0~1b/')).toEqual(['a', '0', '~/b', '']);
    expect(pointerNames('/~01')).toEqual(['~1']);
    for (const bad of ['a', 'a/b', '/~', '/~2', '/a~']) expect(() => pointerNames(bad)).toThrow(TypeError);
    fc.assert(
      fc.property(fc.string(), (name) => {
        expect(pointerNames(pointerSegment(name))).toEqual([name]);
      }),
    );
  });

  it('read own members and present elements alone', () => {
    const root = parsed('{"a":[{"b":null}],"__proto__":{"c":1},"":"empty"}');
    expect(getAt(root, '')).toBe(root);
    expect(getAt(root, '/a/0/b')).toBeNull();
    expect(getAt(root, '/__proto__/c')).toBe(1);
    expect(getAt(root, '/')).toBe('empty');
    for (const absent of ['/x', '/toString', '/a/1', '/a/-1', '/a/00', '/a/length', '/a/-', '/a/0/b/c', '/a/+0']) {
      expect(getAt(root, absent), absent).toBeUndefined();
    }
    expect(getAt('text', '/length')).toBeUndefined();
    expect(getAt(null, '/a')).toBeUndefined();
  });

  it('write with shared structure and change nothing that came in', () => {
    const root = freezeDeep({ a: { b: [1, { c: 2 }] }, side: { big: [] } });
    const changed = setAt(root, '/a/b/1/c', 3);
    expect(changed).toEqual({ a: { b: [1, { c: 3 }] }, side: { big: [] } });
    expect(changed.side).toBe(root.side);
    expect(root.a.b[1]).toEqual({ c: 2 });
    expect(setAt(root, '', 1 as unknown)).toBe(1);
    expect(setAt(root, '/a/new', true)).toEqual({ a: { b: [1, { c: 2 }], new: true }, side: { big: [] } });
  });

  it('write a member called __proto__ as data', () => {
    const changed = setAt(freezeDeep({ a: {} }), '/a/__proto__', { role: 'owner' });
    expect(encode(changed)).toBe('{"a":{"__proto__":{"role":"owner"}}}');
    expect(Reflect.get(changed.a, 'role')).toBeUndefined();
    const again = setAt(changed, '/a/__proto__/role', 'guest');
    expect(encode(again)).toBe('{"a":{"__proto__":{"role":"guest"}}}');
    expect(encode(changed)).toBe('{"a":{"__proto__":{"role":"owner"}}}');
  });

  it('refuse to write through what is not there', () => {
    const root = freezeDeep({ a: [1], t: 'text' });
    for (const place of ['/x/y', '/a/1', '/a/-', '/t/0', '/toString/x', '/a/0/b']) {
      expect(() => setAt(root, place, 1), place).toThrow(TypeError);
    }
  });

  it('keep the spelling of numbers beside the way', () => {
    const root = freezeDeep(parsed('{"a":{"cost":1.50,"b":1},"list":[1E2,{"x":1}],"10":1,"9":2}'));
    expect(encode(setAt(root, '/a/b', 2))).toBe('{"a":{"cost":1.50,"b":2},"list":[1E2,{"x":1}],"10":1,"9":2}');
    expect(encode(setAt(root, '/list/1/x', 2))).toBe('{"a":{"cost":1.50,"b":1},"list":[1E2,{"x":2}],"10":1,"9":2}');
    expect(encode(removeAt(root, '/a/b'))).toBe('{"a":{"cost":1.50},"list":[1E2,{"x":1}],"10":1,"9":2}');
    expect(encode(removeAt(root, '/list/*/x'))).toBe('{"a":{"cost":1.50,"b":1},"list":[1E2,{}],"10":1,"9":2}');
  });

  it('set and get are inverse on what is there', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), fc.nat(), (root, value, pick) => {
        const pointers = allPointers(root);
        const pointer = pointers[pick % pointers.length] ?? '';
        const before = JSON.stringify(root);
        expect(getAt(setAt(root as unknown, pointer, value), pointer)).toBe(value);
        expect(JSON.stringify(root)).toBe(before);
      }),
    );
  });
});

describe('patterns of places', () => {
  const root = freezeDeep({ items: [{ id: 'a' }, { id: 'b', native: 1 }], calls: [{ list: [{}, {}] }], '*': 'star' });

  it('find every concrete place in document order', () => {
    expect(placesOf(root, '/items/*')).toEqual([
      { pointer: '/items/0', value: { id: 'a' } },
      { pointer: '/items/1', value: { id: 'b', native: 1 } },
    ]);
    expect(placesOf(root, '/calls/*/list/*').map(({ pointer }) => pointer)).toEqual([
      '/calls/0/list/0',
      '/calls/0/list/1',
    ]);
    expect(placesOf(root, '/absent/*')).toEqual([]);
    expect(placesOf(root, '/*')).toEqual([{ pointer: '/*', value: 'star' }]);
    expect(placesOf(root, '/items/id')).toEqual([]);
    expect(placesOf(root, '/toString')).toEqual([]);
    expect(placesOf({ 'a/b': [1] }, '/a~1b/*')).toEqual([{ pointer: '/a~1b/0', value: 1 }]);
    expect(placesOf(root, '')).toEqual([{ pointer: '', value: root }]);
  });

  it('remove members only where they are, and share the rest', () => {
    const changed = removeAt(root, '/items/*/native');
    expect(changed).toEqual({ ...root, items: [{ id: 'a' }, { id: 'b' }] });
    expect(changed.items[0]).toBe(root.items[0]);
    expect(changed.calls).toBe(root.calls);
    for (const absent of [
      '/native',
      '/items/native',
      '/items/0/native',
      '/calls/*/native',
      '/calls/*/list/*/x',
      '/toString',
    ]) {
      expect(removeAt(root, absent), absent).toBe(root);
    }
    expect(removeAt('text', '/a')).toBe('text');
    expect(() => removeAt(root, '')).toThrow(TypeError);
    expect(encode(removeAt(freezeDeep(parsed('{"__proto__":1,"a":2}')), '/__proto__'))).toBe('{"a":2}');
  });
});

function allPointers(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [''];
  const below = Object.entries(value).flatMap(([name, member]) =>
    allPointers(member).map((rest) => pointerSegment(name) + rest),
  );
  return ['', ...below];
}
