import type { HttpContext } from '@adonisjs/core/http'
import type { QueryClientContract } from '@adonisjs/lucid/types/database'
import type { LucidRow } from '@adonisjs/lucid/types/model'
import { fieldsReadOnly } from '#base/http/access_problems'
import { invalidBody } from '#base/http/problems'
import { gatherWrites, scopeOf } from '#crud/internals'
import { identityOf, type KeyValue } from '#base/columns/key'
import { inTransaction } from '#base/database/transaction'
import { UnknownKey } from '#base/errors'
import type { Site } from '../../views/site.js'
import type { FormField } from '../../forms/fields/form_field.js'
import { formFields, readOnlyFields } from '../../forms/fields/form_fields.js'
import { isForPeople, isMissing } from '../../forms/submission/form_failure.js'
import type { Submission } from '../../forms/submission/submission.js'
import { keepUntouched, touchedErrors } from '../../forms/submission/unchanged_fields.js'
import { internalValues, validateChanges } from '../../forms/submission/submitted_values.js'
import type { ModelView } from '../../views/model_view.js'
import { BulkTask } from '../bulk_task.js'
import { changedNames, storedChanges, fileFields } from './changes.js'
import { ErrorCollector } from './record_errors.js'

/** Path of the page, and of the form on it */
export const EDIT = '/bulk-edit'

interface Prepared {
  key: KeyValue
  record: LucidRow
  /** By attribute name */
  values: Record<string, unknown>
}

/** Sets the same values on several records. Each record is validated and authorized like a single update. */
export class EditTask extends BulkTask {
  readonly path = EDIT
  readonly value = 'edit'
  readonly label: string
  readonly confirms = true
  readonly isDestructive = false
  readonly needs = 'update'
  readonly deleted = 'exclude'
  readonly noneSelected = 'bulk.none.edit'
  readonly failed = 'bulk.failed.edit'
  #prepared: readonly Prepared[] = []
  #unchanged = 0

  /** @param changes  null if only the form is shown */
  constructor(
    site: Site,
    view: ModelView,
    private readonly changes: Submission | null = null
  ) {
    super(site, view)
    this.label = site.text('bulk.edit.label')
  }

  override get payload(): Record<string, unknown> {
    return this.changes ? { changes: storedChanges(this.changes) } : {}
  }

  heading(count: number, shown?: string): string {
    return this.site.text('bulk.edit.title', { records: this.records(count, shown) })
  }

  note(): null {
    return null
  }

  title(count: number): string {
    return this.heading(count)
  }

  done(count: number, unchanged = 0): string {
    const records = this.records(count - unchanged)
    return this.site.text('bulk.edit.done', { records, unchanged })
  }

  override get unchanged(): number {
    return this.#unchanged
  }

