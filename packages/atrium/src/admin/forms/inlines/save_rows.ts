import type { HttpContext } from '@adonisjs/core/http'
import type { TransactionClientContract } from '@adonisjs/lucid/types/database'
import type { LucidRow } from '@adonisjs/lucid/types/model'
import { RuntimeError, systemActor, type Item } from '#crud'
import { errorToProblem, gatherWrites, Records } from '#crud/internals'
import { inSharedTransaction } from '#base/database/shared_transaction'
import { readCondition } from '#base/columns/condition'
import { attributeValue } from '#base/values/to_api'
import { toProblem } from '#base/http/send_problem'
import type { KeyValue } from '#base/columns/key'
import type { Site } from '../../views/site.js'
import { InvalidForm } from '../errors.js'
import type { ModelView } from '../../views/model_view.js'
import { isForPeople, isForbidden, isMissing } from '../submission/form_failure.js'
import type { Inline } from './inline.js'
import { errorOf, rowName, type RowsPlan } from './plan_rows.js'
import { settleRowFiles } from './row_values.js'
import type { RowChange } from './inline_rows.js'
import { referredValue } from './rows.js'

type Options = ReturnType<ModelView['callOptions']>

/** Another user has changed a row since the form was rendered. */
class ChangedRow extends Error {}

/** Another request has created the only row of a `hasOne` relation. */
class TakenPlace extends Error {}

/** A row no longer exists or belongs to another parent. */
class GoneRow extends Error {}

/**
 * Validates the parent together with its rows, so that all errors are reported together.
 *
 * @throws InvalidForm
 */
export async function checkedWith<Result>(
  plan: RowsPlan,
  validate: () => Promise<Result>
): Promise<Result> {
  let result: Result
  try {
    result = await validate()
  } catch (error) {
    if (error instanceof InvalidForm) plan.check(error.errors)
    throw error
  }
  plan.check()
  return result
}

/**
 * Writes a parent and its rows in one transaction, and as one event.
 *
 * @param view   view of the parent, limited by the user's roles
 * @param write  writes the parent
 * @param keyOf  returns the key of the parent; null if it has none
 * @throws InvalidForm  with the errors of the rows
 * @throws Problem      if the parent can't be written
 */
export async function saveWithRows<Result>(
  ctx: HttpContext,
  site: Site,
  view: ModelView,
  plan: RowsPlan,
  write: (options: Options) => Promise<Result>,
  keyOf: (result: Result) => KeyValue | null | undefined
): Promise<Result> {
  const options = view.callOptions(ctx)
  if (plan.changes.length === 0) return await write(options)
  const { actor, client, origin } = options
  const { model, resource } = view
  const created = new Map<RowChange, Item | undefined>()
  let saved: Result
  try {
    saved = await inSharedTransaction(client, (transaction) => {
      const scope = { model, actor, origin }
      return gatherWrites(transaction, scope, async () => {
        const result = await write({ ...options, client: transaction })
        const key = keyOf(result)
        if (!key) throw new RuntimeError(`${view.name}: a record without a key can't have rows`)
        origin.form = { model: view.name, id: resource.key.toPath(key).slice(1) }
        const own = { actor, origin, client: transaction }
        await new RowWriter(site, view, key, own, created).write(plan)
        return result
      })
    })
  } catch (error) {
    throw (await errorToProblem(error, resource, undefined, client)) ?? error
  }
  for (const change of plan.changes) await settleRowFiles(change, created.get(change))
  return saved
}

class RowWriter {
  constructor(
    private readonly site: Site,
    private readonly view: ModelView,
    private readonly key: KeyValue,
    private readonly options: Pick<Options, 'actor' | 'origin'> & {
      client: TransactionClientContract
    },
    /** Receives the created rows */
    private readonly created: Map<RowChange, Item | undefined>
  ) {}

  /** Writes the changes: removals first, so that unique values become available for new rows. */
  async write(plan: RowsPlan): Promise<void> {
    const parents = new Map<Inline, LucidRow>()
    for (const kind of ['delete', 'update', 'create'] as const) {
      for (const change of inOrder(plan.changes.filter((one) => one.kind === kind))) {
        const { inline } = change.rows
        if (!parents.has(inline)) parents.set(inline, await this.#parent())
        await this.#writeOne(plan, change, parents.get(inline)!)
      }
    }
  }

  async #writeOne(plan: RowsPlan, change: RowChange, parent: LucidRow): Promise<void> {
    try {
      await this.#perform(change, parent)
    } catch (error) {
      this.#explain(plan, change, error)
      plan.check()
    }
  }

