import type { LucidModel, LucidRow } from '@adonisjs/lucid/types/model'
import type { Column } from '#base/columns/column'
import { numberAfter } from '#base/columns/order_numbers'
import { ValueError, type Resource } from '#crud'

const FILLED = new WeakMap<LucidModel, Set<string>>()

/* Last number that each transaction has assigned, so that only the first new row queries the maximum */
const LAST = new WeakMap<object, Map<string, number>>()

/** Largest value of an ordinary integer column */
const MOST = 2 ** 31 - 1

/**
 * Adds a hook to the model that places new rows last: if the column is empty, it is set, whatever code creates the row.
 *
 * @param column  number column that stores the order of the rows
 */
export function fillPlaces(resource: Resource, column: Column): void {
  const { model } = resource
  const filled = FILLED.get(model) ?? new Set()
  FILLED.set(model, filled)
  if (filled.has(column.attribute)) return
  filled.add(column.attribute)
  column.fillByModel()
  const place = `${model.table}.${column.name}`
  model.before('create', async (row: LucidRow) => {
    const attributes = row as unknown as Record<string, unknown>
    const given = attributes[column.attribute]
    const last = row.$trx && lastOf(row.$trx)
    if (given !== null && given !== undefined) {
      const known = last?.get(place)
      if (known !== undefined) last!.set(place, Math.max(known, Number(given)))
      return
    }
    const number = numberAfter(
      last?.get(place) ?? (await largest(row, column)),
      resource.isLoaded ? Number(column.integerRange?.most ?? MOST) : MOST
    )
    last?.set(place, number)
    attributes[column.attribute] = number
  })
}

function lastOf(transaction: object): Map<string, number> {
  const known = LAST.get(transaction) ?? new Map<string, number>()
  LAST.set(transaction, known)
  return known
}

async function largest(row: LucidRow, { name }: Column): Promise<number | null> {
  const model = row.constructor as LucidModel
  const client = model.$adapter.modelClient(row)
  const [found] = await client.from(model.table).max(`${name} as last`)
  return found?.last === null || found?.last === undefined ? null : Number(found.last)
}

/**
 * Checks the column's type and indexes, which are known after the resource is loaded.
 *
 * @throws ValueError  for a column of another type, or in a unique index, which would refuse concurrent moves
 */
export function checkOrderColumn(
  name: string,
  column: Column | undefined,
  uniqueKeys: ReadonlyArray<readonly string[]>
): void {
  if (!column) return
  if (column.kind !== 'integer') {
    throw new ValueError(
      `${name}: orderBy is '${column.apiName}', and must be a column of whole numbers`
    )
  }
  if (!uniqueKeys.some((columns) => columns.includes(column.name))) return
  throw new ValueError(
    `${name}: orderBy is '${column.apiName}', which is in a unique index: make it an index that is not unique`
  )
}
