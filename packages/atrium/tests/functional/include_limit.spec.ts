import app from '@adonisjs/core/services/app'
import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'
import fc from 'fast-check'
import { CHOIR_TABLES } from '#tests/fixtures/choirs'
import { get } from '#tests/helpers/http'
import { its } from '#tests/helpers/its'
import { queriesOf } from '#tests/helpers/queries'
import { runs } from '#tests/helpers/random_runs'

async function clear() {
  for (const table of CHOIR_TABLES) await db.from(table).delete()
}

/** Adds choirs with these voices; a singer's id is 100 for each choir, and its place from 1. */
async function addChoirs(...voices: number[][]) {
  await db
    .table('inc_choirs')
    .multiInsert(voices.map((_, index) => ({ id: index + 1, name: `Choir ${index + 1}` })))
  const singers = voices.flatMap((some, index) =>
    some.map((voice, place) => ({
      id: (index + 1) * 100 + place + 1,
      choir_id: index + 1,
      voice,
    }))
  )
  if (singers.length > 0) await db.table('inc_singers').multiInsert(singers)
}

async function dataOf(path: string) {
  const { status, body, text } = await get(`/api/${path}`)
  if (status !== 200) throw new Error(text)
  return body.data ?? body
}

/** The related items' ids and the mark, by the id of the choir. */
async function idsOf(name: string) {
  const choirs = await dataOf(`choirs?include=${name}`)
  return choirs.map((choir: any) => [
    choir[name].map((one: any) => one.id),
    choir[`${name}_has_more`],
  ])
}

