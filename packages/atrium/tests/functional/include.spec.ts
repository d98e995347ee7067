import app from '@adonisjs/core/services/app'
import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'
import { EndpointCreator, LucidCrud, resources, useTokenAuthorizer } from '#crud'
import { noteAccess } from '#crud/endpoints/access'
import { bearerIsUser } from '#tests/fixtures/crud'
import { Album, Label, TABLES } from '#tests/fixtures/includes'
import { get } from '#tests/helpers/http'
import { its } from '#tests/helpers/its'
import { queriesOf } from '#tests/helpers/queries'
import { strange } from '#tests/helpers/actors'

const BIG = '9007199254740993'

async function clear() {
  for (const table of TABLES) await db.from(table).delete()
}

async function fill() {
  await db.table('inc_labels').multiInsert([
    { id: 1, code: 'Å/1', name: 'Ångström', secret: 'sesame' },
    { id: 2, code: 'gone', name: 'Gone', deleted_at: '2026-01-01 00:00:00' },
    { id: 3, code: 'empty', name: 'Empty' },
  ])
  await db.table('inc_keepers').multiInsert([
    { id: 1, name: 'Kay' },
    { id: 2, name: 'unreadable' },
  ])
  await db.table('inc_albums').multiInsert([
    { id: 1, title: 'One', label_code: 'Å/1', next_id: 2, keeper_id: 1 },
    { id: 2, title: 'Two', label_code: 'Å/1', next_id: BIG, keeper_id: 1 },
    { id: 3, title: 'Three', label_code: 'gone', next_id: 4, keeper_id: null },
    { id: 4, title: 'Four', label_code: null, deleted_at: '2026-01-01 00:00:00' },
    { id: BIG, title: 'Big', label_code: 'nobody' },
  ])
  await db.table('inc_covers').multiInsert([
    { id: 1, album_id: 1, url: 'a/one.png', secret: 'sesame' },
    { id: 2, album_id: 1, url: 'a/later.png' },
    { id: 3, album_id: BIG, url: 'a/big.png' },
  ])
  await db.table('inc_songs').multiInsert([
    { album_id: 1, position: 2, title: 'LOUD', is_public: true, id: 1 },
    { album_id: 1, position: 1, title: 'soft', is_public: true, id: 2 },
    { album_id: 1, position: 3, title: 'LOUDER', is_public: false, id: 3 },
    { album_id: 1, position: 4, title: 'LOUD', is_public: false, id: 6 },
    { album_id: 2, position: 1, title: 'other', is_public: true, id: 4 },
    { album_id: BIG, position: 7, title: 'far', is_public: true, id: 5 },
  ])
  await db.table('inc_tags').multiInsert([
    { id: 1, name: 'new' },
    { id: 2, name: 'old' },
    { id: 3, name: 'unseen' },
  ])
  await db.table('inc_album_tag').multiInsert([
    { album_id: 1, tag_id: 2, name: 'unseen', id: 3 },
    { album_id: 1, tag_id: 1, name: 'x', id: 2 },
    { album_id: 1, tag_id: 3, name: 'y', id: 1 },
    { album_id: 2, tag_id: 2, name: 'z', id: 1 },
    { album_id: BIG, tag_id: 1, name: 'z', id: 1 },
  ])
  await db.table('inc_rooms').multiInsert([
    { building: 'A', room: 1 },
    { building: 'A', room: 2 },
    { building: 'B', room: 1 },
  ])
  await db.table('inc_vaults').multiInsert([
    { id: 1, room: 1, spot: 'left' },
    { id: 2, room: 1, spot: 'right' },
  ])
}

async function dataOf(path: string, options = {}) {
  const { status, body, text } = await get(`/api/${path}`, options)
  if (status !== 200) throw new Error(text)
  return body.data ?? body
}

/** Included value, by the title of the album. */
async function included(name: string, query = '') {
  const albums = await dataOf(`inc-albums?include=${name}${query}`)
  return Object.fromEntries(albums.map((album: any) => [album.title, album[name]]))
}

const LABEL = { id: 1, code: 'Å/1', label_name: 'Ångström', deleted_at: null }

