import { realpathSync } from 'node:fs'
import { basename, delimiter, join, sep } from 'node:path'
import { pathVariable, root } from './runtime.js'

const NODE_MODULES = join(root, 'node_modules')

/** The command that runs npm, with a Node.js outside node_modules, which `npm ci` begins by deleting. */
export function npm() {
  const name = pathVariable(process.env)
  const modules = join(realpathSync(root), 'node_modules') + sep
  const isOurs = (path) => path.startsWith(modules) || path.startsWith(NODE_MODULES + sep)

  const path = (process.env[name] ?? '').split(delimiter).filter((folder) => !isOurs(folder + sep))
  const env = { ...process.env, [name]: path.join(delimiter) }

  const cli = process.env.npm_execpath
  return cli && basename(cli) === 'npm-cli.js'
    ? { file: isOurs(process.execPath) ? 'node' : process.execPath, args: [cli], env }
    : { file: 'npm', args: [], env }
}
