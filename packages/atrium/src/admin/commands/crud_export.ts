import { args, flags } from '@adonisjs/core/ace'
import { groupedNumber } from '#base/values/numbers'
import type { ModelView } from '../views/model_view.js'
import { AdminCommand, CommandFailure } from './admin_command.js'
import { createWriteStream } from 'node:fs'
import { rename, rm, stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import { PassThrough, type Writable } from 'node:stream'
import { finished } from 'node:stream/promises'
import type { Site } from '../views/site.js'

/** Destination of an export: standard output, or a file, which appears under its final name once it is complete. */
interface ExportTarget {
  stream: Writable
  isFile: boolean
  bytes(): number
  /** Rejects when the reader of the pipe closes it */
  closed: Promise<never>
  /** Resolves when everything is written */
  complete(): Promise<void>
  /** Removes an incomplete file */
  end(): Promise<void>
  /** Returns the error to report for an error that ended the export after `count` records */
  explain(error: unknown, count: number): unknown
}

/**
 * @param path  path of the file; undefined for standard output
 * @throws CommandFailure  for a path that is not a file
 */
async function exportTo(path: string | undefined): Promise<ExportTarget> {
  return path === undefined ? standardOutput() : await file(resolve(path))
}

function standardOutput(): ExportTarget {
  const stream = new PassThrough()
  let bytes = 0
  stream.on('data', (chunk: Buffer) => void (bytes += chunk.length))
  stream.pipe(process.stdout, { end: false })
  const { promise: closed, reject } = Promise.withResolvers<never>()
  closed.catch(() => {})
  const fail = (error: unknown) => reject(error)
  process.stdout.on('error', fail)
  return {
    stream,
    isFile: false,
    bytes: () => bytes,
    closed,
    complete: async () => {
      await Promise.race([finished(stream), closed])
      /* Waits for the pipe; output that it has not accepted would be lost when the process exits. */
      await Promise.race([
        new Promise<void>((taken) => process.stdout.write('', () => taken())),
        closed,
      ])
    },
    end: async () => void stream.destroy(),
    explain: (error, count) =>
      (error as { code?: string }).code === 'EPIPE'
        ? new CommandFailure(
            `The output was closed: it took no more than ${groupedNumber(count)} records`
          )
        : error,
  }
}

async function file(path: string): Promise<ExportTarget> {
  const found = await stat(path).catch(() => null)
  if (found && !found.isFile()) throw new CommandFailure(`${path} exists and is not a file`)
  const part = `${path}.part`
  /* Only the current user can read the file, which can contain confidential data. */
  const stream = createWriteStream(part, { mode: 0o600 })
  const { promise: closed, reject } = Promise.withResolvers<never>()
  closed.catch(() => {})
  stream.on('error', reject)
  return {
    stream,
    isFile: true,
    bytes: () => stream.bytesWritten,
    closed,
    complete: async () => {
      await finished(stream)
      await rename(part, path)
    },
    end: async () => {
      stream.destroy()
      await rm(part, { force: true })
    },
    explain: (error) => {
      const { code, syscall } = error as { code?: string; syscall?: string }
      const isOfFile = syscall !== undefined && code !== undefined
      return isOfFile ? new CommandFailure(`The file ${path} can't be written (${code})`) : error
    },
  }
}

/**
 * Exports the records of a model with the permissions of the server's operator: without roles, policies and scopes.
 */
export default class CrudExport extends AdminCommand {
  static commandName = 'crud:export'
  static description = 'Export the records of a model as CSV, NDJSON, JSON or XLSX'
  static help = [
    'All films on standard output, and the dramas as a workbook:',
    '{{ binaryName }} crud:export Film > films.csv',
    '{{ binaryName }} crud:export Film --query="filter.major_genre=Drama" --format=xlsx --output=dramas.xlsx',
    'A query is that of a list in the admin site, with columns, titles=1, labels=1, bom=1 and raw=1.',
  ]

  @args.string({ description: 'Name of the model, as in Film' })
  declare model: string

  @flags.string({ description: 'csv, ndjson, json or xlsx', default: 'csv' })
  declare format: string

  @flags.string({
    description: "The list's query, as in filter.major_genre=Drama&columns=id,title",
  })
  declare query: string | undefined

  @flags.string({ description: 'Write to this file; default: standard output' })
  declare output: string | undefined

  @flags.boolean({
    description:
      'Print the result as JSON; on standard error, if the records are on standard output',
  })
  declare json: boolean

  async run() {
    const { resources, runAs } = await import('#crud')
    const { operatorContext, operatorOf } = await import('../identity/admin_actor.js')
    const { beginSnapshot } = await import('#base/database/snapshot')
    const { ExportedList } = await import('../export/exported_list.js')
    const { readExport } = await import('../export/export_choice.js')
    const { logExport } = await import('../export/write_export.js')
    const { checkFits } = await import('../export/export_choice.js')
    const { writeExport } = await import('../export/write_export.js')

    const site = await this.site()
    const view = this.#view(site)
    const query = new URLSearchParams(this.query ?? '')
    query.set('format', this.format)
    const { choice, list: requested, hasAllFields, selected } = readExport(query.toString())
    if (choice.format === 'xlsx' && this.output === undefined && process.stdout.isTTY) {
      throw new CommandFailure('A workbook cannot be shown in a terminal: use --output=FILE')
    }
    await resources.load()
    const ctx = await operatorContext(this.commandName)

    await runAs(operatorOf(ctx)!, async () => {
      const columns = hasAllFields ? ('all' as const) : undefined
      const wanted = { query: requested, columns, selected, titles: choice.titles }
      const list = await ExportedList.read(ctx, site, view, wanted)
      const target = await exportTo(this.output)
      const snapshot = await beginSnapshot(view.client())
      const written = { count: 0 }
      let isComplete = false
      try {
        const total = await list.count(snapshot.client)
        checkFits(choice.format, total)
        const progress = new Progress(total, !this.json)
        const { client } = snapshot
        const source = { columns: list.columns, batches: list.batches(client), ctx, client }
        const writing = writeExport(source, choice, target.stream, written, () =>
          progress.show(written.count)
        )
        await Promise.race([writing, target.closed])
        await target.complete()
        progress.end()
        isComplete = true
      } catch (error) {
        throw target.explain(error, written.count)
      } finally {
        snapshot.end()
        await target.end()
        logExport(ctx, site, list, choice, { count: written.count, isInterrupted: !isComplete })
        await site.events.settle()
      }
      this.#printResult(target, view, written.count)
    })
  }

  protected override explain(error: unknown): string {
    const { code, key, data } = error as { code?: string; key?: string; data?: object }
    if (code !== 'E_EXPORT_REFUSED') return super.explain(error)
    return this.#text?.(key!, data as Record<string, unknown>) ?? super.explain(error)
  }

  #text: Site['text'] | undefined

  #view(site: Site): ModelView {
    this.#text = site.text.bind(site)
    const view = site.models.get(this.model)
    if (view) return view
    const names = [...site.models.values()].flatMap(({ adminModel, name }) =>
      adminModel ? [] : [name]
    )
    throw new CommandFailure(
      `Unknown model ${this.model}; models on the admin site are ${names.join(', ')}`
    )
  }

  #printResult({ bytes, isFile }: ExportTarget, { name }: ModelView, records: number) {
    const result = { model: name, format: this.format, records, bytes: bytes() }
    if (this.json) {
      if (isFile) return this.printJson({ ...result, file: this.output })
      process.stderr.write(`${JSON.stringify(result)}\n`)
    } else if (isFile) {
      const count = groupedNumber(records)
      this.print(`${count} ${records === 1 ? 'record' : 'records'} written to ${this.output}`)
    }
  }
}

