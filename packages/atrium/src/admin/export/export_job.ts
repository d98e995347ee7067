import { createWriteStream, createReadStream } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, basename } from 'node:path'
import { finished } from 'node:stream/promises'
import type { HttpContext } from '@adonisjs/core/http'
import { DateTime } from 'luxon'
import { beginSnapshot } from '#base/database/snapshot'
import { groupedNumber } from '#base/values/numbers'
import type { ListSite } from '../list/read_list.js'
import type { WithLimits } from '../config/define_config.js'
import { NotAllowed } from '../http/errors.js'
import { JobFailure, JobStopped } from '../jobs/job_errors.js'
import { JobKind, type JobFile } from '../jobs/job_kind.js'
import type { JobRun } from '../jobs/job_run.js'
import type AdminJob from '../models/admin_job.js'
import type { ModelView } from '../views/model_view.js'
import { may } from '../permissions/may.js'
import { stillAllows, type PermissionsPrint } from '../models/permissions_document.js'
import { inSentence } from '../text/plain_text.js'
import { readAhead } from './send_export.js'
import { type ExportChoice, checkFits, checkMayExport } from './export_choice.js'
import { logExport, fileName, writeExport } from './write_export.js'
import { ExportedList, type WantedList } from './exported_list.js'
import { randomBytes } from 'node:crypto'
import type { Readable } from 'node:stream'
import { filesDisk, pathsOnDisk } from '../forms/files/files_disk.js'
import { PrivateFolder } from '../forms/files/private_folder.js'
import type { FileFormat } from '../sheets/file_shape.js'

/** Name of the job kind */
export const EXPORT_JOB = 'export'

const MEGABYTE = 1024 * 1024

/* Milliseconds between two updates of the progress, each of which is a statement. */
const NOTED_EVERY = 500

/** Data of an export in the payload of its job. */
export interface ExportPayload {
  choice: ExportChoice
  query: string
  columns?: WantedList['columns']
  selected?: WantedList['selected']
}

interface Progress {
  count: number
  /** Size of the complete file in bytes */
  bytes: number
}

interface ExportResult {
  message: string
  /** Key of the stored file */
  file: string
  name: string
  bytes: number
  /** Digest of the owner's permissions when the file was created */
  permissions: PermissionsPrint
}

/**
 * An export that takes too long for a request. Only the owner can download the file, which is stored for some hours.
 * After an interruption the export restarts, because the snapshot is lost.
 */
export class ExportJob extends JobKind {
  readonly name = EXPORT_JOB
  readonly again = 'whole'
  override readonly repeats = true

  constructor(private readonly site: ListSite & WithLimits) {
    super()
  }

