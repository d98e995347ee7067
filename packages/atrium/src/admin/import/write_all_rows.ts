import type { TransactionClientContract } from '@adonisjs/lucid/types/database'
import { DateTime } from 'luxon'
import type { Site } from '../views/site.js'
import type { FileShape } from '../sheets/file_shape.js'
import { actorDetails, eventActor } from '../events/event_dispatcher.js'
import { type AdminEvent, type EventRecord, EventType } from '../events/event_integration.js'
import { LongAction, type By } from '../events/long_action.js'
import type { ImportSpec } from './import_spec.js'
import { ROWS_PER_PART, rowBatches, type Tally } from './dry_run.js'
import { isInvalid } from './rows/checked_row.js'
import { RowChecker } from './rows/row_checker.js'
import { writeRows } from './rows/row_writer.js'
import type { Importer } from './import_fields.js'

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
  options: { skipFaulty: boolean; onProgress: (rows: number) => Promise<void> | void }
): Promise<void> {
  const checker = new RowChecker(site, spec)
  for await (const rows of rowBatches(file.path, file.shape, ROWS_PER_PART)) {
    const checkedRows = await checker.check(rows, client, false)
    const isGood = tally.counts.faulty === 0 && !checkedRows.some(isInvalid)
    const count = () => void tally.add(checkedRows)
    if (isGood || options.skipFaulty)
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
