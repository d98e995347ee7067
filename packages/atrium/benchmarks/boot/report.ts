import { median } from '../helpers/statistics.js'
import { tableOf } from '../helpers/table.js'

const ALLOWED = { milliseconds: 2, megabytes: 0.2, firstRequest: 5, command: 1.1, besideEmpty: 1.5 }

/* Models of an application that is compared with an empty one */
const COMPARED = 20
const MEGABYTE = 2 ** 20

export interface Start {
  /** Milliseconds until it listened */
  milliseconds: number
  /** CPU milliseconds until then */
  cpu: number
  /** Heap in bytes */
  heap: number
  rss: number
}

/** Times in CPU milliseconds */
export interface Boot extends Start {
  first: number
  tenth: number
  command: number
}

/**
 * Prints the medians by number of models; a missed target sets the exit status.
 *
 * @param boots  by number of models; undefined: of an empty application
 */
export function reportBoots(boots: ReadonlyMap<number | undefined, Boot[]>): void {
  const counts = [...boots.keys()].filter((count) => count !== undefined)
  const fewest = Math.min(...counts)
  const most = Math.max(...counts)
  const of = (count: number | undefined, value: (boot: Boot) => number) =>
    median(boots.get(count)!.map(value))
  const rows = [...boots.keys()].map((count) => {
    const each = (value: (boot: Boot) => number, digits: number) => {
      if (count === undefined || count === fewest) return ''
      return ((of(count, value) - of(fewest, value)) / (count - fewest)).toFixed(digits)
    }
    return [
      count === undefined ? 'empty application' : `${count} models`,
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
    (of(most, value) - of(fewest, value)) / (most - fewest)
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
  for (const count of counts) {
    const ratio = of(count, ({ first, tenth }) => first / tenth)
    check(`first request beside the tenth, ${count} models`, ratio, ALLOWED.firstRequest)
  }
  const commands = of(most, ({ command }) => command) / of(fewest, ({ command }) => command)
  check(`node ace list with ${most} models beside ${fewest}`, commands, ALLOWED.command)
  const besides: Array<[string, (boot: Boot) => number]> = [
    ['start', ({ cpu }) => cpu],
    ['first request', ({ first }) => first],
    ['node ace list', ({ command }) => command],
  ]
  for (const [what, value] of besides) {
    const ratio = of(COMPARED, value) / of(undefined, value)
    const beside = `${what} with ${COMPARED} models beside an empty application`
    check(beside, ratio, ALLOWED.besideEmpty)
  }
}

function check(what: string, value: number, allowed: number) {
  const isMet = value <= allowed
  console.log(`${what}: ${value.toFixed(2)} (at most ${allowed}) ${isMet ? 'ok' : 'MISSED'}`)
  if (!isMet) process.exitCode = 1
}
