import type { QueryClientContract } from '@adonisjs/lucid/types/database'
import type { Resource } from '#crud'
import { alreadyRegistered, missingReference } from '#base/http/problems'
import { dialectOf } from '#base/database/dialects'
import { identityOf } from '#base/columns/key'
import { attributeValue, toApi } from '#base/values/to_api'
import type { Column } from '#base/columns/column'
import type { Site } from '../../views/site.js'
import type { ImportSpec } from '../import_spec.js'
import { addError, isInvalid, isInvalidIn, type CheckedRow, noteError } from './checked_row.js'
import { KEYS_PER_CONDITION, ROWS_PER_READ, chunks } from '#base/chunks'

interface Taken {
  checkedRow: CheckedRow
  id: string
  /**
   * True if the values are reserved, so that a later row with the same values is an error; values of invalid rows are
   * not reserved
   */
  isNoted: boolean
  /** Values as the database compares them */
  values: unknown[]
}

/**
 * The unique values of the previous rows, with the line of each, and the unique values of records that rows overwrite.
 */
export class UniqueValues {
  readonly #lines = new Map<string, number>()
  readonly #freed = new Set<string>()
  readonly #groups: Column[][]

  constructor(private readonly resource: Resource) {
    const { columns, wholeKeys } = resource.base
    this.#groups = wholeKeys.flatMap((names) => {
      const group = names.map((name) => columns.all.find((column) => column.name === name)!)
      return group.length === 0 || group.includes(undefined!) ? [] : [group]
    })
  }

  /**
   * Adds an error for each value that must be unique but belongs to another row or record, including records that are
   * not visible to the importer.
   */
  async check(
    site: Site,
    spec: ImportSpec,
    checkedRows: readonly CheckedRow[],
    client: QueryClientContract
  ): Promise<void> {
    for (const [index, group] of this.#groups.entries()) {
      const taken = this.#takenOf(site, secretsOf(spec.importer, group), group, index, checkedRows)
      for (const some of chunks(taken, KEYS_PER_CONDITION)) {
        await this.#compare(site, spec, group, some, client)
      }
      for (const { checkedRow, id, isNoted } of taken) {
        if (isNoted && isInvalid(checkedRow)) this.#lines.delete(id)
      }
    }
  }

  /** Checks the rows in order, because a row can use a value that an earlier row has released. */
  #takenOf(
    site: Site,
    isSecret: (column: Column) => boolean,
    group: Column[],
    index: number,
    checkedRows: readonly CheckedRow[]
  ): Taken[] {
    const found: Taken[] = []
    const names = group.map(({ apiName }) => apiName)
    for (const checkedRow of checkedRows) {
      if (
        checkedRow.kind === null ||
        checkedRow.kind === 'unchanged' ||
        isInvalidIn(checkedRow, names)
      )
        continue
      const { record, values } = checkedRow
      if (!group.some(({ attribute }) => Object.hasOwn(values, attribute))) continue
      const attributes = { ...record?.$attributes, ...values }
      const parts = group.map((column) => attributeValue(column, attributes))
      if (parts.includes(null)) continue
      const id = idOf(index, parts)
      const line = this.#lines.get(id)
      if (line !== undefined) {
        const value = group.some(isSecret) ? '' : parts.join(', ')
        addError(
          checkedRow,
          group[0].apiName,
          site.text('import.errors.valueAgain', { line, value })
        )
        continue
      }
      const isNoted = !isInvalid(checkedRow)
      if (isNoted) {
        this.#lines.set(id, checkedRow.row.line)
        const before = group.map((one) => attributeValue(one, record?.$attributes))
        if (record && !before.includes(null)) this.#freed.add(idOf(index, before))
      }
      if (this.#freed.has(id)) continue
      const wanted = group.map(({ attribute }) => attributes[attribute])
      found.push({ checkedRow, id, isNoted, values: wanted })
    }
    return found
  }

  async #compare(
    site: Site,
    { importer }: ImportSpec,
    group: Column[],
    taken: readonly Taken[],
    client: QueryClientContract
  ): Promise<void> {
    if (taken.length === 0) return
    const { key, reader, table } = this.resource.base
    const dialect = dialectOf(client)
    const conditions =
      group.length === 1
        ? [
            dialect.compareList(
              table,
              group[0],
              taken.map(({ values }) => toApi(group[0], values[0])),
              false
            ),
          ]
        : taken.map(({ values }) => {
            const parts = values.map((value, index) =>
              dialect.compare(table, group[index], '=', toApi(group[index], value))
            )
            return {
              sql: `(${parts.map(({ sql }) => sql).join(' and ')})`,
              bindings: parts.flatMap(({ bindings }) => bindings),
            }
          })
    const where = {
      sql: conditions.map(({ sql }) => sql).join(' or '),
      bindings: conditions.flatMap(({ bindings }) => bindings),
    }
    const rows = await reader.rows(client, { where: [where] })
    const owners = new Map<string, string>()
    for (const row of rows) {
      const parts = group.map((column) => toApi(column, row[column.name]))
      owners.set(JSON.stringify(parts.map(String)), identityOf(key.ofRow(row)))
    }
    for (const { checkedRow, values } of taken) {
      const parts = values.map((value, index) => toApi(group[index], value))
      const owner = owners.get(JSON.stringify(parts.map(String)))
      if (owner === undefined) continue
      if (checkedRow.record && identityOf(key.of(checkedRow.record)) === owner) continue
      const isSecret = secretsOf(importer, group)
      const shown = group.some(isSecret) ? undefined : parts.join(', ')
      const fields = group.filter((column) => !isSecret(column)).map(({ apiName }) => apiName)
      noteError(site, importer.view, checkedRow, alreadyRegistered(shown, fields))
    }
  }
}

