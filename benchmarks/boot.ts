/*
 * What a model costs: how much longer the application takes to start with each, how much more memory
 * it keeps, how its first request compares with the tenth, and whether commands notice.
 * `npm run bench:boot [-- ROUNDS]`
 */
import { fork, type ChildProcess } from 'node:child_process'
import { Agent, request } from 'node:http'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { freePort } from '#tests/helpers/free_port'
import { buildApplication } from './boot/build.js'
import { createTables, writeModels } from './boot/models.js'
import { environment, scratchFolder } from './helpers/application.js'
import { migrate } from './helpers/sqlite_database.js'
import { median } from './helpers/statistics.js'
import { tableOf } from './helpers/table.js'

const ROUNDS = Number(process.argv[2] ?? 5)
const COUNTS = [2, 50, 200, 500]
const [FEWEST] = COUNTS
const MOST = COUNTS[COUNTS.length - 1]
const ALLOWED = { milliseconds: 2, megabytes: 0.2, firstRequest: 5, command: 1.1 }
const MEGABYTE = 2 ** 20

const ROOT = fileURLToPath(new URL('../', import.meta.url))
/* Below the project, whose packages it needs. */
const BUILD = join(ROOT, 'tmp/bench/build')
const SCRIPT = 'benchmarks/boot/application.js'
const scratch = scratchFolder()
const file = join(scratch.path, 'db.sqlite3')

interface Start {
  /** Until it listened */
  milliseconds: number
  /** Milliseconds of the processor until then */
  cpu: number
  /** Bytes */
  heap: number
  rss: number
}

/** All times are the processor's, in milliseconds */
interface Boot extends Start {
  first: number
  tenth: number
  command: number
}

try {
  buildApplication(ROOT, BUILD)
  migrate({ DB_CONNECTION: 'sqlite', DB_DATABASE: file })
  createTables(file, MOST)
  for (const count of COUNTS) writeModels(folderOf(count), count)
  report(await measure())
} finally {
  scratch.remove()
}

async function measure(): Promise<Map<number, Boot[]>> {
  const boots = new Map<number, Boot[]>(COUNTS.map((count) => [count, []]))
  for (let round = -1; round < ROUNDS; round++) {
    for (const count of COUNTS) {
      const boot = { ...(await bootWith(count)), command: await commandWith(count) }
      /* The first round only fills the system's caches of files. */
      if (round >= 0) boots.get(count)!.push(boot)
    }
  }
  return boots
}

async function bootWith(count: number): Promise<Omit<Boot, 'command'>> {
  const port = await freePort()
  const child = start([], count, port)
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  try {
    const started = await messageOf<Start>(child)
    const usage = async () => {
      child.send('usage')
      const { cpu } = await messageOf<{ cpu: number }>(child)
      return cpu
    }
    /* To be asked costs something, too, the first time more. */
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
    child.kill('SIGKILL')
  }
}

/** What `node ace list` takes. */
async function commandWith(count: number): Promise<number> {
  const { cpu } = await messageOf<{ cpu: number }>(start(['list'], count, 1))
  return cpu
}

function start(args: string[], count: number, port: number): ChildProcess {
  return fork(SCRIPT, args, {
    cwd: BUILD,
    execArgv: [],
    env: {
      ...process.env,
      ...environment({ PORT: String(port), DB_CONNECTION: 'sqlite', DB_DATABASE: file }),
      BENCH_MODELS: relative(BUILD, folderOf(count)),
    },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
}

/** The next message of ours: AdonisJS reports, too, that its server listens. */
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

function report(boots: Map<number, Boot[]>) {
  const of = (count: number, value: (boot: Boot) => number) => median(boots.get(count)!.map(value))
  const rows = COUNTS.map((count) => {
    const each = (value: (boot: Boot) => number, digits: number) => {
      if (count === FEWEST) return ''
      return ((of(count, value) - of(FEWEST, value)) / (count - FEWEST)).toFixed(digits)
    }
    return [
      `${count} models`,
      of(count, ({ milliseconds }) => milliseconds).toFixed(0),
      of(count, ({ cpu }) => cpu).toFixed(0),
      each(({ cpu }) => cpu, 2),
      (of(count, ({ heap }) => heap) / MEGABYTE).toFixed(1),
      each(({ heap }) => heap / MEGABYTE, 3),
      (of(count, ({ rss }) => rss) / MEGABYTE).toFixed(0),
      of(count, ({ first }) => first).toFixed(1),
      of(count, ({ tenth }) => tenth).toFixed(1),
      of(count, ({ first, tenth }) => first / tenth).toFixed(1),
      of(count, ({ command }) => command).toFixed(0),
    ]
  })
  console.log(
    tableOf(
      [
        '',
        'start ms',
        'start CPU ms',
        'CPU ms a model',
        'heap MB',
        'MB a model',
        'rss MB',
        'first request CPU ms',
        'tenth CPU ms',
        'ratio',
        'ace list CPU ms',
      ],
      rows
    )
  )
  const grown = (value: (boot: Boot) => number) =>
    (of(MOST, value) - of(FEWEST, value)) / (MOST - FEWEST)
  check(
    'milliseconds of the processor for each model',
    grown(({ cpu }) => cpu),
    ALLOWED.milliseconds
  )
  check(
    'megabytes for each model',
    grown(({ heap }) => heap / MEGABYTE),
    ALLOWED.megabytes
  )
  for (const count of COUNTS) {
    const ratio = of(count, ({ first, tenth }) => first / tenth)
    check(`first request beside the tenth, ${count} models`, ratio, ALLOWED.firstRequest)
  }
  const commands = of(MOST, ({ command }) => command) / of(FEWEST, ({ command }) => command)
  check(`node ace list with ${MOST} models beside ${FEWEST}`, commands, ALLOWED.command)
}

function check(what: string, value: number, allowed: number) {
  const isMet = value <= allowed
  console.log(`${what}: ${value.toFixed(2)} (at most ${allowed}) ${isMet ? 'ok' : 'MISSED'}`)
  if (!isMet) process.exitCode = 1
}
