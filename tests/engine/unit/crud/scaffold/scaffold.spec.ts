import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import app from '@adonisjs/core/services/app'
import { test } from '@japa/runner'
import { ValueError } from '#crud'
import { parseFields } from '#crud/scaffold/field'
import { modelNames } from '#crud/scaffold/model_names'
import { Scaffold } from '#crud/scaffold/scaffold'
import { appIn } from '#tests/engine/helpers/other_root'

const OPTIONS = { timestamps: true, softDeletes: false }

test.group('Scaffold', (group) => {
  let root: string

  group.each.setup(async () => {
    root = await mkdtemp(app.makePath('tmp/scaffold-'))
    await cp(app.makePath('app/admin/migrations'), join(root, 'app/admin/migrations'), {
      recursive: true,
    })
    await make('Tune', ['title'])
    await rm(join(root, 'tests'), { recursive: true })
    return () => rm(root, { recursive: true })
  })

  function make(name: string, fields: string[], options = OPTIONS) {
    const other = appIn(root)
    return new Scaffold(other).write(modelNames(other, name), parseFields(fields), options)
  }

  async function read(path: string) {
    return await readFile(join(root, path), 'utf8')
  }

  /** All existing files, to compare with later. */
  async function files() {
    const names = await readdir(root, { recursive: true })
    return names.sort()
  }

  async function put(path: string, text = '') {
    await mkdir(join(root, path, '..'), { recursive: true })
    await writeFile(join(root, path), text)
  }

  test('[P12] model, migration, factory and test are written to their directories', async ({
    assert,
  }) => {
    const written = await make('invoice', ['number'])
    const [model, migration, factory, spec] = written
    assert.equal(model, 'app/models/invoice.ts')
    assert.match(migration, /^database\/migrations\/\d{13}_create_invoices_table\.ts$/)
    assert.equal(factory, 'database/factories/invoice_factory.ts')
    assert.equal(spec, 'tests/functional/invoices.spec.ts')
    assert.match(await read(model), /@AdminView\(\)\n@Crud\(\{\n {2}tags: \['Invoices'\]/)
    assert.includeMembers(await files(), written)
  })

  test('[P12] a referenced table is migrated first, whatever the clock', async ({ assert }) => {
    await put('database/migrations/9999999999999_create_suns_table.ts')
    const [, migration] = await make('Moon', ['name'])
    assert.equal(basename(migration), '10000000000000_create_moons_table.ts')
  })

  test('[P12] --soft-deletes and --no-timestamps change the columns', async ({ assert }) => {
    const [model, migration] = await make('Moon', ['name'], {
      timestamps: false,
      softDeletes: true,
    })
    const code = (await read(model)) + (await read(migration))
    assert.include(code, 'declare deletedAt: DateTime | null')
    assert.include(code, "table.dateTime('deleted_at').nullable()")
    assert.include(code, 'deleteSchema: vine.object({})')
    assert.notMatch(code, /created|updated/i)
  })

  test('[P12] a reference has a relation, a foreign key, and a parent from its factory', async ({
    assert,
  }) => {
    const fields = ['tune:belongsTo', 'second_tune_id:belongsTo(Tune)?', 'text:text']
    const [model, migration, factory] = await make('Review', fields)
    const review = await read(model)
    assert.include(review, '@belongsTo(() => Tune)\n  declare tune: BelongsTo<typeof Tune>')
    const options = /@belongsTo\(\(\) => Tune, (\{.*\})\)\n {2}declare secondTune/.exec(review)
    assert.equal(options?.[1], "{ foreignKey: 'secondTuneId', serializeAs: 'second_tune' }")
    assert.include(review, "include: ['tune', 'second_tune'],")
    const code = await read(migration)
    assert.match(
      code.replace(/\s+/g, ''),
      /integer\('tune_id'\)\.unsigned\(\)\.notNullable\(\)\.references\('id'\)\.inTable\('tunes'\)/
    )
    assert.include(await read(factory), 'TuneFactory.useCtx(context).create()')
  })

  test('[P12, Q3] a reference to a model without read is not included', async ({ assert }) => {
    await put(
      'app/models/shelf.ts',
      "import { BaseModel, column } from '@adonisjs/lucid/orm'\nexport default class Shelf extends BaseModel {\n  @column({ isPrimary: true })\n  declare id: number\n}\n"
    )
    const [model] = await make('Jar', ['shelf:belongsTo?', 'tune:belongsTo'])
    assert.include(await read(model), "include: ['tune'],")
  })

  test('[P12] a reference to a missing model is refused, and nothing is written')
    .with([
      [['customer_id:belongsTo'], /customer_id: there is no model Customer in app\/models, which/],
      [['moon_id:belongsTo'], /moon_id: the first Moon could refer to none; let it be null/],
      [['seat_id:belongsTo'], /seat_id: Seat has a key of several columns/],
      [['tune_id:belongsTo'], /tune_id: the tests need a Tune, and there is no factory/],
    ] as Array<[string[], RegExp]>)
    .run(async ({ assert }, [fields, message]) => {
      await rm(join(root, 'database/factories/tune_factory.ts'))
      await put(
        'app/models/seat.ts',
        'export default { name: "Seat", $columnsDefinitions: new Map([' +
          '["a", { isPrimary: true }], ["b", { isPrimary: true }]]) }'
      )
      const before = await files()
      const error = await make('Moon', ['name', ...fields]).catch((reason) => reason)
      assert.instanceOf(error, ValueError)
      assert.match(error.message, message)
      assert.deepEqual(await files(), before)
    })

  test('[P12] an existing model name, table or path is refused: {$self}')
    .with(['Utensil', 'reels', 'lender'])
    .run(async ({ assert }, name) => {
      const before = await files()
      await assert.rejects(
        () => make(name, ['name']),
        /can't be made: the model \w+ is there already/
      )
      assert.deepEqual(await files(), before)
    })

  test('[P12] the admin site’s tables are refused too', async ({ assert }) => {
    await assert.rejects(
      () => make('AdminUser', ['name']),
      /AdminUser can't be made: app\/admin\/migrations\/\S+ makes the table admin_users already/
    )
  })

  test('[P12] an existing file is kept, and no other is written: {$self}')
    .with([
      'app/models/moon.ts',
      'app/models/MOON.ts',
      'database/migrations/1_create_moons_table.ts',
      'database/factories/moon_factory.ts',
      'tests/functional/moons.spec.ts',
    ])
    .run(async ({ assert }, path) => {
      await put(path, 'mine')
      const before = await files()
      const error = await make('Moon', ['name']).catch((reason) => reason)
      assert.instanceOf(error, ValueError)
      assert.match(error.message, /moon(_factory)?\.ts|moons/i)
      assert.equal(await read(path), 'mine')
      assert.deepEqual(await files(), before)
    })

  test('[P12] a table that another migration creates is detected', async ({ assert }) => {
    await put('database/migrations/1_all_tables.ts', "this.schema.createTable('moons', (t) => {})")
    await assert.rejects(() => make('Moon', ['name']), /1_all_tables\.ts makes the table moons/)
  })

  test('[P12] if one file can’t be written, the others are removed', async ({ assert }) => {
    await mkdir(join(root, 'tests'))
    await symlink('nowhere/at/all', join(root, 'tests/functional'))
    const error = await make('Moon', ['name']).catch((reason) => reason)
    assert.instanceOf(error, ValueError)
    assert.match(error.message, /tests\/functional\S* can't be written \(E\w+\); nothing has been/)
    const there = await files()
    assert.notInclude(there.join('\n'), 'moon')
  })
})
