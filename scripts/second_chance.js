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
 * @param outcomes  of the runs of a plan: `run`, `passed`, and `failures` with `title`, `file` and `milliseconds`
 * @param test      runs one run, and resolves to its outcome
 * @returns the outcomes; what passed this time is moved from `failures` to the lines of `flaky`
 */
export async function withSecondChances(outcomes, test) {
  const failures = outcomes.flatMap((outcome) => outcome.failures)
  if (failures.length > FAILURES_MAX || !failures.every(({ file }) => file)) return outcomes
  const judged = []
  for (const outcome of outcomes) judged.push(await withSecondChance(outcome, test))
  return judged
}

async function withSecondChance({ run, passed, failures, ...outcome }, test) {
  const flaky = []
  const failed = []
  const files = [...new Set(failures.map(({ file }) => file))]
  for (const [index, file] of files.entries()) {
    const again = await test({ ...run, name: `${run.name}-again-${index + 1}`, files: [file] })
    const some = failures.filter((failure) => failure.file === file)
    if (again.failures.length > 0 || again.passed === 0) failed.push(...some)
    else flaky.push(...some.map((failure) => historyOf(failure, run, again)))
  }
  return { ...outcome, run, passed: passed + flaky.length, failures: failed, flaky }
}

function historyOf({ title, file, milliseconds, message }, { name, files }, { tests = [] }) {
  const again = tests.find((one) => one.title === title)?.milliseconds
  const after = (one) => (one === undefined ? '' : ` after ${(one / 1000).toFixed(1)} s`)
  return `${name}: ${title} (${file}): failed${after(milliseconds)} among ${files.length} files (${message}), passed${after(again)} alone`
}
