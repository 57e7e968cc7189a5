import { expect, test } from 'vitest';
import { parse } from '../../generated/json/index.js';
import { checkAnswers, compiledFormCount, type Form } from '../../runtime/elicitation/answer-check.js';

const TEXT = '{"type":"object","properties":{"seats":{"type":"integer","minimum":1}},"required":["seats"]}';

/** A form as it comes over the wire: equal to others, never the same object. */
function formOf(text: string): Form {
  const parsed = parse(text);
  if (!parsed.ok) throw new Error('expected JSON');
  return parsed.value as unknown as Form;
}

test('§2 findings of one answer stay while the same form judges others', async () => {
  const first = checkAnswers(formOf(TEXT), { seats: 0 });
  expect(checkAnswers(formOf(TEXT), { seats: 2 })).toEqual({ ok: true });
  await Promise.resolve();
  expect(checkAnswers(formOf(TEXT), { seats: '2' })).toMatchObject({ ok: false, issues: [{ code: 'type' }] });
  expect(checkAnswers(formOf(TEXT), {})).toMatchObject({ ok: false, issues: [{ code: 'required' }] });
  expect(first).toMatchObject({ ok: false, reason: 'answers', issues: [{ pointer: '/seats', code: 'minimum' }] });
});

test('§2 ten thousand forms that are equal but parsed anew compile one', () => {
  checkAnswers(formOf(TEXT), { seats: 1 });
  const before = compiledFormCount();
  for (let index = 1; index <= 10_000; index += 1) {
    if (!checkAnswers(formOf(TEXT), { seats: index }).ok) expect.fail(`answer ${index} was refused`);
  }
  expect(compiledFormCount()).toBe(before);
});
