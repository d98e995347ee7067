/**
 * Runs alternatives in turn, round by round, so that all meet the same conditions. The order
 * changes in each round; an additional fifth of the rounds runs first and is not counted.
 *
 * @param ways  by name; each is called with the number of the round, negative for those that are
 *   not counted
 */
export async function byTurns<Name extends string, Result>(
  rounds: number,
  ways: Record<Name, (round: number) => Promise<Result>>
): Promise<Record<Name, Result[]>> {
  const names = Object.keys(ways) as Name[]
  const results = Object.fromEntries(names.map((name) => [name, []])) as unknown as Record<
    Name,
    Result[]
  >
  for (let round = -Math.ceil(rounds / 5); round < rounds; round++) {
    for (const name of round % 2 === 0 ? names : names.toReversed()) {
      const result = await ways[name](round)
      if (round >= 0) results[name].push(result)
    }
  }
  return results
}

/**
 * @returns duration of the work in milliseconds
 */
export async function timed(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now()
  await work()
  return performance.now() - start
}
