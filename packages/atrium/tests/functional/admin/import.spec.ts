import { test } from '@japa/runner'
import db from '@adonisjs/lucid/services/db'
import type AdminImport from '#admin/models/admin_import'
import { PART } from '#admin/import/rows/row_writer'
import { ImportArticle } from '#tests/fixtures/imports'
import { adminSite, cookiesOf, makeUser } from '#tests/helpers/admin'
import { onPostgres } from '#tests/helpers/databases'
import { call, get } from '#tests/helpers/http'
import { contextFor, csv, invalidRows, imports, run, tried } from '#tests/helpers/imports'
import { withImports } from '#tests/helpers/job_group'
import { findJob, untilJob, work } from '#tests/helpers/jobs'
import { makeRole } from '#tests/helpers/roles'

const MODEL = 'ImportArticle'

test.group('Admin | import', (group) => {
  group.tap((one) => one.tags(['@database']))
  const own = withImports(group)

  group.setup(() => {
    PART.rows = 100
    return () => void (PART.rows = 1000)
  })
  group.each.setup(() => void (ImportArticle.saved = []))

  const articles = () => db.from('import_articles').orderBy('sku')
  const titles = async () => {
    const rows = await articles()
    return rows.map(({ sku, title }) => `${sku} ${title}`)
  }

  async function found({ id }: AdminImport) {
    const service = await imports()
    return await service.find(id)
  }

  async function article(values: Record<string, unknown>) {
    const row = { title: 'Lamp', active: true, ...values }
    const [id] = await db.table('import_articles').insert(row).returning('id')
    return typeof id === 'object' ? id.id : id
  }

  test('[D3] the preview lists new, changed, unchanged and invalid rows by line, and writes nothing', async ({
    assert,
  }) => {
    await article({ sku: 'a', title: 'Lamp', price: 5 })
    await article({ sku: 'b', title: 'Chair', price: 7.5 })
    const one = await tried(
      own.jo,
      MODEL,
      csv(
        'SKU,Title,price',
        'a,Lamp,5.00',
        'b,Armchair,7.50',
        'c,Table,9',
        'd,,1',
        'e,Bed,dear',
        '"c",Other,2'
      )
    )
    assert.equal(one.key, 'sku')
    const { faults: errors, preview, ...counts } = one.dryRun!
    assert.deepEqual(counts, { new: 1, changed: 1, unchanged: 1, faulty: 3, notes: [] })
    assert.deepEqual(
      errors.map(({ line, field }) => [line, field]),
      [
        [5, 'title'],
        [6, 'price'],
        [7, 'sku'],
      ]
    )
    assert.match(errors[2].message, /Line 4/)
    assert.deepEqual(
      preview.map(({ kind, line, title }) => [kind, line, title]),
      [
        ['changed', 3, 'Chair'],
        ['new', 4, 'Table'],
      ]
    )
    assert.deepEqual(preview[0].changes, [{ field: 'title', before: 'Chair', after: 'Armchair' }])
    assert.deepEqual(await titles(), ['a Lamp', 'b Chair'])
    assert.deepEqual(ImportArticle.saved, [])

    const content = await invalidRows(one)
    const lines = content.trim().split('\r\n')
    assert.lengthOf(lines, 4)
    assert.match(lines[0], /^SKU,Title,price,/)
    assert.match(lines[2], /^e,Bed,dear,.*rice/)
  }).tags(['@dialect'])

  test('[D3, R7] a run creates one event with an audit row per record, runs hooks, and is undone as a whole', async ({
    assert,
    cleanup,
  }) => {
    await article({ sku: 'a', price: 5 })
    await article({ sku: 'b', title: 'Chair' })
    const content = csv('sku,title,price', 'a,Lamp,5.00', 'b,Armchair,7.5', 'c,Table,9')
    const one = await tried(own.jo, MODEL, content)
    const { id } = await run(own.jo, one)
    cleanup(await work())
    const job = await untilJob(id)
    assert.equal(job.state, 'done', job.error ?? '')
    const { message, ...counts } = job.result!
    assert.deepEqual(counts, { created: 1, changed: 1, unchanged: 1, skipped: 0 })
    assert.deepEqual(await titles(), ['a Lamp', 'b Armchair', 'c Table'])
    assert.deepEqual(ImportArticle.saved, ['Armchair', 'Table'])

    const events = await db.from('admin_event_log').whereNot('event_type', 'VIEW')
    assert.lengthOf(events, 1)
    assert.equal(events[0].event_type, 'IMPORT')
    assert.equal(events[0].username, 'jo')
    const details = JSON.parse(events[0].details)
    assert.containSubset(details, { file: 'rows.csv', new: 1, changed: 1, unchanged: 1, job: id })
    const audits = await db.from('admin_audit_log').orderBy('id')
    assert.deepEqual(
      audits.map(({ action, event_id: event }) => [action, event]),
      [
        ['UPDATE', events[0].id],
        ['CREATE', events[0].id],
      ]
    )
    const present = await found(one)
    assert.equal(present!.state, 'done')
    assert.equal(present!.eventId, events[0].id)

    const headers = { cookie: await cookiesOf(own.jo) }
    const path = `/admin/management/events/${events[0].id}/undo`
    const response = await call('POST', path, { json: {}, headers })
    assert.equal(response.status, 200, response.text)
    assert.deepEqual(await titles(), ['a Lamp', 'b Chair'])
  }).tags(['@dialect'])

  test('[D3] in all-or-nothing mode nothing is written if a row has become invalid since the preview', async ({
    assert,
    cleanup,
  }) => {
    const one = await tried(own.jo, MODEL, csv('sku,title', 'a,Lamp', 'b,Chair', 'c,Table'), {
      key: null,
    })
    await article({ sku: 'c', title: 'Mine' })
    const { id } = await run(own.jo, one)
    cleanup(await work())
    const job = await untilJob(id)
    assert.equal(job.state, 'failed')
    assert.match(job.error!, /Line 4/)
    assert.deepEqual(await titles(), ['c Mine'])
    assert.lengthOf(await db.from('admin_audit_log'), 0)
    assert.lengthOf(await db.from('admin_event_log').where('event_type', 'IMPORT'), 0)
    const present = await found(one)
    assert.equal(present!.state, 'failed')
    assert.equal(present!.counts!.faulty, 1)
  }).tags(['@dialect'])

  test('[D3] valid rows are written without the invalid ones, in chunks that are one event', async ({
    assert,
    cleanup,
  }) => {
    const lines = Array.from({ length: 220 }, (_, index) => `s${index},Lamp ${index}`)
    lines[2] = 's2,'
    lines[210] = 's210,Refused by a hook'
    const one = await tried(own.jo, MODEL, csv('sku,title', ...lines))
    assert.equal(one.dryRun!.faulty, 1)
    const service = await imports()
    await assert.rejects(async () => run(own.jo, one), 'import.refused.invalidRows')
    const { id } = await run(own.jo, one, { skipInvalid: true })
    cleanup(await work())
    const job = await untilJob(id)
    assert.equal(job.state, 'done', job.error ?? '')
    assert.containSubset(job.result, { created: 218, skipped: 2 })
    assert.equal(job.done, 220)
    const [{ total }] = await db.from('import_articles').count('* as total')
    assert.equal(Number(total), 218)
    const events = await db.from('admin_event_log').where('event_type', 'IMPORT')
    assert.lengthOf(events, 1)
    assert.containSubset(JSON.parse(events[0].details), { new: 218, faulty: 2 })
    const [audits] = await db
      .from('admin_audit_log')
      .where('event_id', events[0].id)
      .count('* as total')
    assert.equal(Number(audits.total), 218)
    const present = await service.find(one.id)
    assert.deepEqual(
      present!.counts!.faults.map(({ line }) => line),
      [4, 212]
    )
    await assert.rejects(
      async () => run(own.jo, present!, { skipInvalid: true }),
      'import.refused.done'
    )
  })

  test('[D3, D1] an interrupted run resumes after the last part and writes nothing twice', async ({
    assert,
  }) => {
    const lines = Array.from({ length: 250 }, (_, index) => `s${index},Lamp`)
    lines.push('s5,Again')
    const one = await tried(own.jo, MODEL, csv('sku,title', ...lines))
    const { id } = await run(own.jo, one, { skipInvalid: true })
    const site = await adminSite()
    site.jobs.resume()
    const goOn = site.jobs.run(id, false)
    for (;;) {
      const { done, error } = await findJob(id)
      assert.isNull(error)
      if (done >= 100) break
      await new Promise((resolve) => setTimeout(resolve, 5))
    }
    await site.jobs.stop()
    await goOn
    const stopped = await findJob(id)
    site.jobs.resume()
    if (stopped.state === 'queued') {
      assert.isTrue(stopped.done >= 100 && stopped.done < 251)
      await site.jobs.run(id, true)
    }
    const job = await findJob(id)
    assert.equal(job.state, 'done', job.error ?? '')
    assert.containSubset(job.result, { created: 250, skipped: 1 })
    assert.lengthOf(await db.from('admin_event_log').where('event_type', 'IMPORT'), 1)
    const [{ total }] = await db.from('admin_audit_log').count('* as total')
    assert.equal(Number(total), 250)
  })

  test('[D3] references are found by key or title, and an unknown or ambiguous title is an error', async ({
    assert,
  }) => {
    await db.table('import_makers').multiInsert([
      { id: 1, name: 'Acme' },
      { id: 2, name: 'Twin' },
      { id: 3, name: 'Twin' },
    ])
    const one = await tried(
      own.jo,
      MODEL,
      csv('sku,title,maker', 'a,Lamp,Acme', 'b,Lamp,Nobody', 'c,Lamp,Twin', 'd,Lamp,')
    )
    assert.deepEqual(one.mapping, { columns: ['sku', 'title', 'maker_id'], by: { 2: 'title' } })
    const { faults: errors, preview } = one.dryRun!
    assert.deepEqual(
      errors.map(({ line, field }) => [line, field]),
      [
        [3, 'maker_id'],
        [4, 'maker_id'],
      ]
    )
    assert.match(errors[0].message, /Nobody/)
    assert.match(errors[1].message, /2 records are called Twin/)
    assert.equal(preview[0].changes.find(({ field }) => field === 'maker_id')!.after, 1)

    const byKey = await tried(own.jo, MODEL, csv('sku,title,maker_id', 'a,Lamp,1', 'b,Lamp,99'))
    assert.deepEqual(
      byKey.dryRun!.faults.map(({ line, field }) => [line, field]),
      [[3, 'maker_id']]
    )
  }).tags(['@dialect'])

  test('[D3] a title shared by 10,000 records does not prevent another title from being found', async ({
    assert,
  }) => {
    await db.rawQuery(
      `insert into import_makers (name)
       with recursive n (v) as (select 1 union all select v + 1 from n where v < 100)
       select 'Twin' from n one, n other`
    )
    await db.table('import_makers').insert({ id: 20_000, name: 'Zenith' })
    const content = csv('sku,title,maker', 'a,Lamp,Twin', 'b,Lamp,Zenith', 'c,Lamp,Nobody')
    const one = await tried(own.jo, MODEL, content)
    const { faults: errors, preview } = one.dryRun!
    assert.deepEqual(
      errors.map(({ line }) => line),
      [2, 4]
    )
    assert.equal(preview[0].changes.find(({ field }) => field === 'maker_id')!.after, 20_000)
  })

  test('[D3, U2] a user who can create but not update gets errors for rows that would update', async ({
    assert,
  }) => {
    await makeRole('Adds', { [MODEL]: { actions: ['view', 'create', 'import'] } })
    const ada = await makeUser('ada', { isSuperuser: false, roles: ['Adds'] })
    await article({ sku: 'a' })
    const one = await tried(ada, MODEL, csv('sku,title', 'a,Other', 'b,Chair'))
    assert.deepEqual(one.dryRun!.faults, [
      {
        line: 2,
        field: null,
        message: 'This would change a record, and you do not have permission to change records',
        title: 'Other',
      },
    ])
    assert.equal(one.dryRun!.new, 1)

    await makeRole('Sees', { [MODEL]: { actions: ['view', 'create', 'update'] } })
    const bob = await makeUser('bob', { isSuperuser: false, roles: ['Sees'] })
    await assert.rejects(
      () => tried(bob, MODEL, csv('sku,title', 'b,Chair')),
      'You may not do this'
    )
  })

  test('[D3, A7] new records never get a key from the file if the create schema has none, whoever imports it', async ({
    assert,
  }) => {
    const kay = await makeUser('kay', { isSuperuser: true })
    for (const [index, key] of ['id', 'sku'].entries()) {
      const content = csv('id,sku,title', `7000${index},n${index},Lamp`)
      const one = await tried(kay, MODEL, content, { key })
      assert.containSubset(one.dryRun!, { new: 0, faulty: 1, faults: [{ line: 2, field: 'id' }] })
    }
  })

  test('[D3] generated keys continue after those that an import contains', async ({
    assert,
    cleanup,
  }) => {
    /* The trigger of the tests does the same. */
    const trigger = async (verb: string) => {
      if (onPostgres) await db.rawQuery(`alter table import_articles ${verb} trigger user`)
    }
    await trigger('disable')
    cleanup(() => trigger('enable'))
    const last = await article({ sku: 'a' })
    const content = csv('id,sku,title', `${last + 1000},b,Chair`)
    const one = await tried(own.jo, 'ImportNumbered', content, { key: null })
    const { id } = await run(own.jo, one)
    cleanup(await work())
    const job = await untilJob(id)
    assert.equal(job.state, 'done', job.error ?? '')
    assert.isAbove(await article({ sku: 'c' }), last + 1000)
  }).tags(['@dialect'])

  test('[D3, U3] a row that would leave the scope is an error in preview and run', async ({
    assert,
    cleanup,
  }) => {
    const actions = ['view', 'create', 'update', 'import']
    await makeRole('Branch', { [MODEL]: { actions, scopes: ['ownBranch'] } })
    const ada = await makeUser('ada', { isSuperuser: false, roles: ['Branch'] })
    await ada.merge({ attributes: { branch: 4 } } as never).save()
    await article({ sku: 'a', branch: 4 })
    await article({ sku: 'z', branch: 5 })
    const content = csv('sku,title,branch', 'a,Lamp,5', 'b,Chair,4', 'c,Bed,7', 'z,Mine,4')
    const one = await tried(ada, MODEL, content)
    assert.deepEqual(
      one.dryRun!.faults.map(({ line }) => line),
      [2, 4, 5]
    )
    assert.match(one.dryRun!.faults[0].message, /could no longer access the record/)
    const { id } = await run(ada, one, { skipInvalid: true })
    cleanup(await work())
    const job = await untilJob(id)
    assert.containSubset(job.result, { created: 1, changed: 0, skipped: 3 })
    assert.deepEqual(await titles(), ['a Lamp', 'b Chair', 'z Lamp'])
  })

  test('[D3, U2] hidden and read-only fields can’t be mapped, even with a forged request', async ({
    assert,
  }) => {
    const actions = ['view', 'create', 'update', 'import']
    await makeRole('Some', { [MODEL]: { actions, hidden: ['note'], readonly: ['price'] } })
    const ada = await makeUser('ada', { isSuperuser: false, roles: ['Some'] })
    const one = await tried(ada, MODEL, csv('sku,title,note,price', 'a,Lamp,secret,5'))
    assert.deepEqual(one.mapping.columns, ['sku', 'title', null, null])
    const ctx = await contextFor(ada)
    const service = await imports()
    for (const name of ['note', 'price', 'nothing']) {
      const columns = { 0: 'sku', 1: 'title', 2: name }
      await assert.rejects(
        () => service.setColumns(ctx, one, { columns, key: 'sku' }),
        'import.refused.unknownField'
      )
    }
    const fields = await service.fields(ctx, (await view())!)
    assert.notInclude(
      fields.map(({ name }) => name),
      'note'
    )
  })

  const view = async () => {
    const site = await adminSite()
    return site.models.get(MODEL)
  }

  test('[D3, P14] the preview checks the policy and unique values, also between rows', async ({
    assert,
  }) => {
    await article({ sku: 'a' })
    const content = csv('sku,title', 'a,Lamp', 'b,Forbidden', 'c,Chair', 'c,Bed')
    const one = await tried(own.jo, MODEL, content, { key: null })
    assert.deepEqual(
      one.dryRun!.faults.map(({ line, field }) => [line, field]),
      [
        [2, 'sku'],
        [3, null],
        [5, 'sku'],
      ]
    )
    assert.match(one.dryRun!.faults[0].message, /already registered/)
  })

  test('[D3, D1] a cancelled run reports what it wrote, and can’t be started again as a new run', async ({
    assert,
    cleanup,
  }) => {
    const lines = Array.from({ length: 300 }, (_, index) => `s${index},Lamp`)
    const one = await tried(own.jo, MODEL, csv('sku,title', ...lines))
    const { id } = await run(own.jo, one, { skipInvalid: true })
    const site = await adminSite()
    site.jobs.resume()
    const goOn = site.jobs.run(id, false)
    for (;;) {
      const job = await findJob(id)
      assert.isNull(job.error)
      if (job.done >= 100) {
        await site.jobs.store.cancel(job)
        break
      }
      await new Promise((resolve) => setTimeout(resolve, 5))
    }
    await goOn
    const job = await findJob(id)
    assert.equal(job.state, 'cancelled')
    const [{ total }] = await db.from('import_articles').count('* as total')
    assert.equal(Number(total), job.done)
    const present = await found(one)
    assert.equal(present!.state, 'failed')
    assert.equal(present!.counts!.new, job.done)
    await assert.rejects(
      () => run(own.jo, present!, { skipInvalid: true }),
      'import.refused.partlyDone'
    )

    /* What was done is one event, and is undone as a whole. */
    const events = await db.from('admin_event_log').where('event_type', 'IMPORT')
    assert.lengthOf(events, 1)
    const { text } = await get(`/admin/management/jobs/${id}`, { headers: { cookie: own.cookie } })
    assert.include(text, 'Rows that were imported stay, and can be undone.')
    const requested = await get(`/admin/${MODEL}/import/${one.id}/discard`, {
      headers: { cookie: own.cookie },
    })
    assert.include(requested.text, 'Rows that were imported stay')
    cleanup(await work())
    const path = `/admin/management/jobs/${id}/undo`
    const undo = await call('POST', path, { json: {}, headers: { cookie: own.cookie } })
    assert.equal(undo.status, 202)
    const undone = await untilJob(undo.body.job.id)
    assert.equal(undone.state, 'done', undone.error ?? '')
    assert.lengthOf(await articles(), 0)
  })

  test('[D3] during an all-or-nothing run, other requests wait or get a response, and none fails with a locked database', async ({
    assert,
    cleanup,
  }) => {
    const lines = Array.from({ length: 600 }, (_, index) => `s${index},Lamp`)
    const one = await tried(own.jo, MODEL, csv('sku,title', ...lines))
    await db.from('batch_crates').delete()
    cleanup(() => db.from('batch_crates').delete() as never)
    const { id } = await run(own.jo, one)
    cleanup(await work())
    const responses: number[] = []
    for (let index = 0; ; index++) {
      const writes = ['x', 'y'].map((letter) =>
        call('POST', '/api/batch-crates', { json: { label: `${letter}${index}` } })
      )
      for (const { status, text } of await Promise.all(writes)) {
        responses.push(status)
        assert.notInclude(text, 'locked')
      }
      const { state } = await findJob(id)
      if (state === 'done') break
      assert.include(['queued', 'running'], state)
    }
    const written = responses.filter((status) => status === 201)
    assert.lengthOf(
      responses.filter((status) => status !== 201 && status !== 503),
      0
    )
    assert.isNotEmpty(written)
    assert.lengthOf(await db.from('batch_crates'), written.length)
    assert.lengthOf(await articles(), 600)
  })
})
