import { BaseModel, column } from '@adonisjs/lucid/orm'
import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'
import {
  beforeInsert,
  keepGivenKey,
  makesOwnQueries,
  makesOwnRecords,
  replaceQueries,
} from '#upstream/lucid_record_queries'

const NAME = `record_queries_${process.pid}`

class Word extends BaseModel {
  static connection = NAME
  static table = 'words'
  static selfAssignPrimaryKey = true

  @column({ isPrimary: true })
  declare id: string
}

test.group('Queries that save a record', (group) => {
  group.setup(async () => {
    db.manager.add(NAME, {
      client: 'better-sqlite3',
      connection: { filename: ':memory:' },
      useNullAsDefault: true,
      pool: { min: 1, max: 1 },
    })
    await db.connection(NAME).rawQuery('create table words (id text primary key)')
    return () => db.manager.close(NAME, true)
  })

  const make = (id: string) => {
    const word = new Word()
    word.id = id
    return word
  }

  test('Lucid still uses the row number as the key', async ({ assert }) => {
    const word = make('one')
    word.$consumeAdapterResult({ id: 7 })
    assert.equal(word.id as unknown, 7)
  })

  test('an insert preserves a key that was set, and sets a missing one', ({ assert }) => {
    const word = make('two')
    let isGiven = true
    keepGivenKey(word, ['id'], () => isGiven)
    word.$consumeAdapterResult({ id: 7, letters_count: 3 })
    assert.equal(word.id, 'two')
    assert.deepEqual(word.$extras, { letters_count: 3 })
    isGiven = false
    word.$consumeAdapterResult({ id: 7 })
    assert.equal(word.id as unknown, 7)
  })

  test('the query of a save can be replaced, and is Lucid’s own by default', async ({ assert }) => {
    const requested: string[] = []
    const word = make('three')
    replaceQueries(word, (action, _client, usual) => {
      requested.push(action)
      return usual()
    })
    await word.save()
    assert.deepEqual(requested, ['insert'])
    assert.lengthOf(await db.connection(NAME).from('words').where('id', 'three'), 1)
  })

  test('a model that overrides its queries is recognized', ({ assert }) => {
    class Own extends Word {}
    Object.assign(Own.prototype, { $getQueryFor: () => undefined })
    assert.isFalse(makesOwnQueries(Word))
    assert.isTrue(makesOwnQueries(Own))
  })

  test('the check before an insert receives the row as changed by the hooks of the model', async ({
    assert,
    cleanup,
  }) => {
    class Checked extends Word {
      static table = 'words'
    }
    const isPlain = makesOwnRecords(Checked)
    const rows: unknown[] = []
    beforeInsert(Checked, async (_record, row) => {
      rows.push({ ...row })
      if (row.id === 'bad') throw new Error('no')
    })
    Checked.before('create', (word) => void ((word as Word).id += '!'))
    assert.equal(makesOwnRecords(Checked), isPlain)
    await Checked.create({ id: 'good' })
    await assert.rejects(() => Checked.createQuietly({ id: 'bad' }), 'no')

    const { $adapter } = BaseModel
    cleanup(() => void (BaseModel.$adapter = $adapter))
    let inserted = 0
    BaseModel.$adapter = Object.assign(Object.create($adapter), {
      insert: async () => void inserted++,
    })
    await Checked.create({ id: 'other' })
    assert.equal(inserted, 1)
    assert.deepEqual(rows, [{ id: 'good!' }, { id: 'bad' }, { id: 'other!' }])
    assert.isFalse(Object.hasOwn(Word, '$adapter'))
  })
})
