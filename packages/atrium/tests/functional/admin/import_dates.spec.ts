import { test } from '@japa/runner'
import db from '@adonisjs/lucid/services/db'
import { inZone } from '#admin/time/time_zone'
import { ImportArticle } from '#tests/fixtures/imports'
import { cookiesOf, sendForm } from '#tests/helpers/admin'
import { get } from '#tests/helpers/http'
import { beginImport, chooseColumns } from '#tests/helpers/import_forms'
import { csv, run, tried } from '#tests/helpers/imports'
import { withImports } from '#tests/helpers/job_group'
import { untilJob, work } from '#tests/helpers/jobs'

const MODEL = 'ImportArticle'

const articles = async () => {
  const found = await ImportArticle.query().orderBy('sku')
  return found.map(({ day, at }) => [day?.toISODate() ?? null, at?.toUTC().toISO() ?? null])
}

test.group('Admin | importing dates and times', (group) => {
  group.tap((one) => one.tags(['@database']))
  const own = withImports(group)

  test('[D3] day and month of a column are read in the order that fits all its values, in the preview and in the run', async ({
    assert,
    cleanup,
  }) => {
    const content = csv(
      'sku,title,day,at',
      'a,Lamp,03/04/2026,3/4/26 10:00',
      'b,Chair,Jan 1 2000,4/13/26 10:00',
      'c,Table,31/12/2026,"Mar 31, 2024 1:05 PM"',
      'd,Bed,31-Mar-24,2026-01-02 03:04'
    )
    const one = await tried(own.jo, MODEL, content)

    assert.equal(one.dryRun!.faulty, 0)
    assert.deepEqual(one.dryRun!.dates, [
      {
        field: 'day',
        order: 'dmy',
        isAmbiguous: false,
        example: { text: '31/12/2026', line: 4 },
        toldBy: 'example',
      },
      {
        field: 'at',
        order: 'mdy',
        isAmbiguous: false,
        example: { text: '4/13/26 10:00', line: 3 },
        toldBy: 'example',
      },
    ])
    const { id } = await run(own.jo, one)
    cleanup(await work())
    const job = await untilJob(id)
    assert.equal(job.state, 'done')
    assert.deepEqual(await articles(), [
      ['2026-04-03', '2026-03-04T10:00:00.000Z'],
      ['2000-01-01', '2026-04-13T10:00:00.000Z'],
      ['2026-12-31', '2024-03-31T13:05:00.000Z'],
      ['2024-03-31', '2026-01-02T03:04:00.000Z'],
    ])
  })

  test('[D3] ambiguous dates are refused with both readings until the order is selected', async ({
    assert,
  }) => {
    const content = csv('sku,title,day', 'a,Lamp,03/04/2026', 'b,Chair,5/5/2026', 'c,Bed,1/2/2026')
    const one = await tried(own.jo, MODEL, content)
    const chosen = await tried(own.jo, MODEL, content, { dateOrder: 'mdy' })

    assert.deepInclude(one.dryRun!.dates![0], { order: null, isAmbiguous: true })
    assert.deepEqual(
      one.dryRun!.faults.map(({ field, line, message }) => [field, line, message]),
      [
        [
          'day',
          2,
          'Day could be 2026-04-03 or 2026-03-04: choose the order of day, month and year',
        ],
        [
          'day',
          4,
          'Day could be 2026-02-01 or 2026-01-02: choose the order of day, month and year',
        ],
      ]
    )
    assert.equal(chosen.dryRun!.faulty, 0)
    assert.equal(chosen.dryRun!.preview[0].changes.at(-1)!.after, '2026-03-04')
  })

  test('[D3, R12] times are read in the time zone of the user, which both pages name', async ({
    assert,
    cleanup,
  }) => {
    const cookie = await cookiesOf(own.jo)
    cleanup(
      async () => void (await db.from('admin_preferences').where('user_id', own.jo.id).delete())
    )
    await sendForm('/admin/account/preferences', { time_zone: 'Europe/Berlin' }, { cookie })
    const content = csv('sku,title,at', 'a,Lamp,2026-03-29 10:30', 'b,Bed,2026-03-29 10:30Z')
    const url = await beginImport(MODEL, content, cookie)
    const columns = await get(url, { headers: { cookie } })
    await chooseColumns(url, ['sku', 'title', 'at'], cookie)
    const dryRun = await get(url, { headers: { cookie } })
    await chooseColumns(url, ['sku', 'title', 'at'], cookie, { zone: 'UTC' })
    const inUtc = await get(url, { headers: { cookie } })

    assert.match(columns.text, /name="zone".*?value="Europe\/Berlin" selected/s)
    assert.include(dryRun.text, 'Times without a time zone are read in Europe/Berlin')
    assert.include(inUtc.text, 'Times without a time zone are read in UTC')
  })

  test('[D3, R12] times in a time zone are stored in UTC, and a time that the zone skips is invalid', async ({
    assert,
    cleanup,
  }) => {
    const content = csv('sku,title,at', 'a,Lamp,2026-03-29 10:30', 'b,Bed,45382.4375')
    const skipped = csv('sku,title,at', 'a,Lamp,2026-03-29 02:30')
    const inBerlin = (rows: string) =>
      inZone('Europe/Berlin', () => tried(own.jo, MODEL, rows, { dateOrder: null }))
    const one = await inBerlin(content)
    const { id } = await run(own.jo, one)
    cleanup(await work())
    await untilJob(id)
    const stored = await articles()

    assert.deepEqual(
      stored.map(([, at]) => at),
      ['2026-03-29T08:30:00.000Z', '2024-03-31T08:30:00.000Z']
    )
    const { dryRun } = await inBerlin(skipped)
    assert.match(dryRun!.faults[0].message, /time that exists in Europe\/Berlin/)
  })

  test('[D2, R12] an export of a user in another time zone names UTC, and is imported unchanged', async ({
    assert,
    cleanup,
  }) => {
    await db.table('import_articles').insert({ sku: 'a', title: 'Lamp', at: '2026-03-29 08:30:00' })
    const cookie = await cookiesOf(own.jo)
    cleanup(
      async () => void (await db.from('admin_preferences').where('user_id', own.jo.id).delete())
    )
    const url = `/admin/${MODEL}/export?format=csv&columns=sku,title,at`
    const plain = await get(url, { headers: { cookie } })
    await sendForm('/admin/account/preferences', { time_zone: 'Europe/Berlin' }, { cookie })
    const marked = await get(url, { headers: { cookie } })
    const one = await inZone('Europe/Berlin', () => tried(own.jo, MODEL, marked.text))

    assert.include(plain.text, 'a,Lamp,2026-03-29 08:30:00\r\n')
    assert.include(marked.text, 'a,Lamp,2026-03-29 08:30:00Z\r\n')
    assert.equal(one.dryRun!.unchanged, 1)
  })
})
