import { randomInt } from 'node:crypto'

/*
 * Continuous integration tries all, once: on the database that all tests run on. On its other databases,
 * and on a developer's machine, a part is tried.
 */
const isWhole = Boolean(process.env.CI) && !process.env.TEST_DATABASE

/** In continuous integration a part begins elsewhere each time, so that every case has its turn. */
const START = process.env.CI ? randomInt(1000) : 0

/**
 * Number of runs of a property test with random data: all of them in continuous integration, a quarter of
 * them on a developer's machine, and on the other databases.
 */
export function runs(inCi: number): number {
  return isWhole ? inCi : Math.ceil(inCi / 4)
}

/**
 * All cases of a test that multiplies many by many in continuous integration, every n-th of them on a
 * developer's machine, and on the other databases.
 *
 * @param n  without a factor in common with the length of a repeated part, so that each member of the
 *   part is among the cases: a prime
 * @param turn  counted up from call to call, each call takes others of the cases: n calls take all. Default: 0
 */
export function someOf<Case>(cases: readonly Case[], n: number, turn = 0): Case[] {
  return isWhole ? [...cases] : partOf(cases, n, turn)
}

/**
 * Every n-th of the cases, in continuous integration, too: for those that another test has whole.
 */
export function partOf<Case>(cases: readonly Case[], n: number, turn = 0): Case[] {
  return cases.filter((_, index) => (index + turn + START) % n === 0)
}
