import { spawnSync } from 'node:child_process'
import {
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import ts from 'typescript'

/* The application, the empty one, and the entry files of the benchmark */
const PARTS = [
  'adonisrc.ts',
  'app',
  ...['build', 'views', 'assets', 'lang'].map((folder) => `packages/atrium/${folder}`),
  'packages/atrium/benchmarks/boot/application.ts',
  'packages/atrium/benchmarks/boot/empty_application.ts',
  'packages/atrium/benchmarks/boot/tell_start.ts',
  'packages/atrium/benchmarks/boot/used_memory.ts',
  'packages/atrium/benchmarks/contenders/adonis',
  'packages/atrium/benchmarks/contenders/bare',
  'packages/atrium/benchmarks/helpers/ignitor.ts',
  'bin/compile_cache.ts',
  'config',
  'database',
  'resources',
  'start',
]

const OPTIONS: ts.CompilerOptions = {
  module: ts.ModuleKind.ESNext,
  target: ts.ScriptTarget.ESNext,
  experimentalDecorators: true,
  emitDecoratorMetadata: true,
}

/** Translates TypeScript as the application's own build does. */
export function translate(source: string): string {
  return ts.transpileModule(source, { compilerOptions: OPTIONS }).outputText
}

/**
 * Builds the application into a directory of the project: translating TypeScript is not part of a
 * production start. (`node ace build` would replace the operator's own build.)
 */
export function buildApplication(root: string, folder: string): void {
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  spawnSync(process.execPath, ['packages/atrium/scripts/build.js', '--without-types'], {
    cwd: root,
  })
  for (const path of ['package.json', 'packages/atrium/package.json']) {
    cpSync(join(root, path), join(folder, path))
  }
  mkdirSync(join(folder, 'node_modules'))
  symlinkSync('../packages/atrium', join(folder, 'node_modules/adonis-atrium'))
  for (const part of PARTS) {
    for (const path of filesOf(root, part)) {
      const target = join(folder, path)
      mkdirSync(dirname(target), { recursive: true })
      if (!path.endsWith('.ts')) cpSync(join(root, path), target)
      else
        writeFileSync(
          target.replace(/\.ts$/, '.js'),
          translate(readFileSync(join(root, path), 'utf8'))
        )
    }
  }
}

function filesOf(root: string, part: string): string[] {
  if (part.endsWith('.ts')) return [part]
  return readdirSync(join(root, part), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ name, parentPath }) => join(parentPath, name).slice(root.length))
}
