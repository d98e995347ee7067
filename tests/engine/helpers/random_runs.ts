/**
 * Number of runs of a property test with random data: all of them in continuous integration, a quarter of
 * them on a developer's machine.
 */
export function runs(inCi: number): number {
  return process.env.CI ? inCi : Math.ceil(inCi / 4)
}

/**
 * All cases of a test that multiplies many by many in continuous integration, every n-th of them on a
 * developer's machine.
 *
 * @param n  without a factor in common with the length of a repeated part, so that each member of the
 *   part is among the cases: a prime
 * @param turn  counted up from call to call, each call takes others of the cases: n calls take all. Default: 0
 */
export function someOf<Case>(cases: readonly Case[], n: number, turn = 0): Case[] {
  return cases.filter((_, index) => process.env.CI || (index + turn) % n === 0)
}
