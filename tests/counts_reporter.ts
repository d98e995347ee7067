import { writeFileSync } from 'node:fs'
import { BaseReporter } from '@japa/runner/core'
import type { NamedReporterContract } from '@japa/runner/types'

/**
 * Writes how many tests passed and failed to the file that ATRIUM_TEST_COUNTS names, for
 * scripts/test.js. Skipped tests are in neither number.
 */
class CountsReporter extends BaseReporter {
  protected async end() {
    const file = process.env.ATRIUM_TEST_COUNTS
    if (!file) return

    const { aggregates, failureTree, hasError } = this.runner!.getSummary()

    /* A suite's or group's own errors are those of its hooks: they fail the run, but no test. */
    const groups = failureTree.flatMap((suite) => suite.children).filter(isGroup)
    const failedHooks = [...failureTree, ...groups].filter(({ errors }) => errors.length > 0).length
    const failed = aggregates.failed + failedHooks

    const counts = {
      /* Japa's "regressions" are tests that failed as test.fails() says they must. */
      passed: aggregates.passed + aggregates.regression,
      failed: hasError ? Math.max(failed, 1) : failed,
      skipped: aggregates.skipped,
      todo: aggregates.todo,
    }
    writeFileSync(file, JSON.stringify(counts))
  }
}

function isGroup({ type }: { type: 'test' | 'group' }) {
  return type === 'group'
}

export function countsReporter(): NamedReporterContract {
  return {
    name: 'counts',
    handler: (runner, emitter) => new CountsReporter().boot(runner as any, emitter),
  }
}
