/*
 * Runs a TypeScript file with a Node.js that is new enough: `node scripts/run.js FILE ...`. It installs what is
 * missing.
 */
import { ensureInstalled } from './install.js'
import { ensureSqlite3 } from './sqlite_driver.js'
import { PlainError, root, runWithSuitableNode } from './runtime.js'

process.chdir(root)
try {
  await ensureInstalled()
  await ensureSqlite3()
  process.exitCode = await runWithSuitableNode([
    '--import=./scripts/loader.js',
    ...process.argv.slice(2),
  ])
} catch (error) {
  if (!(error instanceof PlainError)) throw error
  console.error(error.message)
  process.exitCode = error.exitCode
}
