import { test } from '@japa/runner'
import db from '@adonisjs/lucid/services/db'
import type { PermissionsDocument } from '#admin'
import { Artefact } from '#tests/fixtures/list_views'
import { Play, Stage } from '#tests/fixtures/stages'
import { cookiesOf, emptyAdminTables, fakeHashes, makeUser, sendForm } from '#tests/helpers/admin'
import { captureLog, ERROR_LEVEL } from '#tests/helpers/captured_log'
import { formOf } from '#tests/helpers/forms'
import { get, patch, post } from '#tests/helpers/http'
import { queriesOf } from '#tests/helpers/queries'
import { giveRoles, makeRole, restoreRoles } from '#tests/helpers/roles'
import { issueToken } from '#tests/helpers/tokens'

test.group('Admin | pages by roles', (group) => {
  group.setup(() => fakeHashes())
  group.each.setup(async () => {
    await emptyAdminTables()
    await restoreRoles()
    for (const table of ['play_tickets', 'plays', 'stages']) await db.from(table).delete()
    return () => restoreRoles()
  })

  const viewStages = { actions: ['view'] }
  const enter = async (...documents: PermissionsDocument[]) => {
    const names = documents.map((_, index) => `Role ${index}`)
    for (const [index, document] of documents.entries()) {
      await makeRole(names[index], { Stage: viewStages, ...document })
    }
    const user = await makeUser('kim', { isSuperuser: false, roles: names })
    return { user, headers: { cookie: await cookiesOf(user) } }
  }
  const play = (title: string, town: string, more: object = {}) =>
    Play.create({ title, town, note: `Note of ${title}`, ...more })

  test('[L13, U4] an empty list does not claim that no records exist if roles show only some', async ({
    assert,
  }) => {
    const { headers } = await enter({ Play: { actions: ['view', 'create'], scopes: ['east'] } })
    const main = async () => {
      const { text } = await get('/admin/Play/', { headers })
      const [, content] = /<div class="card empty-state list-empty"(.*?)<\/div>/s.exec(text)!
      return content
    }
    const none = await main()
    assert.include(none, 'No plays to show')
    assert.include(none, 'None of the plays that your roles include exist yet.')
    assert.include(none, 'Add play')
    assert.notInclude(none, 'Add the first')
    await play('Macbeth', 'west')
    assert.equal(await main(), none)
  })

  test('[U3] a read-only field is shown as text next to the form, formatted as in a list', async ({
    assert,
  }) => {
    const globe = await Stage.create({ name: 'Globe', town: 'east' })
    const { id } = await play('Hamlet', 'east', { stageId: globe.id })
    const { headers } = await enter({
      Play: { actions: ['*'], readonly: ['note', 'stage_id'], hidden: ['secret'] },
    })
    const { text } = await get(`/admin/Play/update/${id}`, { headers })
    const { values } = formOf(text)
    assert.notProperty(values, 'note')
    assert.notProperty(values, 'stage_id')
    assert.notProperty(values, 'secret')
    assert.equal(values.title, 'Hamlet')
    const [, facts] = /<dl class="facts">(.*?)<\/dl>/s.exec(text)!
    assert.include(facts, 'Note of Hamlet')
    assert.include(facts, 'Globe')
    const blank = formOf(await get('/admin/Play/create_page', { headers }).then((one) => one.text))
    assert.notProperty(blank.values, 'note')
  })

  test('[U3] a field that the user can write in some records only is shown as text in the form of other records', async ({
    assert,
  }) => {
    const east = await play('East', 'east')
    const west = await play('West', 'west', { secret: 'Loud' })
    const { headers } = await enter(
      { Play: { actions: ['view', 'update'], scopes: ['east'], readonly: ['note'] } },
      { Play: { actions: ['view', 'update'], scopes: ['west'], hidden: ['secret'] } }
    )
    const formFieldsOf = async (id: number) => {
      const { text } = await get(`/admin/Play/update/${id}`, { headers })
      return { names: formOf(text).values, text }
    }
    const inEast = await formFieldsOf(east.id)
    assert.notProperty(inEast.names, 'note')
    assert.property(inEast.names, 'secret')
    const [, facts] = /<dl class="facts">(.*?)<\/dl>/s.exec(inEast.text)!
    assert.include(facts, 'Note of East')
    const inWest = await formFieldsOf(west.id)
    assert.property(inWest.names, 'note')
    assert.notProperty(inWest.names, 'secret')
    assert.notInclude(inWest.text, 'Loud')

    const saved = await sendForm(`/admin/Play/form_update/${east.id}`, { title: 'Far' }, headers)
    assert.equal(saved.status, 303)
    const late = { title: 'Too far', note: 'Another' }
    const refused = await sendForm(`/admin/Play/form_update/${east.id}`, late, headers)
    assert.equal(refused.status, 403)
    assert.include(refused.text, 'your account is not allowed to change Note')
    const found = await Play.findOrFail(east.id)
    assert.deepEqual([found.title, found.note], ['Far', 'Note of East'])
  })

  test('[U3] a custom list column that uses a hidden field is empty', async ({ assert }) => {
    await db.from('list_artefacts').delete()
    await Artefact.create({ name: 'Bowl', weight: 12.5 })
    const densityFor = async (hidden: string[]) => {
      await emptyAdminTables()
      await restoreRoles()
      const { headers } = await enter({ Artefact: { actions: ['view'], hidden } })
      const { text } = await get('/admin/Artefact/', { headers })
      assert.include(text, 'Density')
      return { text, hasValue: text.includes('m³') }
    }
    const open = await densityFor([])
    assert.isTrue(open.hasValue)
    for (const hidden of [['weight'], ['name']]) {
      const { text, hasValue } = await densityFor(hidden)
      assert.isFalse(hasValue, String(hidden))
      assert.notInclude(text, 'undefined')
    }
  })

  test('[U3] a user without the attribute of a scope can access no records, and no route fails', async ({
    assert,
  }) => {
    const { id } = await play('Hamlet', 'east')
    const { user, headers } = await enter({ Play: { actions: ['*'], scopes: ['ownTown'] } })
    const page = '/admin/Play/'
    const doors = async () => {
      const list = await get(page, { headers })
      const program = await get('/admin/Play/crud', { headers })
      const form = await get(`/admin/Play/update/${id}`, { headers })
      const made = await post('/admin/Play/crud', { title: 'New', town: 'east' }, { headers })
      const shown = list.text.includes('Hamlet')
      return [list.status, shown, program.body.total_count, form.status, made.status]
    }
    assert.deepEqual(await doors(), [200, false, 0, 404, 403])
    await user.merge({ attributes: { town: null } as any }).save()
    assert.deepEqual(await doors(), [200, false, 0, 404, 403])
    assert.lengthOf(await Play.all(), 1)
    await user.merge({ attributes: { town: 'east' } as any }).save()
    assert.deepEqual(await doors(), [200, true, 1, 200, 201])
  })

  test('[U3, B23] a count that depends on a hidden field is omitted from the dashboard, without an error in the log', async ({
    assert,
    cleanup,
  }) => {
    Object.assign(Play, { countFilters: { secret: 'Hush' } })
    cleanup(() => void Reflect.deleteProperty(Play, 'countFilters'))
    await play('Hamlet', 'east', { secret: 'Hush' })
    await play('Othello', 'east')
    const lines = captureLog(cleanup)
    const countFor = async (hidden: string[]) => {
      await emptyAdminTables()
      await restoreRoles()
      const { headers } = await enter({ Play: { actions: ['view'], hidden } })
      const { text } = await get('/admin/dashboard-content', { headers })
      return /id="count-Play"((?!<\/a>).)*class="number">(\d+) /s.exec(text)?.[2]
    }
    assert.equal(await countFor([]), '1')
    assert.isUndefined(await countFor(['secret']))
    assert.isEmpty(lines().filter(({ level }) => level >= ERROR_LEVEL))
  })

  test('[U3] a changed value of a field that became read-only in the meantime is refused, and other input is preserved', async ({
    assert,
  }) => {
    const { id } = await play('Hamlet', 'east')
    const { headers } = await enter({ Play: { actions: ['*'], readonly: ['note'] } })
    const send = (fields: Record<string, string>) =>
      sendForm(`/admin/Play/form_update/${id}`, fields, headers)
    const refused = await send({ title: 'Othello', note: 'Another' })
    assert.equal(refused.status, 403)
    assert.include(refused.text, 'your account is not allowed to change Note')
    assert.equal(formOf(refused.text).values.title, 'Othello')
    const same = await send({ title: 'Othello', note: 'Note of Hamlet' })
    assert.equal(same.status, 303)
    const found = await Play.findOrFail(id)
    assert.deepEqual([found.title, found.note], ['Othello', 'Note of Hamlet'])
    const created = await sendForm(
      '/admin/Play/form_create',
      { title: 'A', town: 'east', note: 'B' },
      headers
    )
    assert.equal(created.status, 403)
    assert.lengthOf(await Play.all(), 1)
  })

  test('[U4] a removed, changed or deleted role takes effect with the next request', async ({
    assert,
  }) => {
    const { id } = await play('Hamlet', 'east')
    const { user, headers } = await enter({ Play: { actions: ['view', 'update'] } })
    const page = `/admin/Play/update/${id}`
    const statuses = async () => {
      const responses = [await get(page, { headers }), await get('/admin/Play/', { headers })]
      return responses.map(({ status }) => status)
    }
    assert.deepEqual(await statuses(), [200, 200])
    const role = await makeRole('Looks', { Play: { actions: ['view'] } })
    await giveRoles(user, ['Looks'])
    assert.deepEqual(await statuses(), [403, 200])
    const late = await sendForm(`/admin/Play/form_update/${id}`, { title: 'Late' }, headers)
    assert.equal(late.status, 403)
    await role.merge({ permissions: { Play: { actions: ['*'] } } }).save()
    assert.deepEqual(await statuses(), [200, 200])
    await role.delete()
    assert.deepEqual(await statuses(), [404, 404])
    assert.equal(await get('/admin', { headers }).then(({ status }) => status), 200)
    assert.equal(await Play.findOrFail(id).then(({ title }) => title), 'Hamlet')
  })

  test('[U3] with two roles, the count, pages and links of a list match the permissions for each record', async ({
    assert,
  }) => {
    const east = await Promise.all(
      [1, 2, 3].map((number) => play(`East ${number}`, 'east', { secret: 'Hush' }))
    )
    const west = await Promise.all(
      [1, 2, 3].map((number) => play(`West ${number}`, 'west', { secret: 'Loud' }))
    )
    await Promise.all([1, 2].map((number) => play(`North ${number}`, 'north')))
    const { headers } = await enter(
      { Play: { actions: ['view'], scopes: ['east'], hidden: ['secret'] } },
      { Play: { actions: ['view', 'update', 'delete'], scopes: ['west'] } }
    )
    const { text } = await get('/admin/Play/?sort_by=title&sort_order=asc', { headers })
    for (const { id, title } of east) {
      assert.include(text, title)
      assert.notInclude(text, `/admin/Play/update/${id}"`)
    }
    for (const { id } of west) assert.include(text, `/admin/Play/update/${id}"`)
    assert.notInclude(text, 'North')
    assert.notInclude(text, 'Hush')
    assert.include(text, 'Loud')
    const dashboard = await get('/admin/dashboard-content', { headers })
    assert.match(dashboard.text, /id="count-Play"((?!<\/a>).)*class="number">6 /s)
    const program = await get('/admin/Play/crud?sort=-secret', { headers })
    assert.equal(program.body.total_count, 6)
    const gone = await post('/admin/Play/crud', { title: 'New', town: 'east' }, { headers })
    assert.equal(gone.status, 403)
    assert.equal(
      await patch(`/admin/Play/crud/${east[0].id}`, { title: 'x' }, { headers }).then(
        (one) => one.status
      ),
      403
    )
    assert.equal(
      await patch(`/admin/Play/crud/${west[0].id}`, { title: 'x' }, { headers }).then(
        (one) => one.status
      ),
      200
    )
  })

  test('[U4] a list needs no additional queries for a user with two roles and a scope', async ({
    assert,
  }) => {
    const globe = await Stage.create({ name: 'Globe', town: 'east' })
    await play('Hamlet', 'east', { stageId: globe.id })
    const { headers } = await enter(
      { Play: { actions: ['view'], scopes: ['east'], hidden: ['secret'] } },
      { Play: { actions: ['view', 'update', 'delete'], scopes: ['east'], hidden: ['secret'] } }
    )
    const boss = { cookie: await cookiesOf(await makeUser('boss')) }
    const requested = async (who: { cookie: string }) => {
      await get('/admin/Play/', { headers: who })
      return await queriesOf(() => get('/admin/Play/', { headers: who }))
    }
    const [free, bound] = [await requested(boss), await requested(headers)]
    assert.isAbove(free.length, 1)
    assert.isAtMost(bound.length, free.length, bound.join('\n'))
  })

  test('[U4, P10] a token can do only what both its owner’s roles and its abilities allow', async ({
    assert,
  }) => {
    const { id } = await play('Hamlet', 'east', { secret: 'Hush' })
    const far = await play('Macbeth', 'west')
    const { user } = await enter({
      Play: { actions: ['view', 'update'], hidden: ['secret'], scopes: ['east'] },
    })
    const all = await issueToken(user, ['*'])
    const reader = await issueToken(user, ['Play:read', 'Play:read_multi'])
    const list = await get('/api/plays', all)
    assert.equal(list.body.total_count, 1)
    assert.notProperty(list.body.data[0], 'secret')
    const statuses = async (token: typeof all) => [
      await get(`/api/plays/${id}`, token).then(({ status }) => status),
      await get(`/api/plays/${far.id}`, token).then(({ status }) => status),
      await patch(`/api/plays/${id}`, { note: 'x' }, token).then(({ status }) => status),
      await post('/api/plays', { title: 'x', town: 'east' }, token).then(({ status }) => status),
    ]
    assert.deepEqual(await statuses(all), [200, 404, 200, 403])
    assert.deepEqual(await statuses(reader), [200, 404, 403, 403])
    await giveRoles(user, [])
    assert.deepEqual(await statuses(all), [403, 403, 404, 403])
  })
})
