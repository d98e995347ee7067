/*
 * The `node ace` commands. In a shell whose Node.js is older than the application needs, the call is
 * passed to the Node.js that `npm start` installs there.
 */
import { makeReady } from './scripts/ace.js'
import { needsOtherRuntime, runWithSuitableNode } from './scripts/runtime.js'

if (!(await makeReady())) {
  process.exitCode = 1
} else if (needsOtherRuntime()) {
  process.exitCode = await runWithSuitableNode(process.argv.slice(1))
} else {
  /* For the processes that a command starts with ts-exec: the engine's sources instead of its build */
  process.env.NODE_OPTIONS = `${process.env.NODE_OPTIONS ?? ''} --conditions=atrium-source`.trim()
  await import('./scripts/loader.js')
  await import('./bin/console.js')
}
