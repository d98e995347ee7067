import type { QueryClientContract } from '@adonisjs/lucid/types/database'
import type { LucidCrud } from '#crud'
import { fieldsReadOnly } from '#base/http/access_problems'
import { inTransaction } from '#base/database/transaction'
import { endLongTurn } from '#base/event_loop'
import type { Site } from '../../views/site.js'
import type { ImportSpec } from '../import_spec.js'
import type { FileRow } from '../../sheets/file_shape.js'
import {
  addError,
  isInvalid,
  type CheckedRow,
  noteCells,
  noteError,
  checkedRowOf,
  sortErrors,
} from './checked_row.js'
import { UniqueValues, ReferredRows } from './check_database.js'
import { findRecords, noteKeys, type SeenKeys, findTitles } from './find_records.js'
import { validateValues, readCells } from './validate_values.js'

/** Thrown to roll back the transaction of a dry run. */
class Undone extends Error {}

/**
 * Checks rows as creates and updates would: permissions, policy, references, custom preparation of values, and whether
 * the records would stay visible to the importer. Nothing is written, and the model's hooks do not run.
 */
async function tryWrites(
  site: Site,
  spec: ImportSpec,
  checkedRows: readonly CheckedRow[],
  client: QueryClientContract
): Promise<void> {
  const { crud } = spec.importer.view
  if (!crud.hasOwnPreparation) return await tryAll(site, spec, checkedRows, client)
  /* Custom code can write with the transaction that it gets, so the transaction is rolled back. */
  try {
    await inTransaction(spec.importer.view.client(), async (transaction) => {
      await tryAll(site, spec, checkedRows, transaction)
      throw new Undone()
    })
  } catch (error) {
    if (!(error instanceof Undone)) throw error
  }
}

async function tryAll(
  site: Site,
  { importer }: ImportSpec,
  checkedRows: readonly CheckedRow[],
  client: QueryClientContract
): Promise<void> {
  const { actor, origin, view } = importer
  const options = { client, actor, origin }
  for (const operation of ['create', 'update'] as const) {
    const kind = operation === 'create' ? 'new' : 'changed'
    const unstored: Array<
      Parameters<LucidCrud['checkUnstored']>[1][number] & { checkedRow: CheckedRow }
    > = []
    for (const checkedRow of checkedRows) {
      if (isInvalid(checkedRow) || checkedRow.kind !== kind) continue
      try {
        const { values } = checkedRow
        if (checkedRow.record) await view.crud.tryUpdate(checkedRow.record, values, options)
        const record = checkedRow.record ?? (await view.crud.tryCreate(values, options))
        unstored.push({ checkedRow, record, sent: [...checkedRow.changes.keys()] })
      } catch (error) {
        noteError(site, view, checkedRow, error)
      }
    }
    const verdicts = await view.crud.checkUnstored(operation, unstored, options)
    verdicts.forEach(({ isRefused, readOnly }, index) => {
      const { checkedRow } = unstored[index]
      if (readOnly.length > 0) noteError(site, view, checkedRow, fieldsReadOnly([...readOnly]))
      else if (isRefused) addError(checkedRow, null, site.text('import.errors.outOfReach'))
    })
  }
}

/**
 * Checks the rows of a file in order, some hundred at a time. Each row is compared with the previous ones.
 */
export class RowChecker {
  readonly #seen: SeenKeys = new Map()
  readonly #unique: UniqueValues
  readonly #referred: ReferredRows

  constructor(
    private readonly site: Site,
    private spec: ImportSpec
  ) {
    const { resource } = spec.importer.view
    this.#unique = new UniqueValues(resource)
    this.#referred = new ReferredRows(resource)
  }

  /** Continues with the importer's current permissions. */
  continueAs(spec: ImportSpec): void {
    this.spec = spec
  }

  /** Registers rows that are already written, so that a later row with the same key is an error. */
  async skip(rows: readonly FileRow[], client: QueryClientContract): Promise<void> {
    const { site, spec } = this
    if (spec.key.length === 0) return
    const checkedRows = rows.map(checkedRowOf)
    for (const checkedRow of checkedRows) readCells(site, spec, checkedRow)
    await findTitles(site, spec, checkedRows, client)
    noteKeys(site, spec.key, checkedRows, this.#seen)
  }

  /**
   * Returns the checked rows, with the errors that were found.
   *
   * @param client  client to read with; in a transaction that then writes the rows, the records are locked
   * @param isDryRun  true to check policy, scope and custom code as well, because no write will do so
   */
  async check(
    rows: readonly FileRow[],
    client: QueryClientContract,
    isDryRun: boolean
  ): Promise<CheckedRow[]> {
    const { site, spec } = this
    const checkedRows = rows.map(checkedRowOf)
    for (const checkedRow of checkedRows) readCells(site, spec, checkedRow)
    await endLongTurn()
    await findTitles(site, spec, checkedRows, client)
    await findRecords(site, spec, checkedRows, this.#seen, client, !isDryRun)
    for (const checkedRow of checkedRows) {
      await endLongTurn()
      await validateValues(site, spec, checkedRow)
    }
    await endLongTurn()
    await this.#unique.check(site, spec, checkedRows, client)
    await this.#referred.check(site, spec, checkedRows, client)
    if (isDryRun) await tryWrites(site, spec, checkedRows, client)
    const names = spec.columns.map(({ field }) => field.name)
    for (const checkedRow of checkedRows) {
      sortErrors(checkedRow, names)
      noteCells(checkedRow, spec)
    }
    return checkedRows
  }
}
