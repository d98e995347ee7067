import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'
import { belongsTo, BaseModel, column } from '@adonisjs/lucid/orm'
import type { BelongsTo } from '@adonisjs/lucid/types/relations'
import { AdminUser } from '#admin'
import { EndpointCreator, resources, ValueError } from '#crud'
import { accessToInclude } from '#crud/endpoints/access'
import { ResourceRegistry } from '#crud/resource/registry'
import { Drawer, TABLES } from '#tests/fixtures/authorized_records'
import { cookiesOf, emptyAdminTables, fakeHashes, makeUser } from '#tests/helpers/admin'
import { get } from '#tests/helpers/http'

const ESSAYS = '/api/judged-essays'

class Desk extends BaseModel {
  static table = 'judged_essays'

  @column({ isPrimary: true })
  declare id: number

  @column()
  declare boardId: number | null

  @column()
  declare authorId: number | null

  @belongsTo(() => Drawer, { foreignKey: 'boardId' })
  declare drawer: BelongsTo<typeof Drawer>

  @belongsTo(() => AdminUser, { foreignKey: 'authorId' })
  declare author: BelongsTo<typeof AdminUser>
}

test.group("Models that can't be included", (group) => {
  group.setup(() => fakeHashes())
  group.each.setup(async () => {
    await emptyAdminTables()
    for (const table of TABLES) await db.from(table).delete()
    const author = await makeUser('secretive')
    await db.table('judged_boards').insert({ id: 1, name: 'a drawer' })
    await db
      .table('judged_essays')
      .insert({ id: 1, title: 'On doors', author_id: author.id, board_id: 1 })
    return async () => {
      for (const table of TABLES) await db.from(table).delete()
    }
  })

  test("[Q3] no endpoint reveals a record of a model that can't be included", async ({
    assert,
  }) => {
    for (const path of [ESSAYS, `${ESSAYS}/1`]) {
      for (const name of ['author', 'board']) {
        const { status, body, text } = await get(`${path}?include=${name}`)
        assert.equal(status, 422)
        assert.equal(body.errors[0].field, 'include')
        assert.notInclude(text, 'secretive')
        assert.notInclude(text, 'a drawer')
      }
    }
  })

  test('[Q3, B13] in the admin site, superusers can include the site’s own models, and others only models that they can see', async ({
    assert,
  }) => {
    const path = '/admin/Essay/crud/1?include='
    const root = { cookie: await cookiesOf(await makeUser('root')) }
    const clerk = { cookie: await cookiesOf(await makeUser('clerk', { isSuperuser: false })) }
    const seen = await get(`${path}author,board`, { headers: root })
    assert.equal(seen.body.author.username, 'secretive')
    assert.notProperty(seen.body.author, 'hashed_password')
    assert.equal(seen.body.board.name, 'a drawer')

    const refused = await get(`${path}author`, { headers: clerk })
    assert.equal(refused.status, 403)
    assert.notInclude(refused.text, 'secretive')
    const board = await get(`${path}board`, { headers: clerk })
    assert.equal(board.body.board.name, 'a drawer')
  })

  test('[Q3, Q1] the API schema does not list relations to these models', async ({ assert }) => {
    const { body } = await get('/api/openapi.json')
    assert.notProperty(body.components.schemas.Essay.properties, 'author')
    assert.notProperty(body.components.schemas.Essay.properties, 'board')
    const parameters = body.paths[ESSAYS].get.parameters.map(({ name }: any) => name)
    assert.notInclude(parameters, 'include')
    assert.notProperty(body.components.schemas, 'AdminUser')
    assert.notProperty(body.components.schemas, 'Drawer')
  })

  test('[P14, Q1] the API schema allows null for totals of models whose policy checks records, and omits missing tags', async ({
    assert,
  }) => {
    const { body } = await get('/api/openapi.json')
    const { schemas } = body.components
    assert.deepEqual(schemas.PatientList.properties.total_count.type, ['integer', 'null'])
    assert.equal(schemas.CareUnitList.properties.total_count.type, 'integer')
    const { patch } = body.paths['/api/judged-wages/{id}']
    assert.notProperty(patch.responses['200'].headers, 'ETag')
    assert.notProperty(patch.responses, '412')
    assert.notInclude(JSON.stringify(patch.parameters), 'If-Match')
    const salary = body.paths['/api/judged-salaries/{id}'].patch
    assert.includeMembers(Object.keys(salary.responses), ['403', '412'])
  })

  test('[Q3, P9] a relation that can never be included is an error at boot: {$self}')
    .with([
      ['drawer', /Desk: include names 'drawer', whose model Drawer has no read endpoint .*@Crud/],
      ['author', /Desk: include names 'author', whose model AdminUser is never embedded/],
    ] as Array<[string, RegExp]>)
    .run(async ({ assert }, [name, message]) => {
      const registry = new ResourceRegistry()
      registry.add(new EndpointCreator({ model: Desk, path: `kept-${name}`, include: [name] }))
      try {
        await registry.load()
        assert.fail('it was loaded')
      } catch (error) {
        const [invalid] = (error as { errors: Error[] }).errors
        assert.instanceOf(invalid, ValueError)
        assert.match(invalid.message, message)
      }
    })

  test('[Q3] the access option of the related model applies even if it has no endpoints', async ({
    assert,
  }) => {
    const covers = resources.endpoints().find(({ path }) => path === '/api/inc-covers')!
    assert.isEmpty(covers.routes)
    const albums = resources.endpoints().find(({ path }) => path === '/api/inc-albums')!
    const cover = albums.resource.includes.get('cover')!
    assert.equal(accessToInclude(cover), 'public')
  })
})
