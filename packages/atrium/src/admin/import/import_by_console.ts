import { stat } from 'node:fs/promises'
import { resources, ValueError } from '#crud'
import { inTransaction } from '#base/database/transaction'
import { listed } from '#base/errors'
import type { WithDatabase } from '../config/database_config.js'
import type { Site } from '../views/site.js'
import type { WithJobs } from '../jobs/jobs.js'
import { ImportRefused } from './import_access.js'
import { FileError } from '../jobs/job_errors.js'
import type { ImportMapping, ImportProgress } from '../models/admin_import.js'
import { ModelView } from '../views/model_view.js'
import { inspectFile } from '../sheets/inspect_file.js'
import type { FileShape } from '../sheets/file_shape.js'
import { shorten } from '../text/plain_text.js'
import { UTC } from '../time/time_zone.js'
import { writesInPartsTo } from '../jobs/part_size.js'
import { checkDateOrder, checkZone, importSpec, type ImportSpec } from './import_spec.js'
import { ConsoleParts } from './console_parts.js'
import { findDateOrders, withDateOrders, Tally, tryRows, type ImportSite } from './dry_run.js'
import { guessKey, guessMapping, knownFields, type KnownField, operator } from './import_fields.js'
import { ImportAction, writeAllRows } from './rows/row_writer.js'

/** Value of `key` for a file whose rows are all new */
const NO_KEY = 'none'

const MOST_HEADINGS = 20
const LONGEST_HEADING = 60

/** Thrown to end the transaction of an import with invalid rows. */
class InvalidRowsFound extends Error {}

interface ConsoleImport {
  /** Class name of the model */
  model: string
  path: string
  name: string
  /** API name of the field that identifies the record of a row; undefined: guessed */
  key?: string
  /** Order of day, month and year; undefined: detected from the values of each column */
  dates?: string
  /** The time zone of datetimes without an offset. Default: UTC */
  zone?: string
  /** Name of a workbook's sheet. Default: the first visible sheet with rows */
  sheet?: string
  /** Line or row of the heading; undefined: detected */
  heading?: number
  dryRun: boolean
  skipInvalid: boolean
  /** Called from time to time with the number of rows so far */
  onProgress: (rows: number) => void
  /** Called once, before the first row */
  planned: (plan: ConsolePlan) => void
}

/** Settings that the pages ask the user for and a command guesses. */
export interface ConsolePlan {
  /** Headings of the columns without a field, as a list in words; empty if there are none */
  leftOut: string
  /** API names of the fields that identify the record of a row; empty: all rows are new */
  key: string[]
}

/**
 * Imports a file as the operator: in one transaction, so that a killed process leaves no rows behind; on SQLite in
 * several short transactions.
 *
 * @returns the effects of the rows, or the effects that they would have if nothing is written
 * @throws ValueError  with a readable message
 */
export async function importByConsole(
  site: ImportSite & WithDatabase,
  { model, path, name, dryRun, skipInvalid, onProgress, planned, ...chosen }: ConsoleImport
): Promise<{ counts: ImportProgress; isWritten: boolean; size: number }> {
  return await inWords(site, async () => {
    const { size } = await existing(path)
    await resources.load()
    const importer = await operator(viewOf(site, model), 'crud:import')
    const { heading, sheet } = chosen
    const shape = await inspectFile(path, name, { heading, sheet })
    const spec = await specOf(site, importer, shape, chosen)
    planned(planOf(spec, shape))
    const file = { path, shape }
    if (dryRun) {
      const { notes, preview, dates, ...counts } = await tryRows(site, spec, file, null, onProgress)
      return { counts, isWritten: false, size }
    }
    const tally = await writeAll(site, spec, file, name, { skipInvalid, onProgress })
    const { counts } = tally
    const isRefused = counts.faulty > 0 && !skipInvalid
    return { counts, isWritten: !isRefused && counts.new + counts.changed > 0, size }
  })
}

async function writeAll(
  site: Site & WithDatabase & WithJobs,
  planned: ImportSpec,
  file: { path: string; shape: FileShape },
  name: string,
  options: { skipInvalid: boolean; onProgress: (rows: number) => void }
): Promise<Tally> {
  const spec = withDateOrders(planned, await findDateOrders(planned, file))
  const { importer } = spec
  const client = importer.view.client()
  if (writesInPartsTo(site, client)) {
    return await new ConsoleParts(site, spec, file, name, options).perform()
  }
  const tally = new Tally()
  const action = new ImportAction(importer, name, tally, null)
  try {
    await inTransaction(client, async (transaction) => {
      await writeAllRows(site, spec, file, tally, transaction, options)
      if (tally.counts.faulty > 0 && !options.skipInvalid) throw new InvalidRowsFound()
      if (site.eventIntegration?.isPartOf?.(client)) {
        await site.events.endAction(action, transaction)
      }
    })
  } catch (error) {
    if (!(error instanceof InvalidRowsFound)) throw error
  }
  await action.settle()
  return tally
}

