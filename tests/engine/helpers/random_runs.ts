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
 */
export function someOf<Case>(cases: readonly Case[], n: number): Case[] {
  return cases.filter((_, index) => process.env.CI || index % n === 0)
}
