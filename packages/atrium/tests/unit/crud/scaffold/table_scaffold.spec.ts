import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import app from '@adonisjs/core/services/app'
import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'
import { ValueError } from '#crud'
import { differencesOf } from '#crud/scaffold/model_differences'
import { TableScaffold } from '#crud/scaffold/table_scaffold'
import { each, onMysql } from '#tests/helpers/databases'
import { appIn } from '#tests/helpers/other_root'

const CREATED = { created_at: '2024-01-05 10:00:00' }

test.group('Models generated from tables', (group) => {
  let root: string

  group.tap((one) => one.tags(['@dialect']))
  group.setup(async () => {
    /* A schema builder repeats its earlier statements. */
    const schema = () => db.connection().schema
    await schema().createTable('Barn Owls', (table) => {
      table.increments('OwlID')
      table.string('save', 20).notNullable()
      table.enum('state', ['wild', 'ringed']).notNullable().defaultTo('wild')
      table.string('api_key', 40)
      table.integer('nested in')
      table.integer('weight').notNullable()
      table.dateTime('created_at').notNullable()
      table.dateTime('deleted_at')
    })
    await schema().createTable('owl_calls', (table) => {
      table.increments('id')
      for (const name of ['place', 'species', 'notes', 'heard']) table.text(name)
      table.dateTime('created_at').notNullable()
    })
    await db.table('owl_calls').multiInsert([
      { place: 'Ulm', species: 'Barn owl', notes: 'short', heard: 'x'.repeat(300), ...CREATED },
      { place: 'Kiel', species: null, notes: null, heard: null, ...CREATED },
    ])
    await schema().createTable('owl_feathers', (table) => {
      table.increments('id')
      table.integer('owl_id').unsigned().notNullable().references('OwlID').inTable('Barn Owls')
      table.integer('found_by').unsigned().references('OwlID').inTable('Barn Owls')
    })
    return async () => {
      await schema().dropTable('owl_calls')
      await schema().dropTable('owl_feathers')
      await schema().dropTable('Barn Owls')
    }
  })
  group.each.setup(async () => {
    root = await mkdtemp(app.makePath('tmp/tables-'))
    return () => rm(root, { recursive: true })
  })

  async function write(...tables: string[]) {
    const scaffold = new TableScaffold(appIn(root))
    const files = await scaffold.write(tables)
    const texts = await Promise.all(files.map((file) => readFile(join(root, file), 'utf8')))
    return { files, notes: scaffold.notes, text: texts.join('').replaceAll(/\s+/g, ' ') }
  }

  async function put(path: string, text: string) {
    await mkdir(join(root, path, '..'), { recursive: true })
    await writeFile(join(root, path), text)
  }

  test('[K12] names, types, keys, enums and secrets of columns become attributes', async ({
    assert,
  }) => {
    const { files, text } = await write('Barn Owls')
    assert.deepEqual(files, ['app/models/barn_owl.ts'])
    for (const part of [
      "static table = 'Barn Owls'",
      "path: 'barn-owls'",
      "@column({ isPrimary: true, columnName: 'OwlID' }) declare owlId: number",
      "@column({ columnName: 'save', serializeAs: 'save' }) declare saveColumn: string",
      "declare state: 'wild' | 'ringed'",
      '@column({ serializeAs: null }) declare apiKey: string | null',
      "@column({ columnName: 'nested in' }) declare nestedIn: number | null",
      'declare weight: number @column',
      '@column.dateTime({ autoCreate: true }) declare createdAt: DateTime',
      '@column.dateTime() declare deletedAt: DateTime | null',
      'deleteSchema: vine.object({})',
    ]) {
      assert.include(text, part)
    }
    assert.notInclude(text, 'api_key: null')
  })

  test('[K12.3] short texts without a limit are single-line fields, and lists have no timestamps', async ({
    assert,
  }) => {
    const { text } = await write('owl_calls')
    const [, options] = /@AdminView\((.*?)\) @Crud/.exec(text) ?? []
    assert.include(options, "listColumns: ['id', 'place', 'species', 'notes', 'heard']")
    /* In MySQL, every text has a limit. */
    const fields = onMysql
      ? ''
      : "fields: { place: { widget: 'text' }, species: { widget: 'text' } }"
    assert.include(options, fields)
    const few = await write('owl_feathers')
    assert.include(few.text, '@AdminView() @Crud')
  })

  test('[K12] foreign keys become relations in both directions', async ({ assert }) => {
    const { text } = await write('Barn Owls', 'owl_feathers')
    for (const part of [
      "@belongsTo(() => BarnOwl, { foreignKey: 'owlId' }) declare owl: BelongsTo<typeof BarnOwl>",
      "@belongsTo(() => BarnOwl, { foreignKey: 'foundBy', serializeAs: 'barn_owl' })",
      "@hasMany(() => OwlFeather, { foreignKey: 'owlId', serializeAs: 'owl_feathers_by_owl' })",
      "@hasMany(() => OwlFeather, { foreignKey: 'foundBy', serializeAs: 'owl_feathers_by_found_by' })",
      "include: ['owl', 'barn_owl']",
    ]) {
      assert.include(text, part)
    }
  })

  test('[K12] a referenced table without a model is reported', async ({ assert }) => {
    const { notes, text } = await write('owl_feathers')
    assert.include(
      notes[0],
      'owl_feathers.owl_id refers to Barn Owls, which has no model: OwlFeather has no relation to it.'
    )
    assert.notInclude(text, 'belongsTo')
  })

  test("[K12] a relation uses the application's model, and is included only if that model has an access option", async ({
    assert,
  }) => {
    await put(
      'app/models/barn_owl.ts',
      `import { BaseModel, column } from '@adonisjs/lucid/orm'
      export default class BarnOwl extends BaseModel {
        static table = 'Barn Owls'
        @column({ isPrimary: true, columnName: 'OwlID' })
        declare owlId: number
      }`
    )
    const { notes, text } = await write('owl_feathers')
    assert.deepEqual(notes, [])
    assert.include(text, "import BarnOwl from '#models/barn_owl'")
    assert.include(text, "@belongsTo(() => BarnOwl, { foreignKey: 'owlId' })")
    assert.notInclude(text, 'include:')
    const error = await write('Barn Owls').catch((thrown: unknown) => thrown)
    assert.match((error as Error).message, /Barn Owls has the model BarnOwl already/)
  })

  test('[K12] the table of a model with only inherited columns is derived from its class name', async ({
    assert,
  }) => {
    await put(
      'app/models/owl_call.ts',
      `import { compose } from '@adonisjs/core/helpers'
      import { BaseModel, column } from '@adonisjs/lucid/orm'
      class CallSchema extends BaseModel {
        @column({ isPrimary: true }) declare id: number
        @column() declare place: string | null
      }
      const withFinder = (parent: typeof CallSchema) => {
        class CallWithFinder extends parent {}
        CallWithFinder.boot()
        return CallWithFinder
      }
      export default class OwlCall extends compose(CallSchema, withFinder) {}`
    )
    const error = await write('owl_calls').catch((thrown: unknown) => thrown)
    assert.match((error as Error).message, /owl_calls has the model OwlCall already/)
    const differences = await differencesOf(appIn(root), undefined)
    assert.deepEqual(differences, [
      'OwlCall has no attribute for owl_calls: species, notes, heard and created_at',
    ])
  })

  test('[K12] existing files are not overwritten, and tables of the engine and missing tables are errors', async ({
    assert,
  }) => {
    await put('app/models/barn_owl.ts', '/* mine */')
    const refused = (table: string) => write(table).catch((error: unknown) => error)
    for (const [table, message] of [
      ['Barn Owls', /barn_owl\.ts is there already; nothing has been written/],
      ['admin_users', /is a table of the engine/],
      ['adonis_schema', /is a table of the engine/],
      ['unicorns', /Unknown table unicorns; tables are .*owl_feathers/],
    ] as const) {
      const error = await refused(table)
      assert.instanceOf(error, ValueError)
      assert.match((error as Error).message, message)
    }
    assert.equal(await readFile(join(root, 'app/models/barn_owl.ts'), 'utf8'), '/* mine */')
  })

  test('[K12.2] differences between model and table in types, nullability and columns are listed', async ({
    assert,
  }) => {
    await put(
      'app/models/barn_owl.ts',
      `import { BaseModel, column } from '@adonisjs/lucid/orm'
      export default class BarnOwl extends BaseModel {
        static table = 'Barn Owls'
        @column({ isPrimary: true, columnName: 'OwlID' })
        declare owlId: number
        @column()
        declare state: 'wild' | 'tame'
        @column({ columnName: 'nested in' })
        declare nestedIn: number
        @column()
        declare weight: string | null
        @column()
        declare wings: number
      }`
    )
    const differences = await differencesOf(appIn(root), undefined)
    const integer = each({ sqlite: 'integer', postgres: 'integer', mysql: 'int(11)' })
    assert.match(differences[0], /^BarnOwl\.state is 'wild' \| 'tame': the column has the type /)
    assert.deepEqual(differences.slice(1), [
      'BarnOwl.nestedIn: the column is nullable',
      `BarnOwl.weight is string: the column has the type ${integer}`,
      'BarnOwl.weight: the column is not nullable',
      'BarnOwl.wings: the table Barn Owls has no column wings',
      'BarnOwl has no attribute for Barn Owls: save, api_key, created_at and deleted_at',
    ])
  })
})
