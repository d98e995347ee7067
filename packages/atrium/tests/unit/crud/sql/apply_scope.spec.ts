import { test } from '@japa/runner'
import db from '@adonisjs/lucid/services/db'
import type { Actor } from '#crud'
import { nameScope, type Scope } from '#crud/resource/permissions'
import { applyScope } from '#crud/sql/apply_scope'
import { fromMaskedRows, narrowedBy, reachSql } from '#crud/sql/roles_to_sql'
import { Resource } from '#crud/resource/resource'
import { Folder, Paper } from '#tests/fixtures/granted'
import { Seat } from '#tests/fixtures/keys'
import { strange } from '#tests/helpers/actors'
import { insertRow } from '#tests/helpers/databases'
import { captureWarnings } from '#tests/helpers/captured_log'

test.group('Scopes that compare with missing values', (group) => {
  group.tap((one) => one.tags(['@dialect']))
  const anna = () => strange({ kind: 'token', user: { username: 'anna', attributes: {} } })
  const attributesOf = (actor: Actor) => (actor.user as any).attributes
  const reached = async (scope: Scope, actor: Actor = anna()) => {
    const query = Paper.query().where('title', 'a').orWhere('title', 'b').wrapExisting()
    applyScope(scope, query as any, actor)
    const rows = await query
    const resource = new Resource({ model: Paper })
    const counts = [true, false].map(async (isAlone) => {
      const reach = reachSql(resource, [scope], db.connection(), actor, isAlone)
      const within = await db
        .from('granted_papers')
        .whereRaw(`(${reach.sql})`, reach.bindings as any[])
      return within.length
    })
    const [alone, amongOthers] = await Promise.all(counts)
    if (alone !== amongOthers) throw new Error(`${alone} rows alone, ${amongOthers} among others`)
    return [rows.length, alone]
  }

  group.each.setup(async () => {
    await db.from('granted_papers').delete()
    await insertRow('granted_papers', { title: 'a', owner: 'anna', pay: 1 })
    await insertRow('granted_papers', { title: 'b', owner: 'bob', pay: null })
    return async () => {
      await db.from('granted_papers').delete()
      await db.from('granted_folders').delete()
    }
  })

  const cases: Array<[string, Scope]> = [
    ['where', (query, actor) => query.where('pay', attributesOf(actor).pay)],
    ['where with null', (query) => query.where('pay', null as any)],
    ['where with an operator', (query, actor) => query.where('pay', '>', attributesOf(actor).pay)],
    ['where with = null', (query) => query.where('pay', '=', null as any)],
    ['not null', (query) => query.where('pay', '!=', null as any)],
    ['whereNot', (query) => query.whereNot('pay', null as any)],
    ['an object', (query, actor) => query.where({ owner: 'anna', pay: attributesOf(actor).pay })],
    ['an object with null', (query) => query.where({ pay: null })],
    ['orWhere', (query, actor) => query.where('pay', 1).orWhere('owner', attributesOf(actor).a)],
    ['whereIn', (query, actor) => query.whereIn('pay', attributesOf(actor).pays)],
    ['whereNotIn', (query, actor) => query.whereNotIn('pay', [2, attributesOf(actor).pay])],
    ['whereRaw', (query, actor) => query.whereRaw('pay = ?', [attributesOf(actor).pay])],
    [
      'a function',
      (query) =>
        query.where((inner) => void inner.where('pay', null as any).orWhere('owner', 'anna')),
    ],
    [
      'not in a function, beside another way in',
      (query) => query.whereNot((inner) => void inner.where('pay', null as any)).orWhere('pay', 1),
    ],
    [
      'whereHas',
      (query) => (query as any).whereHas('folder', (inner: any) => inner.where('name', undefined)),
    ],
  ]
  for (const [name, scope] of cases) {
    test(`[U3] a scope that compares with a missing value matches no record: ${name}`, async ({
      assert,
    }) => {
      assert.deepEqual(await reached(scope), [0, 0])
    })
  }

  test('[U3] a comparison with a missing value is logged once, with the user', async ({
    assert,
    cleanup,
  }) => {
    const lines = captureWarnings(cleanup)
    const actor = anna()
    const ownPay: Scope = (query, { user }) => query.where('pay', (user as any).attributes.pay)
    await reached(ownPay, actor)
    assert.lengthOf(lines, 1)
    assert.include(lines[0], 'The scope ownPay of Paper compares pay with nothing')
    assert.include(lines[0], 'the user "anna"')
  })

  test('[U3] explicit conditions on null in a scope, and all conditions without missing values, apply as written', async ({
    assert,
  }) => {
    assert.deepEqual(await reached((query) => query.whereNull('pay')), [1, 1])
    assert.deepEqual(await reached((query) => query.where('pay', 'is', null as any)), [1, 1])
    assert.deepEqual(await reached((query) => query.where({ owner: 'anna', pay: 1 })), [1, 1])
    assert.deepEqual(await reached((query) => query.whereIn('pay', [])), [0, 0])
    assert.deepEqual(await reached(() => {}), [2, 2])
    const subquery: Scope = (query) =>
      query.where((inner) => {
        const ids = Folder.query().where('name', 'x').orderBy('id').select('id')
        void inner.whereIn('folder_id', ids as any).orWhere('owner', 'anna')
      })
    assert.deepEqual(await reached(subquery), [1, 1])
  })

  test('[U3] a scope that does more than add conditions is an error that names it', async ({
    assert,
  }) => {
    const named: Array<[string, Scope]> = [
      ['calls limit()', (query) => query.limit(1)],
      ['calls orderBy()', (query) => query.orderBy('id')],
      ['calls havingRaw()', (query) => query.havingRaw('1 = 1')],
      ['returns a promise', async (query) => void query.where('owner', 'anna')],
    ]
    for (const [words, scope] of named) {
      nameScope(scope, 'few')
      const { message } = await reached(scope).then(
        () => new Error('nothing was thrown'),
        (error) => error
      )
      assert.include(message, `The scope few of Paper ${words}`)
    }
  })

  test('[U3] a scope cannot call {$self}()')
    .with([
      ...['limit', 'offset', 'forPage', 'orderBy', 'orderByRaw', 'groupBy', 'groupByRaw'],
      ...['union', 'unionAll', 'intersect', 'paginate', 'first', 'firstOrFail', 'exec', 'then'],
      ...['update', 'delete', 'increment', 'decrement', 'clearWhere', 'forUpdate'],
      ...['having', 'havingRaw', 'orHaving'],
    ])
    .run(async ({ assert }, name) => {
      await assert.rejects(
        () => reached((query: any) => void query[name]()),
        new RegExp(`calls ${name}\\(\\); a scope can only add conditions`)
      )
    })

  test('[U3] a scope that only compares is a condition without a subquery, and a subquery next to other tables', async ({
    assert,
  }) => {
    const folder = await insertRow('granted_folders', { name: 'Post', owner: 'bob' })
    await db.from('granted_papers').update({ folder_id: folder })
    const resource = new Resource({ model: Paper })
    const own: Scope = (query) => query.where('owner', 'anna')
    const alone = reachSql(resource, [own], db.connection(), anna(), true)
    assert.notInclude(alone.sql, 'select')

    const { sql, bindings } = reachSql(resource, [own], db.connection(), anna(), false)
    const rows = await db
      .from('granted_papers')
      .join('granted_folders', 'granted_folders.id', 'granted_papers.folder_id')
      .whereRaw(sql, bindings as any[])
      .select('title')
    assert.deepEqual(rows, [{ title: 'a' }])
  })

  const plain: Scope = (query) => query.where('owner', 'anna')
  const joining: Scope = (query) =>
    query
      .leftJoin('granted_folders', 'granted_folders.id', 'granted_papers.folder_id')
      .where('granted_papers.pay', 1)
      .select('granted_papers.*')

  test('[U3] scopes of roles and of the model apply together, also if one joins a table with columns of the same names', async ({
    assert,
  }) => {
    const resource = new Resource({ model: Paper })
    const titles = async (first: Scope | undefined, others: Scope[]) => {
      const query = Paper.query()
      narrowedBy(resource, first, others)!(query as any, anna())
      const rows = await query
      return rows.map(({ title }) => title)
    }
    for (const others of [[plain], [plain, plain], [joining]]) {
      for (const first of [undefined, plain, joining]) {
        assert.deepEqual(await titles(first, others), ['a'])
      }
    }
  })

  test('[U3] values that roles hide on some rows are null next to any scope of the model, and need a subquery only if it joins', async ({
    assert,
  }) => {
    await db.from('granted_papers').update({ pay: 1 })
    const resource = new Resource({ model: Paper })
    const title = resource.columns.all.find(({ name }) => name === 'title')!
    const masked = async (scope: Scope | undefined) => {
      const query = Paper.query().orderBy('id')
      const rows = { where: [], scope, actor: anna() }
      fromMaskedRows(query as any, resource, new Map([[title, [plain]]]), rows)
      const papers = await query
      return {
        titles: papers.map((paper) => paper.title),
        hasSubquery: query.toSQL().sql.includes(' in (select'),
      }
    }
    const isPaid: Scope = (query) => query.where('pay', 1)
    for (const scope of [undefined, isPaid]) {
      assert.deepEqual(await masked(scope), { titles: ['a', null], hasSubquery: false })
    }
    assert.deepEqual(await masked(joining), { titles: ['a', null], hasSubquery: true })
  })

  test('[U3, A9.2] the condition of a scope compares every column of a composite key', async ({
    assert,
  }) => {
    const seats = ['a', 'b'].map((place) => ({ hall: 1, place, label: place }))
    await db.from('seats').delete()
    await db.table('seats').multiInsert([...seats, { hall: 2, place: 'a', label: 'c' }])
    const resource = new Resource({ model: Seat })
    const few: Scope = (query) => query.where('label', 'a')
    const { sql, bindings } = reachSql(resource, [few], db.connection(), anna(), false)
    const rows = await db.from('seats').whereRaw(sql, bindings as any[])
    await db.from('seats').delete()
    assert.deepEqual(rows, [seats[0]])
  })
})
