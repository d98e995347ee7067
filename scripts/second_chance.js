/*
 * The second chance of tests that failed in a whole run in CI: the file of each runs again, alone. A bug of the
 * code fails again; what passes then depended on chance or time, and is named as flaky.
 */

/** With more failed tests than these, the code has a bug. */
export const MOST_FAILURES = 5

/**
 * The runs in which failed tests get their second chance: a file each, with the settings of its first run. None
 * if too much has failed, or something else than a test.
 *
 * @param outcomes  of the runs of a plan: `run`, `failed` and `failures` with `title` and `file`
 */
export function secondChances(outcomes) {
  const failures = outcomes.flatMap((outcome) => outcome.failures)
  const failed = outcomes.reduce((sum, outcome) => sum + outcome.failed, 0)
  const isOfTests = failed === failures.length && failures.every(({ file }) => file)
  if (!isOfTests || failed > MOST_FAILURES) return []
  return outcomes.flatMap(({ run, failures }) =>
    [...new Set(failures.map(({ file }) => file))].map((file, index) => ({
      first: run,
      run: { ...run, name: `${run.name}-again-${index + 1}`, files: [file] },
    }))
  )
}

/**
 * Gives the second chances.
 *
 * @param outcomes  as above, with `passed`
 * @param test      runs one run, and resolves to its outcome
 * @returns the outcomes, in which the tests of files that passed this time are moved from `failures` to `flaky`
 */
export async function withSecondChances(outcomes, test) {
  const judged = outcomes.map((outcome) => ({ flaky: [], ...outcome }))
  for (const { first, run } of secondChances(outcomes)) {
    const again = await test(run)
    if (again.failed > 0 || again.passed === 0) continue
    const outcome = judged.find((one) => one.run === first)
    const forgiven = outcome.failures.filter(({ file }) => file === run.files[0])
    outcome.failures = outcome.failures.filter((failure) => !forgiven.includes(failure))
    outcome.flaky = [...outcome.flaky, ...forgiven]
    outcome.failed -= forgiven.length
    outcome.passed += forgiven.length
  }
  return judged
}
