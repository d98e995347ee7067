import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import app from '@adonisjs/core/services/app'
import { BaseModel, CamelCaseNamingStrategy } from '@adonisjs/lucid/orm'
import { test } from '@japa/runner'
import { ValueError } from '#crud'
import { parseFields } from '#crud/scaffold/field'
import { modelNames } from '#crud/scaffold/model_names'
import { Scaffold } from '#crud/scaffold/scaffold'
import { appIn } from '#tests/helpers/other_root'

const OPTIONS = { timestamps: true, softDeletes: false }

test.group('Generated files of make:crud', (group) => {
  let root: string

  group.each.setup(async () => {
    root = await mkdtemp(app.makePath('tmp/scaffold-'))
    await cp(app.makePath('packages/atrium/migrations'), join(root, 'packages/atrium/migrations'), {
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

  /** The same with what the command says is to be done. */
  async function makeBoth(name: string, fields: string[]) {
    const other = appIn(root)
    const scaffold = new Scaffold(other)
    const written = await scaffold.write(modelNames(other, name), parseFields(fields), OPTIONS)
    return { needs: scaffold.needs, written }
  }

  /** Without white space. */
  async function readTight(path: string) {
    const text = await read(path)
    return text.replaceAll(/\s/g, '')
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

  test('[P12, K10] model, migration, factory and test are written to their directories', async ({
    assert,
  }) => {
    const written = await make('invoice', ['number'])
    const [model, migration, factory, spec] = written
    assert.equal(model, 'app/models/invoice.ts')
    assert.match(migration, /^database\/migrations\/\d{13}_create_invoices_table\.ts$/)
    assert.equal(factory, 'database/factories/invoice_factory.ts')
    assert.equal(spec, 'tests/functional/invoices.spec.ts')
    assert.match(await read(model), /@AdminView\(\)\n@Crud\(\{\n {2}tags: \['Invoices'\]/)
    assert.match(await read(model), / from 'adonis-atrium'\n/)
    assert.match(await read(spec), / from 'adonis-atrium\/testing'\n/)
    assert.includeMembers(await files(), written)
  })

  test('[P12] the migration of a referenced table runs first, whatever the time of generation', async ({
    assert,
  }) => {
    await put('database/migrations/9999999999999_create_suns_table.ts')
    const [, migration] = await make('Moon', ['name'])
    assert.equal(basename(migration), '10000000000000_create_moons_table.ts')
  })

  test('[P12] --soft-deletes and --no-timestamps add and remove columns', async ({ assert }) => {
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

  test('[P12] a reference has a relation, a foreign key, and a parent record in its factory', async ({
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

  test('[P12] a hasMany to a missing model is generated with instructions to create the model', async ({
    assert,
  }) => {
    const { needs, written } = await makeBoth('Invoice', [
      'number',
      'line_items:hasMany',
      'cover:hasOne(FrontCover)',
    ])
    const invoice = await read(written[0])
    assert.include(
      invoice,
      "import { BaseModel, column, hasMany, hasOne } from '@adonisjs/lucid/orm'"
    )
    assert.include(
      invoice,
      "import type { HasMany, HasOne } from '@adonisjs/lucid/types/relations'"
    )
    assert.include(invoice, "import LineItem from '#models/line_item'")
    assert.include(
      invoice,
      "@hasMany(() => LineItem, { serializeAs: 'line_items' })\n  declare lineItems: HasMany<typeof LineItem>"
    )
    assert.include(invoice, '@hasOne(() => FrontCover)\n  declare cover: HasOne<typeof FrontCover>')
    assert.include(invoice, "include: ['line_items', 'cover'],")
    assert.include(invoice, "@AdminView({ inlines: ['lineItems', 'cover'] })")
    assert.deepEqual(needs, [
      'There is no LineItem yet, and invoice.ts needs it. Make it: node ace make:crud LineItem invoice:belongsTo FIELD...',
      'There is no FrontCover yet, and invoice.ts needs it. Make it: node ace make:crud FrontCover invoice:belongsTo:unique FIELD...',
    ])

    /* The invoice cannot be imported before. */
    const [model, migration] = await make('LineItem', ['invoice:belongsTo', 'text'])
    assert.include(
      await read(model),
      '@belongsTo(() => Invoice)\n  declare invoice: BelongsTo<typeof Invoice>'
    )
    assert.match(
      await readTight(migration),
      /integer\('invoice_id'\)\.unsigned\(\)\.notNullable\(\)\.references\('id'\)\.inTable\('invoices'\)/
    )
  })

  test('[P12] a hasMany to a model without the foreign key is an error that names the missing column', async ({
    assert,
  }) => {
    const { needs, written } = await makeBoth('Composer', ['name', 'tunes:hasMany(Tune)'])
    assert.include(
      await read(written[0]),
      '@hasMany(() => Tune)\n  declare tunes: HasMany<typeof Tune>'
    )
    assert.deepEqual(needs, [
      'Tune has no column that refers to Composer yet. Add composer_id to its table by a migration, and to app/models/tune.ts: @column() declare composerId: number | null',
    ])
  })

  test('[P12, R2] a hasMany is an inline in the form, once, if its model is on the site and refers back', async ({
    assert,
  }) => {
    await put(
      'app/models/mole.ts',
      'export default { $columnsDefinitions: new Map([["hillId", {}]]) }'
    )
    await put(
      'app/models/vole.ts',
      'export default { $columnsDefinitions: new Map([["hillId", {}]]) }\n/*\n@AdminView()\n*/'
    )
    const [model] = await make('Hill', [
      'name',
      'moles:hasMany',
      'voles:hasMany',
      'king:hasOne(Vole)',
    ])
    assert.include(await read(model), "@AdminView({ inlines: ['voles'] })")
    const [composer] = await make('Composer', ['name', 'tunes:hasMany(Tune)'])
    assert.include(await read(composer), '@AdminView()')
  })

  test('[P12] a hasMany to the model itself uses the model’s own reference as foreign key', async ({
    assert,
  }) => {
    const [model] = await make('Moon', ['parent_id:belongsTo(Moon)?', 'moons:hasMany', 'name'])
    const moon = await read(model)
    assert.include(moon, "@hasMany(() => Moon, { foreignKey: 'parentId' })")
    assert.notInclude(moon, 'import Moon')
  })

  test('[P12] a manyToMany has a migration of its pivot table, which runs after that of the model', async ({
    assert,
  }) => {
    const { needs, written } = await makeBoth('Mixtape', ['name', 'tunes:manyToMany'])
    const [model, migration, , , pivot] = written
    assert.lengthOf(written, 5)
    assert.match(pivot, /_create_mixtape_tune_table\.ts$/)
    assert.isTrue(pivot > migration)
    const mixtape = await read(model)
    assert.include(mixtape, '@manyToMany(() => Tune)\n  declare tunes: ManyToMany<typeof Tune>')
    assert.include(mixtape, "include: ['tunes'],")
    const code = await readTight(pivot)
    assert.include(code, "protectedtableName='mixtape_tune'")
    assert.include(
      code,
      ".integer('mixtape_id').unsigned().notNullable().references('id').inTable('mixtapes').onDelete('CASCADE')"
    )
    assert.include(
      code,
      ".integer('tune_id').unsigned().notNullable().references('id').inTable('tunes').onDelete('CASCADE').index()"
    )
    assert.include(code, "table.primary(['mixtape_id','tune_id'])")
    assert.isEmpty(needs)
  })

  test('[P12] an invalid relation is refused, and nothing is written')
    .with([
      [
        ['tags:manyToMany'],
        /tags: there is no model Tag in app\/models, which has .*tags:manyToMany\(/,
      ],
      [['moons:manyToMany'], /moons: a manyToMany of a Moon with itself is not written/],
      [
        ['moons:hasMany'],
        /moons: a hasMany to Moon itself needs a field .* parent_id:belongsTo\(Moon\)\?/,
      ],
      [
        ['a:manyToMany(Tune)', 'b:manyToMany(Tune)'],
        /b: another manyToMany has the table moon_tune already/,
      ],
    ] as Array<[string[], RegExp]>)
    .run(async ({ assert }, [fields, message]) => {
      const before = await files()
      await assert.rejects(() => make('Moon', ['name', ...fields]), message)
      assert.deepEqual(await files(), before)
    })

  test('[P12, Q3] a reference to a model without read access is not included', async ({
    assert,
  }) => {
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

  test('[P12] make:crud refuses a model, table or path that exists: {$self}')
    .with(['Utensil', 'reels', 'lender'])
    .run(async ({ assert }, name) => {
      const before = await files()
      await assert.rejects(
        () => make(name, ['name']),
        /can't be made: the model \w+ is there already/
      )
      assert.deepEqual(await files(), before)
    })

  test('[P12.16, K3] generated code uses the JSON names of the application’s naming strategy', async ({
    assert,
    cleanup,
  }) => {
    const { namingStrategy } = BaseModel
    cleanup(() => {
      BaseModel.namingStrategy = namingStrategy
    })
    BaseModel.namingStrategy = new CamelCaseNamingStrategy()
    await make('Chord', [
      'due_on:date',
      'tone',
      'line2',
      'base_tune:belongsTo(Tune)?',
      'key_chords:hasMany(KeyChord)',
    ])
    const model = await readTight('app/models/chord.ts')
    assert.notInclude(model, 'serializeAs')
    for (const part of [
      '@column.date()declaredueOn:DateTime',
      "@column({columnName:'line2'})declareline2:string",
      'dueOn:vine.date(',
      'baseTuneId:vine.number()',
      'dueOn__gte:null',
      "include:['baseTune','keyChords']",
    ]) {
      assert.include(model, part)
    }
    const all = await files()
    const migration = all.find((name) => name.endsWith('create_chords_table.ts'))!
    const table = await readTight(migration)
    for (const column of ['due_on', 'line2', 'base_tune_id']) assert.include(table, `('${column}'`)
    const spec = await readTight('tests/functional/chords.spec.ts')
    assert.include(spec, "['dueOn','tone','line2']")
  })

  test('[P12] tables of the admin site are refused, too', async ({ assert }) => {
    await assert.rejects(
      () => make('AdminUser', ['name']),
      /AdminUser can't be made: packages\/atrium\/migrations\/admin\/\S+ makes the table admin_users already/
    )
  })

  test('[P12] if a file already exists, it is not overwritten, and no other is written: {$self}')
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

  test('[P12] make:crud refuses a table that another migration creates, and names that migration', async ({
    assert,
  }) => {
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
