import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import app from '@adonisjs/core/services/app'
import { test } from '@japa/runner'

/** Exports by import path, as files of an application made with 0.1.0 import them */
const STORED: Record<string, string[]> = {
  '#admin': ['AdminSite', 'AdminUser', 'AdminView', 'adminGuard', 'apiGuard', 'databaseEvents'],
  '#crud': ['Crud', 'LucidCrud', 'defineConfig', 'resources', 'useTokenAuthorizer'],
  '#admin/testing': ['adminApiClient', 'makeAdmin', 'removeCreated'],
}

/** Those that an application of 0.2 may have, and what it imports now */
const MOVED: Record<string, string> = {
  '#admin/admin_provider': 'adonis-atrium/provider',
  '#admin/authentication/redis_store': 'not needed any more',
  '#admin/commands/main': 'adonis-atrium/commands',
  '#admin/http/handle_error': "'#admin'",
  '#crud/commands/main': 'adonis-atrium/commands',
  '#crud/crud_provider': 'adonis-atrium/provider',
  '#crud/database/limiter_store': 'not needed any more',
  '#crud/database/mysql_connection': 'adonis-atrium/database',
  '#crud/docs/docs_routes': "'#crud'",
  '#crud/http/body_parser_middleware': 'adonis-atrium/body_parser_middleware',
  '#crud/http/initialize_auth_middleware': '@adonisjs/auth/initialize_auth_middleware',
  '#crud/http/node_server': 'adonis-atrium/server',
  '#crud/mount_middleware': 'adonis-atrium/middleware',
  '#crud/openapi/openapi_provider': 'adonis-atrium/provider',
  '#crud/settings': "'#crud'",
  '#host/host_provider': 'adonis-atrium/server_provider',
  '#tests/helpers/admin': 'adonis-atrium/testing',
  '#tests/engine/helpers/http': 'adonis-atrium/testing',
}

/** Folders of the engine's code that runs in an application */
const ENGINE = ['packages/atrium/src']

