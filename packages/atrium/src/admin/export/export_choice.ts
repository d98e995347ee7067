import type { HttpContext } from '@adonisjs/core/http'
import { Records } from '#crud/internals'
import type { Condition } from '#base/columns/condition'
import { idOfPath, readIds } from '../bulk/bulk_ids.js'
import { BulkFailure } from '../bulk/errors.js'
import { NotAllowed } from '../http/errors.js'
import type { ModelView } from '../views/model_view.js'
import { FILE_FORMATS, isFileFormat, type FileFormat } from '../sheets/file_shape.js'
import { columnsWritten } from '../list/columns/column_choices.js'
import type { Site } from '../views/site.js'
import { may } from '../permissions/may.js'
import { JobFailure } from '../jobs/job_errors.js'

/** Parameter of an export with the key path of a selected record, which is the value of the list's checkbox */
const SELECTED = 'ids'

/**
 * Returns the condition for the records that were selected in a list.
 *
 * @param paths  see `SELECTED`
 * @throws ExportRefused  for an invalid key, and for too many keys
 */
export function selectedRecords({ resource }: ModelView, paths: readonly string[]): Condition {
  try {
    return new Records(resource).among(readIds(resource.key, paths.map(idOfPath)))
  } catch (error) {
    if (error instanceof BulkFailure) throw new ExportRefused(error.key, error.data)
    throw error
  }
}

/** Returns the query of an export of the records that were selected in a list. */
export function withSelected(list: string, paths: readonly string[]): string {
  const query = new URLSearchParams(list)
  query.delete(SELECTED)
  for (const path of paths) query.append(SELECTED, path)
  return query.toString()
}

/** Value of `columns` that selects all fields of responses */
const ALL_FIELDS = '*'

const SWITCHES = ['bom', 'raw', 'labels', 'titles'] as const

/** Parameters of an export in addition to the list's query, whose parameters have other names */
const OWN: readonly string[] = ['format', SELECTED, ...SWITCHES]

/** Format options of an export. */
export interface ExportChoice {
  format: FileFormat
  /** True to write a byte order mark at the beginning of a CSV file */
  bom: boolean
  /** True to write texts unchanged, including formulas */
  raw: boolean
  /** True to use labels in CSV and XLSX, instead of API names and of the values of enums */
  labels: boolean
  /** True to add columns with the titles of referenced records */
  titles: boolean
}

/** The parts of an export's query. */
export interface ExportQuery {
  choice: ExportChoice
  /** Query of the list */
  list: string
  /** True for all fields of responses, in their order */
  hasAllFields: boolean
  /** Key paths of the records that were selected in the list; null: all records of the list */
  selected: string[] | null
}

/**
 * Splits the query of an export into the parameters of the export and those of the list.
 *
 * @param query  query with or without the question mark
 * @throws ExportRefused  for an unknown format, or an invalid value of a switch
 */
export function readExport(query: string): ExportQuery {
  const given = new URLSearchParams(query)
  const format = given.getAll('format').at(-1) ?? ''
  if (!isFileFormat(format)) {
    throw new ExportRefused('export.errors.format', { formats: FILE_FORMATS.join(', ') })
  }
  const isOn = (name: string) => readSwitch(name, given.getAll(name).at(-1) ?? '')
  const choice = {
    format,
    bom: isOn('bom'),
    raw: isOn('raw'),
    labels: isOn('labels'),
    titles: isOn('titles'),
  }
  return { choice, ...listPart(query) }
}

/** Returns the list's part of an export's query. */
export function listPart(query: string): Omit<ExportQuery, 'choice'> {
  const given = new URLSearchParams(query)
  const selected = given.has(SELECTED) ? given.getAll(SELECTED) : null
  for (const name of OWN) given.delete(name)
  const hasAllFields = given.getAll('columns').includes(ALL_FIELDS)
  if (hasAllFields) given.delete('columns')
  return { list: given.toString(), hasAllFields, selected }
}

function readSwitch(name: string, text: string): boolean {
  if (text === '1' || text === 'true') return true
  if (text === '' || text === '0' || text === 'false') return false
  throw new ExportRefused('export.errors.switch', { name })
}

type Texts = ReadonlyMap<string, readonly string[]>

const SENT = ['format', 'titles', 'labels', 'bom', 'raw'] as const

/** Returns the query of an export from the form of the dialog. */
export function exportInForm(texts: Texts): string {
  const last = (name: string) => texts.get(name)?.at(-1)
  const query = new URLSearchParams(last('query') ?? '')
  for (const name of SENT) {
    query.delete(name)
    const text = last(name)
    if (text !== undefined) query.set(name, text)
  }
  const mode = last('columns')
  if (mode === 'all') query.set('columns', ALL_FIELDS)
  if (mode === 'chosen') {
    const chosen = texts.get('chosen') ?? []
    query.delete('columns')
    for (const text of columnsWritten(chosen)) query.append('columns', text)
  }
  return query.toString()
}

/** @throws ExportRefused  if no column is selected */
export function checkColumns(texts: Texts): void {
  const isNone = texts.get('columns')?.at(-1) === 'chosen' && !texts.get('chosen')?.length
  if (isNone) throw new ExportRefused('export.errors.noColumns')
}

/* A sheet has at most 1,048,576 rows, and the first one is the heading. */
const MOST_ROWS_OF_SHEET = 1_048_575

/**
 * Returns true if the signed-in user can export formulas without escaping: users who can also import into the model,
 * because such a file is intended for programs and for importing it again.
 */
export async function mayHaveRaw(ctx: HttpContext, site: Site, view: ModelView): Promise<boolean> {
  const { actor } = view.callOptions(ctx)
  return await site.permissions.mayDo(actor, view.name, 'import')
}

/**
 * @param view  view with the permissions of the user's roles
 * @throws NotAllowed     for users who cannot export the model
 * @throws ExportRefused  for users who cannot export formulas without escaping
 */
export async function checkMayExport(
  ctx: HttpContext,
  site: Site,
  view: ModelView,
  raw: boolean
): Promise<void> {
  if (!(await may(ctx, view, 'export'))) throw new NotAllowed()
  if (raw && !(await mayHaveRaw(ctx, site, view))) throw new ExportRefused('export.errors.raw')
}

/**
 * @param count  number of records; null if it is not known
 * @throws ExportRefused  for more records than the format supports
 */
export function checkFits(format: FileFormat, count: number | null): void {
  if (format !== 'xlsx' || (count ?? 0) <= MOST_ROWS_OF_SHEET) return
  throw new ExportRefused('export.errors.rows', { count, most: MOST_ROWS_OF_SHEET })
}

/** Thrown for an export that is not possible as requested, with a message of the catalogue. */
export class ExportRefused extends JobFailure {
  /**
   * @param key  key of the message in the catalogue
   */
  constructor(key: string, data: Record<string, unknown> = {}) {
    super(key, data, { status: 422, code: 'E_EXPORT_REFUSED' })
  }
}
