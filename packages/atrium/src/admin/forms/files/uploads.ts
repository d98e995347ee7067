import app from '@adonisjs/core/services/app'
import type { MultipartFile } from '@adonisjs/core/bodyparser'
import logger from '@adonisjs/core/services/logger'
import type { LucidRow } from '@adonisjs/lucid/types/model'
import type { HttpContext } from '@adonisjs/core/http'
import type { FieldError } from '#base/errors'
import type { KeyValue } from '#base/columns/key'
import { FileReference, type UploadedBefore } from '#base/values/file_keys'
import { attributeValue } from '#base/values/to_api'
import type { ModelView } from '../../views/model_view.js'
import type { FormField } from '../fields/form_field.js'
import type { Submission } from '../submission/submission.js'
import type { ScanFile, ScannedFile } from '../../config/scan_file.js'
import {
  DEFAULT_TYPES,
  extensionIn,
  isFileList,
  isImageFile,
  isOfType,
  MOST_FILES,
  NO_IMAGE,
} from './file_fields.js'
import { filesIn, noteOwner } from './file_owners.js'
import { dropFiles, storeFile } from './file_store.js'
import { WaitingFiles } from './waiting_files.js'

/** Reason why a file is refused, as the end of a sentence. */
interface Refusal {
  rule: string
  reason: string
}

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
): Promise<Refusal | null> {
  const path = file.tmpPath
  if (!path) return null
  const extension = extensionIn(file.clientName)
  const own = view.fieldOptions(name).fileTypes ?? (takesFile ? namedBySchema(file) : undefined)
  const allowed = own ?? DEFAULT_TYPES
  if (!allowed.some((one) => one.toLowerCase() === extension)) {
    const types = own ?? ['images', 'PDF', 'office documents', 'texts', 'CSV', 'ZIP']
    return { rule: 'fileType', reason: `must be a file of an allowed type: ${types.join(', ')}` }
  }
  if (!(await isOfType(path, extension))) {
    const reason = `must be a ${extension} file: its content is of another type`
    return { rule: 'fileContent', reason }
  }
  const { clientName, size } = file
  const reason = await scan({ path, name: clientName, size, model: view.name, field: name })
  return reason === null ? null : { rule: 'fileScan', reason }
}

/** Returns the extensions of `vine.file({ extnames })`, which the rule has set on the file; undefined without them. */
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

/**
 * Stores a file of a list, before the form with the list is saved.
 *
 * @returns key of the file, or the reason why it is refused
 */
export async function storeForList(
  waiting: WaitingFiles,
  view: ModelView,
  field: FormField,
  file: MultipartFile
): Promise<{ key: string } | { refusal: string }> {
  const { size, extnames } = field.fileLimits ?? {}
  file.sizeLimit ??= size
  if (extnames && !namedBySchema(file)) file.allowedExtensions = extnames
  file.validate()
  const [error] = file.errors
  if (error) return { refusal: error.message }
  if (field.widget === 'image' && !isImageFile(file)) return { refusal: NO_IMAGE }
  const refused = await checkUpload(view, field, file)
  if (refused) return { refusal: refused.reason }
  if (await waiting.isFull()) return { refusal: TOO_MANY }
  return { key: await waiting.add(file) }
}

const TOO_MANY = 'was not stored, as too many files wait for their form: save it first'

/**
 * Stores the uploaded files of a submission's lists, so that the form has them when it is shown again. Each file that
 * is refused is named in the error of its field; the others are stored.
 */
export async function storeListed(
  ctx: HttpContext,
  view: ModelView,
  fields: readonly FormField[],
  { errors, fileLists, shown }: Submission
): Promise<void> {
  const waiting = new WaitingFiles(ctx, view)
  for (const [name, { added, keys }] of fileLists) {
    const field = fields.find((one) => one.name === name)!
    const refusals: string[] = []
    for (const file of added) {
      const outcome = await storeForList(waiting, view, field, file)
      if ('key' in outcome) keys.push(outcome.key)
      else refusals.push(`${file.clientName}: ${outcome.refusal}`)
    }
    shown[name] = keys
    if (refusals.length > 0)
      errors.push({ field: name, rule: 'file', message: refusals.join('; ') })
  }
}

/** Keys of files that an earlier attempt has stored. */
export type EarlierFiles = Map<MultipartFile, string>

interface UploadOptions {
  /** Files that an earlier attempt to write the submission has stored */
  earlier?: EarlierFiles
  /** The record before an update */
  record?: LucidRow
  /** Files that the user has uploaded for lists */
  waiting?: WaitingFiles
}

/** Files of one submission. They are stored before the record is written, and removed if the write fails. */
export class Uploads {
  readonly #view: ModelView
  readonly #fields: readonly FormField[]
  readonly #submission: Submission
  readonly #stored = new Map<FormField, string>()
  readonly #lists = new Map<FormField, FileReference[]>()
  readonly #refused = new Set<FormField>()
  readonly #earlier: EarlierFiles
  readonly #options: UploadOptions

