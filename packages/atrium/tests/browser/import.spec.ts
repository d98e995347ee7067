import { createWriteStream } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from '@japa/runner'
import db from '@adonisjs/lucid/services/db'
import { sheetWriter } from '#admin/sheets/sheet_writer'
import { leaveModels, emptyAdminTables, makeUser } from '#tests/helpers/admin'
import { Visit } from '#tests/helpers/browser'
import { emptyImportTables } from '#tests/helpers/import_forms'
import { emptyJobTables, work } from '#tests/helpers/jobs'
import { emptyEventTables } from '#tests/helpers/logged_events'
import { Play, Stage } from '#tests/fixtures/stages'

type Row = Array<string | number | null>

const HEADING = ['id', 'title', 'town', 'stage']

test.group('File imports, in a browser', (group) => {
  let folder: string
  let hamlet: Play
  group.setup(() => leaveModels('Play', 'Stage', 'Ticket'))

  group.each.setup(async () => {
    await emptyAdminTables()
    await emptyEventTables()
    await emptyJobTables()
    await emptyImportTables()
    for (const table of ['play_tickets', 'plays', 'stages']) await db.from(table).delete()
    const globe = await Stage.create({ name: 'Globe', town: 'east' })
    hamlet = await Play.create({ title: 'Hamlet', town: 'east', stageId: globe.id })
    folder = await mkdtemp(join(tmpdir(), 'atrium-import-'))
    return () => rm(folder, { recursive: true, force: true })
  })

  async function sheet(rows: Row[]): Promise<string> {
    const path = join(folder, 'plays.xlsx')
    const writer = sheetWriter('xlsx', createWriteStream(path), { columns: HEADING })
    for (const row of rows) await writer.write(row)
    await writer.end()
    return path
  }

  async function csv(rows: Row[]): Promise<string> {
    const path = join(folder, 'plays.csv')
    await writeFile(path, [HEADING, ...rows].map((row) => row.join(';')).join('\r\n'))
    return path
  }

  async function titles(): Promise<string[]> {
    const rows = await Play.query().orderBy('id')
    return rows.map(({ title }) => title)
  }

  test('[D3, R7] a sheet is uploaded, checked and imported by a job, and the import is undone; every page is accessible', async ({
    assert,
    cleanup,
  }) => {
    cleanup(await work())
    const visit = await Visit.begin({ as: await makeUser('ada') })
    const { page } = visit
    const look = async () => {
      for (const width of [360, 1280]) {
        await page.setViewportSize({ width, height: 800 })
        assert.isAtMost(await visit.overflow(), 0, `${page.url()} at ${width}`)
      }
      assert.deepEqual(await visit.accessibilityErrors(), [], page.url())
    }
    const file = await sheet([
      [hamlet.id, 'Prince', 'east', 'Globe'],
      [null, 'Macbeth', 'west', null],
      [null, 'Lear', 'west', 'Swan'],
    ])

    await page.goto('/admin/Play/')
    await page.getByRole('link', { name: 'Import', exact: true }).click()
    await page.waitForURL('**/Play/import')
    await look()
    const input = page.getByLabel('File to import')
    await input.evaluate((element: any) => {
      const { DataTransfer, DragEvent, File } = element.ownerDocument.defaultView
      const dropped = new DataTransfer()
      dropped.items.add(new File([new Uint8Array(101 * 1024 * 1024)], 'large.csv'))
      const event = { dataTransfer: dropped, bubbles: true, cancelable: true }
      element.closest('.import-drop').dispatchEvent(new DragEvent('drop', event))
    })
    await page.getByRole('button', { name: 'Upload and continue' }).click()
    await page.getByText('The file exceeds 100 MB').waitFor()
    assert.match(page.url(), /\/Play\/import$/)
    await input.setInputFiles(file)
    await page.getByRole('button', { name: 'Upload and continue' }).click()

    await page.waitForURL('**/Play/import/*')
    const title = page.getByRole('combobox', { name: 'title', exact: true })
    assert.equal(await title.inputValue(), 'title')
    assert.equal(await page.getByLabel('Find existing records by').inputValue(), 'id')
    const missing = page.getByText('No column is chosen for Title')
    await title.selectOption('')
    await missing.waitFor()
    await title.selectOption('title')
    await missing.waitFor({ state: 'hidden' })
    await page.getByRole('combobox', { name: 'stage' }).selectOption('stage_id:title')
    await look()
    await page.getByRole('button', { name: 'Preview', exact: true }).click()

    await page.getByText('Import 2 rows, leave out 1').waitFor()
    assert.include(await page.getByRole('table', { name: '1 invalid row' }).innerText(), 'Swan')
    await look()
    await page.getByRole('navigation', { name: 'Steps' }).getByText('Columns').click()
    await page.getByRole('button', { name: 'Preview', exact: true }).click()
    await page.getByRole('button', { name: 'Import 2 rows' }).click()

    await page.waitForURL('**/management/jobs/*')
    await page.locator('.job-state', { hasText: 'Done' }).waitFor()
    assert.deepEqual(await titles(), ['Prince', 'Macbeth'])
    await look()
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByRole('heading', { name: 'Undo job' }).waitFor()
    await page.locator('.job-state', { hasText: 'Done' }).waitFor()
    assert.deepEqual(await titles(), ['Hamlet'])
    assert.deepEqual(visit.errors, [])
  })

  test('[D3] without JavaScript in the dark theme, a CSV file is imported, and an unfinished import is continued', async ({
    assert,
    cleanup,
  }) => {
    cleanup(await work())
    const visit = await Visit.begin({
      as: await makeUser('ada'),
      javaScript: false,
      theme: 'dark-theme',
    })
    const { page } = visit
    await page.goto('/admin/Play/import')
    await page.getByLabel('File to import').setInputFiles(
      await csv([
        ['', 'Macbeth', 'west', 'Globe'],
        ['', 'Lear', 'west', ''],
      ])
    )
    await page.getByRole('button', { name: 'Upload and continue' }).click()
    await page.waitForURL('**/Play/import/*')
    assert.include(await page.locator('.import-shape').innerText(), 'semicolon')
    await page.goto('/admin/Play/import')
    await page.getByRole('link', { name: 'plays.csv', exact: true }).click()
    await page.getByRole('combobox', { name: 'stage' }).selectOption('stage_id:title')
    await page.getByLabel('Find existing records by').selectOption('')
    await page.getByRole('combobox', { name: 'id', exact: true }).selectOption('')
    await page.getByRole('button', { name: 'Preview', exact: true }).click()
    await page.getByRole('button', { name: 'Import 2 rows' }).click()
    await page.waitForURL('**/management/jobs/*')
    /* It renews itself. */
    await page.locator('.job-state', { hasText: 'Done' }).waitFor()
    assert.deepEqual(await titles(), ['Hamlet', 'Macbeth', 'Lear'])
    await page.getByRole('link', { name: 'Open the plays' }).click()
    await page.getByRole('link', { name: 'Macbeth' }).waitFor()
    assert.deepEqual(visit.errors, [])
  })

  test('[D3.27, D3.28, R7] invalid cells are corrected on the preview, with and without JavaScript', async ({
    assert,
    cleanup,
  }) => {
    cleanup(await work())
    const as = await makeUser('ada')
    const rows = [
      ['', 'Macbeth', 'west', 'Globe'],
      ['', 'Lear', 'west', 'Swan'],
      ['', '', 'east', 'Rose'],
    ]
    for (const javaScript of [true, false]) {
      await db.from('plays').delete()
      const visit = await Visit.begin({ as, javaScript, theme: 'dark-theme' })
      const { page } = visit
      await page.goto('/admin/Play/import')
      await page.getByLabel('File to import').setInputFiles(await csv(rows))
      await page.getByRole('button', { name: 'Upload and continue' }).click()
      await page.getByRole('combobox', { name: 'stage' }).selectOption('stage_id:title')
      await page.getByLabel('Find existing records by').selectOption('')
      await page.getByRole('combobox', { name: 'id', exact: true }).selectOption('')
      await page.getByRole('button', { name: 'Preview', exact: true }).click()

      const stage = page.getByRole('textbox', { name: 'Stage, line 3' })
      await stage.fill('Globe')
      await stage.press('Enter')
      await page.getByText('1 corrected value').waitFor()
      await page.getByRole('textbox', { name: 'Title, line 4' }).fill('Othello')
      if (javaScript) {
        const asked = page.waitForEvent('dialog')
        const left = page.getByRole('link', { name: 'Change columns' }).click({ noWaitAfter: true })
        const dialog = await asked
        assert.equal(dialog.type(), 'beforeunload')
        await dialog.dismiss()
        await left
      }
      await page.getByRole('textbox', { name: 'Stage, line 4' }).fill('Globe')
      await page.getByRole('button', { name: 'Import 2 rows' }).click()
      await page.getByText('Nothing was imported yet: 2 corrections were saved').waitFor()
      await page.getByText('3 corrected values').click()
      for (const width of [360, 1280]) {
        await page.setViewportSize({ width, height: 800 })
        assert.isAtMost(await visit.overflow(), 0, `${javaScript} at ${width}`)
      }
      if (javaScript) assert.deepEqual(await visit.accessibilityErrors(), [])
      await page.getByRole('button', { name: 'Import 3 rows' }).click()
      await page.locator('.job-state', { hasText: 'Done' }).waitFor()
      assert.deepEqual(await titles(), ['Macbeth', 'Lear', 'Othello'])
      assert.deepEqual(visit.errors, [])
    }
  })
})
