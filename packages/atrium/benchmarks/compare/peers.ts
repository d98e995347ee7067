import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Contender } from './contender.js'
import { NEST_CRUD } from './nest_crud.js'

const CONTENDERS = fileURLToPath(new URL('../contenders/', import.meta.url))

/** Other frameworks with prepared statements, for reads. */
const READERS: Contender[] = ['Fastify', 'Hono'].map((name) => ({
  name,
  script: `packages/atrium/benchmarks/contenders/${name.toLowerCase()}/server.ts`,
  operations: ['read one', 'list page'],
}))

/** Returns the contenders of other frameworks. Each has its packages in its own directory, which are installed once. */
export function installPeers(): Contender[] {
  for (const folder of ['nestjs', 'fastify', 'hono']) install(join(CONTENDERS, folder))
  return [NEST_CRUD, ...READERS]
}

function install(folder: string): void {
  if (existsSync(join(folder, 'node_modules'))) return
  /* Their peer dependencies, database drivers among them, are installed for the application already. */
  const options = ['--legacy-peer-deps', '--no-package-lock', '--no-audit', '--no-fund']
  execFileSync('npm', ['install', ...options], {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'inherit'],
  })
}
