import { test } from '@japa/runner'
import { timeLimits } from '#admin/search/site_search'
import { Genre, Recording, Score, Studio } from '#tests/fixtures/references'
import {
  adminSite,
  cookiesOf,
  emptyAdminTables,
  fakeHashes,
  leaveModels,
  makeUser,
  sendForm,
} from '#tests/helpers/admin'
import { captureLog, ERROR_LEVEL } from '#tests/helpers/captured_log'
import { get } from '#tests/helpers/http'
import { makeRole, restoreRoles } from '#tests/helpers/roles'

/** The links of a response: label and URL. */
function linksOf(text: string): Array<[label: string, url: string]> {
  const content = text.slice(text.indexOf('class="search-content"'))
  const links = content.matchAll(/<a href="([^"]*)">(?:<bdi>)?([^<]*)/g)
  return [...links].map(([, url, label]) => [label, url])
}

test.group('Admin | search of the site', (group) => {
  let cookie: string
  let eve: string

  group.setup(() => fakeHashes())
  group.each.setup(async () => {
    await emptyAdminTables()
    for (const model of [Recording, Studio, Genre, Score]) await model.query().delete()
    cookie = await cookiesOf(await makeUser('jo'))
    eve = await cookiesOf(await makeUser('eve', { isSuperuser: false }))
    return () => restoreRoles()
  })

  const search = async (q: string, as = cookie, headers: Record<string, string> = {}) =>
    await get(`/admin/search?${new URLSearchParams({ q })}`, {
      headers: { cookie: as, accept: 'text/html', ...headers },
    })

  const found = async (q: string, as = cookie) => {
    const { text } = await search(q, as)
    return linksOf(text)
  }

  test('[L12] records of all models are found by their title, at most five per model', async ({
    assert,
  }) => {
    await Studio.createMany(
      ['Hansa', 'Zansa', 'Hansa 3', 'Hansa 2', 'HANSA 4', 'The Hansa', 'Old Hansa'].map((name) => ({
        name,
      }))
    )
    const one = await Recording.create({ title: 'Live at Hansa' })
    const all = await found('hansa')
    const links = all.filter(([, url]) => !url.includes('/Playback/'))
    assert.deepEqual(
      links.map(([label]) => label),
      [
        ...['Studios', 'Hansa', 'HANSA 4', 'Hansa 2', 'Hansa 3', 'Old Hansa'],
        ...['Recordings', 'Live at Hansa'],
      ]
    )
    assert.deepInclude(links, ['Live at Hansa', `/admin/Recording/update/${one.id}`])
    assert.deepInclude(links, ['Studios', '/admin/Studio/?q=hansa'])
  }).tags(['@database'])

  test('[L12] the search of the site finds a record by its key', async ({ assert }) => {
    const { id } = await Studio.create({ name: 'Abbey' })
    assert.deepInclude(await found(String(id)), ['Abbey', `/admin/Studio/update/${id}`])
  }).tags(['@database'])

  test('[L12] pages, models and actions are found by their names', async ({ assert }) => {
    assert.deepEqual(await found('studio'), [
      ['Studios', '/admin/Studio/'],
      ['New studio', '/admin/Studio/create_page'],
      ['Import studios', '/admin/Studio/import'],
    ])
    assert.deepEqual(await found('health'), [['Health', '/admin/management/health']])
    const all = await found('')
    assert.includeDeepMembers(all, [
      ['Dashboard', '/admin'],
      ['Studios', '/admin/Studio/'],
      ['New studio', '/admin/Studio/create_page'],
    ])
  })

  test('[L12.9] a page whose name is the text comes before records', async ({ assert }) => {
    const { id } = await Recording.create({ title: 'Studio' })
    for (const q of ['studios', 'Studio']) {
      const [first] = await found(q)
      assert.deepEqual(first, ['Studios', '/admin/Studio/'], q)
    }
    const links = await found('studio')
    assert.deepInclude(links, ['Studio', `/admin/Recording/update/${id}`])
    assert.lengthOf(
      links.filter(([, url]) => url === '/admin/Studio/'),
      1
    )
    const [record] = await found('stud')
    assert.deepEqual(record, ['Recordings', '/admin/Recording/?q=stud'])
  })

  test('[L12.9] an action is found by the label of its button, too', async ({ assert }) => {
    assert.deepEqual(await found('add studio'), [['New studio', '/admin/Studio/create_page']])
  })

  test('[L12.9] the action whose name is the text comes before longer names', async ({
    assert,
  }) => {
    const actions = await found('new trip')
    assert.deepEqual(
      actions.map(([label]) => label),
      ['New trip', 'New trip harbour', 'New trip log']
    )
  })

  test('[L12, U4] only records, pages and actions that the user’s roles allow are found', async ({
    assert,
  }) => {
    const { id } = await Studio.create({ name: 'Abbey' })
    await Recording.create({ title: 'Abbey live' })
    await makeRole('Listener', { Studio: { actions: ['view'] } })
    const lou = await cookiesOf(await makeUser('lou', { isSuperuser: false, roles: ['Listener'] }))
    assert.deepEqual(await found('abbey', lou), [
      ['Studios', '/admin/Studio/?q=abbey'],
      ['Abbey', `/admin/Studio/view/${id}`],
    ])
    assert.deepEqual(await found('health', lou), [])
    assert.deepEqual(await found('recording', lou), [])
  })

  test('[L12, P14] the search obeys scope and policy of each model', async ({ assert }) => {
    await Studio.createMany([{ name: 'Abbey', isPrivate: true }, { name: 'Abbey Road' }])
    const score = await Score.create({ points: 7 })
    const records = async (model: string, q: string, as: string) => {
      const links = await found(q, as)
      const place = new RegExp(`/${model}/(update|view)`)
      return links.filter(([, url]) => place.test(url)).map(([label]) => label)
    }
    assert.deepEqual(await records('Studio', 'abbey', cookie), ['Abbey', 'Abbey Road'])
    assert.deepEqual(await records('Studio', 'abbey', eve), ['Abbey Road'])
    assert.lengthOf(await records('Score', String(score.id), cookie), 1)
    assert.deepEqual(await records('Score', String(score.id), eve), [])
  })

  test('[L12] deleted records are not found by the search', async ({ assert }) => {
    await Studio.create({ name: 'Abbey', isDeleted: true })
    assert.deepEqual(await found('abbey'), [])
    const { text } = await search('abbey')
    assert.include(text, 'Nothing found for “abbey”.')
  }).tags(['@database'])

  test('[L12] a model that can’t be read is omitted and logged', async ({ assert, cleanup }) => {
    await Studio.create({ name: 'Abbey' })
    const { models } = await adminSite()
    const view = models.get('Studio')!
    const { getMulti } = view.crud
    cleanup(() => {
      view.crud.getMulti = getMulti
    })
    view.crud.getMulti = async () => {
      throw new Error('gone')
    }
    const log = captureLog(cleanup)
    const response = await search('abbey')
    assert.equal(response.status, 200)
    assert.deepEqual(linksOf(response.text), [])
    const errors = log().filter(({ level }) => level >= ERROR_LEVEL)
    assert.deepEqual(
      errors.map(({ msg }) => msg),
      ['Studio could not be searched']
    )
  })

  test('[L12] a model that takes too long is listed as slow instead of delaying the response', async ({
    assert,
    cleanup,
  }) => {
    const { models } = await adminSite()
    const view = models.get('Studio')!
    const { getMulti } = view.crud
    let end = () => {}
    timeLimits.model = 2000
    cleanup(() => {
      timeLimits.model = 30_000
      view.crud.getMulti = getMulti
      end()
    })
    view.crud.getMulti = () =>
      new Promise((resolve) => {
        end = () => resolve({ data: [] })
      })
    await Recording.create({ title: 'Abbey live' })
    const { text } = await search('abbey')
    assert.match(
      text,
      /Not searched, as it takes too long:\s*<a href="\/admin\/Studio\/\?q=abbey">Studios/
    )
    assert.deepInclude(linksOf(text), ['Recordings', '/admin/Recording/?q=abbey'])
  }).tags(['@database'])

  test('[L12] if searching inside titles takes too long, models without a title that begins with the text are listed as slow', async ({
    assert,
    cleanup,
  }) => {
    await Studio.create({ name: 'The Hansa' })
    await Recording.create({ title: 'Hansa live' })
    timeLimits.contained = 0
    cleanup(() => {
      timeLimits.contained = 30_000
    })
    const { text } = await search('hansa')
    const [, slow = ''] = /Not searched, as it takes too long:(.*)/s.exec(text) ?? []
    assert.include(slow, '"/admin/Studio/?q=hansa"')
    assert.notInclude(slow, '"/admin/Recording/?q=hansa"')
    assert.include(text, 'Hansa live')
    assert.notInclude(text, 'The Hansa')
    await Recording.query().delete()
    const { text: nothing } = await search('ansa')
    assert.include(nothing, 'Not searched, as it takes too long')
    assert.notInclude(nothing, 'Nothing found')
  }).tags(['@database'])

  test('[L12] a slow model does not delay the search in other models', async ({
    assert,
    cleanup,
  }) => {
    await Studio.create({ name: 'The Hansa' })
    /* The clock goes forward for the searches of all others, too. */
    cleanup(await leaveModels('Studio'))
    const { models } = await adminSite()
    for (const [name, { adminModel }] of models) if (adminModel) models.delete(name)
    const view = models.get('Studio')!
    const { getMulti } = view.crud
    const { now } = performance
    timeLimits.model = 1e9
    cleanup(() => {
      timeLimits.model = 30_000
      view.crud.getMulti = getMulti
      performance.now = now
    })
    view.crud.getMulti = async (...parameters) => {
      performance.now = () => now.call(performance) + 60_000
      return await getMulti.apply(view.crud, parameters)
    }
    const { text } = await search('hansa')
    assert.notInclude(text, 'Not searched, as it takes too long')
    assert.include(text, 'The Hansa')
  }).tags(['@database'])

  test('[L12] the search text and titles are escaped, whatever they contain', async ({
    assert,
  }) => {
    const evil = '"><script>alert(1)</script>\u202Egnp'
    await Studio.create({ name: evil })
    const { text } = await search(evil)
    assert.notInclude(text, '<script>alert')
    assert.notMatch(text.slice(text.indexOf('search-content')), /\u202E[^”]/)
    for (const odd of ['%', "' or 1=1 --", 'x'.repeat(10_000), '\0', '\uD800', '[]']) {
      const { status } = await search(odd.toWellFormed())
      assert.equal(status, 200)
    }
    const listed = await get('/admin/search?q[]=x&q=y', { headers: { cookie } })
    assert.equal(listed.status, 200)
  }).tags(['@database'])

  test("[L12] without a search text, the user's recent records are listed, and models come before administration pages", async ({
    assert,
  }) => {
    const studio = await Studio.create({ name: 'Polka' })
    const sent = await sendForm(
      `/admin/Studio/form_update/${studio.id}`,
      { name: 'Waltz' },
      { cookie }
    )
    assert.equal(sent.status, 303)
    const { text } = await search('')
    assert.match(text, /Your recent records.*?<bdi>Waltz<\/bdi>/s)
    const links = await found('')
    const labels = links.map(([label]) => label)
    assert.isBelow(labels.indexOf('Studios'), labels.indexOf('Admin users'))
    const { text: other } = await search('', eve)
    assert.notInclude(other, 'Waltz')
  })

  test('[L12] the palette receives the results without the page around them', async ({
    assert,
  }) => {
    const { text, headers } = await search('health', cookie, { 'hx-request': 'true' })
    assert.notInclude(text, '<html')
    assert.deepEqual(linksOf(text), [['Health', '/admin/management/health']])
    assert.include(headers.get('vary'), 'HX-Request')
  })

  test('[L12, B6] an anonymous request is redirected to the login', async ({ assert }) => {
    const { status, headers } = await search('x', '')
    assert.equal(status, 303)
    assert.match(headers.get('location')!, /\/admin\/login/)
  })
})