  /**
   * Validates the values for each record.
   *
   * @throws RecordErrors     if values are invalid for a record
   * @throws BulkFailure 400  for a missing record
   * @throws NotAllowed       if the roles do not allow updating a record
   */
  override async prepare(keys: readonly KeyValue[], ctx: HttpContext): Promise<void> {
    this.#prepared = await this.explain(ctx, async () => {
      const options = this.view.callOptions(ctx)
      const records = await this.view.crud.findMany(keys, options)
      await this.authorize(keys, ctx, options.client)
      const errors = await this.#collector(ctx)
      const prepared: Prepared[] = []
      for (const record of records) {
        if (errors.isFull) break
        try {
          const values = await this.#valuesFor(record, ctx)
          prepared.push({ key: this.view.resource.key.of(record), record, values })
        } catch (error) {
          errors.add(record, error)
        }
      }
      errors.check()
      return prepared
    })
  }

  protected async reached(
    keys: readonly KeyValue[],
    ctx: HttpContext,
    client: QueryClientContract
  ) {
    return await this.view.crud.reached('update', keys, { ...this.view.callOptions(ctx), client })
  }

  /** Writes the records. They are locked in the order of their keys, whatever the order of the selection. */
  protected async perform(
    keys: readonly KeyValue[],
    ctx: HttpContext,
    outer: QueryClientContract
  ): Promise<string> {
    const { model } = this.view.resource
    const { actor, origin } = this.view.callOptions(ctx)
    const errors = await this.#collector(ctx)
    const inOrder = this.#prepared.toSorted((one, other) =>
      identityOf(one.key) < identityOf(other.key) ? -1 : 1
    )
    return await inTransaction(outer, (client) =>
      /* All updates are logged as one event. */
      gatherWrites(client, { model, actor, origin }, async () => {
        const options = { client, actor, origin }
        if (!(await this.#writeTogether(inOrder, options))) {
          for (const one of inOrder) {
            if (errors.isFull) break
            try {
              await this.#write(one, options)
            } catch (error) {
              errors.add(one.record, error)
            }
          }
          errors.check()
        }
        this.#unchanged = keys.length - changedIn(scopeOf(client)!, keys)
        return this.done(keys.length, this.#unchanged)
      })
    )
  }

  /**
   * Writes several records per statement if possible.
   *
   * @returns false if the records have to be written one by one, so that an error can be assigned to a record
   */
  async #writeTogether(
    all: readonly Prepared[],
    options: Parameters<ModelView['crud']['updateTogether']>[1]
  ): Promise<boolean> {
    try {
      return await this.view.crud.updateTogether(all, options)
    } catch (error) {
      if (!isForPeople(error)) throw error
      return false
    }
  }

  async #write(
    { key, values }: Prepared,
    options: Parameters<ModelView['crud']['update']>[2]
  ): Promise<void> {
    const { crud, resource } = this.view
    try {
      await crud.update(resource.key.isComposite ? key : key[0], values, options)
    } catch (error) {
      throw isMissing(error) ? new UnknownKey(key) : error
    }
  }

  /**
   * Returns the values to write. Required fields that are not changed are validated with the stored values and not
   * written.
   */
  async #valuesFor(record: LucidRow, ctx: HttpContext): Promise<Record<string, unknown>> {
    const changes = this.changes!
    await this.#checkFields(record, ctx)
    const errors = touchedErrors(this.#fields, changes, record)
    const values = await validateChanges(
      this.view,
      record,
      { ...changes, errors },
      {
        isStrict: true,
      }
    )
    keepUntouched(this.#fields, changes, record, values)
    return { ...values, ...internalValues(this.view) }
  }

  /**
   * Checks that the user can change the fields of the record.
   *
   * @throws Problem 403  for a field that is read-only for the user, on this record or on all records
   * @throws Problem 422  for a file field
   */
  async #checkFields(record: LucidRow, ctx: HttpContext): Promise<void> {
    const names = changedNames(this.changes!)
    const here = await this.view.crud.readOnlyOn(record, this.view.callOptions(ctx))
    const anywhere = this.view.resource.updateBody.readOnly.map(({ apiName }) => apiName)
    const locked = names.filter((name) => here.has(name) || anywhere.includes(name))
    if (locked.length > 0) throw fieldsReadOnly(locked)
    const files = fileFields(this.site, this.view).filter(({ name }) => names.includes(name))
    if (files.length === 0) return
    const message = this.site.text('bulk.edit.file')
    throw invalidBody(
      files.map(({ name }) => ({
        field: name,
        rule: 'file',
        message: `The ${name} field ${message}`,
      }))
    )
  }

  get #fields(): FormField[] {
    const { site, view } = this
    return [...formFields(site, view, 'update'), ...readOnlyFields(site, view, 'update')]
  }

  async #collector(ctx: HttpContext): Promise<ErrorCollector> {
    const isVisible = await this.view.isVisibleTo(ctx)
    return new ErrorCollector(this.site, this.view, this.#fields, isVisible)
  }
}

/** Returns how many of the records the logged writes have changed. */
function changedIn(
  { model, writes }: NonNullable<ReturnType<typeof scopeOf>>,
  keys: readonly KeyValue[]
): number {
  const own = writes.filter((write) => write.model === model && !write.caused)
  const changed = new Set(own.map(({ key }) => identityOf(key)))
  return keys.filter((key) => changed.has(identityOf(key))).length
}
