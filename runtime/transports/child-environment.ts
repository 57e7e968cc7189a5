const PASSED_ON = ['PATH', 'HOME', 'LANG', 'TMPDIR', 'TZ'];
// What Windows programs cannot start or find their folders without.
const PASSED_ON_WINDOWS = [
  'APPDATA',
  'COMSPEC',
  'HOMEDRIVE',
  'HOMEPATH',
  'LOCALAPPDATA',
  'PATHEXT',
  'PROGRAMDATA',
  'PROGRAMFILES',
  'SYSTEMDRIVE',
  'SYSTEMROOT',
  'TEMP',
  'TMP',
  'USERPROFILE',
  'WINDIR',
];

/**
 * The environment of a child: `PATH HOME LANG LC_* TMPDIR TZ` of this process (and what Windows cannot do without), and
 * what the host adds (Semantics §6). Nothing else is inherited, so no secret of the host reaches a backend by accident.
 */
export function childEnvironment(
  added: Readonly<Record<string, string>> = {},
  inherited: Readonly<Record<string, string | undefined>> = process.env,
  platform: string = process.platform,
): Record<string, string> {
  const windows = platform === 'win32';
  const names = new Set(windows ? [...PASSED_ON, ...PASSED_ON_WINDOWS] : PASSED_ON);
  const environment: [string, string][] = [];
  for (const [name, value] of Object.entries(inherited)) {
    const known = windows ? name.toUpperCase() : name;
    if (value !== undefined && (names.has(known) || known.startsWith('LC_'))) environment.push([name, value]);
  }
  return Object.fromEntries([...environment, ...Object.entries(added)]);
}
