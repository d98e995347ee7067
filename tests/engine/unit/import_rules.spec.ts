import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
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
    await cp(app.makePath('package.json'), join(root, 'package.json'))
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
    'app/admin/admin_provider.ts',
    'app/admin/index.ts',
    'app/admin/list/cell.ts',
    'app/admin/testing.ts',
    'app/crud/commands/command.ts',
    'app/crud/crud_provider.ts',
    'app/crud/index.ts',
    'app/crud/internals.ts',
    'app/crud/sql/sql.ts',
    'app/host/probes.ts',
    'app/models/thing.ts',
    'app/upstream/knex.ts',
    'config/crud.ts',
    'start/env.ts',
    'tests/engine/helpers/http.ts',
  ].map((path) => [path, FILE])
)

const importing = (specifier: string) => `import { here } from '${specifier}'\nvoid here\n`

test.group('Import rules', (group) => {
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
      const files = { 'app/crud/one.ts': source, 'app/crud/two.ts': two }
      assert.include(await brokenRules(files), 'no-circle')
    })
  }

  test('two models may import each other', async ({ assert }) => {
    const files = {
      'app/models/one.ts': "import { two } from '#models/two'\nexport const one = () => two\n",
      'app/models/two.ts': "import { one } from '#models/one'\nexport const two = () => one\n",
    }
    assert.isEmpty(await brokenRules(files))
  })

  for (const [file, specifier, rule] of [
    ['app/crud/one.ts', '#admin', 'crud-imports-downwards'],
    ['app/crud/one.ts', '../admin/list/cell.js', 'crud-imports-downwards'],
    ['app/crud/one.ts', '#host/probes', 'crud-imports-downwards'],
    ['app/crud/one.ts', '#models/thing', 'crud-imports-downwards'],
    ['app/crud/one.ts', '#config/crud', 'crud-imports-downwards'],
    ['app/crud/one.ts', '#start/env', 'crud-imports-downwards'],
    ['app/crud/one.ts', '#tests/engine/helpers/http', 'crud-imports-downwards'],
    ['app/admin/one.ts', '#host/probes', 'admin-imports-downwards'],
    ['app/admin/one.ts', '#models/thing', 'admin-imports-downwards'],
    ['app/admin/one.ts', '#config/crud', 'admin-imports-downwards'],
    ['app/host/one.ts', '#models/thing', 'host-imports-downwards'],
    ['app/host/one.ts', '#start/env', 'host-imports-downwards'],
    ['app/upstream/one.ts', '#crud', 'upstream-imports-nothing'],
    ['app/upstream/one.ts', '#admin/list/cell', 'upstream-imports-nothing'],
    ['app/models/one.ts', '#crud/sql/sql', 'crud-by-its-face'],
    ['app/models/one.ts', '#crud/internals', 'crud-by-its-face'],
    ['config/one.ts', '#crud/sql/sql', 'crud-by-its-face'],
    ['start/one.ts', '../app/crud/sql/sql.js', 'crud-by-its-face'],
    ['tests/functional/one.ts', '#crud/sql/sql', 'crud-by-its-face'],
    ['app/admin/one.ts', '#crud/sql/sql', 'crud-by-its-inner-face'],
    ['app/admin/one.ts', '#crud/commands/command', 'crud-by-its-inner-face'],
    ['app/host/one.ts', '#crud/sql/sql', 'crud-by-its-inner-face'],
    ['app/admin/commands/one.ts', '#crud/sql/sql', 'crud-by-its-command-face'],
    ['commands/one.ts', '#crud/sql/sql', 'crud-by-its-command-face'],
    ['app/host/one.ts', '#admin/list/cell', 'admin-by-its-face'],
    ['config/one.ts', '#admin/list/cell', 'admin-by-its-face'],
    ['app/models/one.ts', '#admin/list/cell', 'admin-by-its-face'],
    ['adonisrc.ts', '#crud/sql/sql', 'adonisrc-names-entries'],
    ['app/admin/one.ts', '#crud/no_such_file', 'import-exists'],
  ]) {
    test(`${file} must not import ${specifier}`, async ({ assert }) => {
      assert.deepEqual(await brokenRules({ [file]: importing(specifier) }), [rule])
    })
  }

  for (const [file, specifier] of [
    ['app/crud/one.ts', '#upstream/knex'],
    ['app/admin/one.ts', '#crud'],
    ['app/admin/one.ts', '#crud/internals'],
    ['app/admin/one.ts', '#upstream/knex'],
    ['app/admin/commands/one.ts', '#crud/commands/command'],
    ['app/host/one.ts', '#admin'],
    ['app/models/one.ts', '#admin'],
    ['start/one.ts', '#host/probes'],
    ['tests/functional/one.ts', '#admin/testing'],
    ['tests/engine/one.ts', '#crud/sql/sql'],
    ['adonisrc.ts', '#crud/crud_provider'],
    ['adonisrc.ts', '#admin/admin_provider'],
  ]) {
    test(`${file} may import ${specifier}`, async ({ assert }) => {
      assert.isEmpty(await brokenRules({ [file]: importing(specifier) }))
    })
  }
})
