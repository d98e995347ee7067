import { test } from '@japa/runner'
import { callRaw, cookiesOf, fakeHashes, makeUser } from '#tests/helpers/admin'
import { seedDemo } from '#tests/demo/demo_data'

test.group('The lists of the demo data', (group) => {
  group.setup(() => fakeHashes())
  group.setup(seedDemo)

  test('a list page of ten rows takes at most 10 KB compressed, and its content for htmx at most 9 KB', async ({
    assert,
  }) => {
    const cookie = await cookiesOf(await makeUser('ada'))
    for (const name of ['Product', 'Film', 'Distributor', 'Order']) {
      for (const encoding of ['br', 'gzip']) {
        const accept = { cookie, 'accept-encoding': encoding }
        const bytesOf = async (headers: Record<string, string>) => {
          const response = await callRaw('HEAD', `/admin/${name}/`, headers)
          return Number(response.headers['content-length'])
        }
        const whole = await bytesOf(accept)
        const part = await bytesOf({ ...accept, 'hx-request': 'true' })
        assert.isAbove(part, 1000)
        assert.isAtMost(part, 9 * 1024, `${name}, ${encoding}`)
        assert.isAtMost(whole, 10 * 1024, `${name}, ${encoding}`)
      }
    }
  })
})
