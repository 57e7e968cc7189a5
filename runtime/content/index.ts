export { categoryOf, type SelectionMode, selectionOf } from './category.js';
export { ContentError, type ContentErrorCode, type GapReason, UploadError, type UploadErrorCode } from './errors.js';
export {
  type ContentSources,
  prepareContent,
  type PrepareContentOptions,
  type SharedBytes,
} from './prepare-content.js';
export { readWhole } from './read-whole.js';
export { type PublishableSummary, publishSummary, type PublishSummaryOptions } from './publish-summary.js';
export { judgeUploadResponse, type SentBytes } from './receipt.js';
export { ContentSnapshot, type SnapshotBody } from './snapshot.js';
export type { ContentSource } from './source.js';
export type { SpoolOptions } from './spool.js';
export {
  createUploader,
  uploadContent,
  type Uploader,
  type UploaderOptions,
  type UploadOptions,
} from './upload-content.js';
