import { test } from '@japa/runner'
import db from '@adonisjs/lucid/services/db'
import { del, patch, post } from '#tests/helpers/http'

const MISSING = 'The item refers to another one that does not exist'
const REFERRED_TO = 'Other items still refer to this one'

const fieldsOf = (response: { body: any }) =>
  (response.body.errors ?? []).map((one: any) => one.field)

test.group('References that application code writes', (group) => {
  let track: number
  let playlist: number

  group.each.setup(async () => {
    for (const name of ['notes', 'playlist_tracks', 'playlists', 'tracks']) {
      await db.from(`piv_${name}`).delete()
    }
    const { body } = await post('/api/piv-tracks', { title: 'x' })
    track = body.id
    const made = await post('/api/piv-playlists', { name: 'x', cover_id: track })
    playlist = made.body.id
  })

  test('[A8] an unknown id for a pivot table is a broken reference that names the field', async ({
    assert,
  }) => {
    const response = await patch(`/api/piv-playlists/${playlist}`, { trackIds: [track, 4711] })
    assert.equal(response.status, 409)
    assert.equal(response.body.detail, MISSING)
    assert.deepEqual(fieldsOf(response), ['trackIds'])
    assert.isEmpty(await db.from('piv_playlist_tracks'))
    const known = await patch(`/api/piv-playlists/${playlist}`, { trackIds: [track] })
    assert.equal(known.status, 200)
  })

  test('[A8] a broken reference in a table without a model names no field', async ({ assert }) => {
    const response = await patch(`/api/piv-playlists/${playlist}`, { note: 4711 })
    assert.equal(response.status, 409)
    assert.equal(response.body.detail, MISSING)
    assert.isEmpty(fieldsOf(response))
    const noted = await patch(`/api/piv-playlists/${playlist}`, { note: track })
    assert.equal(noted.status, 200)
    const moved = await patch(`/api/piv-playlists/${playlist}`, { moved: 4711 })
    assert.equal(moved.status, 409)
    assert.equal(moved.body.detail, MISSING)
  })

  test('[A8] a broken reference of the item itself names its column', async ({ assert }) => {
    const changed = await patch(`/api/piv-playlists/${playlist}`, { cover_id: 4711 })
    assert.equal(changed.body.detail, MISSING)
    assert.deepEqual(fieldsOf(changed), ['cover_id'])
    const created = await post('/api/piv-playlists', { name: 'y', cover_id: 4711 })
    assert.equal(created.body.detail, MISSING)
    assert.deepEqual(fieldsOf(created), ['cover_id'])
  })

  test('[A8] the error of deleting a record states that other records refer to it', async ({
    assert,
  }) => {
    const response = await del(`/api/piv-tracks/${track}`)
    assert.equal(response.status, 409)
    assert.equal(response.body.detail, REFERRED_TO)
    assert.isUndefined(response.body.errors)
  })
})
