import { test } from '@japa/runner'
import testUtils from '@adonisjs/core/services/test_utils'
import type { HttpContext } from '@adonisjs/core/http'
import { guardOf } from '#admin/identity/admin_guard'
import { type AdminUser, type AdminSite, type ModelView } from '#admin'
import { referencesOf, titlesOf } from '#admin/relations/references'
import { adminSite, emptyAdminTables, fakeHashes, makeUser } from '#tests/helpers/admin'
import { Genre, Recording, Score, Studio } from '#tests/fixtures/references'
import { queriesOf } from '#tests/helpers/queries'

test.group('References', (group) => {
  group.tap((one) => one.tags(['@dialect']))
  let site: AdminSite
  let view: ModelView

  group.setup(async () => {
    site = await adminSite()
    view = site.models.get('Recording')!
    return await fakeHashes()
  })
  group.each.setup(async () => {
    await emptyAdminTables()
    for (const model of [Recording, Studio, Genre, Score]) await model.query().delete()
  })

  /** A request of a signed-in user. */
  async function requestOf(user: AdminUser): Promise<HttpContext> {
    const ctx = await testUtils.createHttpContext()
    const signedIn = { owner: { isSuperuser: user.isSuperuser, user }, session: {} }
    guardOf(ctx).signedIn = signedIn as any
    return ctx
  }

  const referenceOf = (apiName: string) =>
    referencesOf(site, view).find(({ column }) => column.apiName === apiName)!

  test('[B17] a belongs-to relation to a model of the site is a reference', ({ assert }) => {
    const references = referencesOf(site, view).map(
      ({ column, view: other, target }) => `${column.apiName} -> ${other.name}.${target.apiName}`
    )
    assert.sameMembers(references, [
      'studio_id -> Studio.id',
      'genre_code -> Genre.code',
      'score_id -> Score.id',
      'editor_id -> AdminUser.id',
      'mixed_at_id -> Studio.id',
    ])
  })

  test('[B17] no other relation, and no relation to a model outside the site, is a reference', ({
    assert,
  }) => {
    assert.deepEqual(referencesOf(site, site.models.get('Studio')!), [])
    assert.deepEqual(referencesOf(site, site.models.get('Lender')!), [])
    assert.isUndefined(referenceOf('stranger_id'))
  })

  test('[B17] titles of existing records are returned by value, with one query', async ({
    assert,
  }) => {
    const jo = await makeUser('jo')
    const [abbey, hansa] = await Studio.createMany([{ name: 'Abbey' }, { name: 'Hansa' }])
    const values = [abbey.id, hansa.id, abbey.id, null, undefined, 999_999]
    const ctx = await requestOf(jo)
    const queries = await queriesOf(async () => {
      const titles = await titlesOf(ctx, referenceOf('studio_id'), values)
      assert.deepEqual(
        [...titles],
        [
          [String(abbey.id), 'Abbey'],
          [String(hansa.id), 'Hansa'],
        ]
      )
    })
    assert.lengthOf(queries, 1)
  })

  test('[B17] no query reads titles if there are no values of the reference', async ({
    assert,
  }) => {
    const ctx = await requestOf(await makeUser('jo'))
    const queries = await queriesOf(async () => {
      const titles = await titlesOf(ctx, referenceOf('studio_id'), [null, undefined])
      assert.equal(titles.size, 0)
    })
    assert.isEmpty(queries)
  })

  test('[B17] a reference can use another column than the key, and a deleted record still has a title', async ({
    assert,
  }) => {
    const ctx = await requestOf(await makeUser('jo'))
    await Genre.create({ code: 'jazz' })
    const byCode = await titlesOf(ctx, referenceOf('genre_code'), ['jazz', 'rock'])
    assert.deepEqual([...byCode], [['jazz', 'Genre jazz']])
    const gone = await Studio.create({ name: 'Abbey', isDeleted: true })
    const titles = await titlesOf(ctx, referenceOf('studio_id'), [gone.id])
    assert.equal(titles.get(String(gone.id)), 'Abbey')
  })

  test('[P14] a record that the scope hides has no title', async ({ assert }) => {
    const { id } = await Studio.create({ name: 'Abbey', isPrivate: true })
    const [jo, eve] = [await makeUser('jo'), await makeUser('eve')]
    const titles = async (user: AdminUser) => {
      const found = await titlesOf(await requestOf(user), referenceOf('studio_id'), [id])
      return [...found.values()]
    }
    assert.deepEqual(await titles(jo), ['Abbey'])
    assert.deepEqual(await titles(eve), [])
  })

  test('[B13] only superusers get titles of the admin site’s own records', async ({ assert }) => {
    const jo = await makeUser('jo')
    const eve = await makeUser('eve', { isSuperuser: false })
    const titles = async (user: AdminUser) => {
      const found = await titlesOf(await requestOf(user), referenceOf('editor_id'), [jo.id])
      return [...found.values()]
    }
    assert.deepEqual(await titles(jo), ['jo'])
    assert.deepEqual(await titles(eve), [])
  })
})
