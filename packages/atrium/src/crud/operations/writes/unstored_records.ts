import { rowOf } from '#upstream/lucid_record_steps'
import type { QueryClientContract } from '@adonisjs/lucid/types/database'
import type { LucidRow } from '@adonisjs/lucid/types/model'
import { currentActor } from '#base/actor'
import type { Query } from '#base/database/dialect'
import { dialectOf } from '#base/database/dialects'
import { unionOf, mayWrite } from '../../resource/projection.js'
import type { Resource } from '../../resource/resource.js'
import type { Scope } from '../../resource/permissions.js'
import { applyScope } from '../../sql/apply_scope.js'
import type { Actor } from '../../types.js'
import type { CallOptions } from '../call_options.js'
import type { Records } from '../records.js'
import { chunks } from '#base/chunks'

/* Maximum number of records in a statement: SQLite limits a union to 500 parts. */
const ROWS_PER_UNION = 100

const MARK = 'unstored_row'

/** A record as a write would store it, and the fields that were sent. */
export interface Unstored {
  record: LucidRow
  /** API names of the fields that were sent */
  sent: readonly string[]
}

/** Result for a record that is not written: the record is refused, or some of its fields are read-only. */
export interface UnstoredVerdict {
  isRefused: boolean
  readOnly: readonly string[]
}

/**
 * Checks records before they are stored, with the same result as the checks of a write: each record must be within the
 * scope and the grants of the actor, and each sent field must be writable for the actor.
 *
 * @returns the results, in the order of the records
 */
export async function checkUnstored(
  records: Records,
  operation: 'create' | 'update',
  unstored: readonly Unstored[],
  client: QueryClientContract,
  { actor = currentActor() }: CallOptions
): Promise<UnstoredVerdict[]> {
  const { resource } = records
  if (actor.kind === 'system' || !(records.narrows(operation) || resource.projection)) {
    return unstored.map(() => ({ isRefused: false, readOnly: [] }))
  }
  const check = new UnstoredCheck(resource, operation, client, actor)
  const verdicts: UnstoredVerdict[] = []
  for (const some of chunks(unstored, ROWS_PER_UNION))
    verdicts.push(...(await check.verdicts(some)))
  return verdicts
}

class UnstoredCheck {
  constructor(
    private readonly resource: Resource,
    private readonly operation: 'create' | 'update',
    private readonly client: QueryClientContract,
    private readonly actor: Actor
  ) {}

  async verdicts(unstored: readonly Unstored[]): Promise<UnstoredVerdict[]> {
    const rows = unstored.map(({ record }) => record)
    const left = await this.#left(rows)
    const fields = await this.#readOnly(unstored)
    return unstored.map((_, index) => ({
      isRefused: !left.has(index),
      readOnly: fields[index],
    }))
  }

  /** Returns the rows that would remain in the writer's scope: see `Records.readBack`. */
  async #left(rows: readonly LucidRow[]): Promise<ReadonlySet<number>> {
    const { base, projection, scope } = this.resource
    const seen = await this.#within(rows, scope ? [scope] : null)
    const reach = projection?.reach(this.operation) ?? null
    if (!projection || projection.matchesReadableRecords(this.operation)) return seen
    if (reach === null) {
      const all = await this.#within(rows, base.scope ? [base.scope] : null)
      return seen.union(all)
    }
    const reached = await this.#within(rows, reach)
    if (!base.scope) return reached
    return reached.intersection(await this.#within(rows, [base.scope]))
  }

  /**
   * Returns the fields of a new record that only some grants make writable, if none of these grants includes the
   * record.
   */
  async #readOnly(unstored: readonly Unstored[]): Promise<string[][]> {
    const { projection } = this.resource
    const refused = unstored.map((): string[] => [])
    if (this.operation === 'update' || !projection) return refused
    const names = new Set(unstored.flatMap(({ sent }) => sent))
    const rows = unstored.map(({ record }) => record)
    for (const name of names) {
      if (projection.writing('create', name) !== 'some') continue
      const grants = projection.grantsFor('create').filter((grant) => mayWrite(grant, name))
      const reached = await this.#within(rows, unionOf(grants))
      unstored.forEach(({ sent }, index) => {
        if (sent.includes(name) && !reached.has(index)) refused[index].push(name)
      })
    }
    return refused
  }

  /** Positions of the rows that are in any of the scopes; null: all rows */
  async #within(
    rows: readonly LucidRow[],
    scopes: readonly Scope[] | null
  ): Promise<ReadonlySet<number>> {
    if (scopes === null) return new Set(rows.keys())
    const found = new Set<number>()
    for (const scope of scopes)
      for (const index of await this.#reached(rows, scope)) found.add(index)
    return found
  }

  /**
   * Returns the positions of the rows in a scope. The derived table has the name of the model's table, so that the
   * scope finds its columns.
   */
  async #reached(rows: readonly LucidRow[], scope: Scope): Promise<number[]> {
    const { model, table } = this.resource
    const dialect = dialectOf(this.client)
    const query = model.query({ client: this.client }) as Query
    applyScope(scope, query, this.actor)
    const mark = `${dialect.quote(table)}.${dialect.quote(MARK)}`
    query.clearSelect().select(this.client.raw(mark) as any)
    const { sql, bindings } = this.#derived(rows)
    const knex = this.client.getReadClient()
    query.knexQuery.from(knex.raw(`(${sql}) as ${dialect.quote(table)}`, bindings as any))
    const statement = query.toSQL()
    const found = await dialect.selectRows(this.client, statement.sql, [...statement.bindings])
    return found.map((row) => Number(row[MARK]))
  }

  /**
   * Returns a derived table of the rows. The union begins with an empty select from the table itself, which determines
   * the column types.
   */
  #derived(rows: readonly LucidRow[]): { sql: string; bindings: unknown[] } {
    const { columns, table } = this.resource
    const dialect = dialectOf(this.client)
    const names = columns.all.map(({ name }) => dialect.quote(name))
    const bindings: unknown[] = []
    const parts = rows.map((row, index) => {
      const values = rowOf(row)
      for (const { defaultText, name } of columns.all) {
        const value = values[name]
        bindings.push(value === undefined ? defaultText : isPlain(value) ? value : null)
      }
      return `select ${names.map(() => '?').join(', ')}, ${index}`
    })
    const none = `select ${names.join(', ')}, 0 as ${dialect.quote(MARK)} from ${dialect.quote(table)} where 1 = 0`
    return { sql: [none, ...parts].join(' union all '), bindings }
  }
}

function isPlain(value: unknown): boolean {
  return value === null || typeof value !== 'object' || value instanceof Date
}
