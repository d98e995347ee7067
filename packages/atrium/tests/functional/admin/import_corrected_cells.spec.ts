import { test } from '@japa/runner'
import db from '@adonisjs/lucid/services/db'
import { changedCells } from '#admin/import/corrections'
import { importerOf } from '#admin/import/import_fields'
import { importSpec } from '#admin/import/import_spec'
import { addError, checkedRowOf, noteCells } from '#admin/import/rows/checked_row'
import type AdminImport from '#admin/models/admin_import'
import { ImportArticle, ImportMaker } from '#tests/fixtures/imports'
import { adminSite } from '#tests/helpers/admin'
import { contextFor, csv, imports, invalidRows, run, tried } from '#tests/helpers/imports'
import { withImports } from '#tests/helpers/job_group'
import { untilJob, work } from '#tests/helpers/jobs'
import { workbookOf } from '#tests/helpers/zip_file'

const MODEL = 'ImportArticle'

const row = (...cells: string[]) => `<row>${cells.join('')}</row>`
const text = (value: string) => `<c t="str"><v>${value}</v></c>`

test.group('Admin | corrected cells of files', (group) => {
  group.tap((one) => one.tags(['@database']))
  const own = withImports(group)

  /** Corrects cells by line and field, and validates the rows again. */
  async function corrected(one: AdminImport, texts: Record<string, string>): Promise<AdminImport> {
    const service = await imports()
    const sent = Object.entries(texts).map(([name, value]): [string, string[]] => {
      const [line, field] = name.split(' ')
      return [`cell.${line}.${one.mapping.columns.indexOf(field)}`, [value]]
    })
    await service.correct(one, changedCells(one, new Map(sent)))
    const checked = await service.startDryRun(await contextFor(own.jo), one)
    return (await service.find(checked.id))!
  }

  /** Runs an import to its end. */
  async function performed(one: AdminImport) {
    const { id } = await run(own.jo, one)
    return await untilJob(id)
  }

  function errorsOf({ dryRun }: AdminImport): Array<[number, string | null]> {
    return dryRun!.faults.map(({ field, line }) => [line, field])
  }

  test('[D3.27, D3.F5] corrections are parsed like cells: numbers, dates in the order of their column, titles, JSON, empty cells', async ({
    assert,
    cleanup,
  }) => {
    cleanup(await work())
    const maker = await ImportMaker.create({ name: 'Ash', branch: 1 })
    const first = await tried(
      own.jo,
      MODEL,
      csv(
        'sku,title,price,count,active,day,at,data,maker',
        'a,Lamp,dear,many,perhaps,soon,late,{,Oak',
        'b,Chair,1,1,yes,31/12/2025,,,'
      ),
      {
        columns: Object.fromEntries(
          ['sku', 'title', 'price', 'count', 'active', 'day', 'at', 'data', 'maker_id'].entries()
        ),
        by: { 8: 'title' },
        zone: 'Europe/Berlin',
      }
    )
    assert.lengthOf(first.dryRun!.faults, 7)
    const one = await corrected(first, {
      '2 price': '1.234,50',
      '2 count': '',
      '2 active': 'yes',
      '2 day': '03/04/2026',
      '2 at': '2026-07-01 12:00',
      '2 data': '{"a":1}',
      '2 maker_id': 'Ash',
    })
    assert.deepEqual(errorsOf(one), [])
    await performed(one)
    const lamp = await ImportArticle.findByOrFail('sku', 'a')
    assert.equal(Number(lamp.price), 1234.5)
    assert.isNull(lamp.count)
    assert.isTrue(Boolean(lamp.active))
    assert.equal(lamp.day!.toISODate(), '2026-04-03')
    assert.equal(lamp.at!.toUTC().toISO(), '2026-07-01T10:00:00.000Z')
    assert.equal(lamp.makerId, maker.id)
  })

  test('[D3.27] in XLSX, a correction replaces a cell with an error', async ({
    assert,
    cleanup,
  }) => {
    cleanup(await work())
    const rows = [
      row(text('sku'), text('title'), text('count')),
      row(text('a'), '<c t="e"><v>#N/A</v></c>', '<c><v>1.5</v></c>'),
    ]
    const one = await tried(own.jo, MODEL, workbookOf({ rows: rows.join('') }), { name: 'a.xlsx' })
    assert.deepEqual(errorsOf(one), [
      [2, 'title'],
      [2, 'count'],
    ])
    const some = await corrected(one, { '2 title': 'Lamp' })
    assert.deepEqual(errorsOf(some), [[2, 'count']])
    const all = await corrected(some, { '2 count': '2' })
    await performed(all)
    const { count, title } = await ImportArticle.findByOrFail('sku', 'a')
    assert.deepEqual([title, count], ['Lamp', 2])
  })

  test('[D3.27] in JSON, a correction is a number where the field is one, and empty for null', async ({
    assert,
  }) => {
    const content = JSON.stringify([{ sku: 'a', title: 'x'.repeat(81), count: 1.5, at: [1] }])
    const one = await tried(own.jo, MODEL, content, { name: 'a.json' })
    const checked = await corrected(one, { '1 title': 'Lamp', '1 count': '2', '1 at': '' })
    assert.deepEqual(errorsOf(checked), [])
    const [{ changes }] = checked.dryRun!.preview
    assert.deepInclude(changes, { field: 'count', before: null, after: 2 })
  })

  test('[D3.27] a row whose cells are all emptied by corrections is left out of the import', async ({
    assert,
  }) => {
    const one = await tried(own.jo, MODEL, csv('sku,title', `,${'x'.repeat(81)}`, 'b,Chair'))
    const checked = await corrected(one, { '2 title': '' })
    const { faulty: invalid, new: created } = checked.dryRun!
    assert.deepEqual([created, invalid], [1, 0])
  })

  test("[D3.27] cells of more than 1,000 characters, and JSON values in JSON files, can't be corrected", async ({
    assert,
  }) => {
    const one = await tried(
      own.jo,
      MODEL,
      csv('sku,title', `a,${'x'.repeat(1001)}`, `b,${'y'.repeat(1000)}`)
    )
    assert.deepEqual(
      one.dryRun!.faults.map(({ column }) => column),
      [undefined, 1]
    )
    const site = await adminSite()
    const ctx = await contextFor(own.jo)
    const importer = await importerOf(ctx, site.models.get(MODEL)!)
    const { mapping, shape } = await tried(own.jo, MODEL, '[{"sku":"a","title":"b","data":[1]}]', {
      name: 'a.json',
    })
    const options = { dateOrder: null, zone: 'UTC' }
    const spec = await importSpec(site, importer, shape, { mapping, key: null, options })
    const checkedRow = checkedRowOf({ line: 1, cells: ['a', 'b', [1]] })
    for (const field of ['title', 'data']) addError(checkedRow, field, 'is invalid')
    noteCells(checkedRow, spec)
    assert.deepEqual(
      checkedRow.errors.map(({ cell, column }) => [cell, column]),
      [
        ['b', 1],
        ['[1]', undefined],
      ]
    )
  })

  test('[D3.27] the dry run of a long file with corrections is a job, and its run continues with them', async ({
    assert,
    cleanup,
  }) => {
    cleanup(await work())
    const filler = Array.from({ length: 60 }, (_, at) => `s${at},Lamp,${at},${'x'.repeat(10_000)}`)
    const content = csv('sku,title,count,note', 'a,Lamp,many,', ...filler)
    const first = await tried(own.jo, MODEL, content, { key: null })
    await untilJob(first.jobId!)
    const service = await imports()
    const one = await corrected((await service.find(first.id))!, { '2 count': '7' })
    await untilJob(one.jobId!)
    const ready = (await service.find(one.id))!
    assert.deepEqual([ready.dryRun!.new, ready.dryRun!.faulty], [61, 0])
    const job = await performed(ready)
    assert.containSubset(job.result, { created: 61, skipped: 0 })
    const { count } = await db.from('import_articles').where('sku', 'a').first()
    assert.equal(count, 7)
  })

  test('[D3.27] the downloaded file of invalid rows contains the corrections', async ({
    assert,
  }) => {
    const one = await tried(own.jo, MODEL, csv('sku,title,count,price', 'a,Lamp,many,dear'))
    const checked = await corrected(one, { '2 count': '7' })
    const file = await invalidRows(checked)
    const [, first] = file.split('\r\n')
    assert.match(first, /^a,Lamp,7,dear,/)
  })
})
