export { encodeScript, encodeScriptedAnswer, type Script, type ScriptedReply, scriptedReply } from './scripted.js';
export { type ScriptedLines, serveScriptedLines } from './scripted-lines.js';
export { type TestFramework, testTransport, type TestTransportOptions } from './test-transport.js';
export { type TransportCase, transportCases, type TransportPair, type TransportTraits } from './transport-cases.js';