const IMPORTS = /(?:from|import|import\()\s*['"]([#.][^'"]+)['"]/g
const OWN_ADDRESSES = /^#(?:models|policies|middleware|exceptions|config|start|database)\//

const guide = readFileSync(app.makePath('docs/upgrading.md'), 'utf8')

/** Paths of a list of docs/upgrading.md: those in backticks before the colon of an item */
function pathsOf(name: string): string[] {
  const list = new RegExp(`<!-- ${name} -->\n(.*?)<!-- /${name} -->`, 's').exec(guide)![1]
  return list
    .split('\n')
    .flatMap((item) => [...item.split(/:(?: |$)/)[0].matchAll(/`([^`]+)`/g)])
    .map(([, path]) => path)
}

const isIn = (file: string, path: string) =>
  path.endsWith('/') ? file.startsWith(path) : file === path

/** Length of the longest path of a list that contains the file; 0 if there is none */
function claim(file: string, paths: readonly string[]): number {
  return Math.max(0, ...paths.filter((path) => isIn(file, path)).map((path) => path.length))
}

function sourcesOf(folder: string): Array<{ file: string; text: string }> {
  return readdirSync(app.makePath(folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
    .map(({ name, parentPath }) => {
      const path = `${parentPath}/${name}`
      return { file: relative(app.makePath(), path), text: readFileSync(path, 'utf8') }
    })
}

test.group('Files of the application and of the engine', () => {
  const own = pathsOf('yours')
  const engine = pathsOf('engine')

  test('each file of the repository is in one list of docs/upgrading.md', ({ assert }) => {
    const tracked = execFileSync('git', ['-c', 'safe.directory=*', 'ls-files'], {
      cwd: app.makePath(),
      encoding: 'utf8',
    })
    const files = tracked.split('\n').filter(Boolean)
    assert.isAbove(files.length, 500)
    assert.deepEqual(
      own.filter((path) => engine.includes(path)),
      []
    )

    /* Files of an application can't be in a list; they are its own. */
    const { name } = JSON.parse(readFileSync(app.makePath('package.json'), 'utf8'))
    const unlisted = files.filter((file) => claim(file, own) === claim(file, engine))
    assert.deepEqual(name === 'atrium' ? unlisted : [], [])
  })

  test('each listed path of the engine exists', ({ assert }) => {
    assert.deepEqual(
      engine.filter((path) => !existsSync(app.makePath(path))),
      []
    )
  })

  test('docs/upgrading.md lists models, settings and migrations as files of the application', ({
    assert,
  }) => {
    const isOwn = (file: string) => claim(file, own) > claim(file, engine)
    assert.isTrue(isOwn('app/models/product.ts'))
    assert.isTrue(isOwn('app/services/prices.ts'))
    assert.isTrue(isOwn('config/crud.ts'))
    assert.isTrue(isOwn('database/migrations/1_create_prices_table.ts'))
    assert.isTrue(isOwn('tests/functional/prices.spec.ts'))
    assert.isTrue(isOwn('resources/views/pages/home.edge'))
    assert.isFalse(isOwn('packages/atrium/src/crud/index.ts'))
    assert.isFalse(isOwn('packages/atrium/tests/unit/upgrading.spec.ts'))
    assert.isFalse(isOwn('packages/atrium/views/admin/pages/list.edge'))
  })

  test('the engine imports no file of the application', ({ assert }) => {
    const found = ENGINE.flatMap(sourcesOf).flatMap(({ file, text }) => {
      /* Imports in templates and comments do not count. */
      const code = text.replaceAll(/\/\*.*?\*\//gs, '').replaceAll(/^\s*["'`].*$/gm, '')
      const imported = [...code.matchAll(IMPORTS)].map(([, address]) => address)
      return imported
        .filter((address) => {
          if (address.startsWith('#')) return OWN_ADDRESSES.test(address)
          const path = join(dirname(file), address).replace(/\.js$/, '.ts')
          return claim(path, own) > claim(path, engine)
        })
        .map((address) => `${file}: ${address}`)
    })
    assert.deepEqual(found, [])
  })

  test('only configure, make commands, uploads, exports, imports and generated indexes write files', ({
    assert,
  }) => {
    const writes = /\b(?:writeFile|writeFileSync|appendFile|appendFileSync|createWriteStream)\b/
    const writing = ENGINE.flatMap(sourcesOf).filter(({ text }) => writes.test(text))
    assert.sameMembers(
      writing.map(({ file }) => file),
      [
        'packages/atrium/src/configure.ts',
        'packages/atrium/src/crud/scaffold/generated_files.ts',
        'packages/atrium/src/admin/commands/crud_export.ts',
        'packages/atrium/src/admin/export/export_job.ts',
        'packages/atrium/src/admin/forms/files/private_folder.ts',
        'packages/atrium/src/admin/import/jobs/import_in_parts.ts',
        'packages/atrium/src/admin/import/import_files.ts',
        'packages/atrium/src/admin/import/dry_run.ts',
        'packages/atrium/src/host/generate_indexes.ts',
        'packages/atrium/src/admin/commands/write_stubs.ts',
      ]
    )
  })
})

test.group('Import paths of the engine in files of the application', () => {
  test('each public import path of version 0.2 still has its exports: {$i}')
    .with(Object.entries(STORED))
    .run(async ({ assert }, [address, names]) => {
      const { imports } = JSON.parse(readFileSync(app.makePath('package.json'), 'utf8'))
      const found = Object.keys(await import(imports[address]))
      assert.includeMembers(found, names, address)
    })

  test('each import path that has become internal names its replacement', async ({ assert }) => {
    const { movedImport } = await import(app.makeURL('scripts/moved_imports.js').href)
    for (const [address, now] of Object.entries(MOVED)) {
      assert.include(movedImport(address), now, address)
    }
    for (const address of [...Object.keys(STORED), '#models/thing', '#tests/bootstrap']) {
      assert.isUndefined(movedImport(address), address)
    }
  })
})
