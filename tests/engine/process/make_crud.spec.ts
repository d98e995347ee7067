import { existsSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from '@japa/runner'
import { parseFields } from '#crud/scaffold/field'
import { modelNames } from '#crud/scaffold/model_names'
import { Scaffold } from '#crud/scaffold/scaffold'
import { appIn } from '#tests/engine/helpers/other_root'
import { ProjectCopy } from '#tests/engine/helpers/project_copy'

/** Fields of every type, with names that have a meaning elsewhere, and references of every kind. */
const MODELS: Array<[name: string, fields: string[], softDeletes: boolean]> = [
  ['Star', ['name'], false],
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
]

test.group('make:crud', () => {
  test('[P12, R2] in a project without the demo, generated files pass lint, types and their tests, public or with a token', async ({
    assert,
    cleanup,
  }) => {
    const copy = await ProjectCopy.create()
    cleanup(() => copy.remove())
    if (existsSync(join(copy.folder, 'app/models/film.ts'))) {
      const remove = ['ace.js', 'demo:remove', '--force']
      const { status, output } = await copy.run(process.execPath, remove, { NODE_ENV: 'test' })
      assert.equal(status, 0, output)
    }
    const written: string[] = []
    for (const [name, fields, softDeletes] of MODELS) {
      const project = appIn(copy.folder)
      const options = { timestamps: !softDeletes, softDeletes }
      const names = modelNames(project, name)
      written.push(...(await new Scaffold(project).write(names, parseFields(fields), options)))
    }
    assert.lengthOf(written, 25)

    /* One of them now requires a token: its tests still pass. */
    const moon = join(copy.folder, 'app/models/moon.ts')
    const text = await readFile(moon, 'utf8')
    const guarded = text.replace('@Crud({', "@Crud({\n  access: 'token',")
    assert.notEqual(guarded, text)
    await writeFile(moon, guarded)

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
      types: ['node_modules/typescript/bin/tsc', '--noEmit', '-p', 'tsconfig.written.json'],
      tests: ['ace.js', 'test', 'functional'],
    }
    for (const [check, command] of Object.entries(checks)) {
      const { status, output } = await copy.run(process.execPath, command)
      assert.equal(status, 0, `${check}: ${output}`)
      if (check === 'tests') assert.match(output, /\b26 passed/, output)
    }
  }).timeout(180_000)
})
