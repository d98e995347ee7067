/**
 * Number of runs of a property test with random data: all of them in continuous integration, a quarter of
 * them on a developer's machine.
 */
export function runs(inCi: number): number {
  return process.env.CI ? inCi : Math.ceil(inCi / 4)
}
