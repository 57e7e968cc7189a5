/** Emits the catalogue of events with the types that go by event name. */

import { type EventEntry, readEvents } from './catalogue/read.js';
import { GenerateError } from './generate-error.js';
import type { CatalogueHints, EmittedFile, Plan } from './model.js';
import { loadTemplate } from './templates.js';
import { jsonLiteral, propertyKey, stringLiteral } from './text.js';
import { knownName } from './types/known.js';

export const CATALOGUE_FILE = 'catalogue.ts';

/** What the catalogue module exports, by kind; none for a set that says neither version nor events. */
export function catalogueExports(plan: Plan): { values: string[]; types: string[] } {
  const hasVersion = plan.set.protocolVersion !== '';
  if (plan.set.catalogue === null) return { values: hasVersion ? ['PROTOCOL_VERSION'] : [], types: [] };
  const types = [
    'CapabilitiesByName',
    'CapabilitiesFor',
    'EffectByName',
    'EffectFor',
    'EventByName',
    'EventFor',
    'EventName',
    'InterceptableEventName',
  ];
  return { values: ['catalogue', 'PROTOCOL_VERSION'], types };
}

/** One module, or none for a set without version and catalogue. Throws a `GenerateError` when the hints lead nowhere. */
export function emitCatalogue(plan: Plan): EmittedFile[] {
  const { catalogue: hints, protocolVersion } = plan.set;
  if (hints === null && protocolVersion === '') return [];
  const { events, problems } = hints === null ? { events: [], problems: [] } : readEvents(plan, hints);
  if (problems.length > 0) throw new GenerateError(problems);
  const interceptable = events.filter(({ capabilities }) => capabilities !== null);
  const text = loadTemplate('catalogue/catalogue')({
    protocolVersion: protocolVersion === '' ? '' : stringLiteral(protocolVersion),
    hasEvents: hints !== null,
    events: events.map(eventView),
    interceptable: interceptable.map((event) => ({
      key: propertyKey(event.name),
      capabilities: event.capabilities,
      effect: hints === null ? 'never' : effectType(event, hints, plan),
    })),
    eventNames: jsonLiteral(events.map(({ name }) => name)),
    interceptableEventNames: jsonLiteral(interceptable.map(({ name }) => name)),
  });
  return [{ path: CATALOGUE_FILE, text }];
}

function eventView(event: EventEntry): Record<string, string> {
  const targets = event.targets.map(
    ({ name, place, content }) => [name, content ? { place, content } : { place }] as const,
  );
  return {
    key: propertyKey(event.name),
    type: event.typeName,
    name: stringLiteral(event.name),
    typeName: stringLiteral(event.typeName),
    interceptable: String(event.capabilities !== null),
    effects: jsonLiteral(event.effects),
    targets: jsonLiteral(Object.fromEntries(targets)),
    flow: jsonLiteral(event.flow),
    content: jsonLiteral(event.content),
    optIn: jsonLiteral(event.optIn),
  };
}

/** The effects of the event's list, narrowed where its capabilities narrow them. */
function effectType(event: EventEntry, hints: CatalogueHints, plan: Plan): string {
  const { union, tag, targets, operations } = hints.effects;
  const planned = plan.definitions.find(({ typeName }) => typeName === union);
  const all = `types.${planned?.ir.hasUnknownVariant === true ? knownName(union) : union}`;
  const tagKey = propertyKey(tag);
  const members = event.effects.flatMap((effect) => {
    const plain = `Extract<${all}, { readonly ${tagKey}: ${stringLiteral(effect)} }>`;
    if (effect === targets.effect) {
      const names = event.targets.map(({ name }) => stringLiteral(name)).join(' | ');
      return names === '' ? [] : [`(${plain} & { readonly ${propertyKey(targets.member)}: ${names} })`];
    }
    if (effect !== operations.effect) return [plain];
    return event.flow.map(
      (operation) =>
        `Extract<${all}, { readonly ${tagKey}: ${stringLiteral(effect)}; readonly ${propertyKey(operations.member)}: ${stringLiteral(operation)} }>`,
    );
  });
  return members.length === 0 ? 'never' : members.join(' | ');
}
