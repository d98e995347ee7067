/*
 * `npm run build -w adonis-atrium`: writes build/, what the package consists of beside views, assets, texts and stubs.
 * With --without-types no declarations are written, which take most of the time.
 */
import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { compile } from '../../../scripts/compile.js'

const folder = dirname(import.meta.dirname)
const target = join(folder, 'build')

rmSync(target, { recursive: true, force: true })
compileFolder('src', target)
compileFolder('migrations', join(target, 'migrations'))
if (!process.argv.includes('--without-types')) declareTypes()

function compileFolder(name, to) {
  for (const path of readdirSync(join(folder, name), { recursive: true })) {
    const source = join(folder, name, path)
    const output = join(to, path)
    mkdirSync(dirname(output), { recursive: true })
    if (path.endsWith('.d.ts')) cpSync(source, output)
    else if (path.endsWith('.ts')) {
      writeFileSync(output.replace(/ts$/, 'js'), compile(readFileSync(source, 'utf8'), source))
    }
  }
}

function declareTypes() {
  const tsc = createRequire(import.meta.url).resolve('typescript/bin/tsc')
  const { status } = spawnSync(process.execPath, [tsc, '-p', folder], { stdio: 'inherit' })
  if (status !== 0) process.exit(1)
}