  async #perform(change: RowChange, parent: LucidRow): Promise<void> {
    const { kind, rows, stored, uploads, values } = change
    const { column, view } = rows.inline
    const options = { ...this.options, files: uploads?.names }
    if (kind === 'create') {
      const attributes = parent as unknown as Record<string, unknown>
      const reference = attributes[rows.inline.target.attribute]
      if (rows.inline.isOne) await this.#assertFree(rows.inline, parent)
      const row = { ...values, [column.attribute]: reference }
      this.created.set(change, await view.crud.create(row, options))
      return
    }
    const key = view.resource.key.isComposite ? change.key : change.key![0]
    const precondition = (locked: LucidRow) => checkRow(change, locked, parent)
    if (kind === 'update') await view.crud.update(key, values, { ...options, precondition })
    else if (stored!.removal === 'delete') {
      await view.crud.delete(key, { ...options, precondition })
    } else await view.crud.dbDelete(key, { ...options, precondition })
  }

  /**
   * Checks that a `hasOne` relation has no row yet. The parent is locked, so that requests check one after the other.
   * The rows are read with a lock, as reads without a lock in MariaDB would use an older snapshot.
   *
   * @throws TakenPlace  also for a row that the user can't see
   */
  async #assertFree(inline: Inline, parent: LucidRow): Promise<void> {
    const { client } = this.options
    await this.view.resource.base.reader.attributes(client, this.key)
    const records = new Records(inline.view.resource.base)
    const value = referredValue(inline, parent)!
    const conditions = [readCondition(inline.column, 'eq', value)]
    const actor = systemActor('Rows of a form')
    const rows = records.byConditions({ conditions, deleted: 'exclude' }, client, { actor })
    const [taken] = await records.reader.records(client, { ...rows, limit: 1, lock: true })
    if (taken) throw new TakenPlace()
  }

  #explain(plan: RowsPlan, { kind, rows, sent }: RowChange, error: unknown): void {
    const place = rowName(rows, sent)
    const text = (key: string) =>
      this.site.text(`inlines.${key}`, { one: rows.inline.view.singular })
    if (error instanceof ChangedRow) {
      const messages = [text(kind === 'delete' ? 'changedBefore' : 'changed')]
      plan.fail(place, { isChanged: true, messages }, 409)
    } else if (error instanceof TakenPlace) {
      plan.fail(rows.inline.name, { messages: [text('onlyOne')] })
    } else if (error instanceof GoneRow || isMissing(error)) {
      plan.fail(place, { isGone: true, messages: [text('gone')] }, 409)
    } else if (isForbidden(error)) {
      plan.fail(place, errorOf(this.site, rows, error), 403)
    } else if (error instanceof InvalidForm || isAboutRow(error)) {
      plan.fail(place, errorOf(this.site, rows, error))
    } else throw error
  }

  /** Reads the parent with all columns, as rows may refer to a column that the user can't see. */
  async #parent(): Promise<LucidRow> {
    const { crud, resource } = this.view.base
    const record = await crud.find(resource.key.isComposite ? this.key : this.key[0], {
      client: this.options.client,
      actor: systemActor('Rows of a form'),
      deleted: 'include',
    })
    if (!record)
      throw new RuntimeError(`${this.view.name}: the record is gone before its rows are written`)
    return record
  }
}

/**
 * Checks that a row still belongs to the parent and has not changed.
 *
 * @throws ChangedRow, GoneRow
 */
function checkRow({ isTouched, rows, sent }: RowChange, locked: LucidRow, parent: LucidRow): void {
  const { column, view } = rows.inline
  const attributes = locked as unknown as Record<string, unknown>
  const reference = attributeValue(column, attributes)
  if (String(reference) !== referredValue(rows.inline, parent)) throw new GoneRow()
  const { version } = sent
  if (isTouched && version !== undefined && version !== view.resource.columns.versionOf(locked)) {
    throw new ChangedRow()
  }
}

function isAboutRow(error: unknown): boolean {
  return isForPeople(error) || toProblem(error).status < 500
}

/** Sorts the changes. New rows are created in the order of their positions, so that their keys have the same order. */
function inOrder(changes: RowChange[]): RowChange[] {
  return changes.toSorted((one, other) => {
    const places = [one, other].map(({ rows, values, sent }) => {
      const { sort } = rows.inline
      return sort && one.kind === 'create' ? Number(values[sort.attribute] ?? 0) : sent.index
    })
    return places[0] - places[1]
  })
}
