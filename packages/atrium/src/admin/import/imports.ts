import type { Writable } from 'node:stream'
import type { HttpContext } from '@adonisjs/core/http'
import { DateTime } from 'luxon'
import { ImportRefused, STORED_MAX } from './import_access.js'
import { PageNotFound } from '../http/errors.js'
import type AdminImport from '../models/admin_import.js'
import type { ImportMapping, ImportOptions } from '../models/admin_import.js'
import { isUnfinished } from '../models/admin_job.js'
import type AdminJob from '../models/admin_job.js'
import type { ModelView } from '../views/model_view.js'
import type { DateOrder } from '../sheets/date_order.js'
import type { ChosenShape, FileShape } from '../sheets/file_shape.js'
import { inspectFile } from '../sheets/inspect_file.js'
import { presentZone } from '../time/time_zone.js'
import { withCorrections, type CorrectableCell } from './corrections.js'
import { checkColumns, checkDateOrder, checkZone, importSpec } from './import_spec.js'
import { writeInvalidRows } from './invalid_rows.js'
import {
  guessKey,
  guessMapping,
  knownFields,
  type ImportField,
  type KnownField,
  importerOf,
  type Importer,
} from './import_fields.js'
import { ImportStore } from './import_store.js'
import { IMPORT_JOB, DRY_RUN_JOB } from './jobs/import_job.js'
import {
  deleteStoredFile,
  storeImportFile,
  keysBefore,
  withStoredFile,
  dryRunOfStoredFile,
  sweepTemporary,
} from './import_files.js'
import { guardOf } from '../identity/admin_guard.js'
import type { ImportSite } from './dry_run.js'

/*
 * Maximum size in bytes of a file whose dry run runs in the request, in about a second; larger files get a job
 */
const SHORT = 512 * 1024

/*
 * Time to wait before removing a file without an import, longer than an upload takes between storing the file and
 * inserting the row
 */
const LEEWAY = { hours: 1 }

/* Maximum length of a file name in the table */
const LONGEST_NAME = 255

/** An uploaded file. */
interface ImportedFile {
  /** Path of the file, which is copied */
  path: string
  /** File name that the client sent */
  name: string
  bytes: number
}

/** Settings that the user selects in the second step. */
export interface ChosenColumns {
  /** Field by position of the column; null, or no entry: not imported */
  columns: Record<number, string | null>
  by?: Record<number, 'key' | 'title'>
  /** Values of every row, by API name of a field without a column */
  values?: ImportMapping['values']
  /** API name of the field that identifies the record of a row; null: all rows are new */
  key: string | null
  dateOrder?: DateOrder | null
  /** Time zone of datetimes without an offset; default: the user's time zone */
  zone?: string
}

/**
 * The imports of the site, step by step. Callers check that the user owns the import; the permissions of the signed-in
 * user are also checked here.
 */
export class Imports {
  readonly store = new ImportStore()

  private constructor(private readonly site: ImportSite) {}

  /** Returns the imports of a site, always the same object. */
  static of(site: ImportSite): Imports {
    const known = IMPORTS.get(site) ?? new Imports(site)
    IMPORTS.set(site, known)
    return known
  }

  /**
   * Returns the fields that the user is allowed to import, for creates and updates.
   *
   * @throws NotAllowed
   */
  async fields(ctx: HttpContext, view: ModelView): Promise<ImportField[]> {
    const fields = await knownFields(this.site, await importerOf(ctx, view))
    return fields.map(({ column, reference, relation, ...field }) => field)
  }

  /** Returns an import; null if the import does not exist or was removed. */
  async find(id: number): Promise<AdminImport | null> {
    return await this.store.find(id)
  }

  /** Returns the user's unfinished imports, newest first, at most five. */
  async unfinished(ctx: HttpContext, { name }: ModelView): Promise<AdminImport[]> {
    const { owner } = guardOf(ctx).signedInOrFail()
    return await this.store.unfinished(owner.id, name)
  }

