import { test } from '@japa/runner'
import db from '@adonisjs/lucid/services/db'
import AdminJob from '#admin/models/admin_job'
import { adminSite } from '#tests/helpers/admin'
import { get } from '#tests/helpers/http'
import { csv, invalidRows, run, tried } from '#tests/helpers/imports'
import { withImports } from '#tests/helpers/job_group'
import { untilJob, work } from '#tests/helpers/jobs'

const MODEL = 'ImportArticle'

test.group('Admin | import errors', (group) => {
  group.tap((one) => one.tags(['@database']))
  const own = withImports(group)

  async function errorsOf(...lines: string[]) {
    const one = await tried(own.jo, MODEL, csv(...lines))
    const { faults: errors, faulty: invalid } = one.dryRun!
    return { one, faulty: invalid, faults: errors.map(({ line, field }) => [line, field]) }
  }

  test('[D3] a dry run stops when it exceeds the maximum number of rows or of invalid rows', async ({
    assert,
    cleanup,
  }) => {
    const { imports: limits } = await adminSite()
    const usual = { ...limits }
    cleanup(() => void Object.assign(limits, usual))
    Object.assign(limits, { rows: 3, invalidRows: 1 })
    await tried(own.jo, MODEL, csv('sku,title', 'a,Lamp', 'b,Chair', 'c,'))
    await assert.rejects(
      () => tried(own.jo, MODEL, csv('sku,title', 'a,Lamp', 'b,Chair', 'c,Bed', 'd,Door')),
      'sheets.errors.manyRows'
    )
    await assert.rejects(
      () => tried(own.jo, MODEL, csv('sku,title', 'a,Lamp', 'b,', 'c,')),
      'sheets.errors.manyInvalid'
    )
  })

  test('[D3] the page shows why the dry run of a long file failed', async ({ assert, cleanup }) => {
    const { imports: limits } = await adminSite()
    const usual = { ...limits }
    cleanup(() => void Object.assign(limits, usual))
    Object.assign(limits, { invalidRows: 1 })
    const long = Array.from({ length: 60 }, (_, at) => `${at},Lamp,${'x'.repeat(10_000)}`)
    const one = await tried(own.jo, MODEL, csv('sku,title,note', 'a,,', 'b,,', ...long))
    cleanup(await work())
    await untilJob(one.jobId!)

    const page = await get(`/admin/${MODEL}/import/${one.id}`, { headers: { cookie: own.cookie } })
    assert.include(page.text, 'More than 1 rows have errors')
  })

  test('[D3] a job changes nothing if the import was changed after it was started', async ({
    assert,
    cleanup,
  }) => {
    const long = Array.from({ length: 60 }, (_, at) => `${at},Lamp,${'x'.repeat(10_000)}`)
    const inJob = await tried(own.jo, MODEL, csv('sku,title,note', ...long))
    const checked = await tried(own.jo, MODEL, csv('sku,title', 'a,Lamp'))
    const { id } = await run(own.jo, checked)
    await db.from('admin_imports').update({ state: 'columns' })
    cleanup(await work())
    for (const job of [await untilJob(inJob.jobId!), await untilJob(id)]) {
      assert.equal(job.state, 'failed')
      assert.include(job.error, 'The import was changed or run by another job')
    }
    assert.lengthOf(await db.from('import_articles'), 0)
    const [one] = await db.from('admin_imports').where('id', inJob.id)
    assert.deepInclude(one, { state: 'columns', trial: null })
  })

  test('[D3] the list and the file show the errors of all columns of a row, in column order', async ({
    assert,
  }) => {
    const {
      faults: errors,
      faulty: invalid,
      one,
    } = await errorsOf('title,price,count,data,day,sku', `Lamp,dear,1.5,{,2026-02-31,a`, ',5,6,,,b')
    assert.equal(invalid, 2)
    assert.deepEqual(errors, [
      [2, 'price'],
      [2, 'count'],
      [2, 'data'],
      [2, 'day'],
      [3, 'title'],
    ])
    const file = await invalidRows(one)
    const [, first] = file.split('\r\n')
    for (const label of ['Price', 'Count', 'Data', 'Day']) assert.include(first, label)
  })

  test('[D3.24] the message of a value that cannot be read lists the accepted formats', async ({
    assert,
  }) => {
    const { one } = await errorsOf(
      'sku,title,price,count,active,day,at',
      'a,Lamp,five,many,perhaps,the last day,at noon',
      `b,${'x'.repeat(81)},1,1.5,,,`
    )
    const messages = Object.groupBy(one.dryRun!.faults, ({ line }) => line)
    assert.deepEqual(
      messages[2]!.map(({ message }) => message),
      [
        'Price must be a number, written as 1234.5; 1,234.50; 1.234,50 or 1 234,50',
        'Count must be a whole number, written as 1234; 1,234,567 or 1.234.567',
        'Active must be true or false, yes or no, 1 or 0',
        'Day must be a date, written as 2026-01-31; 31.01.2026; 01/31/2026 or 31 Jan 2026',
        'At must be a date and a time, written as 2026-01-31 14:30; 31.01.2026 14:30:15; 01/31/2026 2:30 pm or 2026-01-31T14:30:00+01:00',
      ]
    )
    for (const { message } of messages[3]!) assert.notInclude(message, 'written as')
  })

  test('[D3.24] an import accepts each format that the error message about an invalid value lists', async ({
    assert,
  }) => {
    const { one } = await errorsOf(
      'sku;title;price;count;active;day;at',
      'a;A;1234.5;1234;yes;2026-01-31;2026-01-31 14:30',
      'b;B;1,234.50;1,234,567;no;31.01.2026;31.01.2026 14:30:15',
      'c;C;1.234,50;1.234.567;1;01/31/2026;01/31/2026 2:30 pm',
      'd;D;1 234,50;5;true;31 Jan 2026;2026-01-31T14:30:00+01:00'
    )
    assert.deepEqual(one.dryRun!.faults, [])
  })

  test('[D3] invalid values, missing references and duplicate values of a row are all reported', async ({
    assert,
  }) => {
    await db.table('import_makers').insert({ id: 1, name: 'Acme' })
    await db.table('import_articles').insert({ sku: 'old', title: 'Chair', shelf: 'A', place: 1 })
    const { faults: errors } = await errorsOf(
      'sku,title,price,maker_id,shelf,place',
      'a,Lamp,dear,99,A,1',
      'old,,5,98,,',
      'b,Bed,dear,1,B,1',
      'c,Bed,5,1,B,1'
    )
    assert.deepEqual(errors, [
      [2, 'price'],
      [2, 'maker_id'],
      [2, 'shelf'],
      [2, 'place'],
      [3, 'title'],
      [3, 'maker_id'],
      [4, 'price'],
    ])
  })

  test('[D3] an unknown title or unreadable cell does not prevent errors of other columns from being found', async ({
    assert,
  }) => {
    await db.table('import_articles').insert({ sku: 'old', title: 'Chair' })
    const { faults: errors } = await errorsOf(
      'sku,title,maker,data,count',
      'a,,Nobody,{,many',
      'old,Chair,Nobody,,1'
    )
    assert.deepEqual(errors, [
      [2, 'title'],
      [2, 'maker_id'],
      [2, 'data'],
      [2, 'count'],
      [3, 'maker_id'],
    ])
  })

  test('[D3, D1] the job page links to the skipped rows, with their errors at the time of the run', async ({
    assert,
    cleanup,
  }) => {
    const content = csv('sku,title,shelf,place', 'a,Lamp,,', 'b,,,', 'c,Chair,A,1')
    const one = await tried(own.jo, MODEL, content)
    /* That of the third row exists by now. */
    await db.table('import_articles').insert({ sku: 'old', title: 'Bed', shelf: 'A', place: 1 })
    const { id } = await run(own.jo, one, { skipInvalid: true })
    cleanup(await work())
    const job = await untilJob(id)
    assert.equal(job.state, 'done', job.error ?? '')
    const headers = { cookie: own.cookie }
    const page = await get(`/admin/management/jobs/${id}`, { headers })
    const [, url] = /href="([^"]+\/faulty)"/.exec(page.text) ?? []
    const file = await get(url, { headers })
    assert.equal(file.status, 200)
    const lines = file.text.trim().split('\r\n')
    assert.deepEqual(
      lines.map((line) => line.split(',').slice(0, 3).join()),
      ['sku,title,shelf', 'b,,', 'c,Chair,A']
    )
    await AdminJob.query()
      .where('id', id)
      .update({ result: JSON.stringify({ ...job.result, keptUntil: '2020-01-01T00:00:00Z' }) })
    const later = await get(`/admin/management/jobs/${id}`, { headers })
    assert.notInclude(later.text, '/faulty"')
  })

  test('[D3] a second row with the key of an invalid row has an error at the key', async ({
    assert,
  }) => {
    const { faults: errors } = await errorsOf('sku,title,price', 'a,Lamp,dear', 'a,Lamp,5')
    assert.deepEqual(errors, [
      [2, 'price'],
      [3, 'sku'],
    ])
  })
})
