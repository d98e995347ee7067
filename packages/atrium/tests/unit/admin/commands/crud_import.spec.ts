import ace from '@adonisjs/core/services/ace'
import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'
import { importByConsole } from '#admin/import/import_by_console'
import CrudExport from '#admin/commands/crud_export'
import CrudImport from '#admin/commands/crud_import'
import { ImportArticle } from '#tests/fixtures/imports'
import { csv, withFile } from '#tests/helpers/imports'
import { adminSite } from '#tests/helpers/admin'
import { onSqlite } from '#tests/helpers/databases'
import { emptyEventTables } from '#tests/helpers/logged_events'
import { workbookOf } from '#tests/helpers/zip_file'

async function run(
  content: string | Uint8Array,
  flags: string[],
  model = 'ImportArticle',
  name = 'rows.csv'
) {
  return await withFile(name, content, async (path) => {
    ace.ui.logger.flushLogs()
    const command = await ace.create(CrudImport, [model, path, ...flags])
    await command.exec()
    const logs = command.logger.getLogs().map(({ message }) => message)
    return { command, logs, json: () => JSON.parse(logs[0]) }
  })
}

test.group('crud:import', (group) => {
  group.tap((one) => one.tags(['@database']))
  group.each.setup(async () => {
    ace.ui.switchMode('raw')
    await db.from('import_articles').delete()
    await emptyEventTables()
    return () => ace.ui.switchMode('normal')
  })

  const skus = async () => {
    const rows = await db.from('import_articles').orderBy('sku')
    return rows.map(({ sku, title }) => `${sku} ${title}`)
  }

  test('[D3] crud:import writes the records as one event, with the command as the actor', async ({
    assert,
  }) => {
    const { command, json } = await run(csv('sku,title', 'a,Lamp', 'b,Forbidden'), ['--json'])
    command.assertSucceeded()
    assert.deepEqual(json(), { new: 2, changed: 0, unchanged: 0, faulty: 0, faults: [] })
    assert.deepEqual(await skus(), ['a Lamp', 'b Forbidden'])
    const events = await db.from('admin_event_log')
    assert.lengthOf(events, 1)
    assert.equal(events[0].event_type, 'IMPORT')
    assert.equal(events[0].username, 'system: crud:import')
    assert.isNull(events[0].ip_address)
    assert.lengthOf(await db.from('admin_audit_log'), 2)

    const again = await run(csv('sku,title', 'a,Lamp', 'b,Chair'), ['--json', '--key=sku'])
    assert.containSubset(again.json(), { new: 0, changed: 1, unchanged: 1 })
  })

  test('[D3] crud:import with invalid rows exits with status 1 and writes nothing, unless it skips them', async ({
    assert,
  }) => {
    const content = csv('sku,title,count', 'a,Lamp,1', 'b,,2', 'c,Chair,many', 'a,Again,1')
    const { command, json } = await run(content, ['--json'])
    command.assertExitCode(1)
    const { faults, ...counts } = json()
    assert.deepEqual(counts, { new: 1, changed: 0, unchanged: 0, faulty: 3 })
    assert.deepEqual(
      faults.map(({ line, field }: { line: number; field: string }) => [line, field]),
      [
        [3, 'title'],
        [4, 'count'],
        [5, 'sku'],
      ]
    )
    assert.deepEqual(await skus(), [])
    assert.lengthOf(await db.from('admin_event_log'), 0)

    const dryRun = await run(content, ['--json', '--dry-run', '--skip-faulty'])
    dryRun.command.assertSucceeded()
    assert.deepEqual(dryRun.json(), json())
    assert.deepEqual(await skus(), [])

    const left = await run(content, ['--skip-faulty'])
    left.command.assertSucceeded()
    assert.deepEqual(await skus(), ['a Lamp'])
    assert.isTrue(
      left.logs.some((line) => line.includes('1 new, 0 changed, 0 unchanged, 3 invalid'))
    )
  })

  const lines = Array.from({ length: 399 }, (_, index) => `s${index},Lamp ${index}`)
  const events = async () => {
    const rows = await db.from('admin_event_log').orderBy('id')
    return rows.map(({ event_type: type, username, details }) => {
      return { type, username, details: JSON.parse(details) }
    })
  }
  const username = 'system: crud:import'

  test('[D3.22] on SQLite a row that can’t be written reverts the parts before it', async ({
    assert,
  }) => {
    await db.table('import_articles').insert({ sku: 's3', title: 'Mine', active: true })
    const content = csv('sku,title', ...lines, 's399,Refused by a hook')
    const { command, json } = await run(content, ['--json', '--key=sku'])
    command.assertExitCode(1)
    assert.containSubset(json(), { new: 0, changed: 0, faulty: 1, faults: [{ line: 401 }] })
    assert.deepEqual(await skus(), ['s3 Mine'])
    const [imported, reverted] = await events()
    assert.containSubset(imported, { type: 'IMPORT', username })
    const { count } = imported.details
    /* The parts before that of the row: how long they are depends on the time that they take. */
    assert.isAtLeast(count, 200)
    assert.isAtMost(count, 399)
    const first = await db.from('admin_event_log').firstOrFail()
    assert.containSubset(reverted, { username, details: { undoes: first.id, count } })
  }).skip(!onSqlite, 'Other databases have one transaction')

  test('[D3.22] on SQLite invalid rows are found before any row is written', async ({ assert }) => {
    const { command, json } = await run(csv('sku,title', ...lines, 's399,'), ['--json'])
    command.assertExitCode(1)
    assert.containSubset(json(), { new: 399, faulty: 1 })
    assert.isEmpty(await events())
  })

  test('[D3.22] on SQLite Ctrl+C reverts what was written, and each part is one transaction', async ({
    assert,
  }) => {
    const parts: number[] = []
    const onProgress = (rows: number) => {
      parts.push(rows)
      if (parts.length === 3) (process.listeners('SIGINT').at(-1) as () => void)()
    }
    const importing = withFile('rows.csv', csv('sku,title', ...lines), async (path) => {
      const options = { dryRun: false, skipInvalid: true, onProgress, planned: () => {} }
      const site = await adminSite()
      await importByConsole(site, { model: 'ImportArticle', path, name: 'rows.csv', ...options })
    })
    await assert.rejects(() => importing, 'The import was stopped: nothing was written')
    assert.lengthOf(parts, 3)
    assert.isBelow(parts[2], 399)
    assert.isEmpty(await skus())
    const logged = await events()
    assert.deepEqual(
      logged.map(({ details }) => details.count),
      [parts[2], parts[2]]
    )
    assert.isEmpty(process.listeners('SIGINT').filter(({ name }) => name === 'stop'))
  }).skip(!onSqlite, 'Other databases have one transaction')

  test('[D3, A7] if the create schema contains the key, keys are imported, and later generated keys are higher', async ({
    assert,
  }) => {
    const content = csv('id,sku,title,parent_id', '70001,a,Lamp,', '70002,b,Chair,70001')
    const { json } = await run(content, ['--json'], 'ImportNumbered')
    assert.containSubset(json(), { new: 2, faulty: 0 })
    const rows = await db.from('import_articles').orderBy('sku')
    assert.deepEqual(
      rows.map(({ id, parent_id: parent }) => [id, parent]),
      [
        [70001, null],
        [70002, 70001],
      ]
    )
    const next = await run(csv('sku,title', 'c,Bed'), ['--json'])
    assert.containSubset(next.json(), { new: 1 })
    await db.from('import_articles').whereNotNull('parent_id').delete()
  })

  test('[D3, A7] if the create schema does not contain the key, keys of the file are left out or refused', async ({
    assert,
  }) => {
    const content = csv('id,sku,title', '70001,a,Lamp')
    const byId = await run(content, ['--json'])
    byId.command.assertExitCode(1)
    assert.containSubset(byId.json(), { new: 0, faulty: 1, faults: [{ line: 2, field: 'id' }] })
    assert.deepEqual(await skus(), [])

    for (const key of ['sku', 'none']) {
      await db.from('import_articles').delete()
      const { command, logs } = await run(content, [`--key=${key}`])
      command.assertSucceeded()
      assert.isTrue(
        logs.some((line) => /left out.*id/i.test(line)),
        logs.join()
      )
      const [row] = await db.from('import_articles')
      assert.equal(row.sku, 'a')
      assert.notEqual(Number(row.id), 70001)
    }
  })

  test('[D3] crud:import --dates sets the order of day and month, and --zone the time zone of times', async ({
    assert,
  }) => {
    const content = csv('sku,title,day,at', 'a,Lamp,3/4/2026,2026-03-29 10:30')
    const { json } = await run(content, ['--json', '--dates=dmy', '--zone=Europe/Berlin'])
    assert.containSubset(json(), { new: 1, faulty: 0 })
    const [article] = await ImportArticle.all()
    assert.equal(article.day!.toISODate(), '2026-04-03')
    assert.equal(article.at!.toUTC().toISO(), '2026-03-29T08:30:00.000Z')

    const order = await run(content, ['--dates=ymd'])
    order.command.assertLogMatches(/Unknown order of dates ymd/, 'stderr')
    const zone = await run(content, ['--zone=Mars/Olympus'])
    zone.command.assertLogMatches(/Unknown time zone Mars\/Olympus/, 'stderr')
  })

  test('[D3] crud:import --heading and --sheet select the row and the sheet to read', async ({
    assert,
  }) => {
    const content = csv('Stock,2026', 'sku,title', 'a,Lamp', 'sku,title')
    const { json } = await run(content, ['--json', '--heading=2'])
    assert.containSubset(json(), { new: 2 })
    assert.deepEqual(await skus(), ['a Lamp', 'sku title'])

    const none = await run(content, ['--heading=9'])
    none.command.assertLogMatches(/The file has no row 9 to be the heading/, 'stderr')
    const cells = (...texts: string[]) =>
      `<row>${texts.map((text) => `<c t="str"><v>${text}</v></c>`).join('')}</row>`
    const book = workbookOf({
      rows: cells('sku', 'title') + cells('b', 'Chair'),
      second: cells('sku', 'title') + cells('c', 'Bed'),
    })
    const sheet = await run(book, ['--json', '--sheet=B'], 'ImportArticle', 'rows.xlsx')
    assert.containSubset(sheet.json(), { new: 1 })
    const unknown = await run(book, ['--sheet=C'], 'ImportArticle', 'rows.xlsx')
    unknown.command.assertLogMatches(/The file has no sheet C. Its sheets are A, B/, 'stderr')
    assert.deepEqual(await skus(), ['a Lamp', 'c Bed', 'sku title'])
  })

  test("[D3] crud:import reports in one line why a file can't be imported", async ({ assert }) => {
    const unknown = await run(csv('sku', 'a'), [], 'Nothing')
    unknown.command.assertExitCode(1)
    unknown.command.assertLogMatches(/Unknown model Nothing; models are/, 'stderr')
    const key = await run(csv('sku,title', 'a,Lamp'), ['--key=title'])
    key.command.assertLogMatches(/Title is not unique, so records cannot be found by it/, 'stderr')
    const required = await run(csv('title', 'Lamp'), [])
    required.command.assertLogMatches(/Sku is required/, 'stderr')
    assert.deepEqual(await skus(), [])
  })

  test('[D3] crud:import prints how it matched columns and records, and the options to change that', async ({
    assert,
  }) => {
    const content = csv('sku,title,colour,size', 'a,Lamp,red,1')
    const found = await run(content, ['--dry-run'])
    assert.deepEqual(found.logs.slice(0, 2), [
      'Left out, as no field has the name: colour and size',
      'Records are found by sku',
    ])
    const all = await run(csv('sku,title', 'a,Lamp'), ['--dry-run', '--key=none'])
    assert.equal(all.logs[0], 'Every row is a new record, as no column finds records')

    const strange = await run(csv('colour,size', 'red,1'), [])
    strange.command.assertLogMatches(
      /no column of ImportArticle: it has colour and size; fields are .*sku, title/,
      'stderr'
    )
    const key = await run(content, ['--key=skew'])
    key.command.assertLogMatches(/Unknown field skew of ImportArticle; fields are .*sku/, 'stderr')
    const many = Array.from({ length: 500 }, (_, index) => `c${index}`)
    const wide = await run(csv(`sku,title,${many}`, `a,Lamp${','.repeat(500)}`), ['--dry-run'])
    assert.match(wide.logs[0], /name: c0, c1, .*c19 and 480 more$/)
    assert.deepEqual(await skus(), [])
  })

  test('[P12] crud:import --help needs no arguments', ({ assert }) => {
    for (const command of [CrudImport, CrudExport]) {
      const parsed = { _: [], args: ['crud:import'], unknownFlags: [], nodeArgs: [] }
      assert.doesNotThrow(() => command.validate({ ...parsed, flags: { help: true } }))
      assert.throws(() => command.validate({ ...parsed, args: [], flags: {} }), /required argument/)
    }
  })
})
