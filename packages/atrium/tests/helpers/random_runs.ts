import { randomInt } from 'node:crypto'

/*
 * `npm run test:all` tries all, once: on the database that all tests run on. On its other databases, in
 * continuous integration and on a developer's machine, a part is tried.
 */
const isWhole = Boolean(process.env.TEST_ALL) && !process.env.TEST_DATABASE

/** In continuous integration a part begins elsewhere each time, so that every case has its turn. */
const START = process.env.CI ? randomInt(1000) : 0

/**
 * Number of runs of a property test with random data: all of them in `npm run test:all`, otherwise an eighth of
 * them.
 */
export function runs(inAll: number): number {
  return isWhole ? inAll : Math.ceil(inAll / 8)
}

/**
 * All cases of a test that multiplies many by many in `npm run test:all`, otherwise every n-th of them.
 *
 * @param n  without a factor in common with the length of a repeated part, so that each member of the
 *   part is among the cases: a prime
 * @param turn  counted up from call to call, each call takes others of the cases: n calls take all. Default: 0
 */
export function someOf<Case>(cases: readonly Case[], n: number, turn = 0): Case[] {
  return isWhole ? [...cases] : partOf(cases, n, turn)
}

/** Every n-th of the cases, in `npm run test:all`, too: for those that another test has whole. */
export function partOf<Case>(cases: readonly Case[], n: number, turn = 0): Case[] {
  return cases.filter((_, index) => (index + turn + START) % n === 0)
}

/**
 * The first of a few variants in CI, all of them in `npm run test:all` and where a developer runs the file: for variants
 * that take long and rarely differ.
 */
export function firstInCi<Variant>(variants: readonly Variant[]): Variant[] {
  return process.env.CI && !process.env.TEST_ALL ? variants.slice(0, 1) : [...variants]
}