  titleOf({ model, total }: AdminJob): string {
    const view = this.site.models.get(model ?? '')
    if (!view || total === null) {
      return this.site.text('export.jobUncounted', { label: view?.label ?? model })
    }
    return this.site.text('export.job', { records: this.#records(view, total) })
  }

  async perform(run: JobRun): Promise<Record<string, unknown>> {
    const folder = await mkdtemp(join(tmpdir(), 'atrium-export-'))
    try {
      return { ...(await this.#write(run, join(folder, 'file'))) }
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
  }

  override fileOf({ state, endedAt, result }: AdminJob): JobFile | null {
    const { file, name, bytes } = (result ?? {}) as Partial<ExportResult>
    if (state !== 'done' || !file || !name || !endedAt) return null
    const until = endedAt.plus({ hours: this.site.exports.keptHours })
    return {
      name,
      bytes: bytes ?? 0,
      until,
      isGone: until < DateTime.utc(),
      open: () => openExport(file),
    }
  }

  override async mayFetch(ctx: HttpContext, { model }: AdminJob): Promise<boolean> {
    const view = this.site.models.get(model ?? '')
    return view !== undefined && (await may(ctx, view, 'export'))
  }

  override async isFileAllowed(ctx: HttpContext, { model, result }: AdminJob): Promise<boolean> {
    const view = this.site.models.get(model ?? '')
    if (!view) return false
    const now = await this.site.permissions.printOf(view.callOptions(ctx).actor)
    return stillAllows(now, (result as Partial<ExportResult>).permissions)
  }

  /** Removes the owner's oldest files, to make room for a new one. */
  async #makeRoom({ job, store }: JobRun, bytes: number): Promise<void> {
    const { keptFiles, keptHours, keptMegabytes } = this.site.exports
    let left = keptMegabytes * MEGABYTE - bytes
    let count = 1
    const since = DateTime.utc().minus({ hours: keptHours })
    for (const old of await store.doneSince(job.userId, EXPORT_JOB, since)) {
      const result = (old.result ?? {}) as Partial<ExportResult>
      if (!result.file) continue
      left -= result.bytes ?? 0
      if (++count <= keptFiles && left >= 0) continue
      await removeExport(result.file)
      await store.changeResult(old, { ...result, file: null })
    }
  }

  async #write(run: JobRun, path: string): Promise<ExportResult> {
    const { choice, query, columns, selected } = run.job.payload as unknown as ExportPayload
    const ctx = await run.context()
    const unrestricted = this.site.models.get(run.job.model ?? '')
    if (!unrestricted) throw new JobFailure('jobs.errors.modelGone', { model: run.job.model })
    if (!unrestricted.admits(ctx)) throw new NotAllowed()
    const view = await unrestricted.for(ctx)
    if (view.isWithheld) throw new NotAllowed()
    await checkMayExport(ctx, this.site, view, choice.raw)
    const permissions = await this.site.permissions.printOf(view.callOptions(ctx).actor)
    const { titles, format } = choice
    const list = await ExportedList.read(ctx, this.site, view, {
      ...{ query, columns, titles, selected },
    })

    const progress: Progress = { count: 0, bytes: 0 }
    try {
      await this.#writeFile(run, list, choice, path, progress)
      await this.#makeRoom(run, progress.bytes)
      const file = await keepExport(path, format)
      const { count } = progress
      logExport(ctx, this.site, list, choice, { count })
      const message = this.site.text('export.done', { records: this.#records(view, count) })
      return { message, file, name: fileName(view, format), bytes: progress.bytes, permissions }
    } catch (error) {
      /*
       * A stopped job is resumed later, so its export is not logged as interrupted. Incomplete files cannot be
       * downloaded.
       */
      if (!(error instanceof JobStopped)) {
        logExport(ctx, this.site, list, choice, { count: 0, isInterrupted: true })
      }
      throw error
    }
  }

  async #writeFile(
    run: JobRun,
    list: ExportedList,
    choice: ExportChoice,
    path: string,
    progress: Progress
  ): Promise<void> {
    const snapshot = await beginSnapshot(list.view.client())
    const output = createWriteStream(path, { flags: 'wx', mode: 0o600 })
    const written = finished(output)
    written.catch(() => {})
    try {
      const { client } = snapshot
      const total = await list.count(client)
      checkFits(choice.format, total)
      await run.note({ done: 0, ...(total !== null && { total }) })
      let noted = performance.now()
      const batches = readAhead(list.batches(client))
      await writeExport(
        { columns: list.columns, batches, ctx: list.ctx, client },
        choice,
        output,
        progress,
        async () => {
          if (performance.now() - noted < NOTED_EVERY) return
          await run.goOn()
          this.#checkSize(output.bytesWritten)
          await run.note({ done: progress.count })
          noted = performance.now()
        }
      )
      await written
      this.#checkSize(output.bytesWritten)
      progress.bytes = output.bytesWritten
      await run.note({ done: progress.count, total: progress.count })
    } finally {
      output.destroy()
      snapshot.end()
    }
  }

  #checkSize(bytes: number): void {
    const { fileMegabytes: megabytes } = this.site.exports
    if (bytes > megabytes * MEGABYTE) throw new JobFailure('jobs.errors.tooLarge', { megabytes })
  }

  #records(view: ModelView, count: number): string {
    return this.site.text('bulk.records', {
      count,
      shown: groupedNumber(count),
      singular: inSentence(view.singular),
      plural: inSentence(view.label),
    })
  }
}

/*
 * Folder of export files, next to the folders with the files of models; no model can have this name
 */
const FOLDER = '.exports'

const NAME = /^[0-9a-f]{32}\.[a-z]{3,6}$/

const HOUR = 3_600_000

/**
 * Stores the file of an export on the disk of uploaded files, so that every server of the application can send it.
 *
 * @param path  path of the complete file, which only the server's user can read; the file can be moved
 * @returns the key of the stored file
 */
async function keepExport(path: string, format: FileFormat): Promise<string> {
  const key = `${randomBytes(16).toString('hex')}.${format}`
  const disk = await filesDisk()
  if (disk instanceof PrivateFolder) {
    await disk.take(pathOf(key), path)
    return key
  }
  const content = createReadStream(path)
  try {
    await disk.putStream(pathOf(key), content, { contentType: 'application/octet-stream' })
  } finally {
    content.destroy()
  }
  return key
}

/**
 * Opens a stored file. The caller reads the stream to the end or destroys it.
 *
 * @returns undefined if there is none
 */
async function openExport(key: unknown): Promise<{ size: number; stream: Readable } | undefined> {
  if (typeof key !== 'string' || !NAME.test(key)) return undefined
  const disk = await filesDisk()
  const path = pathOf(key)
  if (!(await disk.exists(path))) return undefined
  const { contentLength } = await disk.getMetaData(path)
  return { size: contentLength, stream: await disk.getStream(path) }
}

/** Removes a stored file if it exists. */
async function removeExport(key: string): Promise<void> {
  if (!NAME.test(key)) return
  const disk = await filesDisk()
  await disk.delete(pathOf(key))
}

/**
 * Removes the files that are older than a number of hours, including those without a job.
 *
 * @returns the number of removed files
 */
export async function pruneExports(hours: number): Promise<number> {
  const disk = await filesDisk()
  const oldest = Date.now() - hours * HOUR
  let removed = 0
  for (const name of await storedNames()) {
    const { lastModified } = await disk.getMetaData(pathOf(name))
    if (lastModified.getTime() > oldest) continue
    await disk.delete(pathOf(name))
    removed++
  }
  return removed
}

async function storedNames(): Promise<string[]> {
  const paths = await pathsOnDisk(FOLDER)
  const names = paths.map((path) => basename(path))
  return names.filter((name) => NAME.test(name))
}

function pathOf(key: string): string {
  return `${FOLDER}/${key}`
}
