import type { QueryClientContract } from '@adonisjs/lucid/types/database'
import { missingReference } from '#base/http/problems'
import type { Column } from '#base/columns/column'
import type { Resource } from '#crud'
import type { AdminSite } from '../../admin_site.js'
import type { ImportSpec } from '../import_spec.js'
import { isFaulty, isFaultyIn, type Draft, noteError } from './draft.js'

/* Databases limit the values of a statement. */
const VALUES_AT_ONCE = 200

interface ForeignColumn {
  column: Column
  table: string
  reference: string
  /** The column of the model's own table that it refers to, if it does */
  own: Column | undefined
}

/**
 * Checks that the records exist to which rows refer, with a statement for 200 values. Where anything restricts what the
 * importer may see, each row is checked for that as well. [D3]
 */
export class ReferredRows {
  readonly #foreign: ForeignColumn[]
  /** Values of the rows so far that others of the same table may refer to */
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
    site: AdminSite,
    { importer }: ImportSpec,
    drafts: readonly Draft[],
    client: QueryClientContract
  ): Promise<void> {
    for (const foreign of this.#foreign) {
      const { column, own } = foreign
      const referring = drafts.filter((draft) => {
        if (own) this.#note(own, draft)
        const value = draft.values[column.attribute]
        if (value === null || value === undefined) return false
        if (isFaultyIn(draft, [column.apiName])) return false
        return !(own && this.#made.has(madeBy(own, value)))
      })
      const known = await this.#existing(foreign, referring, client)
      for (const draft of referring) {
        if (known.has(String(draft.values[column.attribute]))) continue
        const fields = column.hidden ? [] : [column.apiName]
        noteError(site, importer.view, draft, missingReference(fields))
      }
    }
  }

  #note(own: Column, draft: Draft) {
    const value = draft.values[own.attribute]
    if (draft.kind === 'new' && !isFaulty(draft) && value !== undefined && value !== null)
      this.#made.add(madeBy(own, value))
  }

  async #existing(
    { column, reference, table }: ForeignColumn,
    drafts: readonly Draft[],
    client: QueryClientContract
  ): Promise<Set<string>> {
    const wanted = new Map(
      drafts.map(({ values }) => [String(values[column.attribute]), values[column.attribute]])
    )
    const all = [...wanted.values()]
    const known = new Set<string>()
    for (let start = 0; start < all.length; start += VALUES_AT_ONCE) {
      const some = all.slice(start, start + VALUES_AT_ONCE) as string[]
      const rows = await client.from(table).whereIn(reference, some).select(reference)
      for (const row of rows) known.add(String(row[reference]))
    }
    return known
  }
}

function madeBy({ name }: Column, value: unknown): string {
  return `${name} ${String(value)}`
}
