/** Finds the branches that a discriminated union leaves open, and what their tag looks like. */

import { isJsonObject, own, walkSchemas } from '../keywords.js';
import type { Choice, Json, Plan } from '../model.js';
import { isList } from '../text.js';
import type { PrefixedType } from './shape.js';

/** By `document#pointer` of the branch's schema: its tag, when the tag's pattern says how it begins. */
export type OpenTags = ReadonlyMap<string, { readonly tag: string; readonly shape: PrefixedType }>;

/** A tag that matches `^_.+` is typed as text that begins with `_`, so that comparing with a known tag narrows. */
export function findOpenTags(plan: Plan): OpenTags {
  const found = new Map<string, { readonly tag: string; readonly shape: PrefixedType }>();
  for (const { definition } of plan.definitions) {
    const { document } = definition.place;
    walkSchemas(definition.schema, definition.place.pointer, (schema, pointer) => {
      const union = plan.unions.get(`${document}#${pointer}`);
      if (union?.choice.kind !== 'tag' || !isJsonObject(schema)) return;
      const keyword = Object.hasOwn(schema, 'oneOf') ? 'oneOf' : 'anyOf';
      const branches = own(schema, keyword);
      if (!isList(branches) || branches.length !== union.branches.length) return;
      const chosen = chosenBranches(union.choice);
      const tag = union.choice.member;
      branches.forEach((branch, index) => {
        if (chosen.has(index)) return;
        const target = targetOf(branch, `${document}#${pointer}/${keyword}/${index}`, plan);
        const prefix = target === null ? null : tagPrefix(target.schema, tag);
        if (target !== null && prefix !== null) found.set(target.key, { tag, shape: { kind: 'prefixed', prefix } });
      });
    });
  }
  return found;
}

function targetOf(branch: Json, key: string, plan: Plan): { readonly key: string; readonly schema: Json } | null {
  const reference = isJsonObject(branch) ? own(branch, '$ref') : undefined;
  if (typeof reference !== 'string') return { key, schema: branch };
  const target = plan.byKey.get(reference)?.definition;
  return target === undefined ? null : { key: target.key, schema: target.schema };
}

function chosenBranches(choice: Choice): ReadonlySet<number> {
  switch (choice.kind) {
    case 'branch':
      return new Set([choice.index]);
    case 'trial':
      return new Set(choice.indexes);
    case 'tag': {
      const absent = choice.absent === null ? [] : [choice.absent];
      return new Set([...choice.cases.map((one) => one.choice), ...absent].flatMap((one) => [...chosenBranches(one)]));
    }
    default:
      return new Set(choice.cases.flatMap((one) => [...chosenBranches(one.choice)]));
  }
}

function tagPrefix(schema: Json, tag: string): string | null {
  const properties = isJsonObject(schema) ? own(schema, 'properties') : undefined;
  const member = isJsonObject(properties) ? own(properties, tag) : undefined;
  const pattern = isJsonObject(member) ? own(member, 'pattern') : undefined;
  return typeof pattern === 'string' ? (/^\^([\w-]+)(?:\.[*+])?$/.exec(pattern)?.[1] ?? null) : null;
}
