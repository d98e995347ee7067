import { test } from '@japa/runner'
import { fakeHashes, makeUser } from '#tests/helpers/admin'
import { startBrowser, Visit } from '#tests/helpers/browser'
import { firstIds, seedDemo } from '#tests/demo/demo_data'
import { firstLoad, KB } from '#tests/helpers/first_load'

test.group('The first load of pages of the demo', (group) => {
  group.setup(() => fakeHashes())
  group.setup(startBrowser)
  group.setup(seedDemo)

  /* Orders have names with characters of several languages. */
  for (const [name, table] of [
    ['Film', 'films'],
    ['Order', 'orders'],
    ['Product', 'products'],
  ]) {
    test(`[K9.6] list and form of ${name} stay within the limits of the first load`, async ({
      assert,
    }) => {
      const as = await makeUser(`ada-${name}`)
      const list = await Visit.begin({ as, fresh: true })
      const ofList = await firstLoad(list.page, `/admin/${name}/`)
      assert.isAtMost(ofList.requests, 6)
      assert.isAbove(ofList.bytes, 30 * KB)
      assert.isAtMost(ofList.bytes, 60 * KB)

      const [id] = await firstIds(table, 1)
      for (const path of ['create_page', `update/${id}`]) {
        const form = await Visit.begin({ as, fresh: true })
        const ofForm = await firstLoad(form.page, `/admin/${name}/${path}`)
        assert.isAtMost(ofForm.requests, 8, path)
        assert.isAtMost(ofForm.bytes, 75 * KB, path)
        assert.deepEqual([...list.errors, ...form.errors], [])
      }
    })
  }
})
