/*
 * The `node ace` commands. In a shell whose Node.js is older than the application needs, the call is
 * handed over to the runtime that came with `npm install`.
 */
import { makeReady } from './scripts/ace.js'
import { needsOtherRuntime, runWithBundledNode } from './scripts/runtime.js'

if (!(await makeReady())) {
  process.exitCode = 1
} else if (needsOtherRuntime()) {
  process.exitCode = await runWithBundledNode(process.argv.slice(1))
} else {
  await import('./scripts/loader.js')
  await import('./bin/console.js')
}