/**
 * Returns the columns of a group that messages must not contain: hidden columns, and columns that are hidden on some
 * records, because the value can come from the record. The value of a single-column group always comes from the row.
 */
function secretsOf(
  { view }: ImportSpec['importer'],
  group: readonly Column[]
): (column: Column) => boolean {
  const { columns, mixedColumns } = view.resource
  const mixed = new Set(group.length > 1 ? [...mixedColumns.keys()].map(({ name }) => name) : [])
  return ({ hidden, name }) => {
    const own = columns.all.find((column) => column.name === name)
    return hidden || !own || own.hidden || mixed.has(name)
  }
}

function idOf(index: number, parts: readonly unknown[]): string {
  return `${index} ${JSON.stringify(parts.map(String))}`
}

interface ForeignColumn {
  column: Column
  table: string
  reference: string
  /** The referenced column, if it is in the model's table */
  own: Column | undefined
}

/**
 * Checks that the records exist that rows refer to, with one statement for 200 values. If the importer can refer to
 * only some of these records, that is checked for each row as well.
 */
export class ReferredRows {
  readonly #foreign: ForeignColumn[]
  /** Values of the previous rows that other rows of the same table can refer to */
  readonly #made = new Set<string>()

  constructor({ base }: Resource) {
    const { columns, foreignKeys, table } = base
    this.#foreign = foreignKeys.flatMap(({ columns: [name, ...others], references, ...key }) => {
      const column = columns.all.find((one) => one.name === name)
      if (!column || others.length > 0 || references.length !== 1) return []
      const [reference] = references
      const own =
        key.table === table ? columns.all.find((one) => one.name === reference) : undefined
      return [{ column, table: key.table, reference, own }]
    })
  }

  async check(
    site: Site,
    { importer }: ImportSpec,
    checkedRows: readonly CheckedRow[],
    client: QueryClientContract
  ): Promise<void> {
    for (const foreign of this.#foreign) {
      const { column, own } = foreign
      const referring = checkedRows.filter((checkedRow) => {
        if (own) this.#note(own, checkedRow)
        const value = checkedRow.values[column.attribute]
        if (value === null || value === undefined) return false
        if (isInvalidIn(checkedRow, [column.apiName])) return false
        return !(own && this.#made.has(madeBy(own, value)))
      })
      const known = await this.#existing(foreign, referring, client)
      for (const checkedRow of referring) {
        if (known.has(String(checkedRow.values[column.attribute]))) continue
        const fields = column.hidden ? [] : [column.apiName]
        noteError(site, importer.view, checkedRow, missingReference(fields))
      }
    }
  }

  #note(own: Column, checkedRow: CheckedRow) {
    const value = checkedRow.values[own.attribute]
    if (
      checkedRow.kind === 'new' &&
      !isInvalid(checkedRow) &&
      value !== undefined &&
      value !== null
    )
      this.#made.add(madeBy(own, value))
  }

  async #existing(
    { column, reference, table }: ForeignColumn,
    checkedRows: readonly CheckedRow[],
    client: QueryClientContract
  ): Promise<Set<string>> {
    const wanted = new Map(
      checkedRows.map(({ values }) => [String(values[column.attribute]), values[column.attribute]])
    )
    const all = [...wanted.values()]
    const known = new Set<string>()
    for (const some of chunks(all as string[], ROWS_PER_READ)) {
      const rows = await client.from(table).whereIn(reference, some).select(reference)
      for (const row of rows) known.add(String(row[reference]))
    }
    return known
  }
}

function madeBy({ name }: Column, value: unknown): string {
  return `${name} ${String(value)}`
}
