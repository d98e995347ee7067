import { writeFileSync } from 'node:fs'
import { relative } from 'node:path'
import { BaseReporter } from '@japa/runner/core'
import { dot, github, ndjson, spec } from '@japa/runner/reporters'
import type { Config, NamedReporterContract, TestEndNode } from '@japa/runner/types'

/**
 * Writes the numbers of passed and failed tests, the duration of each, and the failed ones by name, to the file
 * ATRIUM_TEST_COUNTS, for scripts/test.js. Skipped tests are not counted.
 */
class CountsReporter extends BaseReporter {
  readonly #durations: Array<{ file: string; title: string; milliseconds: number }> = []
  readonly #failures: Array<{ title: string; file?: string; message?: string }> = []

  protected onTestEnd({ title, duration, meta, hasError, errors }: TestEndNode) {
    const one = {
      file: relative(process.cwd(), meta.fileName),
      title: title.expanded,
      milliseconds: Math.round(duration),
    }
    this.#durations.push(one)
    if (hasError) this.#failures.push({ ...one, message: firstLineOf(errors[0]?.error) })
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

function firstLineOf(error: unknown) {
  return String((error as Error | undefined)?.message ?? error).split('\n')[0]
}

function nameOf(one: { name: string } | { title: string }) {
  return 'name' in one ? one.name : one.title
}

function isGroup({ type }: { type: 'test' | 'group' }) {
  return type === 'group'
}

/** Adds the counting reporter if scripts/test.js has requested it. */
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
