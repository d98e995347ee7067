import { test } from '@japa/runner'
import { cookiesOf, emptyAdminTables, fakeHashes, makeUser } from '#tests/helpers/admin'
import { get } from '#tests/helpers/http'
import { Genre, Recording, Score, Studio } from '#tests/fixtures/references'

test.group('Admin | choices of a reference', (group) => {
  let jo: string
  let eve: string

  group.setup(() => fakeHashes())
  group.each.setup(async () => {
    await emptyAdminTables()
    for (const model of [Recording, Studio, Genre, Score]) await model.query().delete()
    jo = await cookiesOf(await makeUser('jo', { isSuperuser: false }))
    eve = await cookiesOf(await makeUser('eve'))
  })

  const ask = (
    field: string,
    {
      q,
      cookie = jo,
      model = 'Recording',
      accept = 'application/json',
    }: {
      q?: string
      cookie?: string
      model?: string
      accept?: string
    } = {}
  ) =>
    get(`/admin/${model}/choices/${field}${q === undefined ? '' : `?q=${encodeURIComponent(q)}`}`, {
      headers: { cookie, accept },
    })

  const labels = async (field: string, q?: string, cookie?: string): Promise<string[]> => {
    const { body } = await ask(field, { q, cookie })
    return body.choices.map(({ label }: { label: string }) => label)
  }

  test('[B17] records are found by part of their title, ignoring case', async ({ assert }) => {
    const [abbey] = await Studio.createMany([
      { name: 'Abbey Road' },
      { name: 'Ärger Room' },
      { name: 'Hansa' },
    ])
    assert.deepEqual(await labels('studio_id', 'ROAD'), ['Abbey Road'])
    assert.deepEqual(await labels('studio_id', ' ärGER '), ['Ärger Room'])
    assert.deepEqual(await labels('studio_id', 'nothing'), [])
    const { body } = await ask('studio_id', { q: 'abbey' })
    assert.deepEqual(body.choices, [{ value: String(abbey.id), label: 'Abbey Road' }])
  })

  test('[B17] wildcard characters in the search text of a reference field are literal', async ({
    assert,
  }) => {
    await Studio.createMany([{ name: '100% Sound' }, { name: '100 Sounds' }, { name: 'a_b' }])
    assert.deepEqual(await labels('studio_id', '0%'), ['100% Sound'])
    assert.deepEqual(await labels('studio_id', 'a_'), ['a_b'])
    assert.deepEqual(await labels('studio_id', '\\'), [])
  })

  test('[B17] a reference field finds a record by its key', async ({ assert }) => {
    const [one] = await Studio.createMany([{ name: 'Abbey' }, { name: 'Hansa' }])
    assert.deepEqual(await labels('studio_id', String(one.id)), ['Abbey'])
    assert.deepEqual(await labels('studio_id', '999999999999999999999999'), [])
  })

  test('[B17] an empty text returns the first 50 records by title', async ({ assert }) => {
    await Studio.createMany(
      Array.from({ length: 60 }, (_, index) => ({ name: `Studio ${String(99 - index)}` }))
    )
    const all = await labels('studio_id')
    assert.lengthOf(all, 50)
    assert.deepEqual([all[0], all[49]], ['Studio 40', 'Studio 89'])
    const { body } = await ask('studio_id')
    assert.equal(body.status, 'The first 50 of more: type to narrow them down')
    const some = await ask('studio_id', { q: '9' })
    assert.equal(some.body.status, '15 choices')
    const none = await ask('studio_id', { q: 'x' })
    assert.equal(none.body.status, 'Nothing found')
  })

  test('[B17] deleted records are not offered as choices of a reference', async ({ assert }) => {
    await Studio.createMany([{ name: 'Abbey', isDeleted: true }, { name: 'Hansa' }])
    assert.deepEqual(await labels('studio_id'), ['Hansa'])
  })

  test('[B17] choices with the same title also show their keys', async ({ assert }) => {
    const [one, two] = await Studio.createMany([{ name: 'Abbey' }, { name: 'Abbey' }])
    assert.deepEqual(await labels('studio_id'), [`Abbey (${one.id})`, `Abbey (${two.id})`])
  })

  test('[B17] an exact title comes first, then titles that begin with the text', async ({
    assert,
  }) => {
    await Studio.createMany([
      { name: 'Oberlin' },
      { name: 'East Berlin' },
      { name: 'Berlin West' },
      { name: 'BERLIN' },
      { name: 'Berlin' },
    ])
    const found = await labels('studio_id', 'berlin')
    assert.sameMembers(found.slice(0, 2), ['BERLIN', 'Berlin'])
    assert.deepEqual(found.slice(2), ['Berlin West', 'East Berlin', 'Oberlin'])
  })

  test('[B17] of many matches, the first 50 titles that begin with the text are returned', async ({
    assert,
  }) => {
    await Studio.createMany([
      ...Array.from({ length: 60 }, (_, index) => ({ name: `A row ${index + 10}` })),
      { name: 'Row' },
      ...Array.from({ length: 3 }, (_, index) => ({ name: `Rowing ${index}` })),
    ])
    const found = await labels('studio_id', 'row')
    assert.lengthOf(found, 50)
    assert.deepEqual(found.slice(0, 5), ['Row', 'Rowing 0', 'Rowing 1', 'Rowing 2', 'A row 10'])
  })

  test('[B17] a model whose title is a function is searched by key only', async ({ assert }) => {
    await Genre.createMany([{ code: 'jazz', remark: 'rock' }, { code: 'rock' }])
    assert.deepEqual(await labels('genre_code'), ['Genre jazz', 'Genre rock'])
    assert.deepEqual(await labels('genre_code', 'rock'), ['Genre rock'])
    assert.deepEqual(await labels('genre_code', 'roc'), [])
    const { body } = await ask('genre_code', { q: 'rock' })
    assert.equal(body.choices[0].value, 'rock')
  })

  test('[P14, B17] choices are limited to the scope of the referenced model', async ({
    assert,
  }) => {
    await Studio.createMany([{ name: 'Abbey', isPrivate: true }, { name: 'Hansa' }])
    assert.deepEqual(await labels('studio_id', '', jo), ['Abbey', 'Hansa'])
    assert.deepEqual(await labels('studio_id', '', eve), ['Hansa'])
    assert.deepEqual(await labels('studio_id', 'abb', eve), [])
  })

  test('[P14, B17] a viewer who cannot list the referenced model gets no choices', async ({
    assert,
  }) => {
    await Score.create({ points: 7 })
    assert.lengthOf(await labels('score_id', '', jo), 1)
    assert.deepEqual(await labels('score_id', '', eve), [])
  })

  test('[B13, B17] choices of models that only superusers can access are not offered to other users', async ({
    assert,
  }) => {
    const others = await ask('editor_id')
    assert.equal(others.status, 404)
    assert.notInclude(others.text, 'eve')
    assert.sameMembers(await labels('editor_id', '', eve), ['jo', 'eve'])
  })

  test('[B17] only reference fields of a form have choices')
    .with([
      'title',
      'id',
      'mixed_at_id',
      'studioId',
      'studio',
      'stranger_id',
      'nothing',
      '__proto__',
    ])
    .run(async ({ assert }, field) => {
      const { status } = await ask(field)
      assert.equal(status, 404)
    })

  test('[B14] a view that does not allow create or update offers no choices of a reference', async ({
    assert,
  }) => {
    const { status } = await ask('studio_id', { model: 'Playback' })
    assert.equal(status, 404)
  })

  test('[B6] an anonymous request gets no choices', async ({ assert }) => {
    const { status } = await ask('studio_id', { cookie: '' })
    assert.equal(status, 401)
  })

  test('[B17] browsers get options with escaped titles', async ({ assert }) => {
    const { id } = await Studio.create({ name: '"><script>alert(1)</script>' })
    const { text, headers } = await ask('studio_id', { accept: 'text/html' })
    assert.match(headers.get('content-type')!, /^text\/html/)
    assert.equal(
      text.trim(),
      `<option value="${id}">&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;</option>`
    )
    assert.equal(headers.get('vary'), 'accept')
  })

  test('[B17] a text that can’t be searched for returns no choices')
    .with(['\0', 'a\0b', '\uD800', 'x'.repeat(201), 'x'.repeat(7000)])
    .run(async ({ assert }, q) => {
      await Studio.create({ name: 'Abbey' })
      const { status, body } = await get(
        `/admin/Recording/choices/studio_id?q=${encodeURIComponent(q.toWellFormed())}`,
        { headers: { cookie: jo, accept: 'application/json' } }
      )
      assert.equal(status, 200)
      assert.deepEqual(body.choices, [])
    })

  test('[B17] a search text that is a list or an object is ignored', async ({ assert }) => {
    await Studio.create({ name: 'Abbey' })
    for (const query of ['q[]=x', 'q=x&q=y', 'q[a]=x']) {
      const { status, body } = await get(`/admin/Recording/choices/studio_id?${query}`, {
        headers: { cookie: jo, accept: 'application/json' },
      })
      assert.equal(status, 200, query)
      assert.lengthOf(body.choices, 1, query)
    }
  })
})
