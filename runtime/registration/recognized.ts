/** An unknown member of a registration document, which was ignored. The value is never shown (Semantics §6). */
export interface RegistrationWarning {
  readonly code: 'unknown-member';
  /** JSON Pointer of the unknown member itself. */
  readonly pointer: string;
  readonly name: string;
  readonly message: string;
}

/** What the loader knows about one object of the document: its members, and the shapes below them. */
export interface Shape {
  readonly members: Readonly<Record<string, Shape | ShapeChoice | null>>;
}

/** Shapes that one member tells apart. */
export interface ShapeChoice {
  readonly tag: string;
  readonly shapes: Readonly<Record<string, Shape>>;
}

const authentication: ShapeChoice = {
  tag: 'type',
  shapes: {
    bearer: { members: { type: null, tokenEnv: null, tokenRef: null } },
    oauth: {
      members: {
        type: null,
        resource: null,
        issuer: null,
        clientId: null,
        flow: null,
        clientSecretRef: null,
        scopes: null,
      },
    },
  },
};

const transport: ShapeChoice = {
  tag: 'type',
  shapes: {
    stdio: { members: { type: null, command: null, args: null, lifecycle: null, cwd: null } },
    http: { members: { type: null, url: null } },
  },
};

const subscriptionMembers = {
  events: null,
  mode: null,
  // Category keys are the document's own words, so nothing below `content` is unknown.
  content: null,
  includeNative: null,
  upload: { members: { endpoint: null, timeoutMs: null, maxBytes: null, auth: authentication } },
  filters: { members: { toolKinds: null, paths: null } },
  scope: null,
  disableable: null,
} as const;

const subscription: ShapeChoice = {
  tag: 'mode',
  shapes: {
    intercept: { members: { ...subscriptionMembers, timeoutMs: null, failurePolicy: null } },
    observe: { members: subscriptionMembers },
  },
};

/** The members that the canonical schema of a registration names; a test compares it with `schemas/`. */
export const REGISTRATION_SHAPE: Shape = {
  members: {
    // Not of the protocol: by this member an editor finds the schema that it completes by.
    $schema: null,
    protocolVersion: null,
    hooks: { members: { id: null, transport, authentication, subscriptions: subscription } },
  },
};

/** One warning for each member that the schema does not name, in document order. */
export function findUnknownMembers(document: unknown): RegistrationWarning[] {
  const warnings: RegistrationWarning[] = [];
  visit(document, REGISTRATION_SHAPE, '', warnings);
  return warnings;
}

function visit(value: unknown, known: Shape | ShapeChoice, pointer: string, warnings: RegistrationWarning[]): void {
  if (Array.isArray(value)) {
    value.forEach((entry, index) => {
      visit(entry, known, `${pointer}/${index}`, warnings);
    });
    return;
  }
  if (typeof value !== 'object' || value === null) return;
  const shape = chooseShape(value, known);
  if (shape === null) return;
  for (const [name, member] of Object.entries(value)) {
    const place = `${pointer}/${escapePointer(name)}`;
    const below = Object.hasOwn(shape.members, name) ? shape.members[name] : undefined;
    if (below === undefined) {
      warnings.push({ code: 'unknown-member', pointer: place, name, message: `member ${place}: not known, ignored` });
    } else if (below !== null) {
      visit(member, below, place, warnings);
    }
  }
}

function chooseShape(value: object, known: Shape | ShapeChoice): Shape | null {
  if ('members' in known) return known;
  const tag: unknown = Object.hasOwn(value, known.tag) ? Reflect.get(value, known.tag) : undefined;
  return typeof tag === 'string' && Object.hasOwn(known.shapes, tag) ? (known.shapes[tag] ?? null) : null;
}

function escapePointer(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1');
}