  constructor(
    view: ModelView,
    fields: readonly FormField[],
    submission: Submission,
    options: UploadOptions = {}
  ) {
    this.#view = view
    this.#fields = fields
    this.#submission = submission
    this.#earlier = options.earlier ?? new Map()
    this.#options = options
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
    for (const [{ column, emptied, name, nullable, takesFile }, files] of this.#lists) {
      const held = takesFile ? files : files.map(({ key }) => key)
      const isEmptied = held.length === 0 && nullable
      values[name] = isEmptied ? emptied : isFileList(this.#view, column) ? held : held.at(-1)
    }
    return values
  }

  /**
   * Returns errors for files with a wrong type or content, for files that a scan rejects, and for lists with files that
   * do not exist. These are not stored.
   *
   * @param takesFile  true to check the fields whose schema expects a file, after validation; false to check all
   *   others, before it
   */
  async refuse(takesFile: boolean): Promise<FieldError[]> {
    const errors = takesFile ? [] : await this.#readLists()
    for (const field of this.#sent().filter((one) => one.takesFile === takesFile)) {
      const file = this.#submission.files.get(field.name)!
      const error = this.#earlier.has(file) ? null : await checkUpload(this.#view, field, file)
      if (!error) continue
      errors.push(errorOf(field, error))
      this.#refused.add(field)
    }
    return errors
  }

  /** Reads the lists: files of the record, and files that the user has uploaded for it. */
  async #readLists(): Promise<FieldError[]> {
    const errors: FieldError[] = []
    for (const [name, { keys, isWhole }] of this.#submission.fileLists) {
      const field = this.#fields.find((one) => one.name === name)!
      const stored = storedFiles(field, this.#options.record)
      const files = isWhole ? keys : [...stored, ...keys]
      if (files.length === 0 && stored.length === 0) continue
      const read = await this.#listOf(files, new Set(stored))
      if (typeof read === 'string') errors.push(errorOf(field, { rule: 'file', reason: read }))
      else this.#lists.set(field, read)
    }
    return errors
  }

  async #listOf(keys: readonly string[], stored: ReadonlySet<string>) {
    const added = keys.filter((key) => !stored.has(key))
    const uploads = new Map<string, UploadedBefore>()
    for (const key of added) {
      const upload = await this.#options.waiting?.find(key)
      if (!upload) return 'has a file that is not stored any more: choose it again'
      uploads.set(key, upload)
    }
    if (added.length > 0 && keys.length > MOST_FILES) return `must have at most ${MOST_FILES} files`
    return keys.map((key) => new FileReference(key, uploads.get(key)))
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

  /** Keys of the files stored for this submission. The write is allowed to refer to them. */
  get names(): ReadonlySet<string> {
    const added = this.#listed().filter(({ isNew }) => isNew)
    return new Set([...this.#stored.values(), ...added.map(({ key }) => key)])
  }

  #listed(): FileReference[] {
    return [...this.#lists.values()].flat()
  }

  /**
   * Records the owner of the files after a successful write. If the owner can't be recorded, a file belongs to the
   * first record that refers to it, like files that were stored before owners were recorded.
   */
  async belongTo(key: KeyValue): Promise<void> {
    for (const [field, file] of this.#stored) {
      const name = this.#submission.files.get(field.name)?.clientName
      await this.#note(field, file, key, name)
    }
    for (const [field, files] of this.#lists) {
      const added = files.filter(({ isNew }) => isNew)
      for (const { clientName, key: file } of added) await this.#note(field, file, key, clientName)
      await this.#options.waiting?.leave(added.map(({ key: file }) => file))
    }
  }

  async #note({ column }: FormField, file: string, key: KeyValue, name: string | undefined) {
    try {
      await noteOwner(this.#view, file, { key, field: column?.apiName ?? null }, name)
    } catch (error) {
      logger.error({ err: error }, `The owner of a file of ${this.#view.name} was not noted`)
    }
  }

  /** Removes the files after a failed write. Files of lists are preserved for another attempt. */
  async drop(): Promise<void> {
    await dropFiles(this.#view, [...this.#earlier.values()])
    this.#earlier.clear()
  }

  /**
   * Removes the files that the write has replaced.
   *
   * @param record  the record before the write
   */
  async dropReplaced(record: LucidRow): Promise<void> {
    const used = new Set(this.#listed().map(({ key }) => key))
    for (const field of this.#fields) {
      if (field.valueType !== 'file' || !field.column) continue
      const isWritten = this.#stored.has(field) || this.#lists.has(field)
      if (!isWritten && !this.#submission.cleared.has(field.name)) continue
      const files = filesIn(field.column, record.$original[field.column.attribute])
      await dropFiles(
        this.#view,
        files.filter((file) => !used.has(file))
      )
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

function errorOf({ name }: FormField, { rule, reason }: Refusal): FieldError {
  return { field: name, rule, message: `The ${name} field ${reason}` }
}

function storedFiles({ column }: FormField, record: LucidRow | undefined): string[] {
  return column && record ? filesIn(column, attributeValue(column, record)) : []
}
