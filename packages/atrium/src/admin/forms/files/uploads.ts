import app from '@adonisjs/core/services/app'
import type { MultipartFile } from '@adonisjs/core/bodyparser'
import logger from '@adonisjs/core/services/logger'
import type { LucidRow } from '@adonisjs/lucid/types/model'
import type { FieldError } from '#base/errors'
import type { KeyValue } from '#base/columns/key'
import type { ModelView } from '../../views/model_view.js'
import type { FormField } from '../fields/form_field.js'
import type { Submission } from '../submission/submission.js'
import type { ScanFile, ScannedFile } from '../../config/scan_file.js'
import { DEFAULT_TYPES, extensionIn, isOfType } from './file_fields.js'
import { noteOwner, dropFile, storeFile } from './file_store.js'

/**
 * Checks the type of an uploaded file by name and content, then runs the configured scan. If the scan fails, the file
 * is rejected.
 *
 * @returns null if the file is accepted
 */
async function checkUpload(
  view: ModelView,
  { name, takesFile }: FormField,
  file: MultipartFile
): Promise<FieldError | null> {
  const path = file.tmpPath
  if (!path) return null
  const extension = extensionIn(file.clientName)
  const own = view.fieldOptions(name).fileTypes ?? (takesFile ? namedBySchema(file) : undefined)
  const allowed = own ?? DEFAULT_TYPES
  if (!allowed.some((one) => one.toLowerCase() === extension)) {
    const types = own ?? ['images', 'PDF', 'office documents', 'texts', 'CSV', 'ZIP']
    return errorOf(name, 'fileType', `must be a file of an allowed type: ${types.join(', ')}`)
  }
  if (!(await isOfType(path, extension))) {
    return errorOf(
      name,
      'fileContent',
      `must be a ${extension} file: its content is of another type`
    )
  }
  const reason = await scan({
    path,
    name: file.clientName,
    size: file.size,
    model: view.name,
    field: name,
  })
  return reason === null ? null : errorOf(name, 'fileScan', reason)
}

/** Returns the extensions of `vine.file({ extnames })`, which the rule has set on the file. */
function namedBySchema({ allowedExtensions }: MultipartFile): readonly string[] | undefined {
  return allowedExtensions && allowedExtensions.length > 0 ? allowedExtensions : undefined
}

async function scan(file: ScannedFile): Promise<string | null> {
  const scanFile = app.config.get<ScanFile | undefined>('admin.scanFile')
  if (!scanFile) return null
  try {
    return (await scanFile(file)) || null
  } catch (error) {
    logger.error({ err: error }, `A file of ${file.model} could not be scanned`)
    return 'could not be scanned, so it was not stored: try again later'
  }
}

function errorOf(field: string, rule: string, reason: string): FieldError {
  return { field, rule, message: `The ${field} field ${reason}` }
}

/** Keys of files that an earlier attempt has stored. */
export type EarlierFiles = Map<MultipartFile, string>

/** Files of one submission. They are stored before the record is written, and removed if the write fails. */
export class Uploads {
  readonly #view: ModelView
  readonly #fields: readonly FormField[]
  readonly #submission: Submission
  readonly #stored = new Map<FormField, string>()
  readonly #refused = new Set<FormField>()
  readonly #earlier: EarlierFiles

  /** @param earlier  files that an earlier attempt to write the submission has stored */
  constructor(
    view: ModelView,
    fields: readonly FormField[],
    submission: Submission,
    earlier: EarlierFiles = new Map()
  ) {
    this.#view = view
    this.#fields = fields
    this.#submission = submission
    this.#earlier = earlier
  }

  /**
   * Returns the file values for the schema: the files, or their keys if the schema expects a text; in that case the
   * files are stored first.
   */
  async forSchema(): Promise<Record<string, unknown>> {
    const values: Record<string, unknown> = {}
    for (const field of this.#sent()) {
      if (this.#refused.has(field)) continue
      const file = this.#submission.files.get(field.name)!
      values[field.name] = field.takesFile ? file : await this.#store(field)
    }
    return values
  }

  /**
   * Returns errors for files with a wrong type or content, and for files that a scan rejects. These are not stored.
   *
   * @param takesFile  true to check the fields whose schema expects a file, after validation; false to check all
   *   others, before it
   */
  async refuse(takesFile: boolean): Promise<FieldError[]> {
    const errors: FieldError[] = []
    for (const field of this.#sent().filter((one) => one.takesFile === takesFile)) {
      const file = this.#submission.files.get(field.name)!
      const error = this.#earlier.has(file) ? null : await checkUpload(this.#view, field, file)
      if (!error) continue
      errors.push(error)
      this.#refused.add(field)
    }
    return errors
  }

  /**
   * Stores the files that the schema has accepted, and replaces them by their keys.
   *
   * @param values  values by attribute name
   */
  async storeIn(values: Record<string, unknown>): Promise<void> {
    for (const field of this.#sent().filter(({ takesFile }) => takesFile)) {
      values[field.column?.attribute ?? field.name] = await this.#store(field)
    }
  }

  /** Keys of the stored files, which the write may refer to. */
  get names(): ReadonlySet<string> {
    return new Set(this.#stored.values())
  }

  /**
   * Records the owner of the files after a successful write. If that fails, a file belongs to the first record that
   * refers to it, like files that were stored before owners were recorded.
   */
  async belongTo(key: KeyValue): Promise<void> {
    for (const [{ column, name }, file] of this.#stored) {
      const sender = this.#submission.files.get(name)?.clientName
      try {
        await noteOwner(this.#view, file, { key, field: column?.apiName ?? null }, sender)
      } catch (error) {
        logger.error({ err: error }, `The owner of a file of ${this.#view.name} was not noted`)
      }
    }
  }

  /**
   * Removes the files after a failed write.
   */
  async drop(): Promise<void> {
    for (const key of this.#earlier.values()) await dropFile(this.#view, key)
    this.#earlier.clear()
  }

  /**
   * Removes the files that the write has replaced.
   *
   * @param record  the record before the write
   */
  async dropReplaced(record: LucidRow): Promise<void> {
    const attributes = record.$original
    for (const field of this.#fields) {
      if (field.valueType !== 'file' || !field.column) continue
      const isCleared = this.#submission.cleared.has(field.name)
      if (this.#stored.has(field) || isCleared) {
        await dropFile(this.#view, attributes[field.column.attribute])
      }
    }
  }

  #sent(): FormField[] {
    return this.#fields.filter(({ name }) => this.#submission.files.has(name))
  }

  async #store(field: FormField): Promise<string> {
    const file = this.#submission.files.get(field.name)!
    const key = this.#earlier.get(file) ?? (await storeFile(this.#view, file))
    this.#earlier.set(file, key)
    this.#stored.set(field, key)
    return key
  }
}
