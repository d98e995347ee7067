/*
 * `npm run build -w adonis-atrium`: writes build/, the parts of the package other than views, assets, texts and stubs.
 * The modules are bundled, as a start takes half a millisecond for each file; a module that is loaded on first use stays
 * a file of its own. With --without-types no declarations are written, which take most of the time.
 */
import { spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { build } from 'esbuild'

const folder = dirname(import.meta.dirname)
const target = join(folder, 'build')
const SOURCE = 'atrium-source'

/** The `imports` of package.json name compiled files. */
const ownImports = {
  name: 'imports of the package',
  setup(plugins) {
    const { imports } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
    plugins.onResolve({ filter: /^#/ }, ({ path }) => {
      const [name, to] = Object.entries(imports).find(([pattern]) => {
        return pattern === path || (pattern.endsWith('*') && path.startsWith(pattern.slice(0, -1)))
      })
      const part = name.endsWith('*') ? path.slice(name.length - 1) : ''
      const file = (to[SOURCE] ?? to).replace('*', part).replace(/\.js$/, '.ts')
      return { path: join(folder, file) }
    })
  },
}

rmSync(target, { recursive: true, force: true })
await bundle()
if (!process.argv.includes('--without-types')) declareTypes()

async function bundle() {
  const { outputFiles } = await build({
    absWorkingDir: folder,
    entryPoints: entries(),
    outdir: target,
    write: false,
    bundle: true,
    splitting: true,
    packages: 'external',
    conditions: [SOURCE],
    format: 'esm',
    platform: 'node',
    target: 'node24',
    chunkNames: 'chunks/[name]-[hash]',
    /* Lucid and errors read the names of classes. Those of functions are not read, and would be set at each call. */
    keepNames: true,
    banner: { js: 'const __unnamed = (target) => target;' },
    logLevel: 'warning',
    plugins: [ownImports],
  })
  for (const { path, text } of outputFiles) {
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, text.replaceAll('/* @__PURE__ */ __name(', '__unnamed('))
  }
}

/** What is imported from outside: the public subpaths, and the migrations. */
function entries() {
  const { exports } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  const sources = Object.values(exports).flatMap((one) => one[SOURCE] ?? [])
  const migrations = readdirSync(join(folder, 'migrations'), { recursive: true })
  return Object.fromEntries([
    ...sources.map((path) => [path.slice('./src/'.length, -3), path]),
    ...migrations
      .filter((path) => path.endsWith('.ts'))
      .map((path) => [`migrations/${path.slice(0, -3)}`, `./migrations/${path}`]),
  ])
}

function declareTypes() {
  const tsc = createRequire(import.meta.url).resolve('typescript/bin/tsc')
  /* `npm run typecheck` checks the types, which would take as long again. */
  const args = [tsc, '-p', folder, '--noCheck']
  const { status } = spawnSync(process.execPath, args, { stdio: 'inherit' })
  if (status !== 0) process.exit(1)
}
