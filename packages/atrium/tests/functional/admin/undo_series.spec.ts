import { test } from '@japa/runner'
import db from '@adonisjs/lucid/services/db'
import fc from 'fast-check'
import { DateTime } from 'luxon'
import { LucidCrud, runAs, systemActor } from '#crud'
import { gatherWrites } from '#crud/internals'
import { inTransaction } from '#base/database/transaction'
import { Shelf, TABLES, Volume, VolumeCopy, Wish } from '#tests/fixtures/undo'
import { adminSite, cookiesOf, emptyAdminTables, fakeHashes, makeUser } from '#tests/helpers/admin'
import { call } from '#tests/helpers/http'
import { emptyEventTables } from '#tests/helpers/logged_events'
import { runs } from '#tests/helpers/random_runs'

const ANY = fc.nat(7)
const TEXT = fc.string({ unit: 'grapheme', maxLength: 12 }).map((text) => text.replaceAll('\0', ''))
const MOMENT = fc.date({
  min: new Date('1971-01-01'),
  max: new Date('2037-01-01'),
  noInvalidDate: true,
})

const VALUES = fc.record(
  {
    title: TEXT,
    price: fc.option(fc.nat(99_999).map((cents) => `${cents / 100}`)),
    big: fc.option(fc.bigInt(-(2n ** 63n), 2n ** 63n - 1n).map(String)),
    lent: fc.option(fc.boolean()),
    at: fc.option(MOMENT.map((date) => DateTime.fromJSDate(date, { zone: 'utc' }))),
    data: fc.option(fc.json().map((json) => json.replaceAll('\\u0000', ''))),
    bytes: fc.option(fc.uint8Array({ maxLength: 8 }).map((bytes) => Buffer.from(bytes))),
    shelfId: fc.option(ANY),
    partOf: fc.option(ANY),
  },
  { requiredKeys: [] }
)

const WRITE = fc.oneof(
  fc.record({ do: fc.constant('createVolume' as const), values: VALUES }),
  fc.record({ do: fc.constant('updateVolume' as const), which: ANY, values: VALUES }),
  fc.record({ do: fc.constant('updateVolumes' as const), some: fc.array(ANY), values: VALUES }),
  fc.record({
    do: fc.constantFrom('delete' as const, 'purge' as const, 'restore' as const),
    some: fc.uniqueArray(ANY, { minLength: 1, maxLength: 4 }),
  }),
  fc.record({ do: fc.constantFrom('shelf' as const, 'dropShelf' as const), which: ANY }),
  fc.record({ do: fc.constantFrom('copy' as const, 'dropCopy' as const), which: ANY }),
  fc.record({ do: fc.constantFrom('wish' as const, 'dropWish' as const), which: ANY })
)

/* Volumes that are part of each other, deleted with one another. */
const CIRCLE: WriteOf[] = [
  { do: 'updateVolumes', some: [0], values: { partOf: 1 } },
  { do: 'wish', which: 0 },
  { do: 'purge', some: [0] },
  { do: 'createVolume', values: {} },
]

type WriteOf = typeof WRITE extends fc.Arbitrary<infer One> ? One : never

async function library(): Promise<Record<string, unknown[]>> {
  const rows: Record<string, unknown[]> = {}
  for (const table of TABLES) {
    const query = db.from(table)
    if (table === 'undo_copies') query.orderBy('volume_id').orderBy('number')
    else query.orderBy('id')
    const found = await query
    rows[table] = found.map(({ updated_at: _, ...row }) => row)
  }
  return rows
}

async function lastEvent(): Promise<number> {
  const row = await db.from('admin_event_log').orderBy('id', 'desc').first()
  return row?.id ?? 0
}

/** A key of the table; the same number names the same one as long as the table stays as it is. */
async function pick(table: string, which: number): Promise<number | null> {
  const rows = await db.from(table).select('id').orderBy('id')
  return rows.length === 0 ? null : rows[which % rows.length].id
}

async function withKeys({ shelfId, partOf, ...values }: Record<string, any>) {
  return {
    ...values,
    ...(shelfId !== undefined && { shelfId: shelfId && (await pick('undo_shelves', shelfId)) }),
    ...(partOf !== undefined && { partOf: partOf && (await pick('undo_volumes', partOf)) }),
  }
}

