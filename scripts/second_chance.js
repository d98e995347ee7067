/*
 * The second chance of tests that failed in a whole run in CI: the file of each runs again, alone. A bug of the
 * code fails again; what passes then depended on chance or time, and is reported as flaky.
 */

/** With more failed tests than these, the code has a bug. */
export const FAILURES_MAX = 5

/** With more flaky tests than these, a run in CI fails; a run of all tests fails with one. */
const FLAKY_MAX = 2

/** Why flaky tests fail the run; undefined if they do not. */
export function tooManyFlaky(count, { TEST_ALL } = process.env) {
  if (count <= (TEST_ALL ? 0 : FLAKY_MAX)) return undefined
  return `Flaky tests fail this run: ${TEST_ALL ? 'it accepts none' : `it accepts ${FLAKY_MAX}`}.`
}

/**
 * Gives the second chances: a file each, with the settings of its first run. None if too much has failed, or
 * something else than a test.
 *
 * @param outcomes  of the runs of a plan: `run`, `passed`, `failed` and `failures` with `title`, `file` and `milliseconds`
 * @param test      runs one run, and resolves to its outcome
 * @returns the outcomes; what passed this time is moved from `failures` to the lines of `flaky`
 */
export async function withSecondChances(outcomes, test) {
  const failures = outcomes.flatMap((outcome) => outcome.failures)
  const failed = outcomes.reduce((sum, outcome) => sum + outcome.failed, 0)
  const isOfTests = failed === failures.length && failures.every(({ file }) => file)
  if (!isOfTests || failed > FAILURES_MAX) return outcomes
  const judged = []
  for (const outcome of outcomes) judged.push(await withSecondChance(outcome, test))
  return judged
}

async function withSecondChance({ run, ...outcome }, test) {
  const flaky = []
  const files = [...new Set(outcome.failures.map(({ file }) => file))]
  for (const [index, file] of files.entries()) {
    const again = await test({ ...run, name: `${run.name}-again-${index + 1}`, files: [file] })
    if (again.failed > 0 || again.passed === 0) continue
    for (const failure of outcome.failures.filter((one) => one.file === file)) {
      const { milliseconds } = again.durations?.find(({ title }) => title === failure.title) ?? {}
      flaky.push(
        `${run.name}: ${failure.title} (${file}): ${historyOf(failure, run, milliseconds)}`
      )
    }
    outcome.failures = outcome.failures.filter((one) => one.file !== file)
  }
  return {
    ...outcome,
    run,
    flaky,
    passed: outcome.passed + flaky.length,
    failed: outcome.failed - flaky.length,
  }
}

function historyOf({ milliseconds: first, message }, { files }, second) {
  const seconds = (milliseconds) =>
    milliseconds === undefined ? '' : ` after ${(milliseconds / 1000).toFixed(1)} s`
  return `failed${seconds(first)} among ${files.length} files (${message}), passed${seconds(second)} alone`
}
