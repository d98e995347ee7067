import { test } from '@japa/runner'
import app from '@adonisjs/core/services/app'
import db from '@adonisjs/lucid/services/db'
import { TokenAuthorizer } from '#admin/authentication/access_tokens/api_guard'
import { useTokenAuthorizer } from '#crud/endpoints/access'
import { Problem, resources } from '#crud'
import { buildDocument } from '#crud/openapi/document'
import { crudConfig } from '#crud/settings'
import { bearerIsUser, DOORS } from '#tests/fixtures/crud'
import { captureLog, ERROR_LEVEL } from '#tests/helpers/captured_log'
import { call } from '#tests/helpers/http'

const DOOR = { id: 1, name: 'front' }

/** Status of each operation at the path. */
async function statusesAt(path: string, user?: string): Promise<Record<string, number>> {
  const headers: Record<string, string> = user ? { authorization: `Bearer ${user}` } : {}
  const requests = {
    create: () => call('POST', path, { headers, json: { name: 'new' } }),
    read: () => call('GET', `${path}/1`, { headers }),
    read_multi: () => call('GET', path, { headers }),
    update: () => call('PATCH', `${path}/1`, { headers, json: { name: 'changed' } }),
    delete: () => call('DELETE', `${path}/1`, { headers }),
  }
  const statuses: Record<string, number> = {}
  for (const [operation, request] of Object.entries(requests)) {
    const response = await request()
    statuses[operation] = response.status
  }
  return statuses
}

const ALLOWED = { create: 201, read: 200, read_multi: 200, update: 200, delete: 200 }

function refused(status: number) {
  return Object.fromEntries(Object.keys(ALLOWED).map((operation) => [operation, status]))
}

