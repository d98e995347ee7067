import { setTimeout as sleep } from 'node:timers/promises'
import { test } from '@japa/runner'
import logger from '@adonisjs/core/services/logger'
import db from '@adonisjs/lucid/services/db'
import type { AdminUser } from '#admin'
import { JobTurns } from '#admin/jobs/job_queue'
import type AdminJob from '#admin/models/admin_job'
import { JobKind } from '#admin/jobs/job_kind'
import type { JobRun } from '#admin/jobs/job_run'
import {
  adminSite,
  cookiesOf,
  emptyAdminTables,
  fakeHashes,
  makeUser,
  sendForm,
} from '#tests/helpers/admin'
import { emptyJobTables, findJob, untilJob, work } from '#tests/helpers/jobs'
import { onSqlite } from '#tests/helpers/databases'
import { call, get, type HttpResponse } from '#tests/helpers/http'
import { contextFor } from '#tests/helpers/imports'
import { its } from '#tests/helpers/its'
import { queriesOf } from '#tests/helpers/queries'

const ORIGIN = { requestId: 'r', ip: '203.0.113.7', userAgent: 'tester', sessionId: null }

/** Writes one row of `bulk_owners` a step. */
class Marks extends JobKind {
  readonly name = 'marks'
  again: 'rest' | 'whole' | null = 'rest'
  /** Called at the end of each step, in its transaction */
  during: (run: JobRun) => Promise<void> = async () => {}
  /** Called between steps */
  between: (run: JobRun) => Promise<void> = async () => {}

  titleOf() {
    return 'Make <b>marks</b>'
  }

  async perform(run: JobRun) {
    while (run.done < run.job.total!) {
      await run.step(db.connection(), 1, async (client) => {
        await client.table('bulk_owners').insert({ name: `mark ${run.done}` })
        await this.during(run)
      })
      await this.between(run)
    }
    return { message: `${run.done} marks` }
  }
}

const marks = new Marks()

/** Errors that jobs report in the application's log */
function captureErrors(cleanup: (callback: () => void) => void) {
  const reported: object[] = []
  const { error } = logger
  logger.error = ((about: { err: Error; job: number }) =>
    void reported.push({ job: about.job, message: about.err.message })) as typeof logger.error
  cleanup(() => void (logger.error = error))
  return reported
}

async function marked(): Promise<string[]> {
  const rows = await db.from('bulk_owners').orderBy('id')
  return rows.map(({ name }) => name)
}

async function statusOf(response: Promise<HttpResponse>): Promise<number> {
  const { status } = await response
  return status
}

async function textOf(response: Promise<HttpResponse>): Promise<string> {
  const { text } = await response
  return text
}

async function stateOf(job: Promise<AdminJob>): Promise<string> {
  const { state } = await job
  return state
}

async function errorOf(job: Promise<AdminJob>): Promise<string> {
  const { error } = await job
  return error ?? ''
}

