import type { QueryClientContract, TransactionClientContract } from '@adonisjs/lucid/types/database'
import { dialectOf } from '#base/database/dialects'
import { endLongTurn } from '#base/event_loop'
import { gatherWrites } from '#crud/internals'
import { inTransaction } from '#base/database/transaction'
import type { Site } from '../../views/site.js'
import { isForPeople } from '../../forms/submission/form_failure.js'
import type { Importer } from '../import_fields.js'
import { isInvalid, type CheckedRow, noteError } from './checked_row.js'
import { DateTime } from 'luxon'
import type { FileShape } from '../../sheets/file_shape.js'
import { actorDetails, eventActor } from '../../events/event_dispatcher.js'
import { type AdminEvent, type EventRecord, EventType } from '../../events/event_integration.js'
import { LongAction, type By } from '../../events/long_action.js'
import type { ImportSpec } from '../import_spec.js'
import { ROWS_PER_PART, rowBatches, type Tally } from '../dry_run.js'
import { RowChecker } from './row_checker.js'

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

/** Rows per transaction of an import in parts; tests use fewer */
export const PART = { rows: 1000 }

/**
 * Writes all rows of a file in one transaction. After the first invalid row, the remaining rows are only validated and
 * the caller rolls back, unless invalid rows are skipped.
 *
 * @param tally  counts the rows
 * @param options.onProgress  called after each part with the number of rows so far; can throw to stop the import
 */
export async function writeAllRows(
  site: Site,
  spec: ImportSpec,
  file: { path: string; shape: FileShape },
  tally: Tally,
  client: TransactionClientContract,
  options: { skipInvalid: boolean; onProgress: (rows: number) => Promise<void> | void }
): Promise<void> {
  const checker = new RowChecker(site, spec)
  for await (const rows of rowBatches(file.path, file.shape, ROWS_PER_PART)) {
    const checkedRows = await checker.check(rows, client, false)
    const isGood = tally.counts.faulty === 0 && !checkedRows.some(isInvalid)
    const count = () => void tally.add(checkedRows)
    if (isGood || options.skipInvalid)
      await writeRows(site, spec.importer, checkedRows, client, count)
    else count()
    await options.onProgress(tally.rows)
  }
}

/** The event of an import, which all writes of the importer belong to. */
export class ImportAction extends LongAction {
  /** @param eventId  id of the event, if an earlier part has logged it */
  constructor(
    private readonly importer: Importer,
    private readonly file: string,
    private readonly tally: Tally,
    eventId: number | null
  ) {
    super(eventId)
    this.of(importer)
  }

  event({ actor, origin }: By, records: EventRecord[]): AdminEvent {
    const { new: created, changed, unchanged, faulty: invalid } = this.tally.counts
    return {
      type: EventType.IMPORT,
      status: 'success',
      timestamp: DateTime.utc(),
      ...eventActor({ actor, origin }),
      resourceType: this.importer.view.name,
      resourceId: null,
      details: {
        count: created + changed,
        file: this.file,
        new: created,
        changed,
        unchanged,
        faulty: invalid,
        ...(origin?.jobId && { job: origin.jobId }),
        ...actorDetails(actor),
      },
      records,
    }
  }

  /** Event with the final numbers of all rows. */
  get end(): AdminEvent {
    return this.event(this.importer, [])
  }
}
