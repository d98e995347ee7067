import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from '@japa/runner'
import { parseFields } from '#crud/scaffold/field'
import { modelNames } from '#crud/scaffold/model_names'
import { Scaffold } from '#crud/scaffold/scaffold'
import { removeDemo } from '#tests/helpers/notes_project'
import { appIn } from '#tests/helpers/other_root'
import { ProjectCopy, TYPE_CHECK } from '#tests/helpers/project_copy'

/** Fields of every type, with names that have a meaning elsewhere, and references of every kind. */
const MODELS: Array<[name: string, fields: string[], softDeletes: boolean]> = [
  ['Star', ['photo:file', 'name'], false],
  ['Galaxy', ['name:string:unique'], false],
  [
    'Moon',
    [
      ...['title', 'code:string(2):unique?', 'short:string(1)', 'body:text', 'note:text?'],
      ...['amount:integer:default(5)', 'big:bigint?', 'price:decimal', 'share:decimal(3,3)'],
      ...['ratio:float?:index', 'active:boolean:default(true)', 'visible:boolean', 'day:date'],
      ...['at:datetime:unique', 'clock:time?', 'token:uuid:unique', 'data:json', 'more:json?'],
      ...['state:enum(new,in progress):default(new)', 'kind:enum(a)?', 'line2:string'],
      ...['order:integer', 'group:string?', 'limit:string', 'sort:integer?', 'version:integer'],
      ...['star_id:belongsTo', 'galaxy:belongsTo?', 'parent_id:belongsTo(Moon)?'],
    ],
    true,
  ],
  ['moon_bases', ['moon_id:belongsTo:unique', 'owner_id:belongsTo(Galaxy)'], false],
  [
    'Comet',
    [
      ...['name', 'parent_id:belongsTo(Comet)?', 'comets:hasMany', 'tails:hasMany(CometTail)'],
      ...['galaxies:manyToMany', 'dust_tail:hasOne(CometTail)'],
    ],
    false,
  ],
  ['CometTail', ['comet:belongsTo', 'length:integer'], false],
  /* Its test runs before those of the models that it refers to, directly and through others */
  ['Asteroid', ['name', 'moon_base_id:belongsTo'], false],
]

/** Their tables, with a pivot table and those of the admin site's users */
const TABLES = [
  ...['stars', 'galaxies', 'moons', 'moon_bases', 'comets', 'comet_tails', 'asteroids'],
  ...['comet_galaxy', 'admin_users', 'admin_access_tokens', 'admin_sessions'],
]

/** Runs after the generated tests */
const NOTHING_LEFT = `
import { test } from '@japa/runner'
import db from '@adonisjs/lucid/services/db'
test('the generated tests leave no record behind', async ({ assert }) => {
  for (const table of ${JSON.stringify(TABLES)}) assert.lengthOf(await db.from(table), 0, table)
})`

test.group('make:crud', () => {
  test('[P12, R2] in a project without the demo, generated files pass lint, type check and their tests, public or with a token', async ({
    assert,
    cleanup,
  }) => {
    const copy = await ProjectCopy.create()
    cleanup(() => copy.remove())
    await removeDemo(copy)
    const written: string[] = []
    for (const [name, fields, softDeletes] of MODELS) {
      const project = appIn(copy.folder)
      const options = { timestamps: !softDeletes, softDeletes }
      const names = modelNames(project, name)
      written.push(...(await new Scaffold(project).write(names, parseFields(fields), options)))
    }
    assert.lengthOf(written, 29)

    const edit = async (path: string, from: string | RegExp, to: string) => {
      const text = await readFile(join(copy.folder, path), 'utf8')
      assert.notEqual(text.replace(from, to), text, path)
      await writeFile(join(copy.folder, path), text.replace(from, to))
    }
    /* One of them now requires a token: its tests still pass. */
    await edit('app/models/moon.ts', '@Crud({', "@Crud({\n  access: 'token',")

    /* The API takes no upload for a field that became a file. */
    await edit(
      'app/models/moon.ts',
      '@AdminView({',
      "@AdminView({\n  fields: { note: { widget: 'file' } },"
    )

    /* A stricter schema needs another value in the factory alone. */
    await edit(
      'app/models/star.ts',
      'vine.string().maxLength(255)',
      "vine.string().startsWith('Star ')"
    )
    await edit(
      'database/factories/star_factory.ts',
      /name: .*,/,
      "name: 'Star ' + faker.lorem.word(),"
    )
    await writeFile(join(copy.folder, 'tests/functional/zzz_nothing_left.spec.ts'), NOTHING_LEFT)

    const comet = await readFile(join(copy.folder, 'app/models/comet.ts'), 'utf8')
    assert.include(comet, "@AdminView({ inlines: ['tails'] })")

    /* The other files were checked before. */
    const own = ['app', 'bin', 'commands', 'config', 'database', 'start', 'tests/bootstrap.ts']
    await writeFile(
      join(copy.folder, 'tsconfig.written.json'),
      JSON.stringify({ extends: './tsconfig.json', include: ['*.ts', ...own, ...written] })
    )
    const checks = {
      lint: ['node_modules/eslint/bin/eslint.js', '--max-warnings=0', ...written],
      types: [...TYPE_CHECK, 'tsconfig.written.json'],
      tests: ['ace.js', 'test', 'functional'],
    }
    for (const [check, command] of Object.entries(checks)) {
      const { status, output } = await copy.run(process.execPath, command)
      assert.equal(status, 0, `${check}: ${output}`)
      if (check === 'tests') assert.match(output, /\b31 passed/, output)
    }
  }).timeout(180_000)
})