test.group('Include with a limit', (group) => {
  group.tap((one) => one.tags(['@dialect']))
  group.each.setup(async () => {
    await clear()
    return clear
  })

  test('[Q3] each record includes at most as many records as the limit, and is marked if there are more', async ({
    assert,
  }) => {
    await addChoirs([5, 4, 3], [9, 8], [], [1])
    assert.deepEqual(await idsOf('singers'), [
      [[101, 102], true],
      [[201, 202], undefined],
      [[], undefined],
      [[401], undefined],
    ])
    const one = await dataOf('choirs/1?include=singers&fields=name')
    assert.deepEqual(one, {
      name: 'Choir 1',
      singers: [
        { id: 101, choir_id: 1, voice: 5 },
        { id: 102, choir_id: 1, voice: 4 },
      ],
      singers_has_more: true,
    })
  })

  test('[Q3, A22] deleted records and those out of scope do not count for the limit or the mark', async ({
    assert,
  }) => {
    await addChoirs([150, 1, 2, 160, 250], [1, 2, 199])
    await db.from('inc_singers').where('id', 105).update({ deleted_at: '2026-01-01 00:00:00' })
    assert.deepEqual(await idsOf('singers'), [
      [[102, 103], undefined],
      [[201, 202], undefined],
    ])
  })

  test("[Q3] included records are ordered by the relation's onQuery, then by key", async ({
    assert,
  }) => {
    await addChoirs([5, 95, 6, 7, 6], [6, 6, 6])
    assert.deepEqual(await idsOf('by_voice'), [
      [[104, 103], true],
      [[201, 202], true],
    ])
    await db.from('inc_singers').where('id', 104).delete()
    const [first] = await idsOf('by_voice')
    assert.deepEqual(first, [[103, 105], true])
  })

  test("[Q3] groupLimit and groupOrderBy in the relation's onQuery are respected", async ({
    assert,
  }) => {
    await addChoirs([5, 3, 4], [9])
    assert.deepEqual(await idsOf('lowest'), [
      [[102, 103], undefined],
      [[201], undefined],
    ])
  })

  test('[Q3, P14] refused records do not count for the limit, however many there are', async ({
    assert,
  }) => {
    const odd = Array.from({ length: 40 }, () => 1)
    await addChoirs([1, 2, 3, 4, 5], [1, 2, 4, 6, 8], [...odd, 2], odd, [2, 4])
    assert.deepEqual(await idsOf('shy_singers'), [
      [[102, 104], undefined],
      [[202, 203], true],
      [[341], undefined],
      [[], undefined],
      [[501, 502], undefined],
    ])
  })

  test('[Q3, P14] the policy is checked for batches of related records until each item has enough', async ({
    assert,
  }) => {
    const voices = Array.from({ length: 1300 }, (_, index) => (index < 1290 ? 1 : 2))
    await db.table('inc_choirs').multiInsert([
      { id: 1, name: 'Long' },
      { id: 2, name: 'Short' },
    ])
    for (let start = 0; start < voices.length; start += 100) {
      const some = voices.slice(start, start + 100)
      await db
        .table('inc_singers')
        .multiInsert(some.map((voice, index) => ({ id: start + index + 1, choir_id: 1, voice })))
    }
    await db.table('inc_singers').insert({ id: 2000, choir_id: 2, voice: 2 })
    assert.deepEqual(await idsOf('shy_singers'), [
      [[1291, 1292], true],
      [[2000], undefined],
    ])
  })

  test('[Q3] records that a hook of the model removes do not count for the limit', async ({
    assert,
  }) => {
    await addChoirs([1, 2, 3, 4], [1, 3, 5, 7])
    assert.deepEqual(await idsOf('present_singers'), [
      [[103, 104], undefined],
      [[202, 203], true],
    ])
  })

  test('[Q3] a hasManyThrough can have a limit, too', async ({ assert }) => {
    await addChoirs([1, 2], [1])
    await db.table('inc_masses').multiInsert([
      { id: 1, singer_id: 201 },
      { id: 2, singer_id: 102 },
      { id: 3, singer_id: 101 },
    ])
    assert.deepEqual(await idsOf('masses'), [
      [[2], true],
      [[1], undefined],
    ])
  })

  test('[Q3] items of a manyToMany include only the pivot columns that the option names', async ({
    assert,
  }) => {
    await addChoirs([], [])
    await db.table('inc_concerts').multiInsert([
      { id: 1, title: 'a' },
      { id: 2, title: 'b', part: 'whole' },
      { id: 3, title: 'c' },
    ])
    await db.table('inc_choir_concert').multiInsert([
      {
        choir_id: 1,
        concert_id: 2,
        part: 'first',
        fee: '12.50',
        sang: true,
        sung_on: '2026-02-03',
        ticket: '9007199254740993',
      },
      { choir_id: 1, concert_id: 3, part: null },
      { choir_id: 1, concert_id: 1, part: 'third' },
      { choir_id: 2, concert_id: 2, part: 'fourth', sang: false },
    ])
    const [one, two] = await dataOf('choirs?include=concerts')
    const none = { part: null, fee: null, sang: null, sung_on: null, ticket: null }
    assert.deepEqual(one.concerts, [
      { id: 3, title: 'c', part: null, pivot: none },
      {
        id: 2,
        title: 'b',
        part: 'whole',
        pivot: {
          part: 'first',
          fee: 12.5,
          sang: true,
          sung_on: '2026-02-03',
          ticket: '9007199254740993',
        },
      },
    ])
    assert.isTrue(one.concerts_has_more)
    assert.deepEqual(two.concerts, [
      { id: 2, title: 'b', part: 'whole', pivot: { ...none, part: 'fourth', sang: false } },
    ])
    const { text } = await get('/api/choirs?include=concerts')
    assert.notInclude(text, 'sesame')
  })

  test('[Q3] a page of records needs one query for each relation with a limit', async ({
    assert,
  }) => {
    await addChoirs(...Array.from({ length: 50 }, () => [1, 2, 3]))
    const statements = await queriesOf(() =>
      dataOf('choirs?limit=50&include=singers,by_voice,concerts,masses')
    )
    assert.lengthOf(statements, 6)
  })

  test('[Q3] records beyond the limit of their item do not count for the maximum of a response', async ({
    assert,
  }) => {
    await addChoirs([3, 4, 5, 6, 7, 8], [3, 4, 5, 6])
    app.config.set('crud.pagination.included', 4)
    try {
      for (const name of ['singers', 'by_voice', 'present_singers']) {
        const choirs = await dataOf(`choirs?include=${name}`)
        assert.deepEqual([choirs[0][name].length, choirs[1][name].length], [2, 2])
      }
      app.config.set('crud.pagination.included', 3)
      for (const name of ['singers', 'shy_singers', 'present_singers']) {
        const { status, body } = await get(`/api/choirs?include=${name}`)
        assert.equal(status, 422)
        assert.include(body.detail, `more than 3 items of ${name}`)
      }
    } finally {
      app.config.set('crud.pagination.included', 10_000)
    }
  })

  test('[Q3] an include returns what a list of the related model returns', async ({ assert }) => {
    const before = app.config.get('crud.pagination.includedPerRecord')
    const voices = fc.array(
      fc.array(fc.constantFrom(1, 2, 99, 100, 150, 200, 201), { maxLength: 6 }),
      { minLength: 1, maxLength: 4 }
    )
    const work = async (some: number[][], limit: number) => {
      await clear()
      await addChoirs(...some)
      app.config.set('crud.pagination.includedPerRecord', limit)
      const choirs = await dataOf('choirs?include=every_singer')
      for (const { every_singer: items, every_singer_has_more: more = false, id } of choirs) {
        const list = await its(
          get(`/api/choir-singers?choir_id=${id}&limit=${limit}&count=false`),
          'body'
        )
        assert.deepEqual(items, list.data)
        assert.equal(more, list.has_more)
      }
    }
    try {
      await fc.assert(fc.asyncProperty(voices, fc.integer({ min: 1, max: 4 }), work), {
        numRuns: runs(25),
      })
    } finally {
      app.config.set('crud.pagination.includedPerRecord', before)
    }
  }).timeout(20_000)

  test('[Q3, Q1] the API schema declares the limit, the mark and the pivot columns', async ({
    assert,
  }) => {
    const { body } = await get('/api/openapi.json')
    const { concerts, concerts_has_more: more, label } = body.components.schemas.Choir.properties
    assert.isUndefined(label)
    assert.equal(concerts.maxItems, 2)
    assert.equal(more.const, true)
    const [item, { properties }] = concerts.items.allOf
    assert.equal(item.$ref, '#/components/schemas/Concert')
    assert.deepEqual(Object.keys(properties.pivot.properties), [
      'part',
      'fee',
      'sang',
      'sung_on',
      'ticket',
    ])
    assert.notInclude(body.components.schemas.Choir.required, 'concerts_has_more')
  })
})