async function specOf(
  site: Site,
  importer: ImportSpec['importer'],
  shape: FileShape,
  { dates, key, zone = UTC }: Pick<ConsoleImport, 'dates' | 'key' | 'zone'>
): Promise<ImportSpec> {
  const dateOrder = dates ?? null
  checkDateOrder(dateOrder)
  checkZone(zone)

  const fields = await knownFields(site, importer)
  const mapping = guessMapping(fields, shape)
  const { name: model } = importer.view.resource
  const names = fields.map((field) => field.name)
  if (mapping.columns.every((column) => column === null)) {
    const headings = someOf(shape.columns)
    throw new ValueError(
      `The file has no column of ${model}: it has ${headings}; fields are ${listed(names)}`
    )
  }
  const requested = key === NO_KEY ? [] : (key?.split(',') ?? [])
  const wrong = requested.map((one) => one.trim()).find((one) => !names.includes(one))
  if (wrong !== undefined) {
    throw new ValueError(`Unknown field ${wrong} of ${model}; fields are ${listed(names)}`)
  }
  const guessed = guessKey(importer.view.resource, fields, mapping)
  const chosen = key === undefined ? guessed : key === NO_KEY ? null : key
  const options = { dateOrder, zone }
  const written = withoutUnusedKeys(mapping, fields, chosen)
  return await importSpec(site, importer, shape, { mapping: written, key: chosen, options })
}

/** Returns the mapping without key columns that are not in the schema and that do not identify records. */
function withoutUnusedKeys(
  mapping: ImportMapping,
  fields: readonly KnownField[],
  key: string | null
): ImportMapping {
  const used = key?.split(',').map((name) => name.trim()) ?? []
  const unused = fields.filter(({ isOnlyKey, name }) => isOnlyKey && !used.includes(name))
  const names = new Set(unused.map(({ name }) => name))
  const columns = mapping.columns.map((name) => (name !== null && names.has(name) ? null : name))
  return { ...mapping, columns }
}

function planOf({ columns, key }: ImportSpec, { columns: headings }: FileShape): ConsolePlan {
  const taken = new Set(columns.map(({ index }) => index))
  const left = headings.filter((_, index) => !taken.has(index))
  return {
    leftOut: left.length > 0 ? someOf(left) : '',
    key: key.map(({ name }) => name),
  }
}

/** Shortens a list of headings, because a file can have thousands of columns. */
function someOf(headings: readonly string[]): string {
  const shown = headings.slice(0, MOST_HEADINGS).map((heading) => shorten(heading, LONGEST_HEADING))
  const more = headings.length - shown.length
  return listed(more > 0 ? [...shown, `${more} more`] : shown)
}

/** Returns the view of a model. For a model without pages it is a view with all actions. */
function viewOf(site: Site & WithDatabase, model: string): ModelView {
  const view = site.models.get(model)
  if (view?.adminModel)
    throw new ValueError(`${model} is a model of the admin site, and not imported`)
  if (view) return view
  const endpoints = resources.endpoints().find(({ resource }) => resource.name === model)
  if (endpoints) {
    const { resource } = endpoints
    return new ModelView({ model: resource.model, databaseConfig: site.dbConfig, adminSite: site })
  }
  const known = [...site.models.values()].filter(({ adminModel }) => !adminModel)
  const names = new Set([
    ...known.map((one) => one.name),
    ...resources.endpoints().map(({ resource }) => resource.name),
  ])
  throw new ValueError(`Unknown model ${model}; models are ${listed(names)}`)
}

async function existing(path: string): Promise<{ size: number }> {
  const found = await stat(path).catch(() => null)
  if (!found) throw new ValueError(`The file ${path} does not exist`)
  if (!found.isFile()) throw new ValueError(`${path} is a folder, and must be a file`)
  return found
}

async function inWords<Result>(site: Site, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    const isReported = error instanceof ImportRefused || error instanceof FileError
    throw isReported ? new ValueError(site.text(error.key, error.data)) : error
  }
}
