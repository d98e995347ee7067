import { test } from '@japa/runner'
import db from '@adonisjs/lucid/services/db'
import type { Scope } from '#crud/resource/permissions'
import { plainCondition } from '#crud/sql/apply_scope'
import { Paper } from '#tests/fixtures/granted'
import { strange } from '#tests/helpers/actors'
import { insertRow } from '#tests/helpers/databases'

const actor = strange({ kind: 'token' })
const plain = (scope: Scope) => plainCondition(Paper, scope, db.connection(), actor)

/** Scopes that only compare, each with the titles that it reaches. */
const COMPARING: Array<{ name: string; scope: Scope; titles: string[] }> = [
  { name: 'nothing', scope: () => {}, titles: ['a', 'b', 'c'] },
  { name: 'where', scope: (query) => query.where('owner', 'anna'), titles: ['a', 'b'] },
  {
    name: 'or',
    scope: (query) => query.where('title', 'a').orWhere('title', 'c'),
    titles: ['a', 'c'],
  },
  {
    name: 'wrapped',
    scope: (query) =>
      query.where('title', 'a').orWhere('title', 'c').wrapExisting().where('pay', 1),
    titles: ['a'],
  },
  {
    name: 'a function',
    scope: (query) => query.where((one) => one.where('pay', 2).orWhere('pay', 3)),
    titles: ['b', 'c'],
  },
  {
    name: 'a subquery',
    scope: (query) =>
      query.whereIn('id', db.from('granted_papers').where('owner', 'bert').select('id')),
    titles: ['c'],
  },
  { name: 'null', scope: (query) => query.whereNotNull('owner'), titles: ['a', 'b', 'c'] },
  { name: 'whereRaw', scope: (query) => query.whereRaw('pay > ?', [1]), titles: ['b', 'c'] },
]

const OTHERS: Array<{ name: string; scope: Scope }> = [
  {
    name: 'a join',
    scope: (query) =>
      query
        .innerJoin('granted_papers as other', 'other.id', 'granted_papers.id')
        .where('other.pay', 1),
  },
  { name: 'distinct', scope: (query) => query.distinct('owner') },
  { name: 'a boolean', scope: (query) => query.where('pay', true) },
  { name: 'a date', scope: (query) => query.where('title', new Date() as any) },
  { name: 'a question mark in a text', scope: (query) => query.whereRaw("title <> '?'") },
]

test.group('Scopes as single conditions', (group) => {
  group.tap((one) => one.tags(['@dialect']))
  group.each.setup(async () => {
    await db.from('granted_papers').delete()
    await insertRow('granted_papers', { title: 'a', owner: 'anna', pay: 1 })
    await insertRow('granted_papers', { title: 'b', owner: 'anna', pay: 2 })
    await insertRow('granted_papers', { title: 'c', owner: 'bert', pay: 3 })
  })

  test('[U3] a scope that only compares values is converted to a single SQL condition: {name}')
    .with(COMPARING)
    .run(async ({ assert }, { scope, titles }) => {
      for (const time of ['first', 'second']) {
        const { sql, bindings } = plain(scope)!
        const rows = await db
          .from('granted_papers')
          .whereRaw(`${sql} and pay < ?`, [...bindings, 100] as any[])
          .orderBy('title')
        assert.deepEqual(
          rows.map(({ title }) => title),
          titles,
          time
        )
      }
    })

  test('[U3] a scope that calls other query methods is not converted to a condition: {name}')
    .with(OTHERS)
    .run(({ assert }, { scope }) => {
      assert.isNull(plain(scope))
      assert.isNull(plain(scope))
    })
})
