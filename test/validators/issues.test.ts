import { describe, expect, it } from 'vitest';
import * as generated from '../../generated/index.js';

const ITEM = { id: 'i', kind: 'text', mediaType: 'text/plain' };

function issuesOf(verdict: { ok: boolean; issues?: readonly unknown[] }): readonly unknown[] {
  expect(verdict.ok).toBe(false);
  return verdict.issues ?? [];
}

describe('issues say place, rule and what came, and none of the content', () => {
  it('a missing member', () => {
    expect(issuesOf(generated.validateContentReference({}))).toEqual([
      { code: 'required', pointer: '', message: 'the value: expected the member "ref", got an object of 0 members' },
    ]);
  });

  it('another type', () => {
    expect(issuesOf(generated.validateContentReference({ ref: ['s3cr3t'] }))).toEqual([
      { code: 'type', pointer: '/ref', message: '/ref: expected the type string, got a list of 1 element' },
    ]);
    expect(issuesOf(generated.validateContentReference(null))).toEqual([
      { code: 'type', pointer: '', message: 'the value: expected the type object, got null' },
    ]);
  });

  it('an unknown member of a closed object', () => {
    expect(issuesOf(generated.validateContentReference({ ref: 'r', 'size/of': 's3cr3t' }))).toEqual([
      {
        code: 'additionalProperties',
        pointer: '',
        message:
          'the value: expected no other members than those described, "size/of" is none, got an object of 2 members',
      },
    ]);
  });

  it('a tag that is not known, with those that are', () => {
    expect(issuesOf(generated.validateAuthentication({ type: 's3cr3t' }))).toEqual([
      {
        code: 'oneOf',
        pointer: '',
        message: 'the value: expected the member "type" to be one of "bearer", "oauth", got an object of 1 member',
      },
    ]);
  });

  it('the failure of the branch that the tag names, and no other', () => {
    expect(issuesOf(generated.validateEffect({ type: 'flow', operation: 'stop', reason: '' }))).toEqual([
      {
        code: 'minLength',
        pointer: '/reason',
        message: '/reason: expected at least 1 characters, got a string of 0 units',
      },
    ]);
  });

  it('a format, deep inside, with an escaped pointer', () => {
    const grants = { default: 'body', 'a/b~c': 's3cr3t' };
    expect(issuesOf(generated.validateContentSelection(grants))).toEqual([
      {
        code: 'enum',
        pointer: '/a~1b~0c',
        message: '/a~1b~0c: expected one of "body", "metadata", "omit", got a string of 6 units',
      },
    ]);
  });

  it('a member that must not be there', () => {
    const message = { jsonrpc: '2.0', id: 1, error: { code: 1, message: 'm' }, result: 's3cr3t' };
    expect(issuesOf(generated.validateJsonRpcErrorResponse(message))).toEqual([
      { code: 'not', pointer: '', message: 'the value: expected no member "result", got an object of 4 members' },
    ]);
  });

  it('places reach through references, lists and unions', () => {
    const event = {
      ...{
        id: 'e',
        source: 'urn:x',
        type: 'turn.start',
        time: '2026-03-01T10:00:00Z',
        turn: { id: 't' },
        trigger: 'user',
      },
      items: [
        { ...ITEM, role: 'user', selection: 'omit' },
        { ...ITEM, role: 'user', selection: 'body', body: { ref: 5 } },
      ],
    };
    const message = { jsonrpc: '2.0', method: 'hooks/observe', params: { protocolVersion: 'draft', event } };
    const expected = {
      code: 'type',
      pointer: '/params/event/items/1/body/ref',
      message: '/params/event/items/1/body/ref: expected the type string, got a number',
    };
    expect(issuesOf(generated.validateObserveNotification(message))).toContainEqual(expected);
    expect(issuesOf(generated.validateWireMessage(message))).toContainEqual(expected);
  });

  it('the first caller keeps its issues', () => {
    const first = generated.validateContentReference({});
    const text = JSON.stringify(first);
    generated.validateContentReference({ ref: 1 });
    generated.validateContentReference({ ref: 'r' });
    expect(JSON.stringify(first)).toBe(text);
  });
});
