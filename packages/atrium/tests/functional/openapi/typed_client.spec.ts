import { pathToFileURL } from 'node:url'
import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'
import { urlOf } from '#tests/helpers/http'
import { errorsOf, writeProgram, writeTypes } from '#tests/helpers/typed_client'

test.group('A typed client generated from the API schema', (group) => {
  group.setup(() =>
    writeTypes(['/api/utensils', '/api/reels', '/api/lenders', '/api/samples', '/api/batch-slots'])
  )
  group.each.setup(async () => {
    await db.from('utensils').delete()
    return async () => void (await db.from('utensils').delete())
  })

  test('[Q1] a typed program compiles and creates, lists and updates an item', async ({
    assert,
  }) => {
    const path = await writeProgram(
      'right',
      `import createClient from 'openapi-fetch'
       import type { paths } from './api.js'
       const api = createClient<paths>({ baseUrl: '${urlOf('')}' })
       const { data: lamp, error } = await api.POST('/api/utensils', {
         body: { name: 'Desk lamp', description: 'Warm light', category: 'Lighting', price: 39.9 },
       })
       if (error) throw new Error(error.detail)
       const { data: list } = await api.GET('/api/utensils', {
         params: { query: { category: 'Lighting', price__gte: 10, sort: '-price' } },
       })
       const { data: changed } = await api.PATCH('/api/utensils/{id}', {
         params: { path: { id: lamp.id }, header: { Prefer: 'return=representation' } },
         body: { price: 35 },
       })
       export { lamp, list, changed }`
    )
    assert.deepEqual(errorsOf(path), [])

    const { lamp, list, changed } = await import(pathToFileURL(path).href)
    assert.equal(lamp.name, 'Desk lamp')
    assert.equal(list.total_count, 1)
    assert.equal(list.data[0].id, lamp.id)
    assert.equal(changed.price, 35)
  }).timeout(60_000)

  test('[Q1, D4] a typed program sends a batch, and reads the positions of its errors', async ({
    assert,
  }) => {
    await db.from('batch_slots').delete()
    const path = await writeProgram(
      'batch',
      `import createClient from 'openapi-fetch'
       import type { paths } from './api.js'
       const api = createClient<paths>({ baseUrl: '${urlOf('')}' })
       const body = {
         create: [{ row: 'a', place: 1, guest: 'jo' }],
         update: [{ id: ['a', 1] as [string, number], guest: 'ann' }],
         delete: [['a', 1] as [string, number]],
       }
       const { data, error } = await api.POST('/api/batch-slots/batch', { body })
       if (error || !data) throw new Error(error?.detail)
       const guest: string | null | undefined = data.updated[0]?.guest
       /* @ts-expect-error: an update names its item */
       await api.POST('/api/batch-slots/batch', { body: { update: [{ guest: 'x' }] } })
       const failed = await api.POST('/api/batch-slots/batch', { body: { delete: [['b', 2]] } })
       const place = failed.error?.errors?.map(({ operation, index }) => [operation, index])
       export { data, guest, place }`
    )
    assert.deepEqual(errorsOf(path), [])
    const { data, guest, place } = await import(pathToFileURL(path).href)
    assert.deepEqual(data.deleted, [['a', 1]])
    assert.equal(guest, 'ann')
    assert.deepEqual(place, [['delete', 0]])
  }).timeout(60_000)

  test('[Q1] invalid calls do not compile', async ({ assert }) => {
    const path = await writeProgram(
      'wrong',
      `import createClient from 'openapi-fetch'
       import type { components, paths } from './api.js'
       const api = createClient<paths>()
       /* @ts-expect-error: the name is missing */
       await api.POST('/api/lenders', { body: {} })
       /* @ts-expect-error: a price is a number */
       await api.PATCH('/api/utensils/{id}', { params: { path: { id: 1 } }, body: { price: 'x' } })
       /* @ts-expect-error: there is no such filter */
       await api.GET('/api/utensils', { params: { query: { price__near: 5 } } })
       /* @ts-expect-error: there is no such path */
       await api.GET('/api/nothing')
       const status: components['schemas']['Sample']['status'] = 'draft'
       /* @ts-expect-error: no choice */
       const wrong: components['schemas']['Sample']['status'] = 'lost'
       const sku: components['schemas']['Utensil']['sku'] = null
       export { status, wrong, sku }`
    )
    assert.deepEqual(errorsOf(path), [])
  }).timeout(60_000)
})
