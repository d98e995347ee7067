import { writeFileSync } from 'node:fs'
import { relative } from 'node:path'
import { BaseReporter } from '@japa/runner/core'
import { dot, github, ndjson, spec } from '@japa/runner/reporters'
import type { Config, NamedReporterContract, TestEndNode } from '@japa/runner/types'
import { processorTime } from '#tests/processor_time'

/** Measuring takes some milliseconds a test. */
const measure = process.env.ATRIUM_TEST_WEIGHS ? processorTime : () => 0

/**
 * Writes the numbers of passed and failed tests, and the duration of each, to the file ATRIUM_TEST_COUNTS, for
 * scripts/test.js; the failed ones by name, with ATRIUM_TEST_WEIGHS the processor time of each, too. Skipped tests are not counted.
 */
class CountsReporter extends BaseReporter {
  readonly #durations: Array<{
    file: string
    title: string
    milliseconds: number
    processorSeconds: number
  }> = []
  readonly #failures: Array<{ title: string; file?: string }> = []
  #measured = measure()

  protected onTestEnd({ title, duration, meta, hasError }: TestEndNode) {
    const file = relative(process.cwd(), meta.fileName)
    const now = measure()
    this.#durations.push({
      file,
      title: title.expanded,
      milliseconds: Math.round(duration),
      processorSeconds: now - this.#measured,
    })
    this.#measured = now
    if (hasError) this.#failures.push({ title: title.expanded, file })
  }

  protected async end() {
    const { aggregates, failureTree, hasError } = this.runner!.getSummary()

    /* Errors of a suite or group are those of its hooks: they fail the run but are not tests. */
    const groups = failureTree.flatMap((suite) => suite.children).filter(isGroup)
    const failedHooks = [...failureTree, ...groups].filter(({ errors }) => errors.length > 0)
    const failed = aggregates.failed + failedHooks.length

    const counts = {
      /* Japa's "regressions" are tests that have failed as test.fails() expects. */
      passed: aggregates.passed + aggregates.regression,
      failed: hasError ? Math.max(failed, 1) : failed,
      skipped: aggregates.skipped,
      todo: aggregates.todo,
      durations: this.#durations,
      failures: [
        ...this.#failures,
        ...failedHooks.map((one) => ({ title: `a hook of ${nameOf(one)}` })),
      ],
    }
    writeFileSync(process.env.ATRIUM_TEST_COUNTS!, JSON.stringify(counts))
  }
}

function nameOf(one: { name: string } | { title: string }) {
  return 'name' in one ? one.name : one.title
}

function isGroup({ type }: { type: 'test' | 'group' }) {
  return type === 'group'
}

/**
 * Adds the counting reporter if scripts/test.js has requested it.
 */
export function withCounts(reporters: Config['reporters']): Config['reporters'] {
  if (!process.env.ATRIUM_TEST_COUNTS) return reporters
  const { activated = ['spec'], list = [spec(), dot(), ndjson(), github()] } = reporters ?? {}
  return { activated: [...activated, 'counts'], list: [...list, countsReporter()] }
}

function countsReporter(): NamedReporterContract {
  return {
    name: 'counts',
    handler: (runner, emitter) => new CountsReporter().boot(runner as any, emitter),
  }
}
