import { test } from '@japa/runner'
import db from '@adonisjs/lucid/services/db'
import { ClosedFile } from '#tests/fixtures/list_views'
import { adminSite, cookiesOf, emptyAdminTables, fakeHashes, makeUser } from '#tests/helpers/admin'
import { captureLog, ERROR_LEVEL } from '#tests/helpers/captured_log'
import { getList } from '#tests/helpers/list_page'

const CREATED = '2026-01-01 00:00:00'

test.group('Admin | list | failures', (group) => {
  let cookie: string

  group.setup(() => fakeHashes())
  group.each.setup(async () => {
    await emptyAdminTables()
    cookie = await cookiesOf(await makeUser('ada'))
    for (const table of ['list_closed_files', 'list_artefacts', 'list_alcoves']) {
      await db.from(table).delete()
    }
    await db.table('list_closed_files').insert({ title: 'Cold case' })
    return () => {
      ClosedFile.allows = () => true
    }
  })

  /**
   * Makes every list of the model fail.
   *
   * @returns a function that restores it
   */
  async function breakList(name: string, error: Error): Promise<() => void> {
    const site = await adminSite()
    const { crud } = site.models.get(name)!
    crud.getMulti = async () => {
      throw error
    }
    return () => Reflect.deleteProperty(crud, 'getMulti')
  }

  test('[S33] a failed query is logged, and the list is shown empty, on page 1, with an error', async ({
    assert,
    cleanup,
  }) => {
    cleanup(await breakList('ClosedFile', new Error('SQLITE_IOERR: select secret')))
    const log = captureLog(cleanup)
    for (const headers of [{}, { 'hx-request': 'true' }] as Array<Record<string, string>>) {
      const { status, text, rows } = await getList(cookie, '/admin/ClosedFile/?page=7', headers)
      assert.equal(status, 200)
      assert.isEmpty(rows)
      assert.include(text, 'The data could not be read')
      assert.include(text, 'role="alert"')
      assert.include(text, 'id="empty-link" href="/admin/ClosedFile/"')
      assert.notInclude(text, 'No closed files yet')
      assert.notMatch(text, /SQLITE|secret/)
    }
    const errors = log().filter(({ level }) => level === ERROR_LEVEL)
    assert.lengthOf(errors, 2)
    assert.equal(errors[0].msg, 'The list of ClosedFile could not be read')
    assert.include(errors[0].err!.message, 'SQLITE_IOERR')
  })

  test('[S33, S34] the templates receive an empty list on page 1 after a failed query', async ({
    assert,
    cleanup,
  }) => {
    cleanup(await breakList('ClosedFile', new Error('Broken')))
    const site = await adminSite()
    const render = site.render.bind(site)
    cleanup(() => void Reflect.deleteProperty(site, 'render'))
    let seen: unknown
    site.render = (ctx, template, data) => {
      if (template === 'pages/list') seen = data!.found
      return render(ctx, template, data)
    }
    await getList(cookie, '/admin/ClosedFile/?page=7')
    assert.deepInclude(await seen, { items: [], total_items: 0, current_page: 1, failed: true })
  })

  test('[P14] a list that the policy refuses is a 403, and not an empty list', async ({
    assert,
  }) => {
    const requested: unknown[] = []
    ClosedFile.allows = (actor, action) => {
      requested.push([(actor as any).kind, (actor as any).user.username, action])
      return false
    }
    const { status, text } = await getList(cookie, '/admin/ClosedFile/')
    assert.equal(status, 403)
    assert.include(text, 'Not allowed')
    assert.notInclude(text, 'list-content')
    assert.deepInclude(requested, ['admin', 'ada', 'read_multi'])
    assert.isTrue(requested.every((one) => (one as string[]).slice(0, 2).join() === 'admin,ada'))
    const partial = await getList(cookie, '/admin/ClosedFile/', { 'hx-request': 'true' })
    assert.equal(partial.status, 403)
    const table = await getList(cookie, '/admin/ClosedFile/table-content')
    assert.equal(table.status, 403)
  })

  test("the list is shown even if some titles can't be read", async ({ assert, cleanup }) => {
    await db.table('list_alcoves').insert({ code: 'north', name: 'North wall' })
    await db.table('list_artefacts').insert({ name: 'Vase', alcove_code: 'north' })
    const shown = async () => {
      const { rows } = await getList(cookie, '/admin/Artefact/')
      return rows[0][12]
    }
    assert.equal(await shown(), 'North wall')

    const log = captureLog(cleanup)
    cleanup(await breakList('Alcove', new Error('Broken')))
    assert.equal(await shown(), 'north')
    const [error] = log().filter(({ level }) => level === ERROR_LEVEL)
    assert.equal(error.msg, 'Artefact: the titles of Alcove for alcove_code could not be read')
  })

  test('the list is shown even if the join that reads titles fails', async ({
    assert,
    cleanup,
  }) => {
    const [studio] = await db
      .table('lenders')
      .returning('id')
      .insert({ name: 'Miramax', created_at: CREATED })
    const id = studio.id ?? studio
    await db.table('reels').insert({ title: 'Clerks', lender_id: id, created_at: CREATED })
    cleanup(async () => {
      await db.from('reels').delete()
      await db.from('lenders').delete()
    })
    const shown = async () => {
      const { rows } = await getList(cookie, '/admin/Reel/')
      return rows[0][5]
    }
    /* By separate queries first, as the related model is not loaded yet, then joined. */
    assert.equal(await shown(), 'Miramax')
    assert.equal(await shown(), 'Miramax')

    const log = captureLog(cleanup)
    await db.rawQuery('alter table lenders rename to lenders_away')
    cleanup(() => db.rawQuery('alter table lenders_away rename to lenders'))
    assert.equal(await shown(), String(id))
    const errors = log().filter(({ level }) => level === ERROR_LEVEL)
    assert.deepEqual(
      errors.map(({ msg }) => msg),
      ['Reel: the titles of Lender for lender_id could not be read']
    )
  })

  test('[B13] titles of related records are joined only for users who can view the related model', async ({
    assert,
    cleanup,
  }) => {
    await db.table('lenders').insert({ id: 7, name: 'Miramax', created_at: CREATED })
    await db.table('reels').insert({ title: 'Clerks', lender_id: 7, created_at: CREATED })
    cleanup(async () => {
      await db.from('reels').delete()
      await db.from('lenders').delete()
    })
    const site = await adminSite()
    const lender = site.models.get('Lender')!
    const seen = await getList(cookie, '/admin/Reel/')
    assert.include(seen.text, '>Miramax</a>')
    lender.isVisibleTo = async () => false
    cleanup(() => void Reflect.deleteProperty(lender, 'isVisibleTo'))
    const { text } = await getList(cookie, '/admin/Reel/')
    assert.notInclude(text, 'Miramax')
    assert.include(text, '>7</td>')
  })

  test('[B13] a reference to a model hidden from the user is shown as a key without a link', async ({
    assert,
    cleanup,
  }) => {
    await db.table('list_alcoves').insert({ code: 'north', name: 'North wall' })
    await db.table('list_artefacts').insert({ name: 'Vase', alcove_code: 'north' })
    const site = await adminSite()
    const alcove = site.models.get('Alcove')!
    alcove.isVisibleTo = async () => false
    cleanup(() => void Reflect.deleteProperty(alcove, 'isVisibleTo'))
    const { rows, text } = await getList(cookie, '/admin/Artefact/')
    assert.equal(rows[0][12], 'north')
    assert.notInclude(text, '/admin/Alcove/update')
  })

  test("[B13] only superusers can open the lists of the admin site's own models", async ({
    assert,
  }) => {
    const jo = await cookiesOf(await makeUser('jo', { isSuperuser: false }))
    for (const name of ['AdminUser', 'AdminSession', 'AdminAccessToken', 'AdminTokenBlacklist']) {
      for (const path of ['', 'get_model_list', 'table-content']) {
        const { status } = await getList(jo, `/admin/${name}/${path}`)
        assert.equal(status, 403, `${name}/${path}`)
        const { status: superuser } = await getList(cookie, `/admin/${name}/${path}`)
        assert.equal(superuser, 200, `${name}/${path}`)
      }
    }
    const { text } = await getList(cookie, '/admin/AdminUser/')
    assert.notInclude(text, 'ashed')
  })
})
