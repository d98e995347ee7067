import type { LucidRow } from '@adonisjs/lucid/types/model'
import { noteKey } from '#base/items'
import { Problem } from '#crud'
import { toProblem } from '#base/http/to_problem'
import type { KeyValue } from '#base/columns/key'
import { cutText } from '../../list/cell.js'
import type { ModelView } from '../../views/model_view.js'
import type { Site } from '../../views/site.js'
import { BulkFailure } from '../errors.js'
import { InvalidForm } from '../../forms/errors.js'
import type { FormField } from '../../forms/fields/form_field.js'
import { failureOf, isForPeople, isForbidden } from '../../forms/submission/form_failure.js'

/**
 * Title of a selected record. A viewer who cannot see the record sees its key only. [B14]
 */
export function titleInBulk(view: ModelView, record: LucidRow, isVisible: boolean): string {
  const { resource } = view
  const item = isVisible ? resource.reader.form.toItem(record) : {}
  return cutText(view.titleOf(noteKey(item, resource.key.of(record))))
}

/** Maximum number of errors that a response names. */
export const MOST_ERRORS = 100

/**
 * Reasons why a record can't be changed.
 */
export interface RecordError {
  key: KeyValue
  title: string
  /** API name; null if it is about no field */
  field: string | null
  message: string
}

/**
 * Records that could not be changed: none was. [L9]
 */
export class RecordErrors extends BulkFailure {
  /**
   * @param status  403 or 422
   */
  constructor(
    status: number,
    readonly errors: readonly RecordError[]
  ) {
    const [{ title, message }] = errors
    super(status, 'bulk.edit.error', { title, message, more: errors.length - 1 })
  }
}

/**
 * Collects the errors of several records.
 */
export class ErrorCollector {
  readonly #errors: RecordError[] = []
  #isForbidden = false

  /**
   * @param fields  of the form, for their labels
   */
  constructor(
    private readonly site: Site,
    private readonly view: ModelView,
    private readonly fields: readonly FormField[],
    /** True if the viewer may see the records */
    private readonly isVisible: boolean
  ) {}

  /** True once there are as many as a response names */
  get isFull(): boolean {
    return this.#errors.length >= MOST_ERRORS
  }

  /**
   * Adds what is wrong with a record.
   *
   * @throws the error itself if it is not about the record
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

  /**
   * @throws RecordErrors  if there are any
   */
  check(): void {
    if (this.#errors.length === 0) return
    throw new RecordErrors(this.#isForbidden ? 403 : 422, this.#errors.slice(0, MOST_ERRORS))
  }
}

/** A refusal of some fields names them. */
function withFields(error: unknown): unknown {
  if (!(error instanceof Problem && error.errors && isForbidden(error))) return error
  return new InvalidForm(error.errors)
}

/** A missing record fails the whole task, as an unknown id does. */
function isAboutRecord(error: unknown): boolean {
  if (error instanceof InvalidForm) return true
  return isForPeople(error) && toProblem(error).status !== 404
}
