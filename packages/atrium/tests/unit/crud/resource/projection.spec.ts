import { test } from '@japa/runner'
import db from '@adonisjs/lucid/services/db'
import { LucidCrud, systemActor, type Actor } from '#crud'
import { ANONYMOUS } from '#base/actor'
import { usePermissions } from '#crud/resource/permissions'
import { OPERATIONS } from '#crud/operations/operation'
import { Projection } from '#crud/resource/projection'
import type { Resource } from '#crud/resource/resource'
import { cheap, Folder, GivenPermissions, grant, own, Paper, shared } from '#tests/fixtures/granted'
import { strange } from '#tests/helpers/actors'
import { insertRow } from '#tests/helpers/databases'
import { queriesOf } from '#tests/helpers/queries'

const ANNA: Actor = strange({ kind: 'token', user: 'anna' })
const BOB: Actor = strange({ kind: 'token', user: 'bob' })

const ALL = [...OPERATIONS, 'restore'] as const
const permitted = (resource: Resource) => ALL.filter((operation) => resource.permits(operation))

const NONE: ReadonlySet<string> = new Set()
const projectionOf = (...given: Parameters<typeof grant>[0][]) =>
  new Projection(
    given.map((one) => grant(one)),
    NONE
  )

test.group('Combined grants', () => {
  test('[U3] a field is hidden if every read grant hides it', ({ assert }) => {
    const projection = projectionOf(
      { hidden: ['pay', 'secret'] },
      { hidden: ['pay'], scopes: [own] },
      { on: ['create'] }
    )
    assert.deepEqual([...projection.hidden], ['pay'])
    assert.deepEqual([...projection.mixed], [['secret', [own]]])
  })

  test('[U3] a field that a grant shows on all readable records is visible, and not partly hidden', ({
    assert,
  }) => {
    const alike = projectionOf({ hidden: ['pay'], scopes: [own] }, { scopes: [own] })
    assert.equal(alike.hidden.size + alike.mixed.size, 0)
    const all = projectionOf({ hidden: ['pay'], scopes: [own] }, {})
    assert.equal(all.hidden.size + all.mixed.size, 0)
  })

  test('[U3] a relation is left out if its name, its foreign key or its model is hidden', ({
    assert,
  }) => {
    const relation = (apiName: string, isPrimary = false) => ({ column: { apiName, isPrimary } })
    const includes = new Map([
      ['folder', relation('folder_id')],
      ['owner', relation('owner_id')],
      ['papers', relation('id', true)],
      ['notes', relation('id', true)],
      ['drafts', relation('id', true)],
      ['memos', relation('id', true)],
    ])
    const hidden = ['id', 'owner_id', 'notes']
    const grants = [grant({ hidden: [...hidden, 'drafts'], scopes: [own] }), grant({ hidden })]
    const projection = new Projection(grants, new Set(['memos']))
    assert.deepEqual([...projection.includesLeft(includes).keys()], ['folder', 'papers', 'drafts'])
    const partly = [grants[0], grant({ hidden, scopes: [shared] })]
    const left = new Projection(partly, NONE).includesLeft(includes)
    assert.deepEqual([...left.keys()], ['folder', 'papers', 'memos'])
  })

  test('[U2] an operation is limited to the scopes of all grants that allow it together', ({
    assert,
  }) => {
    const projection = projectionOf(
      { on: ['read', 'update'], scopes: [own] },
      { on: ['read'], scopes: [shared, own] },
      { on: ['delete'] },
      { on: ['create'], scopes: [] }
    )
    assert.deepEqual(projection.reach('read'), [own, shared])
    assert.deepEqual(projection.reach('update'), [own])
    assert.isNull(projection.reach('delete'))
    assert.deepEqual(projection.reach('create'), [])
    assert.isFalse(projection.coversReadableRecords('update'))
    assert.isTrue(projection.coversReadableRecords('delete'))
    assert.isFalse(projection.matchesReadableRecords('delete'))
    assert.isTrue(projection.permits('create'))
    assert.isFalse(projection.permits('restore'))
  })

  test('[U3] grants make a field writable on all records, on some or on none', ({ assert }) => {
    const projection = projectionOf(
      { readonly: ['pay', 'title'] },
      { readonly: ['pay'], scopes: [own] }
    )
    assert.equal(projection.writing('update', 'pay'), 'none')
    assert.equal(projection.writing('update', 'title'), 'some')
    assert.equal(projection.writing('update', 'owner'), 'all')
  })
})

