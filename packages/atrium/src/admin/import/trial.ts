import { createWriteStream } from 'node:fs'
import { once } from 'node:events'
import { finished } from 'node:stream/promises'
import { readersOf } from '#base/database/sqlite/sqlite_connection'
import { attributeValue } from '#base/values/to_api'
import type { AdminSite } from '../admin_site.js'
import { ReadingLimit } from '../errors.js'
import { writesInPartsTo } from '../jobs/writes_in_parts.js'
import type { ImportPreview, ImportTrial } from '../models/admin_import.js'
import type { FileShape } from '../sheets/file_shape.js'
import { findDateOrders, withDateOrders } from './date_orders.js'
import type { ImportSpec } from './import_spec.js'
import { ROWS_AT_ONCE, rowBatches } from './row_batches.js'
import { isFaulty, type Draft } from './rows/draft.js'
import { RowChecker } from './rows/row_checker.js'
import { Tally } from './tally.js'

/* Rows of which each is shown as it would be */
const MOST_SHOWN = 10

/* All or nothing holds other writers of SQLite up for some seconds. */
const LONG = 5000

/**
 * Judges every row of a file, and writes none. [D3]
 *
 * @param faultsTo  path of a new file for all errors, as lines of JSON
 * @param told      called after each part with the number of rows so far; its error ends the trial
 * @throws FileFault
 */
export async function tryRows(
  site: AdminSite,
  spec: ImportSpec,
  file: { path: string; shape: FileShape },
  faultsTo: string | null,
  told: (rows: number) => Promise<void> | void = () => {}
): Promise<ImportTrial> {
  const { view } = spec.importer
  const client = readersOf(view.client()) ?? view.client()
  const { rows: maxRows, invalidRows } = site.imports
  const dates = await findDateOrders(spec, { ...file, maxRows }, () => told(0))
  const checker = new RowChecker(site, withDateOrders(spec, dates))
  const tally = new Tally()
  const preview: ImportPreview[] = []
  const output = faultsTo === null ? null : createWriteStream(faultsTo, { mode: 0o600 })
  try {
    for await (const rows of rowBatches(file.path, file.shape, ROWS_AT_ONCE, maxRows)) {
      const drafts = await checker.check(rows, client, true)
      for (const draft of drafts) {
        if (preview.length < MOST_SHOWN) preview.push(...previewOf(spec, draft))
      }
      const faults = tally.add(drafts)
      const lines = faults.map((fault) => `${JSON.stringify(fault)}\n`).join('')
      if (output && lines !== '' && !output.write(lines)) await once(output, 'drain')
      if (tally.counts.faulty > invalidRows) throw tooManyInvalid(tally, invalidRows)
      await told(tally.rows)
    }
  } finally {
    output?.end()
    if (output) await finished(output)
  }
  const shown = { notes: notesOf(site, spec, tally), preview, ...(dates.length > 0 && { dates }) }
  return { ...tally.counts, ...shown }
}

function tooManyInvalid({ counts }: Tally, most: number): ReadingLimit {
  const [{ line, message }] = counts.faults
  return new ReadingLimit('sheets.fault.manyInvalid', { most, message }, line)
}

/** The keys of their texts, below `import.notes`. */
function notesOf(site: AdminSite, { importer }: ImportSpec, { counts }: Tally): string[] {
  const client = importer.view.client()
  const isSqlite = client.dialect.name.includes('sqlite')
  const isOne = isSqlite && !writesInPartsTo(site, client)
  return isOne && counts.new + counts.changed > LONG ? ['holdsWriter'] : []
}

function previewOf({ importer }: ImportSpec, draft: Draft): ImportPreview[] {
  if (isFaulty(draft) || (draft.kind !== 'new' && draft.kind !== 'changed')) return []
  const { changes, kind, row, seen } = draft
  const { titleColumn } = importer.view
  const title =
    titleColumn && seen
      ? attributeValue(titleColumn, seen.$original)
      : changes.get(titleColumn?.apiName ?? '')?.after
  return [
    {
      line: row.line,
      title: title === null || title === undefined ? null : String(title).slice(0, 200),
      kind,
      changes: [...changes].map(([field, change]) => ({ field, ...change })),
    },
  ]
}
