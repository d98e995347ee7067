import { inspect } from 'node:util'

const failures: Array<{ what: string; error: unknown }> = []

/**
 * Work for after the tests that may fail without a word being lost. Japa reports what the tests found
 * only once all such work is done, and reports nothing of them where it throws: here it is told when
 * the process ends, after the tests' own failures, and the exit status says that the run failed.
 *
 * @param what  the work, in words
 */
export function afterwards<Args extends unknown[]>(
  what: string,
  work: (...args: Args) => unknown
): (...args: Args) => Promise<void> {
  return async (...args) => {
    try {
      await work(...args)
    } catch (error) {
      if (failures.length === 0) process.once('exit', tell)
      failures.push({ what, error })
    }
  }
}

function tell() {
  process.exitCode = 1
  for (const { what, error } of failures) {
    console.error(`\nAfter the tests, ${what} failed:\n${inspect(error)}`)
  }
}
