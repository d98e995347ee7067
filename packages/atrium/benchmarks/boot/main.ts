import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { Agent, request } from 'node:http'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { freePort } from '#tests/helpers/free_port'
import { buildApplication } from './build.js'
import { createTables, writeModels } from './models.js'
import { reportBoots, type Boot, type Start } from './report.js'
import { environment, scratchFolder } from '../helpers/application.js'
import { integerOption } from '../helpers/options.js'
import { migrate } from '../helpers/sqlite_database.js'

const ROOT = fileURLToPath(new URL('../../../../', import.meta.url))
/* Inside the project, whose packages it needs */
const BUILD = join(ROOT, 'tmp/bench/build')
const SCRIPT = 'packages/atrium/benchmarks/boot/application.js'
const EMPTY_SCRIPT = 'packages/atrium/benchmarks/boot/empty_application.js'

/** A number of models; undefined for an empty application of AdonisJS */
type Count = number | undefined

/**
 * Measures the cost of a model at the start of the application, in time and memory, of its first
 * request compared to the tenth, and of `node ace list`; and the same of an empty application.
 */
export async function measureBoot(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: { rounds: { type: 'string' }, quick: { type: 'boolean', default: false } },
  })
  const { quick } = values
  const rounds = integerOption('rounds', values.rounds, { least: 1, otherwise: quick ? 1 : 5 })
  const counts = quick ? [2, 20, 200] : [2, 20, 50, 200, 500]
  const scratch = scratchFolder()
  const file = join(scratch.path, 'db.sqlite3')
  try {
    buildApplication(ROOT, BUILD)
    migrate({ DB_CONNECTION: 'sqlite', DB_DATABASE: file })
    createTables(file, Math.max(...counts))
    for (const count of counts) writeModels(folderOf(count), count)
    reportBoots(await measure(file, counts, rounds))
  } finally {
    scratch.remove()
  }
}

async function measure(
  file: string,
  counts: readonly number[],
  rounds: number
): Promise<Map<Count, Boot[]>> {
  const all: Count[] = [undefined, ...counts]
  const boots = new Map<Count, Boot[]>(all.map((count) => [count, []]))
  for (let round = -1; round < rounds; round++) {
    for (const count of all) {
      const boot = { ...(await bootWith(count, file)), command: await commandWith(count, file) }
      /* The first round fills the file system caches. */
      if (round >= 0) boots.get(count)!.push(boot)
    }
  }
  return boots
}

async function bootWith(count: Count, file: string): Promise<Omit<Boot, 'command'>> {
  const port = await freePort()
  const child = start([], { count, file, port })
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  try {
    const started = await messageOf<Start>(child)
    const usage = async () => {
      child.send('usage')
      const { cpu } = await messageOf<{ cpu: number }>(child)
      return cpu
    }
    /* The first messages cost more than later ones. */
    for (let time = 0; time < 5; time++) await usage()
    const times: number[] = []
    for (let time = 0; time < 10; time++) {
      const before = await usage()
      await get(agent, port, '/api/thing-1s/1')
      times.push((await usage()) - before)
    }
    return { ...started, first: times[0], tenth: times[9] }
  } finally {
    agent.destroy()
    /* It ends by itself, and keeps its compiled code for the next start, as a server that is stopped does. */
    child.disconnect()
    await once(child, 'exit')
  }
}

/** CPU milliseconds of `node ace list` */
async function commandWith(count: Count, file: string): Promise<number> {
  const { cpu } = await messageOf<{ cpu: number }>(start(['list'], { count, file, port: 1 }))
  return cpu
}

function start(
  args: string[],
  { count, file, port }: { count: Count; file: string; port: number }
): ChildProcess {
  return fork(count === undefined ? EMPTY_SCRIPT : SCRIPT, args, {
    cwd: BUILD,
    execArgv: [],
    env: {
      ...process.env,
      ...environment({ PORT: String(port), DB_CONNECTION: 'sqlite', DB_DATABASE: file }),
      BENCH_DRIVER: 'sqlite3',
      BENCH_DATABASE: file,
      ...(count !== undefined && { BENCH_MODELS: relative(BUILD, folderOf(count)) }),
    },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
}

/** Next message of boot/application.ts; AdonisJS sends others */
function messageOf<Message>(child: ChildProcess): Promise<Message> {
  return new Promise((resolve, reject) => {
    const onExit = (code: number | null) =>
      reject(new Error(`The application ended with status ${code}`))
    const onMessage = (message: any) => {
      if (message.cpu === undefined) return
      child.off('message', onMessage).off('exit', onExit)
      resolve(message)
    }
    child.on('message', onMessage).on('exit', onExit)
  })
}

function get(agent: Agent, port: number, path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    request({ agent, host: '127.0.0.1', port, path }, (response) => {
      if (response.statusCode !== 200) reject(new Error(`${path} answered ${response.statusCode}`))
      response.resume().on('end', resolve)
    })
      .on('error', reject)
      .end()
  })
}

function folderOf(count: number): string {
  return join(BUILD, 'models', String(count))
}
