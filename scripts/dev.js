/*
 * `npm run dev`: a server that restarts when files change. It runs as a child of this process so that it
 * ends with npm, which passes a signal only to its shell.
 */
import { root, runWithSuitableNode } from './runtime.js'

process.chdir(root)
process.exitCode = await runWithSuitableNode(['ace.js', 'serve', '--hmr', ...process.argv.slice(2)])