test.group('Include', (group) => {
  group.tap((one) => one.tags(['@dialect']))
  group.each.setup(async () => {
    await clear()
    await fill()
    return clear
  })

  test('[Q3] belongsTo includes an item or null, also by keys other than id', async ({
    assert,
  }) => {
    assert.deepEqual(await included('label'), { One: LABEL, Two: LABEL, Three: null, Big: null })
    const album = await dataOf('inc-albums/1?include=label')
    assert.deepEqual(Object.keys(album), [
      'id',
      'title',
      'next_id',
      'keeper_id',
      'deleted_at',
      'label',
    ])
    assert.deepEqual(album.label, LABEL)
  })

  test('[Q3, A22] soft-deleted records are never included, whatever the deleted parameter', async ({
    assert,
  }) => {
    const labels = await included('label', '&deleted=include')
    assert.isNull(labels.Three)
    const next = await included('next')
    assert.isNull(next.Three)
    const [label] = await dataOf('inc-labels?include=albums&deleted=only')
    assert.deepEqual(
      label.albums.map((album: any) => album.title),
      ['Three']
    )
  })

  test('[Q3] relations to the same model, and keys beyond 2^53, are included', async ({
    assert,
  }) => {
    const next = await included('next')
    assert.equal(next.One.title, 'Two')
    assert.equal(next.Two.id, BIG)
    assert.equal(next.Two.title, 'Big')
    assert.isNull(next.Big)
  })

  test('[Q3] hasOne includes the first record by key, with computed properties', async ({
    assert,
  }) => {
    const covers = await included('cover')
    assert.deepEqual(covers.One, { id: 1, album_id: 1, url: 'a/one.png', file: 'one.png' })
    assert.isNull(covers.Two)
    assert.equal(covers.Big.file, 'big.png')
  })

  test('[Q3, A14] hasMany includes a list in key order, with the fields of its selectSchema', async ({
    assert,
  }) => {
    assert.deepEqual(await included('songs'), {
      One: [
        { position: 1, title: 'soft' },
        { position: 2, title: 'LOUD' },
      ],
      Two: [{ position: 1, title: 'other' }],
      Three: [],
      Big: [{ position: 7, title: 'far' }],
    })
  })

  test('[Q3] manyToMany includes a list of records', async ({ assert }) => {
    assert.deepEqual(await included('tags'), {
      One: [
        { id: 1, name: 'new' },
        { id: 2, name: 'old' },
      ],
      Two: [{ id: 2, name: 'old' }],
      Three: [],
      Big: [{ id: 1, name: 'new' }],
    })
  })

  test('[Q3] hasManyThrough includes a list of records', async ({ assert }) => {
    const labels = await dataOf('inc-labels?include=songs')
    assert.deepEqual(
      labels.map((label: any) => label.songs.map((song: any) => song.title)),
      [['soft', 'LOUD', 'other'], []]
    )
  })

  test("[Q3] the relation's own onQuery applies in addition to the scope", async ({ assert }) => {
    const { One: songs } = await included('loud_songs')
    assert.deepEqual(songs, [{ position: 2, title: 'LOUD' }])
  })

  test('[Q3] relations over composite keys are included from both sides', async ({ assert }) => {
    const rooms = await dataOf('inc-rooms?include=first_vault')
    assert.deepEqual(
      rooms.map((room: any) => room.first_vault?.spot ?? null),
      ['left', null, 'left']
    )
    const song = await dataOf('inc-songs/1/2?include=album')
    assert.equal(song.title, 'LOUD')
    assert.equal(song.album.title, 'One')
  })

  test('[Q3] several relations are included in declaration order without duplicates', async ({
    assert,
  }) => {
    const [album] = await dataOf('inc-albums?include=songs,label,songs,cover&limit=1')
    assert.deepEqual(Object.keys(album).slice(-3), ['label', 'cover', 'songs'])
  })

  test('[Q3] each relation needs one query, however many rows there are', async ({ assert }) => {
    const albums = Array.from({ length: 500 }, (_, index) => ({
      id: 1000 + index,
      title: `Album ${index}`,
      label_code: index % 2 ? 'Å/1' : 'empty',
    }))
    for (let start = 0; start < 500; start += 100) {
      await db.table('inc_albums').multiInsert(albums.slice(start, start + 100))
    }
    const count = async (path: string) => {
      const statements = await queriesOf(() => dataOf(path))
      return statements.length
    }
    assert.equal(await count('inc-albums?limit=1000'), 2)
    assert.equal(await count('inc-albums?limit=1000&include=label'), 3)
    assert.equal(await count('inc-albums?limit=1000&include=label,cover,songs,tags'), 6)
    assert.equal(await count('inc-albums/1?include=label,cover,songs,tags'), 5)
    assert.equal(await count('inc-labels?include=songs,albums'), 4)
    /* Without keys to look up, no query is made */
    assert.equal(await count('inc-albums/4?include=label&deleted=include'), 1)
  })

  test('[Q3, Q2] the requested fields do not have to contain the keys of the relation', async ({
    assert,
  }) => {
    assert.deepEqual(await dataOf('inc-albums?fields=title&include=label,songs&limit=1'), [
      {
        title: 'One',
        label: LABEL,
        songs: [
          { position: 1, title: 'soft' },
          { position: 2, title: 'LOUD' },
        ],
      },
    ])
  })

  test('[Q3, Q5] include can be combined with pages and filters, and with an omitted count', async ({
    assert,
  }) => {
    const { body } = await get(
      `/api/inc-albums?include=cover&id__in=1,2&page=1&itemsPerPage=1&count=false`
    )
    assert.isTrue(body.has_more)
    assert.equal(body.data[0].cover.file, 'one.png')
  })

  test('[Q3] include={$self} is a 422 that lists the available relations')
    .with([
      '',
      'labels',
      'label,',
      ',label',
      'label.albums',
      'Label',
      'loudSongs',
      '*',
      '__proto__',
    ])
    .run(async ({ assert }, include) => {
      for (const path of ['inc-albums', 'inc-albums/1']) {
        const { status, body } = await get(`/api/${path}?include=${encodeURIComponent(include)}`)
        assert.equal(status, 422)
        assert.equal(body.errors[0].field, 'include')
        assert.include(body.detail, 'names are label, cover, songs, tags, next, loud_songs, keeper')
      }
    })

  test('[Q3, A16] a repeated or nested include, or one without any declared relation, is a 422', async ({
    assert,
  }) => {
    for (const path of [
      'inc-albums?include=label&include=cover',
      'inc-albums?include[]=label',
      'inc-tags?include=albums',
      'inc-tags/1?include=',
    ]) {
      const { status, body } = await get(`/api/${path}`)
      assert.equal(status, 422, path)
      assert.equal(body.errors[0].field, 'include')
    }
  })

  test("[Q3, P14] only records in the actor's scope of the related model are included", async ({
    assert,
  }) => {
    const albums = new LucidCrud(Album)
    const actor = strange({ kind: 'token', user: 'insider' })
    const seen = await albums.get(1, { include: 'songs', actor })
    assert.deepEqual(
      (seen!.songs as any[]).map(({ title }) => title),
      ['soft', 'LOUD', 'LOUDER', 'LOUD']
    )
    const { data } = await albums.getMulti({ include: ['songs'], limit: 1 })
    assert.lengthOf(data[0].songs as any[], 2)
    const labels = new LucidCrud(Label)
    const all = await labels.get(1, { include: 'songs', actor })
    assert.lengthOf(all!.songs as any[], 5)
  })

  test('[Q3, P14] an included record that the policy refuses is null, and a refused operation is a 403', async ({
    assert,
  }) => {
    await db.from('inc_albums').where('id', 2).update({ keeper_id: 2 })
    const { One: one, Two: two } = await included('keeper')
    assert.deepEqual([one, two], [{ id: 1, name: 'Kay' }, null])
    assert.isNull(await its(dataOf('inc-albums/2?include=keeper'), 'keeper'))
    /* A refused list is a 403 even if it is empty. */
    assert.equal(await its(get('/api/inc-rooms?include=vaults'), 'status'), 403)
    assert.equal(await its(get('/api/inc-rooms/A/2?include=vaults'), 'status'), 403)
  })

  test('[Q3, P10] including a relation requires access to the related endpoints', async ({
    assert,
  }) => {
    const endpoints = resources.endpoints().find((one) => one.path === '/api/inc-tags')!
    const { resource } = endpoints
    const cover = '/api/inc-albums/1?include=cover'
    const headers = { authorization: 'Bearer anna' }
    const before = useTokenAuthorizer(bearerIsUser)
    try {
      /* Covers have no endpoints: their model's access option counts, whatever the default. */
      assert.equal(await its(get(cover), 'status'), 200)
      app.config.set('crud.access', 'token')
      assert.equal(await its(get('/api/inc-albums/1?include=label', { headers }), 'status'), 200)
      assert.equal(await its(get(cover, { headers }), 'status'), 200)
    } finally {
      app.config.set('crud.access', 'public')
    }

    const guarded = new EndpointCreator({
      model: resource.model,
      path: 'inc-guarded',
      access: { read_multi: 'token' },
    })
    noteAccess(resource, guarded)
    try {
      const tags = '/api/inc-albums?include=tags'
      assert.equal(await its(get(tags), 'status'), 401)
      assert.equal(await its(get('/api/inc-albums/1?include=tags'), 'status'), 401)
      assert.equal(await its(get(tags, { headers }), 'status'), 200)
      assert.equal(await its(get('/api/inc-albums?include=label'), 'status'), 200)
    } finally {
      noteAccess(resource, endpoints)
      useTokenAuthorizer(before)
    }
  })

  test('[Q3] exceeding the maximum of included records is 422 instead of a partial result', async ({
    assert,
  }) => {
    app.config.set('crud.pagination.included', 3)
    try {
      assert.equal(await its(get('/api/inc-albums/1?include=songs'), 'status'), 200)
      const { status, body } = await get('/api/inc-albums?include=songs')
      assert.equal(status, 422)
      assert.equal(body.errors[0].field, 'include')
      assert.include(body.detail, 'more than 3 items of songs')
    } finally {
      app.config.set('crud.pagination.included', 10_000)
    }
  })

  test('[Q3, Q6] the entity tag of an item with included records is a weak tag of the whole response', async ({
    assert,
  }) => {
    const tagOf = async (query: string) => {
      const { headers } = await get(`/api/inc-albums/1?${query}`)
      return headers.get('etag')!
    }
    const [alone, both, title] = [
      await tagOf(''),
      await tagOf('include=label'),
      await tagOf('include=label&fields=title'),
    ]
    assert.match(alone, /^"/)
    assert.match(both, /^W\/"/)
    assert.match(title, /^W\/"/)
    assert.lengthOf(new Set([both, title, await tagOf('include=songs')]), 3)

    const known = { headers: { 'if-none-match': both } }
    assert.equal(await its(get('/api/inc-albums/1?include=label', known), 'status'), 304)
    await db.from('inc_labels').where('id', 1).update({ name: 'Renamed' })
    assert.equal(await its(get('/api/inc-albums/1?include=label', known), 'status'), 200)
    assert.equal(await tagOf(''), alone)
  })

  test('[Q3, P11] a custom fetchItem includes the requested relations', async ({ assert }) => {
    const album = await dataOf('inc-wrapped-albums/1?include=label')
    assert.deepEqual(album.label, LABEL)
    assert.isTrue(album.wrapped)
    const alone = await dataOf('inc-wrapped-albums/1')
    assert.notProperty(alone, 'label')
  })

  test('[Q3] application code can include related records in reads of its own transaction', async ({
    assert,
  }) => {
    const trx = await db.transaction()
    try {
      await trx.from('inc_labels').where('id', 1).update({ name: 'Within' })
      const album = await new LucidCrud(Album).get(1, { include: 'label', client: trx })
      assert.equal((album!.label as any).label_name, 'Within')
    } finally {
      await trx.rollback()
    }
  })

  test('[Q3] included records with more keys than a statement can have are read in batches', async ({
    assert,
  }) => {
    await db.rawQuery(
      `insert into inc_albums (id, title)
       with recursive n (v) as (select 0 union all select v + 1 from n where v < 199)
       select one.v * 200 + other.v + 100, 'many' from n one, n other`
    )
    const crud = new LucidCrud(Album)
    const { data } = await crud.getMulti({ include: 'cover', limit: 50_000, fields: 'id' })
    assert.lengthOf(data, 40_004)
    assert.equal((data.find((album) => album.id === BIG)!.cover as any).file, 'big.png')
  }).timeout(20_000)

  test('[Q3, A2] included records have no hidden fields and no internal attributes of the relation', async ({
    assert,
  }) => {
    const { text } = await get('/api/inc-albums?include=label,cover,songs,tags,next')
    assert.notInclude(text, 'sesame')
    assert.notInclude(text, 'secret')
    assert.notInclude(text, 'crud_link')
    assert.notInclude(text, 'pivot')
  })
})