async function perform(write: WriteOf): Promise<void> {
  const site = await adminSite()
  const volumes = site.models.get('Volume')!.crud
  const shelves = site.models.get('Shelf')!.crud
  const copies = site.models.get('VolumeCopy')!.crud
  const wishes = new LucidCrud(Wish)
  const some =
    'some' in write ? await Promise.all(write.some.map((which) => pick('undo_volumes', which))) : []
  const which = 'which' in write ? write.which : 0
  switch (write.do) {
    case 'createVolume':
      return void (await volumes.create({ title: 'New', ...(await withKeys(write.values)) }))
    case 'updateVolume': {
      const key = await pick('undo_volumes', which)
      return void (await volumes.update(key, await withKeys(write.values)))
    }
    case 'updateVolumes': {
      const values = await withKeys(write.values)
      return await inTransaction(db.connection(), (client) =>
        gatherWrites(client, { model: Volume }, async () => {
          for (const key of some) await volumes.update(key, values, { client })
        })
      )
    }
    case 'delete':
    case 'purge':
      return void (await volumes.deleteMany(some, { hard: write.do === 'purge' }))
    case 'restore':
      return void (await volumes.restoreMany(some))
    case 'shelf':
      return void (await shelves.create({ name: `Shelf ${which}` }))
    case 'dropShelf':
      return await shelves.delete(await pick('undo_shelves', which))
    case 'copy':
    case 'dropCopy': {
      const volume = await pick('undo_volumes', which)
      if (write.do === 'dropCopy') return await copies.delete([volume, which])
      return void (await copies.create({ volumeId: volume, number: which }))
    }
    case 'wish':
      return void (await wishes.create({
        volumeId: await pick('undo_volumes', which),
        reader: `Reader ${which}`,
      }))
    case 'dropWish':
      return await wishes.delete(await pick('undo_wishes', which))
  }
}

test.group('Undo | series of writes', (group) => {
  group.tap((one) => one.tags(['@database']))
  let cookie: string

  group.setup(() => fakeHashes())
  group.setup(async () => {
    await emptyAdminTables()
    cookie = await cookiesOf(await makeUser('ada'))
  })

  test('[R7] undoing random writes one by one restores every earlier state, and redoing restores the later ones', async ({
    assert,
  }) => {
    const counts: Record<string, number> = {}
    const undo = async (event: number) => {
      const response = await call('POST', `/admin/management/events/${event}/undo`, {
        json: {},
        headers: { cookie },
      })
      assert.equal(response.status, 200, response.text)
      return response.body.event as number
    }
    await fc.assert(
      fc.asyncProperty(fc.array(WRITE, { minLength: 6, maxLength: 12 }), async (writes) => {
        for (const table of TABLES) await db.from(table).delete()
        await emptyEventTables()
        const shelf = await Shelf.create({ name: 'First' })
        const volume = await Volume.create({ title: 'One', shelfId: shelf.id })
        await Volume.create({ title: 'Two', partOf: volume.id })
        await VolumeCopy.create({ volumeId: volume.id, number: 90, condition: 'good' })
        await Wish.create({ volumeId: volume.id, reader: 'Gigi' })
        const states = [await library()]
        const events: number[] = []
        for (const write of writes) {
          const last = await lastEvent()
          try {
            await runAs(systemActor('series'), () => perform(write))
          } catch (error) {
            /* Not every random write is possible. */
            const { code, status = 500 } = error as { code?: string; status?: number }
            if (status >= 500 && code !== 'E_UNKNOWN_KEY') throw error
          }
          const event = await lastEvent()
          if (event === last) continue
          counts[write.do] = (counts[write.do] ?? 0) + 1
          events.push(event)
          states.push(await library())
        }
        const undone: number[] = []
        for (let index = events.length - 1; index >= 0; index--) {
          undone.push(await undo(events[index]))
          assert.deepEqual(await library(), states[index])
        }
        for (let index = 1; index < states.length; index++) {
          await undo(undone.pop()!)
          assert.deepEqual(await library(), states[index])
        }
      }),
      {
        examples: [[CIRCLE]],
        numRuns: runs(24),
      }
    )
    assert.isAbove(Object.keys(counts).length, 4, JSON.stringify(counts))
  }).timeout(240_000)
})
