import type { LucidRow } from '@adonisjs/lucid/types/model'
import { noteKey } from '#base/items'
import { Problem } from '#crud'
import { toProblem } from '#base/http/send_problem'
import type { KeyValue } from '#base/columns/key'
import { cutText } from '../../list/cell.js'
import type { ModelView } from '../../views/model_view.js'
import type { Site } from '../../views/site.js'
import { BulkFailure } from '../errors.js'
import { InvalidForm } from '../../forms/errors.js'
import type { FormField } from '../../forms/fields/form_field.js'
import { failureOf, isForPeople, isForbidden } from '../../forms/submission/form_failure.js'

/** Returns the title of a selected record; only the key for a viewer who is not allowed to see the record. */
export function titleInBulk(view: ModelView, record: LucidRow, isVisible: boolean): string {
  const { resource } = view
  const item = isVisible ? resource.reader.form.toItem(record) : {}
  return cutText(view.titleOf(noteKey(item, resource.key.of(record))))
}

/** Maximum number of errors in a response. */
export const MOST_ERRORS = 100

/** Reason why a record cannot be changed. */
export interface RecordError {
  key: KeyValue
  title: string
  /** API name; null if the error does not concern a field */
  field: string | null
  message: string
}

/** Errors of records that prevent the whole bulk edit. */
export class RecordErrors extends BulkFailure {
  /** @param status  403 or 422 */
  constructor(
    status: number,
    readonly errors: readonly RecordError[]
  ) {
    const [{ title, message }] = errors
    super(status, 'bulk.edit.error', { title, message, more: errors.length - 1 })
  }
}

/** Collects the errors of several records. */
export class ErrorCollector {
  readonly #errors: RecordError[] = []
  #isForbidden = false

  /** @param fields  fields of the form, for their labels */
  constructor(
    private readonly site: Site,
    private readonly view: ModelView,
    private readonly fields: readonly FormField[],
    /** True if the viewer is allowed to see the records */
    private readonly isVisible: boolean
  ) {}

  /** True once the maximum number of errors is collected */
  get isFull(): boolean {
    return this.#errors.length >= MOST_ERRORS
  }

  /**
   * Adds the errors of a record.
   *
   * @throws the error itself if it does not concern the record
   */
  add(record: LucidRow, error: unknown): void {
    if (!isAboutRecord(error)) throw error
    const { error: message, fieldErrors } = failureOf(this.site, this.fields, withFields(error))
    const key = this.view.resource.key.of(record)
    const title = titleInBulk(this.view, record, this.isVisible)
    const named = Object.entries(fieldErrors)
    const messages: Array<[string | null, string]> = named.length > 0 ? named : [[null, message]]
    for (const [field, text] of messages) this.#errors.push({ key, title, field, message: text })
    this.#isForbidden ||= isForbidden(error)
  }

  /** @throws RecordErrors  if there are any */
  check(): void {
    if (this.#errors.length === 0) return
    throw new RecordErrors(this.#isForbidden ? 403 : 422, this.#errors.slice(0, MOST_ERRORS))
  }
}

/** Converts a 403 that names fields to form errors. Returns other errors unchanged. */
function withFields(error: unknown): unknown {
  if (!(error instanceof Problem && error.errors && isForbidden(error))) return error
  return new InvalidForm(error.errors)
}

/** Returns true if an error concerns a single record. A missing record fails the whole task, like an unknown id. */
function isAboutRecord(error: unknown): boolean {
  if (error instanceof InvalidForm) return true
  return isForPeople(error) && toProblem(error).status !== 404
}
