import { access, readFile } from 'node:fs/promises'
import { relative } from 'node:path'
import app from '@adonisjs/core/services/app'
import { test } from '@japa/runner'
import ts from 'typescript'

/* What the package has */
const PARTS = [
  'LICENSE',
  'README.md',
  'assets',
  'lang',
  'migrations',
  'package.json',
  'src',
  'src/configure.ts',
  'stubs',
  'tests',
  'views',
]

test.group('The folder of the package', () => {
  test('[K1] the package folder has all parts of the engine, and a README and licence', async () => {
    for (const part of PARTS) await access(app.makePath('packages/atrium', part))
  })
})

test.group('The command npm run build', () => {
  test('a build contains the application, but no tests, benchmarks or test helpers', async ({
    assert,
  }) => {
    const { scripts } = JSON.parse(await readFile(app.makePath('package.json'), 'utf8'))
    const [, file] = /--tsconfig=(\S+)/.exec(scripts.build)!
    const { config } = ts.readConfigFile(app.makePath(file), ts.sys.readFile)
    const { fileNames } = ts.parseJsonConfigFileContent(config, ts.sys, app.makePath())
    const built = fileNames.map((path) => relative(app.makePath(), path))

    assert.includeMembers(built, [
      'bin/server.ts',
      'bin/console.ts',
      'adonisrc.ts',
      'config/crud.ts',
    ])
    const needless = /^(tests|packages)\/|^bin\/test\.|testing\.ts$|\.spec\.ts$/
    assert.deepEqual(
      built.filter((path) => needless.test(path)),
      []
    )
  })
})