test.group('The resource for an actor', (group) => {
  const given = new GivenPermissions()
  const papers = new LucidCrud(Paper)
  const { resource } = papers

  group.setup(() => {
    const before = usePermissions(given)
    return () => void usePermissions(before)
  })
  group.each.setup(async () => {
    given.clear()
    await resource.load()
    await db.from('granted_papers').delete()
    await db.from('granted_folders').delete()
    return async () => {
      await db.from('granted_papers').delete()
    }
  })

  test('[U4] an actor whose grants restrict nothing gets the unrestricted resource', async ({
    assert,
  }) => {
    assert.strictEqual(await resource.for(ANNA), resource)
    given.give('anna', Paper, { scopes: [own] }, {})
    assert.strictEqual(await resource.for(ANNA), resource)
    given.give('anna', Paper, { scopes: [own] })
    assert.strictEqual(await resource.for(ANONYMOUS), resource)
    assert.strictEqual(await resource.for(systemActor('a job')), resource)
    assert.sameMembers(permitted(resource), [...ALL])
  })

  test('[U4] actors with the same permissions share one restricted resource', async ({
    assert,
  }) => {
    given.give('anna', Paper, { hidden: ['pay', 'secret'], scopes: [own] })
    given.give('bob', Paper, { hidden: ['secret', 'pay'], scopes: [own] })
    const annas = await resource.for(ANNA)
    assert.notStrictEqual(annas, resource)
    assert.strictEqual(await resource.for(BOB), annas)
    assert.strictEqual(await annas.for(ANNA), annas)
    assert.strictEqual(annas.base, resource)
    given.give('bob', Paper, { hidden: ['secret', 'pay'], scopes: [shared] })
    assert.notStrictEqual(await resource.for(BOB), annas)
  })

  test('[U4] the number of cached restricted resources is limited', async ({ assert }) => {
    given.give('anna', Paper, { hidden: ['pay'] })
    const first = await resource.for(ANNA)
    for (let index = 0; index < 100; index++) {
      given.give('bob', Paper, { hidden: [`field ${index}`] })
      await resource.for(BOB)
    }
    assert.notStrictEqual(await resource.for(ANNA), first)
  })

  test('[U3] fields that the actor can’t write are in no body, and hidden fields in no filter or sort', async ({
    assert,
  }) => {
    given.give('anna', Paper, { on: ['read', 'update'], hidden: ['secret'], readonly: ['pay'] })
    const seen = await resource.for(ANNA)
    const names = seen.updateBody.fields.map(({ apiName }) => apiName)
    assert.deepEqual(names, ['title', 'owner', 'folder_id'])
    assert.isFalse(seen.sortable.has('secret'))
    assert.deepEqual(
      seen.filters.all.map(({ name }) => name),
      ['title', 'pay', 'pay__gte']
    )
    assert.deepEqual(permitted(seen), ['read', 'update'])
    assert.isTrue(seen.columns.find('secret')!.hidden)
    assert.isFalse(resource.columns.find('secret')!.hidden)
  })

  test('[U3] a relation is removed if its model is not visible to the actor', async ({
    assert,
  }) => {
    given.give('anna', Folder)
    const seen = await resource.for(ANNA)
    assert.equal(seen.includes.size, 0)
    assert.equal(resource.includes.size, 1)
    assert.isTrue(seen.permits('delete'))
  })

  test('[U4] an update runs no additional statement if the write grant covers all readable records', async ({
    assert,
  }) => {
    const id = await insertRow('granted_papers', { title: 'a', owner: 'anna', pay: 1 })
    const statements = async () => {
      const queries = await queriesOf(() => papers.update(id, { title: 'b' }, { actor: ANNA }))
      await db.from('granted_papers').update({ title: 'a' })
      return queries.filter((sql) => /^(select|update)/i.test(sql)).length
    }
    /* The first one also looks for triggers. */
    await statements()
    const unrestricted = await statements()
    given.give('anna', Paper, { hidden: ['secret'], readonly: ['pay'] })
    assert.equal(await statements(), unrestricted)
    given.give('anna', Paper, { scopes: [own] })
    const scoped = await statements()
    assert.equal(scoped, unrestricted + 1)
    given.give('anna', Paper, { scopes: [own] }, { scopes: [cheap], hidden: ['secret'] })
    assert.equal(await statements(), scoped)
  })

  test("[U4] a list requested without the actor's restrictions still returns no hidden fields", async ({
    assert,
  }) => {
    await insertRow('granted_papers', { title: 'a', owner: 'anna', secret: 's' })
    given.give('anna', Paper, { hidden: ['secret'] })
    const { ListRequest } = await import('#crud/request/list_request')
    const page = { limit: 10, maxLimit: 10, itemsPerPage: 10 } as any
    const request = ListRequest.fromCode(resource, { fields: ['title', 'secret'] }, page)
    const { data } = await papers.getMulti(request, { actor: ANNA })
    assert.deepEqual(data, [{ title: 'a' }])
    const sorted = ListRequest.fromCode(resource, { sort: 'secret' }, page)
    await assert.rejects(() => papers.getMulti(sorted, { actor: ANNA }), /may not see/)
  })
})
