/** Formats that validators assert. A schema with another one is refused, since nothing would check it. */

import { isDate, isDateTime, isEmail, isUri } from '../templates/support/formats.js';

/** By the name of the format: the check, and the name of the function that emitted code imports for it. */
export const FORMATS = {
  date: { check: isDate, name: 'isDate' },
  'date-time': { check: isDateTime, name: 'isDateTime' },
  email: { check: isEmail, name: 'isEmail' },
  uri: { check: isUri, name: 'isUri' },
} as const;
