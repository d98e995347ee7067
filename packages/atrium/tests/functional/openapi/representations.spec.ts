import { test } from '@japa/runner'
import app from '@adonisjs/core/services/app'
import db from '@adonisjs/lucid/services/db'
import { resources, useTokenAuthorizer } from '#crud'
import { buildDocument } from '#crud/openapi/document'
import { TokenAuthorizer } from '#admin/authentication/access_tokens/api_guard'
import { emptyAdminTables, makeUser } from '#tests/helpers/admin'
import { get } from '#tests/helpers/http'
import { ApiSchema, type Operation } from '#tests/helpers/openapi'
import { Representations, type Bodies } from '#tests/helpers/representations'
import { forgetCounts } from '#tests/helpers/rate_limit'
import { issueToken } from '#tests/helpers/tokens'

const crate = (number: number) => ({ label: `crate ${number}`, weight: 2, remark: 'x' })
const slot = (number: number) => ({ row: 'a', place: number, guest: `guest ${number}` })
const tool = (number: number) => ({ name: `tool ${number}`, price: 3 })
const sale = (number: number) => ({
  title: `sale ${number}`,
  genre: 'Drama',
  amount: '12.50',
  units: 3,
})

/** One model of each kind: bulk, batch, composite keys, json-server, tokens, policies, aggregates, relations */
const BODIES: Bodies = {
  '/api/batch-crates': crate,
  '/api/batch-crates/batch': (number) => ({ create: [crate(number)] }),
  '/api/batch-slots': slot,
  '/api/batch-slots/batch': (number) => ({ upsert: [slot(number)], on: ['row', 'place'] }),
  '/api/compat-tools': tool,
  '/api/aggregate-sales': sale,
  '/api/openapi-wares': (number) => ({ name: `ware ${number}` }),
  '/api/ateliers': (number) => ({ name: `atelier ${number}`, country: 'FI' }),
  '/api/artworks': (number) => ({ title: `work ${number}`, scale: 3 }),
  '/api/utensils': (number) => ({
    name: `utensil ${number}`,
    description: 'd',
    category: 'c',
    price: 1,
  }),
}
const TABLES =
  'batch_crates batch_slots compat_tools aggregate_sales openapi_wares artworks ateliers utensils'

const STATUSES = [200, 201, 204, 304, 400, 401, 403, 404, 406, 409, 412, 413, 415, 422, 428]

/** Leaves out the filter whose operator of the application always fails. */
function withoutFailing(operation: Operation): Operation {
  const parameters = operation.parameters?.filter(
    (one) => !('name' in one && one.name === 'title__joined')
  )
  return { ...operation, parameters }
}

test.group('API schema compared with all formats of requests and responses', (group) => {
  const empty = async () => {
    for (const table of TABLES.split(' ')) await db.from(table).delete()
  }
  group.setup(async () => {
    await emptyAdminTables()
    await empty()
    const before = useTokenAuthorizer(new TokenAuthorizer())
    return async () => {
      useTokenAuthorizer(before)
      await empty()
    }
  })

  test('[W7] every request and response matches the API schema, in each of its formats', async ({
    assert,
  }) => {
    const schema = await ApiSchema.read()
    const { headers } = await issueToken(await makeUser('ada'))
    const all = new Representations(schema, BODIES, headers)
    await all.checkAll(
      schema.operations
        .filter(({ path }) => Object.keys(BODIES).some((own) => `${path}/`.startsWith(`${own}/`)))
        .map(withoutFailing)
    )
    assert.deepEqual(all.violations, [])
    assert.includeMembers([...all.statuses], STATUSES)
  }).timeout(120_000)

  test('[W7, Q8] a request beyond the rate limit is refused as the API schema declares', async ({
    assert,
    cleanup,
  }) => {
    const config = app.config.get<any>('crud')
    const rateLimit = { requests: 1, seconds: 60 }
    const limited = { ...config, rateLimit }
    await forgetCounts(rateLimit)
    app.config.set('crud', limited)
    cleanup(() => app.config.set('crud', config))
    const info = { title: 'Test', version: '1' }
    const schema = new ApiSchema(buildDocument(resources.endpoints(), limited, info))
    const operation = schema.operation('listUtensils')
    const replies = [await get(operation.path), await get(operation.path)]
    assert.deepEqual(
      replies.map(({ status }) => status),
      [200, 429]
    )
    for (const reply of replies) assert.isUndefined(schema.violationOf(operation, reply))
  })
})
