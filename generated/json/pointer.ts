/** Gives the JSON Pointer (RFC 6901) of a place, from its member names and list indexes. */
export function toPointer(keys: readonly (string | number)[]): string {
  let pointer = '';
  for (const key of keys) {
    pointer += `/${typeof key === 'number' ? key : key.replaceAll('~', '~0').replaceAll('/', '~1')}`;
  }
  return pointer;
}
