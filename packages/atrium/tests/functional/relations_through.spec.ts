import { test } from '@japa/runner'
import db from '@adonisjs/lucid/services/db'
import { useTokenAuthorizer } from '#crud/endpoints/access'
import { usePermissions } from '#crud/resource/permissions'
import { CHOIR_TABLES } from '#tests/fixtures/choirs'
import { bearerIsUser } from '#tests/fixtures/crud'
import {
  Folder,
  GivenPermissions,
  Note,
  own,
  Paper,
  type GivenGrant,
} from '#tests/fixtures/granted'
import { get } from '#tests/helpers/http'

type Row = Record<string, any>

async function rowsOf(path: string, headers: Record<string, string> = {}): Promise<Row[]> {
  const { status, body, text } = await get(`/api/${path}`, { headers })
  if (status !== 200) throw new Error(text)
  return body.data
}

test.group('Relations through another model', (group) => {
  group.tap((one) => one.tags(['@dialect']))
  group.each.setup(async () => {
    const clear = async () => {
      for (const table of CHOIR_TABLES) await db.from(table).delete()
    }
    await clear()
    await db.table('inc_choirs').multiInsert([
      { id: 1, name: 'a' },
      { id: 2, name: 'b' },
    ])
    await db.table('inc_singers').multiInsert([
      { id: 1, choir_id: 1, voice: 1 },
      { id: 2, choir_id: 1, voice: 150 },
      { id: 3, choir_id: 2, voice: 2 },
      { id: 4, choir_id: 2, voice: 250 },
    ])
    await db
      .table('inc_masses')
      .multiInsert([1, 2, 3, 4].map((id) => ({ id: id * 10, singer_id: id })))
    await db.from('inc_singers').where('id', 3).update({ deleted_at: '2026-01-01 00:00:00' })
    return clear
  })

  test('[Q3.13] include leaves out records that only deleted records and records out of scope link', async ({
    assert,
  }) => {
    const choirs = await rowsOf('open-choirs?include=masses')
    assert.deepEqual(
      choirs.map(({ masses }) => masses.map(({ id }: Row) => id)),
      [[10], [40]]
    )
  })

  test('[Q3.13] records that a policy refuses or a hook leaves out link nothing', async ({
    assert,
  }) => {
    const idsOf = async (name: string) => {
      const choirs = await rowsOf(`open-choirs?include=${name}`)
      return choirs.map((choir) => choir[name].map(({ id }: Row) => id))
    }
    assert.deepEqual(await idsOf('shy_masses'), [[20], [30, 40]])
    assert.deepEqual(await idsOf('present_masses'), [[20], [40]])
    for (const name of ['shy_masses', 'present_masses']) {
      assert.lengthOf(await rowsOf(`open-choirs?${name}.id=0`), 2, 'the filter is unknown')
    }
  })

  test('[W8, Q3.13] deleted records and records out of scope link nothing in a filter', async ({
    assert,
  }) => {
    const found = async (id: number) => {
      const choirs = await rowsOf(`open-choirs?masses.id=${id}`)
      return choirs.map(({ name }) => name)
    }
    assert.deepEqual(await found(10), ['a'])
    assert.deepEqual(await found(20), [], 'out of scope')
    assert.deepEqual(await found(30), [], 'deleted')
    assert.deepEqual(await found(40), ['b'])
    assert.lengthOf(await rowsOf('open-choirs?not.masses.id=20'), 2)
  })

  test('[Q3.13] include returns 403 and the filter is unknown if the policy refuses lists of the model in between', async ({
    assert,
  }) => {
    const { status } = await get('/api/open-choirs?include=unlisted_masses')
    assert.equal(status, 403)
    assert.lengthOf(await rowsOf('open-choirs?unlisted_masses.id=0'), 2, 'the filter is unknown')
  })
})

test.group('Relations through another model, restricted by grants', (group) => {
  group.tap((one) => one.tags(['@database']))
  const given = new GivenPermissions()
  const headers = { authorization: 'Bearer anna' }
  const SHELVES = 'granted-shelves'
  const TABLES = ['granted_notes', 'granted_papers', 'granted_folders']

  /** Notes that the filter finds by their folder */
  async function found(): Promise<string[]> {
    const texts = ['mine', "bob's"]
    const matches = await Promise.all(
      texts.map((text) => rowsOf(`${SHELVES}?notes.text=${encodeURIComponent(text)}`, headers))
    )
    return texts.filter((_, index) => matches[index].length > 0)
  }

  async function included(): Promise<string[]> {
    const [folder] = await rowsOf(`${SHELVES}?include=notes`, headers)
    return folder.notes.map(({ text }: Row) => text)
  }

  async function isUnknown(): Promise<boolean> {
    const include = await get(`/api/${SHELVES}?include=notes`, { headers })
    const filter = await get(`/api/${SHELVES}?notes.text=none`, { headers })
    return include.status === 422 && filter.status === 200 && filter.body.data.length === 1
  }

  group.setup(() => {
    const before = useTokenAuthorizer(bearerIsUser)
    const permissions = usePermissions(given)
    return () => {
      useTokenAuthorizer(before)
      usePermissions(permissions)
    }
  })
  group.each.setup(async () => {
    const clear = async () => {
      for (const table of TABLES) await db.from(table).delete()
    }
    given.clear()
    await clear()
    await db.table('granted_folders').insert({ id: 1, name: 'Post', owner: 'anna' })
    await db.table('granted_papers').multiInsert([
      { id: 1, title: 'a', owner: 'anna', folder_id: 1 },
      { id: 2, title: 'b', owner: 'bob', folder_id: 1 },
    ])
    await db.table('granted_notes').multiInsert([
      { id: 1, text: 'mine', paper_id: 1 },
      { id: 2, text: "bob's", paper_id: 2 },
    ])
    return clear
  })

  test('[U2] every record links if grants restrict nothing', async ({ assert }) => {
    assert.deepEqual(await included(), ['mine', "bob's"])
    assert.deepEqual(await found(), ['mine', "bob's"])
    assert.isFalse(await isUnknown())
  })

  test('[U2, W8, Q3.13] the relation is unknown if grants hide {0}')
    .with([
      ['the model in between', Paper, { on: [] }],
      ['lists of the model in between', Paper, { on: ['read'] }],
      ['its column that refers to the records', Paper, { hidden: ['folder_id'] }],
      ['its column that the related records refer to', Paper, { hidden: ['id'] }],
      ['the column of the related records', Note, { hidden: ['paper_id'] }],
    ] as Array<[string, typeof Paper | typeof Note, GivenGrant]>)
    .run(async ({ assert }, [, model, grant]) => {
      given.give('anna', model, grant)
      assert.isTrue(await isUnknown())
    })

  test('[U3, W8, Q3.13] only records in the scopes of the grants link', async ({ assert }) => {
    given.give('anna', Paper, { scopes: [own] })
    assert.deepEqual(await included(), ['mine'])
    assert.deepEqual(await found(), ['mine'])
  })

  test('[U3, W8, Q3.13] only records whose linking column is shown link', async ({ assert }) => {
    given.give('anna', Paper, { scopes: [own] }, { hidden: ['folder_id'] })
    assert.deepEqual(await included(), ['mine'])
    assert.deepEqual(await found(), ['mine'])
  })

  test('[U2, Q3.13] hidden columns that link nothing change nothing', async ({ assert }) => {
    given.give('anna', Paper, { hidden: ['title', 'secret'] })
    given.give('anna', Folder, { hidden: ['owner'] })
    assert.deepEqual(await included(), ['mine', "bob's"])
    assert.deepEqual(await found(), ['mine', "bob's"])
  })
})
