import { MultipartFile } from '@adonisjs/core/bodyparser'
import type { Column } from '../columns/column.js'

/** A file that an earlier request has uploaded. */
export interface UploadedBefore {
  name: string
  /** Size in bytes */
  size: number
}

/**
 * A stored file in place of an upload, for a schema that expects files: `vine.array(vine.file())` then counts the files
 * that a record has and the new ones together.
 */
export class FileReference extends MultipartFile {
  readonly isNew: boolean

  /** @param upload  the file, if it is new to its record; the limits of the schema apply to new files only */
  constructor(
    readonly key: string,
    upload?: UploadedBefore
  ) {
    super({ fieldName: '', clientName: upload?.name ?? key, headers: {} }, {})
    this.isNew = upload !== undefined
    this.size = upload?.size ?? 0
    this.extname = /\.([^.]+)$/.exec(key)?.[1]
    this.state = 'consumed'
  }

  override validate(): void {
    if (this.isNew) super.validate()
  }
}

/**
 * Returns the keys of files in a value of a column: one in a text, any number in JSON.
 *
 * @returns null for a value that cannot hold keys
 */
export function fileKeysIn(column: Pick<Column, 'kind'>, value: unknown): string[] | null {
  if (value === null || value === undefined) return []
  const stored = column.kind === 'json' && typeof value === 'string' ? parsedOrText(value) : value
  const keys = Array.isArray(stored) ? stored : [stored]
  return keys.every((key) => typeof key === 'string') ? keys : null
}

/** Returns the parsed JSON, or the text itself if it is not JSON; null has no keys. */
function parsedOrText(text: string): unknown {
  try {
    return JSON.parse(text) ?? []
  } catch {
    return text
  }
}
