/** An uploaded file before it is stored. */
export interface ScannedFile {
  path: string
  /** File name that the client sent */
  name: string
  /** Size in bytes */
  size: number
  /** Class name of the model, and API name of the field */
  model: string
  field: string
}

/**
 * Scans an uploaded file, for example for malware.
 *
 * @returns the reason to reject the file, which is shown after the name of the field; nothing to accept the file
 */
export type ScanFile = (file: ScannedFile) => Promise<string | void> | string | void
