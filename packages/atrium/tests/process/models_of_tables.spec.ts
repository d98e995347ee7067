import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import string from '@adonisjs/core/helpers/string'
import { test } from '@japa/runner'
import Database from 'better-sqlite3'
import pg from 'pg'
import { createConnection } from 'mysql2/promise'
import { SCHEMAS, statementsOf } from '#tests/helpers/known_schemas'
import { removeDemo } from '#tests/helpers/notes_project'
import { ProjectCopy } from '#tests/helpers/project_copy'
import { createServerDatabase } from '#tests/helpers/test_database'
import { each } from '#tests/helpers/databases'

type Environment = Record<string, string>

const KIND = each({ sqlite: 'sqlite', postgres: 'postgres', mysql: 'mysql' } as const)

const SETTINGS = {
  NODE_ENV: 'development',
  APP_KEY: 'n'.repeat(32),
  LOG_LEVEL: 'warn',
}

/** A database for the copy with nothing in it, and a function that runs statements there. */
async function emptyDatabase(copy: ProjectCopy) {
  if (KIND === 'sqlite') {
    await mkdir(join(copy.folder, 'tmp'), { recursive: true })
    const run = async (statements: string[]) => {
      const database = new Database(join(copy.folder, 'tmp/known.sqlite3'))
      for (const one of statements) database.exec(one)
      database.close()
    }
    const environment = { DB_CONNECTION: 'sqlite', DB_DATABASE: 'tmp/known.sqlite3' }
    return { environment, run, remove: async () => {} }
  }
  const { environment, remove } = await createServerDatabase(KIND, '_known')
  const { DB_HOST: host, DB_USER: user, DB_PASSWORD: password, DB_DATABASE: database } = environment
  const server = { host, user, password, database, port: Number(environment.DB_PORT) }
  const run = async (statements: string[]) => {
    if (KIND === 'mysql') {
      const client = await createConnection(server)
      for (const one of statements) await client.query(one)
      return await client.end()
    }
    const client = new pg.Client(server)
    await client.connect()
    for (const one of statements) await client.query(one)
    await client.end()
  }
  return { environment: environment as Environment, run, remove }
}

/** Path, names of the key and relations of a written model */
async function readModel(copy: ProjectCopy, file: string) {
  const text = await readFile(join(copy.folder, 'app/models', file), 'utf8')
  const [, table] = /static table = ['"](.+)['"]/.exec(text) ?? []
  const [, path = table ?? string.plural(file.replace(/\.ts$/, ''))] =
    /path: '(.+)'/.exec(text) ?? []
  const [, include = ''] = /include: \[([^\]]*)\]/.exec(text) ?? []
  const keys = [...text.matchAll(/isPrimary: true[^)]*\)\s+declare (\w+)/g)].map(([, key]) => key)
  return {
    path: path.replaceAll('_', '-'),
    includes: include.replaceAll(/[\s']/g, ''),
    keys: keys.map((key) => string.snakeCase(key)),
  }
}

test.group('Models of existing tables', (group) => {
  group.tap((one) => one.tags(['@database']))

  test(
    '[K12] models generated for {$self} pass the type check, match the tables, and can be read by REST'
  )
    .with(Object.keys(SCHEMAS) as Array<keyof typeof SCHEMAS>)
    .run(async ({ assert, cleanup }, schema) => {
      const copy = await ProjectCopy.create()
      cleanup(() => copy.remove())
      const { environment: database, run, remove } = await emptyDatabase(copy)
      cleanup(() => remove())
      const environment = { ...SETTINGS, ...database, APP_URL: copy.url }
      await removeDemo(copy)
      await run(statementsOf(schema, KIND))

      const ace = (...args: string[]) =>
        copy.run(process.execPath, ['ace.js', ...args], environment)
      const made = await ace('make:crud', '--all')
      assert.equal(made.status, 0, made.output)
      const files = await readdir(join(copy.folder, 'app/models'))
      assert.isAbove(files.length, 5)

      const types = { extends: './tsconfig.json', include: ['*.ts', 'bin', 'app/models'] }
      await writeFile(join(copy.folder, 'tsconfig.written.json'), JSON.stringify(types))
      const checked = await copy.run(process.execPath, [
        ...['node_modules/typescript/bin/tsc', '--noEmit', '-p', 'tsconfig.written.json'],
      ])
      assert.equal(checked.status, 0, checked.output)

      const agreed = await ace('make:crud', '--check')
      assert.equal(agreed.status, 0, agreed.output)

      const stop = await copy.start(environment)
      const failures: string[] = []
      for (const file of files) {
        const { path, includes, keys } = await readModel(copy, file)
        const list = await fetch(`${copy.url}/api/${path}${includes && `?include=${includes}`}`)
        const body = (await list.json()) as { data?: Array<Record<string, string | number>> }
        const row = body.data?.[0]
        const key = keys.map((name) => encodeURIComponent(String(row?.[name]))).join('/')
        const record = await fetch(`${copy.url}/api/${path}/${key}`)
        if (!row || record.status !== 200) {
          failures.push(`${file} ${path} ${key} ${record.status} ${JSON.stringify(body)}`)
        }
      }
      assert.equal(await stop(), 0)
      assert.deepEqual(failures, [])

      const again = await ace('make:crud', '--all')
      assert.equal(again.status, 1)
      assert.include(again.output, 'Every table of the database has a model already')
    })
    .timeout(300_000)
})