test.group('Access', (group) => {
  const paths = Object.fromEntries(
    Object.entries(DOORS).map(([name, path]) => [name, `/api${path}`])
  ) as typeof DOORS

  group.each.setup(async () => {
    await db.from('crud_doors').delete()
    await db.table('crud_doors').insert(DOOR)
    const before = useTokenAuthorizer(bearerIsUser)
    return () => void useTokenAuthorizer(before)
  })

  test('[P10] a model without the option access uses the configured default', async ({
    assert,
  }) => {
    assert.equal(app.config.get('crud.access'), 'public')
    assert.deepEqual(await statusesAt(paths.byDefault), ALLOWED)
  })

  test('[P10] the setting access: token requires a token, except for public models', async ({
    assert,
    cleanup,
  }) => {
    const config = app.config.get<object>('crud')
    app.config.set('crud', { ...config, access: 'token' })
    cleanup(() => app.config.set('crud', config))

    assert.deepEqual(await statusesAt(paths.byDefault), refused(401))
    assert.deepEqual(await db.from('crud_doors'), [DOOR])
    assert.deepEqual(await statusesAt(paths.byDefault, 'anna'), ALLOWED)
    await db.table('crud_doors').insert(DOOR)
    assert.deepEqual(await statusesAt(paths.isPublic), ALLOWED)
  })

  test('[P10] a 401 caused by the default names the option to set, and nothing about the model', async ({
    assert,
    cleanup,
  }) => {
    cleanup(() => app.config.set('crud', config))
    const config = app.config.get<object>('crud')
    app.config.set('crud', { ...config, access: 'token' })
    useTokenAuthorizer(new TokenAuthorizer())
    const line = "access: 'public' in its @Crud opens it"
    const { status, body, headers } = await call('GET', paths.byDefault)
    assert.equal(status, 401)
    assert.include(body.detail, line)
    assert.notMatch(body.detail, /Door|crud_doors/)
    assert.equal(headers.get('www-authenticate'), 'Bearer realm="api"')

    const decided = await call('GET', paths.token)
    assert.notInclude(decided.body.detail, line)
    const wrong = { authorization: 'Bearer atr_x' }
    const invalid = await call('GET', paths.byDefault, { headers: wrong })
    assert.notInclude(invalid.body.detail, line)
    app.config.set('crud', { ...config, access: 'token', isAccessDecided: true })
    const byAll = await call('GET', paths.byDefault)
    assert.equal(byAll.status, 401)
    assert.notInclude(byAll.body.detail, line)
  })

  test('[P10, Q1] the API schema lists endpoints that need a token because of the default', ({
    assert,
    cleanup,
  }) => {
    const config = app.config.get<object>('crud')
    cleanup(() => app.config.set('crud', config))
    const accessTo = (path: string) => {
      const title = { title: 'API', version: '1' }
      const document = buildDocument(resources.endpoints(), crudConfig(), title) as any
      const { security, 'x-abilities': abilities } = document.paths[path].post
      return { security, abilities }
    }
    assert.deepEqual(accessTo('/api/attacked-patrons'), { security: [], abilities: undefined })
    app.config.set('crud', { ...config, access: 'token' })
    assert.deepEqual(accessTo('/api/attacked-patrons'), {
      security: [{ bearer: [] }],
      abilities: ['Patron:create'],
    })
  })

  test('[P10] endpoints with access: token refuse requests without a token and accept them with one', async ({
    assert,
  }) => {
    assert.deepEqual(await statusesAt(paths.token), refused(401))
    assert.deepEqual(await db.from('crud_doors'), [DOOR])
    assert.deepEqual(await statusesAt(paths.token, 'anna'), ALLOWED)
  })

  test('[P10] an access map sets the access of single operations, and others use the configured default', async ({
    assert,
    cleanup,
  }) => {
    const writesRefused = { ...ALLOWED, create: 401, update: 401, delete: 401 }
    assert.deepEqual(await statusesAt(paths.writesByToken), writesRefused)
    assert.deepEqual(await db.from('crud_doors'), [DOOR])

    const config = app.config.get<object>('crud')
    app.config.set('crud', { ...config, access: 'token' })
    cleanup(() => app.config.set('crud', config))
    assert.deepEqual(await statusesAt(paths.writesByToken), { ...writesRefused, read_multi: 401 })
    assert.deepEqual(await statusesAt(paths.writesByToken, 'anna'), ALLOWED)
  })

  test('[P10] access is checked before keys, parameters and bodies are validated', async ({
    assert,
  }) => {
    const requests = [
      call('GET', `${paths.token}/abc`),
      call('GET', `${paths.token}/0`),
      call('HEAD', `${paths.token}/1`),
      call('GET', `${paths.token}?page=0`),
      call('POST', paths.token, { json: {} }),
      call('POST', paths.token, { body: '{', headers: { 'content-type': 'application/json' } }),
      call('PATCH', `${paths.token}/0`, { json: { name: null } }),
      call('DELETE', `${paths.token}/db_delete/1`),
    ]
    for (const response of await Promise.all(requests)) assert.equal(response.status, 401)
    assert.deepEqual(await db.from('crud_doors'), [DOOR])
  })

  test('[P10] the authorizer receives model and operation, and can refuse that operation', async ({
    assert,
  }) => {
    const requested: string[] = []
    useTokenAuthorizer({
      async authorize(_ctx, resource, operation) {
        requested.push(`${resource.name}:${operation}`)
        if (operation === 'update') throw new Problem(403, 'The token does not carry this ability')
        return { kind: 'token' }
      },
    })
    assert.deepEqual(await statusesAt(paths.token), { ...ALLOWED, update: 403 })
    /* A create has an entity tag if the caller may read the item. */
    const questions = Object.keys(ALLOWED).flatMap((operation) =>
      operation === 'create' ? ['create', 'read'] : [operation]
    )
    assert.deepEqual(
      requested,
      questions.map((operation) => `Door:${operation}`)
    )
  })

  test('[P10] without an authorizer every request is refused, and the reason is logged', async ({
    assert,
    cleanup,
  }) => {
    useTokenAuthorizer(undefined)
    const log = captureLog(cleanup)
    assert.deepEqual(await statusesAt(paths.token, 'anna'), refused(500))
    assert.deepEqual(await db.from('crud_doors'), [DOOR])
    const errors = log().filter((line) => line.level === ERROR_LEVEL)
    assert.match(errors[0].err!.message, /Door: access is 'token'/)
    assert.deepEqual(await statusesAt(paths.isPublic), ALLOWED)
  })
})
