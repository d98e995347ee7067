/** An uploaded file before it is stored. */
export interface ScannedFile {
  path: string
  /** As the sender calls it */
  name: string
  /** Bytes */
  size: number
  /** Class name of the model, and API name of the field */
  model: string
  field: string
}

/**
 * Scans an uploaded file, as a malware scanner does.
 *
 * @returns the reason to refuse it, as it is shown behind the name of the field; nothing to take it
 */
export type ScanFile = (file: ScannedFile) => Promise<string | void> | string | void
