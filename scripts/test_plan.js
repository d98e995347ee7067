/*
 * The plan of a whole test run: processes of about the same length, each with some of the files and its
 * own database.
 */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, sep } from 'node:path'
import { DATABASE_TAG } from './database_tests.js'
import { isIncluded } from './long_tests.js'

const WEIGHTS_FILE = new URL('test_weights.txt', import.meta.url)

/**
 * Last measured processor time of the files in seconds, a line each; behind a slash that in `npm run test:all`, which
 * tries more cases.
 */
const WEIGHTS = Object.fromEntries(
  readFileSync(WEIGHTS_FILE, 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => line.trim().split(' '))
    .map(([seconds, file]) => [file, readSeconds(seconds)])
)

/** Seconds for a file without a measurement */
const WEIGHT = 0.2

/** Shorter files are not written down. */
const SHORT = 0.5

/** Seconds for the start of a process */
const START = 4

/** Part of a file's time that its tests take on another database */
const SHARE = 0.5

/** Target length of a process, in seconds of processor time: long enough to be worth its start */
const LENGTH = 110

/** All suites */
export const SUITES = ['process', 'functional', 'browser', 'unit']

/** The owners of tests, with their folders: the engine, the engine together with the demo, the application */
const OWNERS = [
  { name: 'engine', folder: 'packages/atrium/tests/', suites: SUITES },
  { name: 'demo', folder: 'packages/atrium/tests/demo/', suites: ['functional'] },
  { name: 'app', folder: 'tests/', suites: SUITES.filter((suite) => suite !== 'process') },
]

/**
 * @param owners     `engine` and `app`, or one of them
 * @param suites     those that this machine can run
 * @param databases  in addition to SQLite, by name
 * @param withLong   true to include the files that take long
 * @param withScheduled  true to include those of `npm run test:all`
 * @returns the processes to start, the longest first. One of each kind takes the migrations back at its end.
 */
export function planOf({ owners, suites, databases, withLong = true, withScheduled = true }) {
  const isIn = (path) => isIncluded(path, { withLong, withScheduled })
  const runs = OWNERS.filter(({ name }) => owners.includes(name)).flatMap((owner) => {
    const own = owner.suites.filter((suite) => suites.includes(suite))
    return [
      ...own.flatMap((suite) =>
        split(filesOf(owner, suite).filter(isIn), { owner: owner.name, suite })
      ),
      ...databases.flatMap((database) => {
        const files = own.flatMap((suite) => filesOf(owner, suite)).filter(isForEachDatabase)
        return split(files, { owner: owner.name, database })
      }),
    ]
  })
  return runs.toSorted((one, other) => other.weight - one.weight)
}

/**
 * The owners of the tests that the caller's arguments select: those that have all named suites and, if
 * files are named, one of them.
 */
export function ownersOf(args) {
  const named = SUITES.filter((suite) => args.includes(suite))
  const able = OWNERS.filter(({ suites }) => named.every((suite) => suites.includes(suite)))
  const chosen = args.flatMap((argument, index) => {
    if (argument.startsWith('--files=')) return argument.slice('--files='.length).split(',')
    return args[index - 1] === '--files' ? argument.split(',') : []
  })
  const parts = chosen.map((file) => file.replace(/\*$/, ''))
  const owners = able.filter((owner) =>
    owner.suites.some((suite) =>
      filesOf(owner, suite).some((file) => parts.some((part) => file.includes(part)))
    )
  )
  return (owners.length > 0 ? owners : able).map(({ name }) => name)
}

/**
 * Writes down the measured files; the others keep their weights.
 *
 * @param durations  of single tests, with `file` and `processorSeconds`
 */
export function writeWeights(durations) {
  const measured = {}
  for (const { file, processorSeconds } of durations) {
    measured[file] = (measured[file] ?? 0) + processorSeconds
  }
  const kind = process.env.TEST_ALL ? 'inAll' : 'usual'
  const known = { ...WEIGHTS }
  for (const [file, seconds] of Object.entries(measured)) {
    known[file] = { ...known[file], [kind]: seconds }
  }
  const lines = Object.entries(known)
    .filter(([file, { usual = 0, inAll = 0 }]) => Math.max(usual, inAll) > SHORT && existsSync(file))
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([file, weight]) => `${writtenSeconds(weight).padStart(5)} ${file}\n`)
  writeFileSync(WEIGHTS_FILE, lines.join(''))
}

function readSeconds(text) {
  const [usual, inAll] = text.split('/').map(Number)
  return { usual, inAll }
}

/** That of all cases is left out where it is about the same. */
function writtenSeconds({ usual, inAll }) {
  const seconds = (usual ?? inAll).toFixed(1)
  const isSame = inAll === undefined || usual === undefined || Math.abs(inAll - usual) < 1
  return isSame ? seconds : `${seconds}/${inAll.toFixed(1)}`
}

/** That of this environment, if it is known */
function secondsOf(file) {
  const { usual, inAll } = WEIGHTS[file] ?? {}
  return (process.env.TEST_ALL ? (inAll ?? usual) : usual) ?? WEIGHT
}

function filesOf({ folder }, suite) {
  let paths = []
  try {
    paths = readdirSync(join(folder, suite), { recursive: true })
  } catch (error) {
    if (error.code !== 'ENOENT') throw error
  }
  return paths
    .map((path) => `${folder}${suite}/${path.split(sep).join('/')}`)
    .filter((path) => path.endsWith('.spec.ts'))
    .toSorted()
}

function isForEachDatabase(file) {
  return readFileSync(file, 'utf8').includes(DATABASE_TAG)
}

/**
 * Splits into runs of about the same length: the longest files first, each into the run that is the
 * shortest so far. On another database only some of a file's tests run, with as many cases as locally.
 */
function split(files, run) {
  if (files.length === 0) return []
  const weightOf = (file) =>
    run.database ? (WEIGHTS[file]?.usual ?? WEIGHT) * SHARE : secondsOf(file)
  const total = files.reduce((sum, file) => sum + weightOf(file), 0)
  const count = Math.min(files.length, Math.max(1, Math.round(total / LENGTH)))
  const parts = Array.from({ length: count }, (_, index) => ({
    ...run,
    name: [run.owner, run.database ?? run.suite, ...(count > 1 ? [index + 1] : [])].join('-'),
    weight: START,
    files: [],
    takesBack: index === 0,
  }))
  for (const file of files.toSorted((one, other) => weightOf(other) - weightOf(one))) {
    const shortest = parts.reduce((one, other) => (other.weight < one.weight ? other : one))
    shortest.files.push(file)
    shortest.weight += weightOf(file)
  }
  return parts
}
