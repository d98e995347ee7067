/*
 * `npm run dev`: the server that starts anew when files change. As a process of ours it ends when npm
 * is told to, which hands a signal to nobody but its shell.
 */
import { root, runWithSuitableNode } from './runtime.js'

process.chdir(root)
process.exitCode = await runWithSuitableNode(['ace.js', 'serve', '--hmr', ...process.argv.slice(2)])
