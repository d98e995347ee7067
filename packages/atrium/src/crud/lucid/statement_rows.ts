import type { QueryClientContract } from '@adonisjs/lucid/types/database'
import type { LucidModel, LucidRow } from '@adonisjs/lucid/types/model'
import { DateTime } from 'luxon'
import type { Resource } from '../resource/resource.js'
import { now } from '#base/columns/soft_delete'
import { plainValues } from './direct_writes.js'
import { assertKey, keyMissingIn, stampNew } from './record_writes.js'

type Row = Record<string, unknown>

/*
 * Records that are passed to `prepare` functions, one for each model and connection: Lucid's default functions use only
 * the connection of a record.
 */
const ANY_RECORDS = new WeakMap<LucidModel, Map<string, LucidRow>>()

function anyRecord(model: LucidModel, connection: string): LucidRow {
  const known = ANY_RECORDS.get(model) ?? new Map<string, LucidRow>()
  ANY_RECORDS.set(model, known)
  let record = known.get(connection)
  if (!record) known.set(connection, (record = (new model() as LucidRow).useConnection(connection)))
  return record
}

/** Creates the rows and changes that Lucid would store for records of a model without conversion or hooks. */
export class StatementRows {
  readonly #any: LucidRow

  constructor(
    private readonly resource: Resource,
    client: QueryClientContract
  ) {
    this.#any = anyRecord(resource.model, client.connectionName)
  }

  /**
   * Returns the row that an insert stores.
   *
   * @param values  values by attribute name
   * @returns the row by column name; null for values that only Lucid or Knex can write
   * @throws Problem 422  for a row without a key
   */
  rowOf(values: Row): Row | null {
    const attributes = this.#attributesOf(values)
    if (!attributes) return null
    stampNew(attributes, this.resource)
    for (const { attribute, automatic } of this.resource.columns.all) {
      if (automatic) attributes[attribute] ||= DateTime.local()
    }
    const row = this.#prepared(attributes)
    if (row) assertKey(keyMissingIn(row, this.resource))
    return row
  }

  /**
   * Returns the changes that an update stores.
   *
   * @param values  values by attribute name
   * @returns the changes by column name; null for changes that require comparison with a record (dates, bytes and
   *   JSON), and for automatic timestamps without an `updatedAtColumn`
   */
  changesOf(values: Row): Row | null {
    const attributes = this.#attributesOf(values)
    if (!attributes || Object.values(attributes).some(isComparedByRecord)) return null
    const stamps = this.#stampsOfUpdate()
    return stamps && this.#prepared({ ...attributes, ...stamps })
  }

  /**
   * Returns the timestamps that every update writes, by column name; null for automatic timestamps without an
   * `updatedAtColumn`.
   */
  stampsOfUpdate(): Row | null {
    const stamps = this.#stampsOfUpdate()
    if (!stamps) return null
    return Object.keys(stamps).length === 0 ? {} : this.#prepared(stamps)
  }

  #stampsOfUpdate(): Row | null {
    const { model, updatedAt } = this.resource
    const stamps: Row = {}
    if (updatedAt) stamps[updatedAt.attribute] = now(updatedAt)
    for (const [attribute, { meta }] of model.$columnsDefinitions) {
      if (!meta?.autoUpdate) continue
      if (!updatedAt) return null
      stamps[attribute] = DateTime.local()
    }
    return stamps
  }

  #attributesOf(values: Row): Row | null {
    const isKnown = Object.keys(values).every((key) => this.resource.model.$hasColumn(key))
    return isKnown ? { ...values } : null
  }

  #prepared(attributes: Row): Row | null {
    const { model } = this.resource
    const row: Row = {}
    for (const [attribute, value] of Object.entries(attributes)) {
      const { columnName, prepare } = model.$getColumn(attribute)!
      row[columnName] = prepare ? prepare(value, attribute, this.#any) : value
    }
    return plainValues(row)
  }
}

function isComparedByRecord(value: unknown): boolean {
  return value === undefined || (typeof value === 'object' && value !== null)
}