  /**
   * Stores the file, and guesses the field of each column.
   *
   * @throws FileError  for a file that is not a table
   * @throws NotAllowed
   */
  async begin(
    ctx: HttpContext,
    view: ModelView,
    file: ImportedFile,
    chosen: ChosenShape = {}
  ): Promise<AdminImport> {
    const importer = await importerOf(ctx, view)
    const shape = await inspectFile(file.path, file.name, chosen)
    const guess = await this.#guess(importer, shape)
    const { owner } = guardOf(ctx).signedInOrFail()
    const fileKey = await storeImportFile(file.path)
    const one = await this.#create({
      userId: owner.id,
      username: owner.username,
      model: view.name,
      fileName: file.name.slice(0, LONGEST_NAME),
      fileKey,
      bytes: file.bytes,
      shape,
      ...guess,
      options: { dateOrder: null, zone: presentZone() },
      state: 'columns',
      dryRun: null,
      counts: null,
      jobId: null,
      eventId: null,
    })
    for (const old of await this.store.beyond(owner.id, STORED_MAX)) await this.#remove(old)
    return one
  }

  /**
   * Reads the stored file with other options, and guesses again.
   *
   * @throws FileError      in which case nothing is changed
   * @throws ImportRefused  while the import is running, and after rows were written
   */
  async reread(ctx: HttpContext, one: AdminImport, chosen: ChosenShape): Promise<void> {
    refuseBusy(one)
    const importer = await this.#importer(ctx, one)
    const shape = await withStoredFile(one.fileKey, async (pathOf) => {
      const path = await pathOf('file')
      if (path === null) throw new ImportRefused('import.refused.fileGone')
      return await inspectFile(path, one.fileName, chosen)
    })
    one.merge({ shape, ...(await this.#guess(importer, shape)), ...UNTRIED })
    await this.store.change(one)
  }

  /**
   * Saves the fields of the columns, and discards the result of an earlier dry run.
   *
   * @throws ImportRefused
   */
  async setColumns(
    ctx: HttpContext,
    one: AdminImport,
    { columns, by = {}, values, dateOrder = null, key, zone = presentZone() }: ChosenColumns
  ): Promise<void> {
    refuseBusy(one)
    const { view, ...importer } = await this.#importer(ctx, one)
    checkDateOrder(dateOrder)
    checkZone(zone)
    const count = one.shape.columns.length
    const mapping = {
      columns: Array.from({ length: count }, (_, at) => columns[at] ?? null),
      by,
      values,
    }
    const fields = await knownFields(this.site, { ...importer, view })
    const checked = checkColumns(view.resource, fields, count, { mapping, key })
    const options: ImportOptions = { dateOrder, zone }
    const keyNames = checked.key.map(({ name }) => name).join(',')
    one.merge({ mapping: checked.mapping, key: keyNames || null, options, ...UNTRIED })
    await this.store.change(one)
  }

  /**
   * Saves corrected cells, and discards the result of an earlier dry run.
   *
   * @param changed  null discards all corrections
   * @throws ImportRefused
   */
  async correct(one: AdminImport, changed: readonly CorrectableCell[] | null): Promise<void> {
    refuseBusy(one)
    if (!one.dryRun) throw new ImportRefused('import.refused.untried')
    const corrections = changed ? withCorrections(one, changed) : undefined
    one.merge({ shape: { ...one.shape, corrections }, ...UNTRIED })
    await this.store.change(one)
  }

  /**
   * Starts the dry run, which validates every row and writes none. The dry run of a short file takes place immediately
   * (state `tried`), that of a longer one in a job (state `trying`, `jobId`).
   *
   * @throws ImportRefused, FileError, NotAllowed
   */
  async startDryRun(ctx: HttpContext, one: AdminImport): Promise<AdminImport> {
    refuseBusy(one)
    const importer = await this.#importer(ctx, one)
    const spec = await importSpec(this.site, importer, one.shape, one)
    if (one.bytes <= SHORT) {
      const dryRun = await dryRunOfStoredFile(this.site, spec, one)
      one.merge({ dryRun, state: 'tried', counts: null })
      await this.store.change(one)
      return one
    }
    await this.store.hand(one, 'trying', async () => {
      const payload = { import: one.id, file: one.fileName }
      return await this.site.jobs.start(ctx, DRY_RUN_JOB, { model: one.model, payload })
    })
    return one
  }

  /**
   * Starts the job that writes the rows.
   *
   * @param options.skipInvalid  false: all rows or none
   * @throws ImportRefused  before the dry run, while the import runs, after it is done, if there is nothing to write,
   *   and if invalid rows are not skipped
   */
  async startRun(
    ctx: HttpContext,
    one: AdminImport,
    { skipInvalid }: { skipInvalid: boolean }
  ): Promise<AdminJob> {
    refuseBusy(one)
    await this.#importer(ctx, one)
    const { dryRun } = one
    if (!dryRun || one.state === 'columns') throw new ImportRefused('import.refused.untried')
    if (dryRun.faulty > 0 && !skipInvalid) {
      throw new ImportRefused('import.refused.invalidRows', { count: dryRun.faulty })
    }
    if (dryRun.new + dryRun.changed === 0) throw new ImportRefused('import.refused.noRows')
    const total = dryRun.new + dryRun.changed + dryRun.unchanged + dryRun.faulty
    const payload = { import: one.id, file: one.fileName, skipFaulty: skipInvalid }
    return await this.store.hand(one, 'running', () =>
      this.site.jobs.start(ctx, IMPORT_JOB, { model: one.model, total, payload })
    )
  }

  /**
   * Writes the rows that the dry run found invalid, in the format of the file, with an additional column for the
   * reasons. Ends the output.
   *
   * @throws PageNotFound  before anything is written, without a dry run, or if the file no longer exists
   */
  async invalidRows(one: AdminImport, output: Writable): Promise<void> {
    const view = this.site.models.get(one.model)
    if (!one.dryRun || !view) throw new PageNotFound()
    const fields = one.mapping.columns.flatMap((name) =>
      name === null ? [] : [{ name, label: view.labelOf(name) }]
    )
    await withStoredFile(one.fileKey, async (pathOf) => {
      const [file, errors] = [await pathOf('file'), await pathOf('faults')]
      if (file === null || errors === null) throw new PageNotFound()
      await writeInvalidRows(this.site, one, fields, { file, errors }, output)
    })
  }

  /**
   * Removes the import and the file. A job of the import is cancelled: the records that it has written remain if it
   * skips invalid rows, and are reverted otherwise.
   */
  async discard(_ctx: HttpContext, one: AdminImport): Promise<void> {
    const { jobs } = this.site
    const job = one.jobId === null ? null : await jobs.store.find(one.jobId)
    if (job && isUnfinished(job)) await jobs.cancel(job)
    await this.#remove(one)
  }

  /**
   * Removes imports that began more than a day ago, with their files, unless a job works on them. Also removes files
   * that a killed process has left behind.
   *
   * @returns the number of removed imports and files
   */
  async prune(): Promise<number> {
    const old = await this.store.old()
    for (const one of old) await this.#remove(one)
    return old.length + (await this.#sweep()) + (await sweepTemporary())
  }

  /**
   * Removes files without an import, which can exist because a file is stored before the row of the import.
   */
  async #sweep(): Promise<number> {
    const keys = await keysBefore(DateTime.utc().minus(LEEWAY).toJSDate())
    const left = await this.store.unknownKeys([...keys])
    for (const key of left) await deleteStoredFile(key)
    return left.length
  }

  /** Inserts the row of the import. If that fails, removes the file. */
  async #create(values: Partial<AdminImport> & { fileKey: string }): Promise<AdminImport> {
    try {
      return await this.store.create(values)
    } catch (error) {
      await deleteStoredFile(values.fileKey)
      throw error
    }
  }

  async #remove(one: AdminImport): Promise<void> {
    await this.store.remove(one)
    await deleteStoredFile(one.fileKey)
  }

  async #importer(ctx: HttpContext, { model }: AdminImport): Promise<Importer> {
    const view = this.site.models.get(model)
    if (!view?.admits(ctx)) throw new PageNotFound()
    return await importerOf(ctx, view)
  }

  async #guess(
    importer: Importer,
    shape: FileShape
  ): Promise<{ mapping: ImportMapping; key: string | null }> {
    return guessColumns(importer, await knownFields(this.site, importer), shape)
  }
}

/** Guesses the mapping for a file, also for the command. */
function guessColumns(
  { view }: Importer,
  fields: readonly KnownField[],
  shape: FileShape
): { mapping: ImportMapping; key: string | null } {
  const mapping = guessMapping(fields, shape)
  return { mapping, key: guessKey(view.resource, fields, mapping) }
}

const IMPORTS = new WeakMap<ImportSite, Imports>()

const UNTRIED = { state: 'columns', dryRun: null, counts: null, jobId: null } as const

/** @throws ImportRefused  while a job works on the import, and after rows were written */
function refuseBusy({ counts, state }: AdminImport): void {
  if (state === 'done') throw new ImportRefused('import.refused.done')
  if (state === 'trying' || state === 'running') throw new ImportRefused('import.refused.busy')
  if (counts && counts.new + counts.changed > 0)
    throw new ImportRefused('import.refused.partlyDone')
}
