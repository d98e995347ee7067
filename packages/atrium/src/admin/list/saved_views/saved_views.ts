import type { QueryClientContract, TransactionClientContract } from '@adonisjs/lucid/types/database'
import { isStorableText } from '#base/values/text'
import { type CallOptions, Problem } from '#crud'
import { dialectOf } from '#base/database/dialects'
import { gatherWrites } from '#crud/internals'
import { inTransaction } from '#base/database/transaction'
import { readersOf } from '#base/database/sqlite/sqlite_connection'
import AdminSavedView from '../../models/admin_saved_view.js'
import { rowId } from '../../views/record_items.js'

/** A saved view of a list. */
export interface SavedView {
  readonly id: number
  readonly name: string
  readonly query: string
  /** Null for a shared view whose owner was deleted */
  readonly ownerId: number | null
  readonly isShared: boolean
}

export const LONGEST_VIEW_NAME = 80

/* Maximum length of a view's query: several times the length of a list's URL */
const LONGEST_VIEW_QUERY = 8000

/** Maximum number of views per user and model; more are a mistake or an attack. */
const MOST_VIEWS = 100

/** Returns the error of a view's name as the last part of a catalogue key; null for a valid name. */
export function viewNameError(name: string): 'unnamed' | 'nameTooLong' | 'nameUnreadable' | null {
  if (name.length > 2 * LONGEST_VIEW_NAME || [...name].length > LONGEST_VIEW_NAME) {
    return 'nameTooLong'
  }
  if (/[\p{Cc}\p{Zl}\p{Zp}]/u.test(name) || !isStorableText(name)) return 'nameUnreadable'
  return /^[\s\p{C}\p{Z}]*$/u.test(name) ? 'unnamed' : null
}

const VISIBLE = `select id, name, query, owner_id, shared from admin_saved_views
  where model = ? and (owner_id = ? or shared)`

const NAMES = new Intl.Collator('en', { numeric: true })

interface Values {
  name?: string
  query?: string
  isShared?: boolean
}

/** A view can't be saved with these values. `key` is a key of the catalogue below `list.views.errors`. */
export class InvalidView extends Problem {
  constructor(readonly key: string) {
    super(422, `The view can't be saved: ${key}`)
  }
}

/**
 * Reads and writes the saved views of lists. Writes are logged with the user as actor; the controller checks the
 * user's permissions.
 */
export class SavedViews {
  /** @param client  returns the query client for the internal tables of the admin site */
  constructor(private readonly client: () => QueryClientContract) {}

  /** Returns the user's views of a model's list and the views that others share, sorted by name. */
  async visibleTo(userId: number, model: string): Promise<SavedView[]> {
    const client = this.client()
    const rows = await dialectOf(client).selectRows(client, VISIBLE, [model, userId])
    const views = rows.map((row) => ({
      id: Number(row.id),
      name: String(row.name),
      query: String(row.query),
      ownerId: row.owner_id === null ? null : Number(row.owner_id),
      isShared: Boolean(row.shared),
    }))
    /* Sorted here, as the sort order of names differs between databases. */
    return views.sort((one, other) => NAMES.compare(one.name, other.name) || one.id - other.id)
  }

  /**
   * Finds a saved view.
   *
   * @param param  id as in the URL
   * @returns null if the model has no such view
   */
  async find(model: string, param: string): Promise<AdminSavedView | null> {
    const id = rowId(param)
    if (id === null) return null
    const client = this.client()
    return await AdminSavedView.query({ client: readersOf(client) ?? client })
      .where({ id, model })
      .first()
  }

  /**
   * Creates a view.
   *
   * @throws InvalidView  if a value is invalid, the name is in use, or the user has too many views
   */
  async create(
    model: string,
    ownerId: number,
    values: Required<Values>,
    options: CallOptions
  ): Promise<AdminSavedView> {
    check(values)
    return await this.#write(options, async (client) => {
      const [{ total }] = await AdminSavedView.query({ client })
        .where({ model, ownerId })
        .pojo<{ total: number }>()
        .count('* as total')
      if (Number(total) >= MOST_VIEWS) throw new InvalidView('tooMany')
      await this.#checkName(client, { model, ownerId }, values.name)
      const { name, query, isShared: shared } = values
      return await AdminSavedView.create({ model, ownerId, name, query, shared }, { client })
    })
  }

  /**
   * Changes a view.
   *
   * @param values  values to change
   * @throws InvalidView  if a value is invalid, the name is in use, or the view no longer exists
   */
  async change(view: AdminSavedView, values: Values, options: CallOptions): Promise<void> {
    check(values)
    await this.#write(options, async (client) => {
      const current = await AdminSavedView.find(view.id, { client })
      if (!current) throw new InvalidView('gone')
      const { name, query, isShared: shared } = values
      if (name !== undefined) await this.#checkName(client, current, name)
      const changes = { name, query, shared }
      current.merge(withoutUndefined(changes))
      await current.save()
    })
  }

  async remove(view: AdminSavedView, options: CallOptions): Promise<void> {
    await this.#write(options, async (client) => {
      const current = await AdminSavedView.find(view.id, { client })
      await current?.delete()
    })
  }

  /**
   * Deletes the private views of a user who is about to be deleted. Shared views remain, without an owner.
   *
   * @param client  client of the transaction of the deletion
   */
  async leave(userId: number, client: TransactionClientContract): Promise<void> {
    const views = await AdminSavedView.query({ client }).where('ownerId', userId).orderBy('id')
    for (const view of views) {
      if (view.shared) await view.merge({ ownerId: null }).save()
      else await view.delete()
    }
  }

  /** Checks that the user has no other view with the same name, as its tab would look the same. */
  async #checkName(
    client: TransactionClientContract,
    { id, model, ownerId }: { id?: number; model: string; ownerId: number | null },
    name: string
  ) {
    if (ownerId === null) return
    const others = await AdminSavedView.query({ client }).where({ model, ownerId })
    const isTaken = others.some((one) => one.id !== id && folded(one.name) === folded(name))
    if (isTaken) throw new InvalidView('nameTaken')
  }

  async #write<Result>(
    { actor, origin }: CallOptions,
    work: (client: TransactionClientContract) => Promise<Result>
  ): Promise<Result> {
    const client = this.client()
    try {
      return await inTransaction(client, (transaction) =>
        gatherWrites(transaction, { model: AdminSavedView, actor, origin }, () => work(transaction))
      )
    } catch (error) {
      /* A concurrent request has used the name since the check. */
      if (dialectOf(client).explain(error)?.kind === 'unique') throw new InvalidView('nameTaken')
      throw error
    }
  }
}

function check({ name, query }: Values) {
  const error = name === undefined ? null : viewNameError(name)
  if (error) throw new InvalidView(error)
  if (query !== undefined && query.length > LONGEST_VIEW_QUERY)
    throw new InvalidView('queryTooLong')
}

function folded(name: string): string {
  return name.normalize('NFKC').toLowerCase()
}

function withoutUndefined(values: Record<string, unknown>) {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined))
}

export interface WithSavedViews {
  readonly savedViews: SavedViews
}
