import { test } from '@japa/runner'
import db from '@adonisjs/lucid/services/db'
import { ImportArticle } from '#tests/fixtures/imports'
import { adminSite, makeUser, sendForm } from '#tests/helpers/admin'
import { call, get } from '#tests/helpers/http'
import { csv, imports, run, tried } from '#tests/helpers/imports'
import { withImports } from '#tests/helpers/job_group'
import { findJob } from '#tests/helpers/jobs'
import { makeRole } from '#tests/helpers/roles'

const MODEL = 'ImportArticle'
const ROWS = 400

test.group('Admin | all-or-nothing imports in parts', (group) => {
  const own = withImports(group)

  group.each.setup(() => void (ImportArticle.saved = []))

  const lines = (title = 'Lamp') =>
    Array.from({ length: ROWS }, (_, index) => `s${index},${title} ${index}`)
  const countOf = async (table: string) => {
    const [{ total }] = await db.from(table).count('* as total')
    return Number(total)
  }

  /** Starts a run, and calls back once a part is written. */
  async function interrupted(
    content: string,
    then: (id: number) => Promise<unknown>,
    user = own.jo
  ) {
    const one = await tried(user, MODEL, content)
    const { id } = await run(user, one)
    const { jobs } = await adminSite()
    jobs.resume()
    const running = jobs.run(id, false)
    for (;;) {
      const job = await findJob(id)
      if (job.error !== null) throw new Error(job.error)
      if (job.done > 0) break
      await new Promise((resolve) => setImmediate(resolve))
    }
    await then(id)
    await running
    return { id, one }
  }

  test('if a row is invalid, the parts before it are reverted, and the job reports that nothing was changed', async ({
    assert,
  }) => {
    await db.table('import_articles').insert({ sku: 's3', title: 'Mine', active: true })
    const content = csv('sku,title', ...lines().slice(0, -1), 's399,Refused by a hook')
    const { id, one } = await interrupted(content, async () => {})
    const job = await findJob(id)
    assert.containSubset(job, { state: 'failed', done: 0 })
    assert.match(job.error!, /Line 401.*Nothing was changed\.$/)
    const rows = await db.from('import_articles')
    assert.deepEqual(
      rows.map(({ sku, title }) => [sku, title]),
      [['s3', 'Mine']]
    )
    const service = await imports()
    const present = await service.find(one.id)
    assert.containSubset(present, { state: 'failed', counts: { new: 0, changed: 0, faulty: 1 } })

    const events = await db.from('admin_event_log').whereNot('event_type', 'VIEW').orderBy('id')
    assert.deepEqual(
      events.map((event) => [event.event_type, event.username, JSON.parse(event.details).job]),
      [
        ['IMPORT', 'jo', id],
        ['DELETE', 'jo', id],
      ]
    )
    assert.equal(JSON.parse(events[1].details).undoes, events[0].id)
    const { text } = await get(`/admin/management/jobs/${id}`, { headers: { cookie: own.cookie } })
    assert.include(text, 'Nothing was changed.')
    assert.notInclude(text, 'undo-job')
  }).timeout(30_000)

  test('a cancelled run reverts what it wrote, whatever permissions the owner has by then', async ({
    assert,
  }) => {
    await makeRole('Adds', { [MODEL]: { actions: ['view', 'create', 'import'] } })
    const ada = await makeUser('ada', { isSuperuser: false, roles: ['Adds'] })
    const { id } = await interrupted(
      csv('sku,title', ...lines()),
      async (job) => {
        const { jobs } = await adminSite()
        assert.isTrue(await jobs.cancel(await findJob(job)))
      },
      ada
    )
    const job = await findJob(id)
    assert.containSubset(job, { state: 'cancelled', done: 0, error: 'Nothing was changed.' })
    assert.equal(await countOf('import_articles'), 0)
  }).timeout(30_000)

  test('a revert skips and names records that others have changed in the meantime, and reverts all others', async ({
    assert,
  }) => {
    const { id } = await interrupted(csv('sku,title', ...lines()), async (job) => {
      await db.from('import_articles').where('sku', 's1').update({ title: 'Changed' })
      const { jobs } = await adminSite()
      await jobs.cancel(await findJob(job))
    })
    const job = await findJob(id)
    const [left, ...others] = await db.from('import_articles')
    assert.isEmpty(others)
    assert.equal(left.title, 'Changed')
    assert.equal(job.state, 'cancelled')
    assert.match(job.error!, new RegExp(`a record could not be reverted.* ${left.id}\\.$`))

    /* It would pass over as many of the first rows as records are left. */
    const { cookie } = own
    await sendForm(`/admin/management/jobs/${id}/again`, {}, { cookie })
    assert.containSubset(await findJob(id), { state: 'cancelled' })
    const { text } = await get(`/admin/management/jobs/${id}`, { headers: { cookie } })
    assert.notInclude(text, `jobs/${id}/again`)
  }).timeout(30_000)

  test('an interrupted run resumes after the last part, and an interrupted revert continues', async ({
    assert,
  }) => {
    const { jobs } = await adminSite()
    const { id } = await interrupted(csv('sku,title', ...lines()), () => jobs.stop())
    const stopped = await findJob(id)
    assert.equal(await countOf('import_articles'), stopped.done)
    jobs.resume()
    if (stopped.state === 'queued') await jobs.run(id, true)
    assert.containSubset(await findJob(id), { state: 'done', done: ROWS })
    assert.equal(await countOf('import_articles'), ROWS)
    assert.lengthOf(await db.from('admin_event_log').where('event_type', 'IMPORT'), 1)

    const again = await interrupted(csv('sku,title', ...lines('Chair')), () => jobs.stop())
    const { state } = await findJob(again.id)
    jobs.resume()
    if (state === 'queued') {
      await jobs.cancel(await findJob(again.id))
      await jobs.run(again.id, true)
      assert.equal(await findJob(again.id).then((job) => job.state), 'cancelled')
      assert.lengthOf(await db.from('import_articles').where('title', 'like', 'Chair%'), 0)
    }
  }).timeout(30_000)

  test('the run is undone in parts as one event, or not at all if a record has changed since', async ({
    assert,
  }) => {
    const { jobs } = await adminSite()
    jobs.resume()
    const one = await tried(own.jo, MODEL, csv('sku,title', ...lines()))
    const { id } = await run(own.jo, one)
    await jobs.run(id, false)
    assert.equal(await countOf('import_articles'), ROWS)

    const undo = async () => {
      const headers = { cookie: own.cookie }
      const path = `/admin/management/jobs/${id}/undo`
      const { body, status, text } = await call('POST', path, { json: {}, headers })
      if (status !== 202) throw new Error(text)
      await jobs.run(body.job.id, false)
      return await findJob(body.job.id)
    }
    await db.from('import_articles').where('sku', 's7').update({ title: 'Changed' })
    const refused = await undo().catch((error) => error)
    assert.match(String(refused.message ?? refused.error), /not as the event left/)
    assert.equal(await countOf('import_articles'), ROWS)

    await db.from('import_articles').where('sku', 's7').update({ title: 'Lamp 7' })
    assert.containSubset(await undo(), { state: 'done', done: ROWS })
    assert.equal(await countOf('import_articles'), 0)
    const events = await db.from('admin_event_log').where('event_type', 'DELETE')
    assert.lengthOf(events, 1)
    const audits = await db.from('admin_audit_log').where('event_id', events[0].id)
    assert.lengthOf(audits, ROWS)
  }).timeout(30_000)
})