/* Interval of progress output: a terminal is redrawn every 100 milliseconds, a log gets a line every 5 seconds */
const REDRAWN_EVERY = 100
const LINE_EVERY = 5000
const WIDTH = 24

/** Shows the progress of a command on standard error: a bar on a terminal, otherwise lines. */
class Progress {
  readonly #isTerminal = Boolean(process.stderr.isTTY)
  #shown = performance.now()

  /**
   * @param total    number of records; null if it is not known
   * @param isShown  false to write nothing
   */
  constructor(
    private readonly total: number | null,
    private readonly isShown: boolean
  ) {}

  show(count: number): void {
    const now = performance.now()
    if (!this.isShown || now - this.#shown < (this.#isTerminal ? REDRAWN_EVERY : LINE_EVERY)) return
    this.#shown = now
    this.#write(count)
  }

  /** Removes the progress bar. */
  end(): void {
    if (this.isShown && this.#isTerminal) process.stderr.write('\r\u001b[K')
  }

  #write(count: number) {
    const of = this.total === null ? '' : ` of ${groupedNumber(this.total)}`
    const text = `${groupedNumber(count)}${of} records`
    if (!this.#isTerminal) return void process.stderr.write(`${text}\n`)
    const share = this.total ? Math.min(count / this.total, 1) : 0
    const full = Math.round(share * WIDTH)
    process.stderr.write(`\r\u001b[K[${'#'.repeat(full)}${' '.repeat(WIDTH - full)}] ${text}`)
  }
}
