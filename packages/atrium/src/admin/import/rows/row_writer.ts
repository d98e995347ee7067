import type { QueryClientContract, TransactionClientContract } from '@adonisjs/lucid/types/database'
import { dialectOf } from '#base/database/dialects'
import { endLongTurn } from '#base/event_loop'
import { gatherWrites } from '#crud/internals'
import { inTransaction } from '#base/database/transaction'
import type { Site } from '../../views/site.js'
import { isForPeople } from '../../forms/submission/form_failure.js'
import type { Importer } from '../import_fields.js'
import { isInvalid, type CheckedRow, noteError } from './checked_row.js'

/**
 * Writes valid rows by creates and updates of the model, like single writes: with hooks, policy and versions.
 *
 * @param checkedRows  rows to write; those that cannot be written become invalid
 * @param written  called after the rows are written and before they are logged
 * @throws any error that does not concern a row
 */
export async function writeRows(
  site: Site,
  importer: Importer,
  checkedRows: readonly CheckedRow[],
  client: TransactionClientContract,
  written: () => void
): Promise<void> {
  const { actor, origin, view } = importer
  const { model } = view.resource
  const wanted = checkedRows.filter(
    (checkedRow) =>
      !isInvalid(checkedRow) && (checkedRow.kind === 'new' || checkedRow.kind === 'changed')
  )
  await gatherWrites(client, { model, actor, origin, forgets: true }, async () => {
    if (!(await writeAll(importer, wanted, client))) {
      for (const checkedRow of wanted) await writeOne(site, importer, checkedRow, client)
    }
    await followKeys(importer, wanted, client)
    written()
  })
}

/** Adjusts the sequence of keys after inserting rows with explicit keys. */
async function followKeys(
  { view }: Importer,
  checkedRows: readonly CheckedRow[],
  client: TransactionClientContract
): Promise<void> {
  const { key, table } = view.resource
  const [column] = key.columns
  const isGiven = checkedRows.some(
    ({ kind, values }) => kind === 'new' && Object.hasOwn(values, column.attribute)
  )
  if (isGiven && column.autoIncrement) {
    await dialectOf(client).followGivenKeys?.(client, table, column)
  }
}

/**
 * Writes all rows without a savepoint for each row, because most rows are valid.
 *
 * @returns false if a row cannot be written, in which case none is written
 */
async function writeAll(
  importer: Importer,
  checkedRows: readonly CheckedRow[],
  client: TransactionClientContract
): Promise<boolean> {
  try {
    await inTransaction(client, async (part) => {
      for (const some of runsOf(checkedRows)) await writeRun(importer, some, part)
    })
    return true
  } catch (error) {
    if (!isForPeople(error)) throw error
    return false
  }
}

/**
 * Splits rows into runs of consecutive new or consecutive changed rows. The order of the rows does not change,
 * because a row can use a value that an earlier row has released.
 */
function runsOf(checkedRows: readonly CheckedRow[]): CheckedRow[][] {
  const runs: CheckedRow[][] = []
  for (const checkedRow of checkedRows) {
    const last = runs.at(-1)
    if (last && last[0].kind === checkedRow.kind) last.push(checkedRow)
    else runs.push([checkedRow])
  }
  return runs
}

async function writeRun(
  importer: Importer,
  checkedRows: readonly CheckedRow[],
  client: TransactionClientContract
): Promise<void> {
  const { actor, origin, view } = importer
  if (checkedRows[0].kind === 'new') {
    const all = checkedRows.map(({ values }) => values)
    await view.crud.createMany(all, { client, joins: true, actor, origin, returning: false })
    return
  }
  for (const checkedRow of checkedRows) {
    await endLongTurn()
    const located = checkedRow.record ?? undefined
    await write(importer, checkedRow, { client, joins: true, located })
  }
}

async function writeOne(
  site: Site,
  importer: Importer,
  checkedRow: CheckedRow,
  client: QueryClientContract
): Promise<void> {
  try {
    await write(importer, checkedRow, { client })
  } catch (error) {
    noteError(site, importer.view, checkedRow, error)
  }
}

async function write(
  { actor, origin, view }: Importer,
  { record, values }: CheckedRow,
  own: Parameters<Importer['view']['crud']['update']>[2]
): Promise<void> {
  const { crud, resource } = view
  const { located, ...options } = { ...own, actor, origin }
  if (!record) {
    await crud.create(values, options)
    return
  }
  const key = resource.key.of(record)
  await crud.update(resource.key.isComposite ? key : key[0], values, { ...options, located })
}
