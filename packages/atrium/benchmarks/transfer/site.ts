import { setTimeout as sleep } from 'node:timers/promises'
import { ServerProcess } from '../helpers/server_process.js'
import { signIn } from '../helpers/sign_in.js'
import type { SqliteDatabase } from '../helpers/sqlite_database.js'

const TIMEOUT = 30 * 60_000
const LOOKED_AT_EVERY = 20

/** Export and import by the pages of a running site, as a person has them. */
export class TransferSite {
  private constructor(
    readonly server: ServerProcess,
    private readonly database: SqliteDatabase,
    private readonly cookie: string
  ) {}

  static async start(database: SqliteDatabase, storage: string): Promise<TransferSite> {
    const server = await ServerProcess.start('the site', 'packages/atrium/benchmarks/server.ts', {
      path: '/api/films/1',
      variables: { ...database.variables, STORAGE_DIRECTORY: storage },
    })
    return new TransferSite(server, database, await signIn(server))
  }

  /** @returns milliseconds until the first page of the list is there */
  async list(): Promise<number> {
    const start = performance.now()
    await this.#send('/admin/Film/', {})
    return performance.now() - start
  }

  /**
   * @param order  of the list, as in its address
   * @returns milliseconds of the job that writes the file
   */
  async export(order = ''): Promise<number> {
    return await this.#job('export', () =>
      this.#send(`/admin/Film/export?format=csv&columns=*${order}`, {})
    )
  }

  /**
   * @param file  CSV with the API's names
   * @returns milliseconds of the dry run, and of the run
   */
  async import(file: Blob): Promise<{ dryRun: number; run: number }> {
    const form = new FormData()
    form.set('file', file, 'films.csv')
    const { location } = await this.#send('/admin/Film/import', { method: 'POST', body: form })
    const begin = await file.slice(0, 1000).text()
    const columns = begin.split('\n', 1)[0].trim().split(',')
    const dryRun = await this.#job('import_trial', () =>
      this.#post(
        `${location}/columns`,
        columns.map((name, index): [string, string] => [`column.${index}`, name])
      )
    )
    return {
      dryRun,
      run: await this.#job('import', () => this.#post(`${location}/run`, [])),
    }
  }

  async stop(): Promise<void> {
    await this.server.stop()
  }

  /** Runs a job, from its start to its end. */
  async #job(kind: string, start: () => Promise<unknown>): Promise<number> {
    await start()
    const end = Date.now() + TIMEOUT
    let began: number | undefined
    while (Date.now() < end) {
      const [job] = await this.database.select(
        'select state, fault from admin_jobs where kind = ? order by id desc limit 1',
        [kind]
      )
      if (job && job.state !== 'queued') began ??= performance.now()
      if (job?.state === 'done') return performance.now() - began!
      if (['failed', 'cancelled'].includes(job?.state)) throw new Error(`${kind}: ${job.fault}`)
      await sleep(LOOKED_AT_EVERY)
    }
    throw new Error(`The job ${kind} does not end`)
  }

  async #post(path: string, fields: Array<[string, string]>) {
    return await this.#send(path, { method: 'POST', body: new URLSearchParams(fields) })
  }

  async #send(path: string, init: RequestInit): Promise<{ location: string }> {
    const response = await fetch(this.server.origin + path, {
      ...init,
      redirect: 'manual',
      headers: { cookie: this.cookie, accept: 'text/html' },
    })
    const text = await response.text()
    if (response.status >= 400) throw new Error(`${path}: ${response.status} ${text.slice(0, 500)}`)
    return { location: response.headers.get('location') ?? '' }
  }
}
