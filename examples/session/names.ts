/** Backend ids of the session. */
export const POLICY = 'com.example.policy';
export const REDACTOR = 'com.example.redactor';
/** Its program does not exist. */
export const ABSENT = 'com.example.absent';
