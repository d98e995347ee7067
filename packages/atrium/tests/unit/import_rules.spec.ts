import { cp, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import app from '@adonisjs/core/services/app'
import { test } from '@japa/runner'

type Lint = (root: string, paths: string[]) => Promise<string[]>

/** Names of the rules that imports of these files violate. */
async function brokenRules(files: Record<string, string>): Promise<string[]> {
  const { findForbiddenImports } = (await import(app.makePath('scripts/lint_imports.js'))) as {
    findForbiddenImports: Lint
  }
  const root = await mkdtemp(join(tmpdir(), 'imports-'))
  try {
    await mkdir(join(root, 'packages/atrium'), { recursive: true })
    await mkdir(join(root, 'node_modules'))
    await symlink('../packages/atrium', join(root, 'node_modules/adonis-atrium'))
    for (const path of ['package.json', 'packages/atrium/package.json']) {
      await cp(app.makePath(path), join(root, path))
    }
    for (const [path, source] of Object.entries({ ...TARGETS, ...files })) {
      await mkdir(dirname(join(root, path)), { recursive: true })
      await writeFile(join(root, path), source)
    }
    const lines = await findForbiddenImports(root, Object.keys(files))
    return lines.map((line) => line.slice(0, line.indexOf(':')))
  } finally {
    await rm(root, { recursive: true })
  }
}

const FILE = 'export const here = true\nexport type Here = boolean\n'

/* Files to import. */
const TARGETS = Object.fromEntries(
  [
    'packages/atrium/src/admin/admin_provider.ts',
    'packages/atrium/src/admin/index.ts',
    'packages/atrium/src/admin/list/cell.ts',
    'packages/atrium/src/admin.ts',
    'packages/atrium/src/index.ts',
    'packages/atrium/src/provider.ts',
    'packages/atrium/src/testing.ts',
    'packages/atrium/src/crud/commands/command.ts',
    'packages/atrium/src/crud/crud_provider.ts',
    'packages/atrium/src/crud/index.ts',
    'packages/atrium/src/crud/internals.ts',
    'packages/atrium/src/crud/sql/reader.ts',
    'packages/atrium/src/host/probes.ts',
    'app/models/thing.ts',
    'packages/atrium/src/base/errors.ts',
    'packages/atrium/src/upstream/knex.ts',
    'config/crud.ts',
    'start/env.ts',
    'packages/atrium/tests/helpers/http.ts',
  ].map((path) => [path, FILE])
)

const importing = (specifier: string) => `import { here } from '${specifier}'\nvoid here\n`

test.group('Rules of imports between files', (group) => {
  group.each.timeout(60_000)

  for (const [kind, source] of Object.entries({
    'a value': "import { here } from './two.js'\nexport const there = here\n",
    'a type': "import type { Here } from './two.js'\nexport type There = Here\n",
    'an inline type': "import { type Here } from './two.js'\nexport type There = Here\n",
    'a type query': "export type There = import('./two.js').Here\n",
    'a package import': "import type { Here } from '#crud/two'\nexport type There = Here\n",
    'an export': "export { here as there } from './two.js'\nexport type There = boolean\n",
    'a lazy import': "export const there = () => import('./two.js')\nexport type There = 1\n",
  })) {
    test(`a cycle that ${kind} closes is reported`, async ({ assert }) => {
      const two = "import type { There } from './one.js'\nexport type Here = There\n"
      const files = {
        'packages/atrium/src/crud/one.ts': source,
        'packages/atrium/src/crud/two.ts': two,
      }
      assert.include(await brokenRules(files), 'no-circle')
    })
  }

  test('two models of the application can import each other', async ({ assert }) => {
    const files = {
      'app/models/one.ts': "import { two } from '#models/two'\nexport const one = () => two\n",
      'app/models/two.ts': "import { one } from '#models/one'\nexport const two = () => one\n",
    }
    assert.isEmpty(await brokenRules(files))
  })

  for (const [file, specifier, rule] of [
    ['crud/one.ts', '#admin', 'crud-imports-downwards'],
    ['crud/one.ts', '../admin/list/cell.js', 'crud-imports-downwards'],
    ['crud/one.ts', '#host/probes', 'crud-imports-downwards'],
    ['crud/one.ts', '#tests/helpers/http', 'engine-imports-itself'],
    ['crud/one.ts', '../../../../app/models/thing.js', 'engine-imports-itself'],
    ['admin/one.ts', '#host/probes', 'admin-imports-downwards'],
    ['admin/one.ts', '../../../../config/crud.js', 'engine-imports-itself'],
    ['host/one.ts', '../../../../start/env.js', 'engine-imports-itself'],
    ['base/one.ts', '#crud', 'base-imports-downwards'],
    ['base/one.ts', '#admin', 'base-imports-downwards'],
    ['upstream/one.ts', '#crud', 'upstream-imports-nothing'],
    ['upstream/one.ts', '#base/errors', 'upstream-imports-nothing'],
    ['upstream/one.ts', '#admin/list/cell', 'upstream-imports-nothing'],
    ['admin/one.ts', '#crud/sql/reader', 'crud-by-its-inner-face'],
    ['admin/one.ts', '#crud/commands/command', 'crud-by-its-inner-face'],
    ['host/one.ts', '#crud/sql/reader', 'crud-by-its-inner-face'],
    ['admin/commands/one.ts', '#crud/sql/reader', 'crud-by-its-command-face'],
    ['host/one.ts', '#admin/list/cell', 'admin-by-its-face'],
    ['admin/one.ts', '#crud/no_such_file', 'import-exists'],
  ]
    .map(([path, ...rest]) => [`packages/atrium/src/${path}`, ...rest])
    .concat([
      [
        'app/models/one.ts',
        '../../packages/atrium/src/crud/sql/reader.js',
        'engine-by-its-exports',
      ],
      ['start/one.ts', '../packages/atrium/src/crud/internals.js', 'engine-by-its-exports'],
      [
        'tests/functional/one.ts',
        '../../packages/atrium/tests/helpers/http.js',
        'engine-by-its-exports',
      ],
    ])) {
    const id = ['engine-by-its-exports', 'engine-imports-itself'].includes(rule) ? '[K1] ' : ''
    test(`${id}the file ${file} must not import ${specifier}`, async ({ assert }) => {
      assert.deepEqual(await brokenRules({ [file]: importing(specifier) }), [rule])
    })
  }

  for (const [file, specifier] of [
    ['packages/atrium/src/base/one.ts', '#upstream/knex'],
    ['packages/atrium/src/crud/one.ts', '#base/errors'],
    ['packages/atrium/src/crud/one.ts', '#upstream/knex'],
    ['packages/atrium/src/admin/one.ts', '#crud'],
    ['packages/atrium/src/admin/one.ts', '#crud/internals'],
    ['packages/atrium/src/admin/one.ts', '#base/errors'],
    ['packages/atrium/src/admin/one.ts', '#upstream/knex'],
    ['packages/atrium/src/admin/commands/one.ts', '#crud/commands/command'],
    ['packages/atrium/src/host/one.ts', '#admin'],
    ['packages/atrium/tests/one.ts', '#crud/sql/reader'],
    ['app/models/one.ts', '#admin'],
    ['app/models/one.ts', 'adonis-atrium'],
    ['tests/functional/one.ts', '#admin/testing'],
    ['adonisrc.ts', 'adonis-atrium/provider'],
  ]) {
    test(`the file ${file} is allowed to import ${specifier}`, async ({ assert }) => {
      assert.isEmpty(await brokenRules({ [file]: importing(specifier) }))
    })
  }
})
