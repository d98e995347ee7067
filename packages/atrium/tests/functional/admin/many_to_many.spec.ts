import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'
import type { AdminUser } from '#admin'
import { type Revue, RevueArtist, RevueStyle, makeRevue } from '#tests/fixtures/revues'
import {
  cookiesFrom,
  cookiesOf,
  emptyAdminTables,
  fakeHashes,
  makeUser,
  sendForm,
} from '#tests/helpers/admin'
import { emptyEventTables } from '#tests/helpers/events'
import { formOf } from '#tests/helpers/forms'
import { get, urlOf } from '#tests/helpers/http'
import { its } from '#tests/helpers/its'
import { audited, loggedEvents } from '#tests/helpers/model_events'
import { makeRole, restoreRoles } from '#tests/helpers/roles'
import { withoutTokens } from '#tests/helpers/without_tokens'

test.group('Admin | many-to-many fields', (group) => {
  let revue: Revue
  let [ann, bob, cid]: RevueArtist[] = []
  let boss: string

  group.setup(() => fakeHashes())
  group.each.setup(async () => {
    await emptyAdminTables()
    const made = await makeRevue((name) => (name === 'Cid' ? 'west' : 'east'))
    revue = made.revue
    ;[ann, bob, cid] = made.artists
    await RevueStyle.createMany([
      { code: 'a,b', name: 'Ballet' },
      { code: 'jazz', name: 'Jazz' },
    ])
    const user: AdminUser = await makeUser('jo')
    boss = await cookiesOf(user)
    await emptyEventTables()
    return () => restoreRoles()
  })

  const open = (path: string, cookie = boss, headers: Record<string, string> = {}) =>
    get(path, { headers: { accept: 'text/html', cookie, ...headers } })
  const send = (body: string, cookie = boss) =>
    sendForm(`/admin/Revue/form_update/${revue.id}`, body, { cookie })
  const attach = (...artists: RevueArtist[]) =>
    db
      .table('revue_people')
      .multiInsert(artists.map(({ id }) => ({ revue_id: revue.id, artist_id: id, note: 'old' })))
  async function cast(id = revue.id): Promise<number[]> {
    const rows = await db.from('revue_people').where('revue_id', id).orderBy('artist_id')
    return rows.map((row) => row.artist_id)
  }
  async function enter(permissions: Parameters<typeof makeRole>[1]) {
    await makeRole('Some', permissions)
    return await cookiesOf(await makeUser('kim', { isSuperuser: false, roles: ['Some'] }))
  }

  test('[R3] the form has a field with a checkbox for each record that can be chosen', async ({
    assert,
  }) => {
    await attach(bob)
    const { text } = await open(`/admin/Revue/update/${revue.id}`)
    const field = /<div class="many".*?<\/ul>/s.exec(text)![0]
    for (const name of ['Ann', 'Bob', 'Cid']) assert.include(field, `>${name}</span>`)
    assert.lengthOf([...field.matchAll(/checked/g)], 1)
    assert.match(field, new RegExp(`value="${bob.id}"[^>]*checked`))
    assert.include(text, 'Who is on the stage')
    assert.isBelow(text.indexOf('>Cast<'), text.indexOf('name="title"'), 'layout of R1')
    assert.notInclude(text, 'locals', 'a relation with conditions of its own')
    const blank = await open('/admin/Revue/create_page')
    assert.include(blank.text, `name="people" value="${ann.id}"`)
  })

  test('[R3] a create and an update attach and detach records together with the other fields', async ({
    assert,
  }) => {
    const body = `title=New&people=&people=${ann.id}&people=${cid.id}&styles=a%2Cb`
    const made = await sendForm('/admin/Revue/form_create', body, { cookie: boss })
    assert.equal(made.status, 303)
    const { id } = await db.from('revues').where('title', 'New').firstOrFail()
    assert.deepEqual(await cast(id), [ann.id, cid.id])
    const [kind] = await db.from('revue_kinds')
    assert.equal(kind.style_code, 'a,b')
    assert.isNotNull(kind.created_at)

    await attach(ann, bob)
    const changed = await send(`title=Changed&people=&people=${bob.id}&people=${cid.id}`)
    assert.equal(changed.status, 303)
    assert.deepEqual(await cast(), [bob.id, cid.id])
    const stored = await db.from('revue_people').where({ revue_id: revue.id, artist_id: bob.id })
    assert.equal(stored[0].note, 'old', 'what stays attached keeps its row')
    await revue.refresh()
    assert.equal(revue.title, 'Changed')
  }).tags(['@database'])

  test('[R3] an empty selection detaches all records, and a form without the field detaches none', async ({
    assert,
  }) => {
    await attach(ann, bob)
    await send('title=Same')
    assert.deepEqual(await cast(), [ann.id, bob.id])
    await send('people=')
    assert.deepEqual(await cast(), [])
  })

  test('[R3, S36] a multipart form, as with a file field, attaches the chosen records', async ({
    assert,
  }) => {
    await attach(ann)
    const form = new FormData()
    form.append('people', '')
    form.append('people.__shown', JSON.stringify([String(ann.id)]))
    form.append('people', String(bob.id))
    form.append('people', String(cid.id))
    form.append('people.__add', '')
    const { status } = await fetch(urlOf(`/admin/Revue/form_update/${revue.id}`), {
      method: 'POST',
      body: form,
      headers: { cookie: boss },
      redirect: 'manual',
    })
    assert.equal(status, 303)
    assert.deepEqual(await cast(), [bob.id, cid.id])
  })

  test('[R3] keys of the records to attach can be typed, separated by commas', async ({
    assert,
  }) => {
    await send(`people=${bob.id}&people.__add=${ann.id},${cid.id}`)
    assert.deepEqual(await cast(), [ann.id, bob.id, cid.id])
  })

  test('[R3, B25] records that others attached and detached in the meantime are preserved', async ({
    assert,
  }) => {
    await attach(ann, bob)
    const { text } = await open(`/admin/Revue/update/${revue.id}`)
    const { values } = formOf(text)
    const shown = encodeURIComponent(values['people.__shown'])
    await db.from('revue_people').where('artist_id', ann.id).delete()
    await attach(cid)
    await send(`people=&people=${ann.id}&people.__shown=${shown}`)
    assert.deepEqual(await cast(), [cid.id])
  }).tags(['@database'])

  test('[R3, E3] attaching or detaching records is an audited update of the record, even without other changes', async ({
    assert,
  }) => {
    await attach(ann, bob)
    await send(`title=Follies&people=&people=${bob.id}&people=${cid.id}`)
    const [event, ...more] = await loggedEvents('UPDATE')
    assert.isEmpty(more)
    assert.equal(event.resourceId, String(revue.id))
    const [row] = await audited('Revue')
    assert.deepEqual(row.changes, {
      people: { old: [ann.id, bob.id], new: [bob.id, cid.id] },
    })
    const same = await send(`title=Follies&people=&people=${bob.id}&people=${cid.id}`)
    assert.equal(same.status, 303)
    assert.lengthOf(await loggedEvents('UPDATE'), 1)
    const page = await open('/admin/Revue/', `${boss}; ${cookiesFrom(same)}`)
    assert.include(page.text, 'Nothing changed in')
  }).tags(['@database'])

  test('[R3, E5] the event page shows titles, and deleted records by their keys', async ({
    assert,
  }) => {
    await attach(ann, bob)
    await send(`people=&people=${bob.id}&people=${cid.id}`)
    const [{ id }] = await loggedEvents('UPDATE')
    await RevueArtist.query().where('id', ann.id).delete()
    const { text } = await open(`/admin/management/events/${id}`)
    const shown = text.replaceAll(/<[^>]*>/g, ' ').replaceAll(/\s+/g, ' ')
    assert.include(shown, `Cast ${ann.id}, Bob (${bob.id}) Bob (${bob.id}), Cid (${cid.id})`)
  })

  test('[R3] an invalid, unknown or deleted key is an error at the field', async ({ assert }) => {
    await cid.merge({ isDeleted: true }).save()
    for (const key of ['99999', 'abc', String(cid.id)]) {
      const { status, text } = await send(`title=Lost&people=&people=${ann.id}&people=${key}`)
      assert.equal(status, 400)
      const { errors, values } = formOf(text)
      assert.include(errors.people, key)
      assert.equal(values.title, 'Lost')
      assert.match(text, new RegExp(`name="people" value="${ann.id}"[^>]*checked`))
      const body = `title=Lost&people=${key}`
      const made = await sendForm('/admin/Revue/form_create', body, { cookie: boss })
      assert.equal(made.status, 422)
      assert.include(formOf(made.text).errors.people, key)
    }
    assert.deepEqual(await cast(), [])
    assert.lengthOf(await db.from('revues'), 1, 'nothing is stored')
    await revue.refresh()
    assert.equal(revue.title, 'Follies')
  }).tags(['@database'])

  test('[R3] a deleted record stays attached', async ({ assert }) => {
    await attach(ann, cid)
    await cid.merge({ isDeleted: true }).save()
    const { text } = await open(`/admin/Revue/update/${revue.id}`)
    assert.match(text, new RegExp(`name="people" value="${cid.id}"[^>]*checked`))
    await send(`people=&people=${cid.id}&people=${bob.id}`)
    assert.deepEqual(await cast(), [bob.id, cid.id])
  }).tags(['@database'])

  test('[R3, U3] a record out of scope is not shown, stays attached, and can’t be attached', async ({
    assert,
  }) => {
    await attach(ann, cid)
    const cookie = await enter({
      Revue: { actions: ['view', 'update'] },
      RevueArtist: { actions: ['view'], scopes: ['east'] },
    })
    const { text } = await open(`/admin/Revue/update/${revue.id}`, cookie)
    assert.notInclude(text, 'Cid')
    assert.notInclude(formOf(text).values['people.__shown'], String(cid.id))
    await send(`people=&people=${bob.id}&people.__shown=["${ann.id}","${cid.id}"]`, cookie)
    assert.deepEqual(await cast(), [bob.id, cid.id])
    await db.from('revue_people').delete()
    const refused = await send(`people=${cid.id}`, cookie)
    const anonymous = await send('people=99999', cookie)
    assert.equal(refused.status, 400)
    assert.equal(
      formOf(refused.text).errors.people.replace(String(cid.id), '#'),
      formOf(anonymous.text).errors.people.replace('99999', '#'),
      'as a key of nobody'
    )
    assert.deepEqual(await cast(), [])
  })

  test('[R3, U3] the field does not reveal whether a record out of scope is attached', async ({
    assert,
  }) => {
    const cookie = await enter({
      Revue: { actions: ['view', 'update'] },
      RevueArtist: { actions: ['view'], scopes: ['east'] },
    })
    const responseOf = async () => {
      const { status, text } = await send(`people=&people=${cid.id}`, cookie)
      return [status, formOf(text).errors.people]
    }
    const apart = await responseOf()
    assert.equal(apart[0], 400)
    await attach(cid)
    assert.deepEqual(await responseOf(), apart)
    assert.deepEqual(await cast(), [cid.id])
  })

  test('[R3, R4] the query string preselects only keys, and ignores invalid values', async ({
    assert,
  }) => {
    for (const text of ['rows=x', 'rows={"rows":[1]}', 'rows={"rows":[{}]}', 'shown={}']) {
      for (const name of ['people', 'parts']) {
        const path = `/admin/Revue/create_page?${name}=${encodeURIComponent(text)}`
        assert.equal(await its(open(path), 'status'), 200, path)
      }
    }
    const { text } = await open(`/admin/Revue/create_page?people=${ann.id}&parts=${bob.id}`)
    assert.match(text, new RegExp(`name="people" value="${ann.id}"[^>]*checked`))
    assert.equal(formOf(text).values['parts.0.id'], String(bob.id))
  })

  test('[R3, U4] without the view permission on the other model, the field is not shown or written', async ({
    assert,
  }) => {
    await attach(ann)
    const cookie = await enter({ Revue: { actions: ['view', 'update', 'create'] } })
    for (const page of [`update/${revue.id}`, `view/${revue.id}`, 'create_page']) {
      const { text } = await open(`/admin/Revue/${page}`, cookie)
      assert.notMatch(text, /people|Cast|Ann/)
    }
    await send(`title=New&people=&people=${bob.id}`, cookie)
    assert.deepEqual(await cast(), [ann.id])
    const { status } = await open('/admin/Revue/choices/people', cookie)
    assert.equal(status, 404)
  })

  test('[R3, U2] a role can make the field of the relation read-only or hide it', async ({
    assert,
  }) => {
    await attach(ann)
    const others = { RevueArtist: { actions: ['view' as const] } }
    const actions = ['view' as const, 'update' as const]
    for (const [name, isShown] of [
      ['readonly', true],
      ['hidden', false],
    ] as const) {
      await emptyAdminTables()
      await restoreRoles()
      const cookie = await enter({ Revue: { actions, [name]: ['people', 'parts'] }, ...others })
      const { text } = await open(`/admin/Revue/update/${revue.id}`, cookie)
      assert.notInclude(text, 'name="people"')
      assert.equal(withoutTokens(text).includes('Ann'), isShown)
      await send(`title=X&people=`, cookie)
      assert.deepEqual(await cast(), [ann.id])
    }
  })

  test('[W8, U2] a list cannot be filtered by a relation that a role hides', async ({ assert }) => {
    await attach(ann)
    const isFound = async (artist: RevueArtist, cookie: string) => {
      const { text } = await open(`/admin/Revue/?filter.people.id=${artist.id}`, cookie)
      return text.includes('>Follies</a>')
    }
    assert.isTrue(await isFound(ann, boss))
    assert.isFalse(await isFound(bob, boss))
    const cookie = await enter({
      Revue: { actions: ['view'], hidden: ['people', 'parts'] },
      RevueArtist: { actions: ['view'] },
    })
    assert.isTrue(await isFound(bob, cookie), 'the filter is unknown')
    const { text } = await open('/admin/Revue/filter', cookie)
    assert.notInclude(text, 'add.column=people.')
  })

  test("[R3] more keys than the limit are refused, and a record with more attached records can't be edited in the form", async ({
    assert,
  }) => {
    const keys = Array.from({ length: 501 }, (_, index) => index + 100_000)
    const { status, text } = await send(keys.map((key) => `people=${key}`).join('&'))
    assert.equal(status, 400)
    assert.include(formOf(text).errors.people, '501')
    assert.include(formOf(text).errors.people, '500')
    const many = Array.from({ length: 10_000 }, (_, index) => `people=${index}`).join('&')
    assert.equal(await its(send(many), 'status'), 413)
    assert.equal(await its(send(`people=&people.__add=${keys.join()}`), 'status'), 400)
    const typed = Array.from({ length: 40_000 }, (_, index) => index).join()
    assert.equal(await its(send(`people=&people.__add=${typed}`), 'status'), 413)
  }).tags(['@database'])

  test('[R3] with many records the field is a search, with checkboxes only for the chosen ones', async ({
    assert,
  }) => {
    await RevueArtist.createMany(
      Array.from({ length: 20 }, (_, index) => ({ name: `Zoe ${index}`, town: 'east' }))
    )
    await attach(bob)
    const { text } = await open(`/admin/Revue/update/${revue.id}`)
    const field = /<div class="many".*?<div class="many-add">.*?<\/div>/s.exec(text)![0]
    assert.lengthOf([...field.matchAll(/type="checkbox"/g)], 1)
    assert.include(field, 'name="people.__add"')
    assert.include(field, 'data-search="/admin/Revue/choices/people"')
    const json = { accept: 'application/json' }
    const found = await open('/admin/Revue/choices/people?q=Zoe%201', boss, json)
    assert.include(found.text, 'Zoe 19')
    assert.notInclude(found.text, 'Ann')
  })

  test('[R3, R16] the page of a record shows the titles of attached records as links', async ({
    assert,
  }) => {
    await attach(ann, bob)
    const { text } = await open(`/admin/Revue/view/${revue.id}`)
    const fact = /<dt[^>]*>Cast<\/dt>.*?<\/dd>/s.exec(text)![0]
    assert.include(fact, `<a href="/admin/RevueArtist/update/${ann.id}">Ann</a>, <a`)
    const cookie = await enter({ '*': { actions: ['view'] } })
    const seen = await open(`/admin/Revue/view/${revue.id}`, cookie)
    assert.include(seen.text, `<a href="/admin/RevueArtist/view/${ann.id}">Ann</a>`)
  })

  test('[R3, R11] Duplicate copies the attached records', async ({ assert }) => {
    await attach(ann, bob)
    const { text } = await open(`/admin/Revue/create_page?from=${revue.id}`)
    for (const { id } of [ann, bob]) {
      assert.match(text, new RegExp(`name="people" value="${id}"[^>]*checked`))
    }
    assert.equal(formOf(text).values['people.__shown'], '[]')
    const given = await open(`/admin/Revue/create_page?people=${cid.id}`)
    assert.match(given.text, new RegExp(`name="people" value="${cid.id}"[^>]*checked`))
  })
})
