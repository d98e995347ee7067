import { writeFileSync } from 'node:fs'
import { relative } from 'node:path'
import type { PluginFn } from '@japa/runner/types'

interface Result {
  title: string
  file?: string
  milliseconds?: number
  hasPassed?: boolean
  hasFailed?: boolean
  message?: string
}

/**
 * A plugin of Japa: writes the result of each test to the file ATRIUM_TEST_RESULTS, for scripts/test.js. A skipped test
 * counts as none. Errors of a group or suite are those of its hooks: they fail the run as a test does.
 */
export const writeResults: PluginFn = ({ emitter }) => {
  const path = process.env.ATRIUM_TEST_RESULTS
  if (!path) return
  const results: Result[] = []
  const noteHooks = (title: string, errors: unknown[]) => {
    if (errors.length > 0) results.push({ title: `a hook of ${title}`, hasFailed: true })
  }
  emitter.on('group:end', ({ title, errors }) => noteHooks(title, errors))
  emitter.on('suite:end', ({ name, errors }) => noteHooks(name, errors))
  emitter.on('test:end', ({ title, meta, duration, hasError, isSkipped, isTodo, errors }) => {
    results.push({
      title: title.expanded,
      file: relative(process.cwd(), meta.fileName),
      milliseconds: Math.round(duration),
      hasPassed: !hasError && !isSkipped && !isTodo,
      hasFailed: hasError,
      ...(hasError && { message: firstLineOf(errors[0]?.error) }),
    })
  })
  emitter.on('runner:end', () => writeFileSync(path, JSON.stringify(results)))
}

function firstLineOf(error: unknown) {
  return String((error as Error | undefined)?.message ?? error).split('\n')[0]
}