test.group('Admin | jobs', (group) => {
  group.tap((one) => one.tags(['@database']))
  let jo: AdminUser
  let cookie: string

  group.setup(async () => {
    const { jobs } = await adminSite()
    jobs.register(marks.name, () => marks)
    return await fakeHashes()
  })
  group.each.setup(async () => {
    await emptyAdminTables()
    await emptyJobTables()
    await db.from('bulk_pets').delete()
    await db.from('bulk_owners').delete()
    const { jobs } = await adminSite()
    jobs.resume()
    marks.again = 'rest'
    marks.during = marks.between = async () => {}
    jo = await makeUser('jo')
    cookie = await cookiesOf(jo)
  })

  async function add(total = 3, user = jo, kind = 'marks') {
    const { jobs } = await adminSite()
    return await jobs.store.create({ kind, user, total, payload: {}, origin: ORIGIN })
  }

  /** As the queue does */
  async function run(id: number, isRedelivered = false) {
    const { jobs } = await adminSite()
    await jobs.run(id, isRedelivered)
    return await findJob(id)
  }

  const page = (path = '', headers: Record<string, string> = {}) =>
    get(`/admin/management/jobs${path}`, { headers: { cookie, ...headers } })

  test('[D1] long jobs of one user leave a worker free for short jobs and for other users', async ({
    assert,
    cleanup,
  }) => {
    cleanup(await work())
    const { jobs } = await adminSite()
    const ended = Promise.withResolvers<void>()
    marks.between = async ({ job }) => {
      if (job.total! > 5000) await ended.promise
    }
    const ctx = await contextFor(jo)
    const long = await Promise.all(
      [1, 2].map(() => jobs.start(ctx, 'marks', { payload: {}, total: 5001 }))
    )
    const kim = await contextFor(await makeUser('kim'))
    const short = await jobs.start(kim, 'marks', { payload: {}, total: 2 })
    const own = await jobs.start(ctx, 'marks', { payload: {}, total: 2 })
    for (const { id } of [short, own]) assert.equal(await stateOf(untilJob(id)), 'done')
    const states = await Promise.all(long.map(({ id }) => stateOf(findJob(id))))
    assert.sameMembers(states, ['running', 'queued'])
    for (const job of long) await jobs.store.cancel(job)
    ended.resolve()
  })

  test('[D1.9] two processes do not run two long jobs of a user at the same time', async ({
    assert,
    cleanup,
  }) => {
    const { jobs } = await adminSite()
    const { store } = jobs
    const { begin } = store
    cleanup(() => void (store.begin = begin))
    const both = Promise.withResolvers<void>()
    let requested = 0
    store.begin = async (id, isRedelivered) => {
      if (++requested === 2) both.resolve()
      await both.promise
      return await begin.call(store, id, isRedelivered)
    }
    const long = [await add(5001), await add(5001)]
    await Promise.all(long.map(({ id }) => new JobTurns(store).begin(id, false, 2)))
    const states = async () => await Promise.all(long.map(({ id }) => stateOf(findJob(id))))
    const first = await states()
    assert.include(first, 'queued')

    for (const { id } of long) await new JobTurns(store).begin(id, false, 2)
    assert.sameMembers(await states(), ['running', 'queued'])
  })

  test('[D1] a job that exceeds its maximum duration fails with that reason', async ({
    assert,
    cleanup,
  }) => {
    const { jobs } = await adminSite()
    const { minutes } = jobs
    cleanup(() => void (jobs.minutes = minutes))
    jobs.minutes = 0
    const { id } = await add()
    assert.match(await errorOf(run(id)), /^The job took longer than 0 minutes/)
  })

  test('[D1] a job starts in the process that created it, without waiting for its next poll', async ({
    assert,
    cleanup,
  }) => {
    cleanup(await work())
    const { jobs } = await adminSite()
    const job = await add()
    await jobs.store.cancel(job)
    const began = performance.now()
    await sendForm(`/admin/management/jobs/${job.id}/again`, {}, { cookie })
    assert.containSubset(await untilJob(job.id), { state: 'done', done: 3 })
    /* Before it looks for jobs of other processes */
    assert.isBelow(performance.now() - began, 4000)
    assert.deepEqual(await marked(), ['mark 0', 'mark 1', 'mark 2'])
  })

  test('[D1] an idle worker runs at most two short queries in a second and a half', async ({
    assert,
    cleanup,
  }) => {
    cleanup(await work())
    await new Promise((resolve) => setTimeout(resolve, 200))
    const queries = await queriesOf(() => new Promise((resolve) => setTimeout(resolve, 1500)))
    assert.isAtMost(queries.length, 2)
  })

  test('[D1] a step that fails is rolled back with its progress, and the job shows the reason', async ({
    assert,
    cleanup,
  }) => {
    const log = captureErrors(cleanup)
    marks.during = async ({ done }) => {
      if (done === 1) throw new Error('select secret')
    }
    const { id } = await add()
    const job = await run(id)
    assert.containSubset(job, { state: 'failed', done: 1, run: null })
    assert.notInclude(job.error!, 'secret')
    assert.isNotNull(job.endedAt)
    assert.deepEqual(await marked(), ['mark 0'])
    assert.deepEqual(log, [{ job: id, message: 'select secret' }])
  })

  test('[D1] a cancelled job ends, and its current step is rolled back', async ({ assert }) => {
    const { jobs } = await adminSite()
    marks.between = async (one) => void (one.done === 2 && (await jobs.store.cancel(one.job)))
    const { id } = await add(5)
    assert.containSubset(await run(id), { state: 'cancelled', done: 2 })
    assert.lengthOf(await marked(), 2)
    assert.isFalse(await jobs.store.cancel(await findJob(id)))

    const waiting = await add()
    assert.isTrue(await jobs.store.cancel(waiting))
    assert.containSubset(await run(waiting.id), { state: 'cancelled', done: 0 })
  })

  test('[D1] stopping the worker completes the current step, and the rest of the job runs after the next start', async ({
    assert,
    cleanup,
  }) => {
    const { jobs } = await adminSite()
    const log = captureErrors(cleanup)
    let stopping: Promise<void> | undefined
    marks.during = async ({ done }) => {
      if (done === 1) stopping ??= jobs.stop()
    }
    const { id } = await add(4)
    await jobs.work()
    await sendForm(`/admin/management/jobs/${id}/cancel`, {}, { cookie })
    await sendForm(`/admin/management/jobs/${id}/again`, {}, { cookie })
    await untilJob(id, ({ done }) => done === 2)
    await stopping
    assert.isEmpty(log)
    assert.containSubset(await findJob(id), { state: 'queued', done: 2, run: null })
    assert.include(await textOf(page(`/${id}`)), 'Interrupted, will continue')

    cleanup(await work())
    assert.containSubset(await untilJob(id), { state: 'done', done: 4 })
    assert.deepEqual(await marked(), ['mark 0', 'mark 1', 'mark 2', 'mark 3'])
  })

  test('[D1] a job that runs longer than the polling interval of the worker logs no error', async ({
    assert,
    cleanup,
  }) => {
    const log = captureErrors(cleanup)
    marks.during = () => sleep(6000)
    const { id } = await add(1)
    cleanup(await work())
    const { jobs } = await adminSite()
    await jobs.cancel(await findJob(id))
    const again = await jobs.again(await contextFor(jo), await findJob(id))
    await untilJob(again!.id)
    await sleep(100)
    assert.isEmpty(log)
  }).timeout(20_000)

  test('[D1] if the queue passes a running job to another run, the first run writes nothing more', async ({
    assert,
  }) => {
    let second: Promise<unknown> | undefined
    marks.between = async ({ done, job }) => {
      /* The queue takes this process for dead and hands the job to another. */
      if (done === 1 && !second) await (second = run(job.id, true))
    }
    const { id } = await add(3)
    const job = await run(id)
    assert.containSubset(job, { state: 'done', done: 3, interruptions: 1 })
    assert.deepEqual(await marked(), ['mark 0', 'mark 1', 'mark 2'])
  })

  test('[D1] a step is rolled back if its job was {title} before the transaction of the step')
    .with([
      { title: 'continued by another process', values: { run: 'of another process' } },
      { title: 'cancelled', values: { state: 'cancelled' } },
    ])
    .run(async ({ assert, cleanup }, { values }) => {
      const { jobs } = await adminSite()
      const { store } = jobs
      const find = store.find.bind(store)
      cleanup(() => void delete (store as Partial<typeof store>).find)
      let isTaken = false
      store.find = async (id) => {
        const found = await find(id)
        if (found?.done === 1 && !isTaken) {
          isTaken = true
          await db.from('admin_jobs').where('id', id).update(values)
        }
        return found
      }
      const { id } = await add(3)
      const job = await run(id)
      assert.containSubset(job, { state: 'running', done: 1, ...values })
      assert.deepEqual(await marked(), ['mark 0'])
    })

  test('[D1] a running job is not started again if the queue delivers it twice', async ({
    assert,
  }) => {
    const { id } = await add()
    let again: unknown
    marks.between = async () => void (again ??= await run(id))
    assert.containSubset(await run(id), { state: 'done', interruptions: 0 })
    assert.containSubset(again, { state: 'running' })
    assert.lengthOf(await marked(), 3)
  })

  test('[D1] a job that the queue delivers again while this process runs it is not run twice', async ({
    assert,
  }) => {
    const { jobs } = await adminSite()
    const { id } = await add(3)
    let again: Promise<void> | undefined
    marks.between = async () => void (again ??= jobs.runAgain(id))
    assert.containSubset(await run(id), { state: 'done', done: 3, interruptions: 0 })
    await again
    assert.deepEqual(await marked(), ['mark 0', 'mark 1', 'mark 2'])
  })

  test('[D1] the queue passes the job of a killed process to the next process', async ({
    assert,
    cleanup,
  }) => {
    const { id } = await add(2)
    await db.from('admin_jobs').update({ state: 'running', run: 'killed', done: 1 })
    const data = { id: 'm', name: 'admin_job', payload: { id }, attempts: 0 }
    const row = { id: 'm', queue: 'atrium', status: 'active', data: JSON.stringify(data) }
    await db
      .table('admin_queue_jobs')
      .insert({ ...row, worker_id: 'x', acquired_at: Date.now() - 60_000 })
    cleanup(await work())
    assert.containSubset(await untilJob(id), { state: 'done', done: 2, interruptions: 1 })
    assert.deepEqual(await marked(), ['mark 1'])
  })

  test('[D1] a job whose process is killed three times fails', async ({ assert }) => {
    const { id } = await add()
    await db.from('admin_jobs').update({ state: 'running', run: 'killed', interruptions: 2 })
    const job = await run(id, true)
    assert.containSubset(job, { state: 'failed', done: 0 })
    assert.include(job.error!, 'three times')
  })

  test('[D1] a job killed during a step that writes to another database reports that the result is uncertain', async ({
    assert,
  }) => {
    const { jobs } = await adminSite()
    const { isIn } = jobs.store
    jobs.store.isIn = () => false
    try {
      const { id } = await add()
      const seen: unknown[] = []
      marks.during = async ({ job }) => {
        /* The step holds the write lock of SQLite. */
        if (!onSqlite) {
          const row = await findJob(job.id)
          seen.push(row.pending)
        }
      }
      assert.containSubset(await run(id), { state: 'done', done: 3, pending: null })
      assert.isTrue(seen.every((pending) => pending === 1))

      const killed = await add()
      await db
        .from('admin_jobs')
        .where('id', killed.id)
        .update({ state: 'running', pending: 1, done: 1 })
      const job = await run(killed.id, true)
      assert.equal(job.state, 'failed')
      assert.include(job.error!, 'it is uncertain whether they were done')
      const { text } = await page(`/${killed.id}`)
      assert.notInclude(text, 'Do the rest')
    } finally {
      jobs.store.isIn = isIn
    }
  })

  test('[D1] a stored job that is missing from the queue runs when a worker starts', async ({
    assert,
    cleanup,
  }) => {
    const { id } = await add()
    await db.from('admin_jobs').update({ created_at: '2026-01-01 00:00:00' })
    cleanup(await work())
    assert.containSubset(await untilJob(id), { state: 'done' })
  })

  test('[D1] a job that the queue rejects is not stored', async ({ assert, cleanup }) => {
    const { jobs } = await adminSite()
    const queue = await jobs.queue()
    queue.push = async () => {
      throw new Error('away')
    }
    cleanup(() => void delete (queue as Partial<typeof queue>).push)
    const job = await add()
    await jobs.store.cancel(job)
    const response = await sendForm(`/admin/management/jobs/${job.id}/again`, {}, { cookie })
    assert.equal(response.status, 500)
    assert.equal(await stateOf(findJob(job.id)), 'cancelled')
    for (let i = 0; i < 11; i++) {
      const names = Array.from({ length: 100 }, (_, index) => ({ name: `Lamp ${index}` }))
      await db.table('bulk_owners').multiInsert(names)
    }
    const refused = await call('DELETE', '/admin/Owner/bulk-delete', {
      json: { all: true, query: '', count: 1100 },
      headers: { cookie },
    })
    assert.equal(refused.status, 422)
    const left = await db.from('admin_jobs').where('kind', 'bulk')
    assert.isEmpty(left)
  })

  test('[D1] a job whose owner was deleted, or whose kind is unknown, fails with that reason', async ({
    assert,
  }) => {
    marks.between = async (one) => void (await one.context())
    const ann = await makeUser('ann')
    const { id } = await add(3, ann)
    await ann.delete()
    assert.include(await errorOf(run(id)), 'The user who started it was deleted')
    const unknown = await add(3, jo, 'older')
    assert.include(await errorOf(run(unknown.id)), 'does not know this kind of job')
    assert.equal(await statusOf(page(`/${unknown.id}`)), 200)
  })

  test('[D1, U4] users see their own jobs and superusers all; for other users a job does not exist', async ({
    assert,
  }) => {
    const ann = await makeUser('ann', { isSuperuser: false })
    const own = await add(3, ann)
    const other = await add(3, jo)
    const all = await page()
    assert.include(all.text, `/jobs/${own.id}"`)
    assert.include(all.text, `/jobs/${other.id}"`)
    assert.include(all.text, '1–2 of 2')
    assert.include(all.text, 'Make &lt;b&gt;marks&lt;/b&gt;')
    assert.equal(await statusOf(page(`/${own.id}`)), 200)

    cookie = await cookiesOf(ann)
    const hers = await page()
    assert.include(hers.text, `/jobs/${own.id}"`)
    assert.notInclude(hers.text, `/jobs/${other.id}"`)
    for (const path of [`/${other.id}`, '/0', '/x', '/99999999999', '/1%00']) {
      assert.equal(await statusOf(page(path)), 404, path)
    }
    for (const what of ['cancel', 'again']) {
      const response = await call('POST', `/admin/management/jobs/${other.id}/${what}`, {
        headers: { cookie },
      })
      assert.equal(response.status, 404)
    }
    assert.equal(await stateOf(findJob(other.id)), 'queued')
  })

  test('[D1] a superuser can cancel the job of another user, but not repeat it', async ({
    assert,
  }) => {
    const ann = await makeUser('ann', { isSuperuser: false })
    const { id } = await add(3, ann)
    const act = (what: string) => sendForm(`/admin/management/jobs/${id}/${what}`, {}, { cookie })
    assert.equal(await statusOf(act('cancel')), 303)
    assert.equal(await stateOf(findJob(id)), 'cancelled')
    assert.notInclude(await textOf(page(`/${id}`)), 'Do the rest')
    assert.equal(await statusOf(act('again')), 404)
    assert.equal(await stateOf(findJob(id)), 'cancelled')
  })

  test('[D1] the page of a job refreshes itself until the job has ended, with and without JavaScript', async ({
    assert,
  }) => {
    const { id } = await add()
    const url = `/admin/management/jobs/${id}?poll=1`
    const before = await page(`/${id}`)
    assert.include(before.text, `<noscript><meta http-equiv="refresh" content="3; url=${url}">`)
    assert.include(before.text, `hx-get="${url}"`)
    assert.include(before.text, 'Waiting')
    await run(id)
    const part = await page(`/${id}`, { 'hx-request': 'true' })
    assert.notInclude(part.text, '<html')
    assert.notInclude(part.text, 'hx-trigger')
    assert.include(part.text, '3 marks')
    const { text } = await page(`/${id}`)
    assert.notInclude(text, 'http-equiv="refresh"')
    assert.notInclude(text, 'cancel-job')
  })

  test('[D1] repeating a cancelled job creates a new job, if jobs of its kind start from the beginning', async ({
    assert,
  }) => {
    marks.again = 'whole'
    const { jobs } = await adminSite()
    const first = await add(0)
    await jobs.store.cancel(first)
    assert.include(await textOf(page(`/${first.id}`)), 'Do it again')
    const response = await sendForm(`/admin/management/jobs/${first.id}/again`, {}, { cookie })
    const id = Number(response.headers.get('location')!.split('/').at(-1))
    assert.isAbove(id, first.id)
    assert.containSubset(await findJob(id), { state: 'queued', userId: jo.id, kind: 'marks' })
    assert.equal(await stateOf(findJob(first.id)), 'cancelled')
  })

  test("[D1] a user who has the maximum number of open jobs can't start another one, and sees the reason", async ({
    assert,
    cleanup,
  }) => {
    const { jobs } = await adminSite()
    const { perUser } = jobs
    jobs.perUser = 2
    cleanup(() => void (jobs.perUser = perUser))
    const ctx = await contextFor(jo)
    const start = () => jobs.start(ctx, 'marks', { payload: {}, total: 1 })
    const begun = await Promise.allSettled([start(), start(), start(), start(), start()])
    const count = begun.filter(({ status }) => status === 'fulfilled').length
    assert.isAtMost(count, 2)
    for (let index = count; index < 2; index++) await start()
    await assert.rejects(start, /have not ended/)
    assert.lengthOf(await db.from('admin_jobs'), 2)

    /* Another person's count for themselves. */
    const ann = await contextFor(await makeUser('ann'))
    const other = await jobs.start(ann, 'marks', { payload: {}, total: 1 })
    const failed = await add(1, jo)
    await jobs.store.cancel(failed)
    const path = `/admin/management/jobs/${failed.id}/again`
    const response = await sendForm(path, {}, { cookie })
    assert.equal(response.status, 429)
    assert.include(response.text, 'Wait until one has finished')
    assert.equal(await its(findJob(failed.id), 'state'), 'cancelled')
    assert.equal(other.state, 'queued')
  })

  test('[D1] ended jobs are deleted after their retention period, and other jobs stay', async ({
    assert,
  }) => {
    const { jobs } = await adminSite()
    const [old, recent, waiting] = [await add(), await add(), await add()]
    for (const job of [old, recent]) await jobs.store.cancel(job)
    await db.table('admin_job_chunks').insert({ job_id: old.id, position: 0, record_keys: '[]' })
    const past = '2026-01-01 00:00:00'
    await db.from('admin_jobs').where('id', old.id).update({ ended_at: past })
    await db.from('admin_jobs').where('id', waiting.id).update({ created_at: past })
    assert.equal(await jobs.store.prune(30), 1)
    const rows = await db.from('admin_jobs').orderBy('id')
    assert.deepEqual(
      rows.map(({ id }) => id),
      [recent.id, waiting.id]
    )
    assert.isEmpty(await db.from('admin_job_chunks'))
  })
})
