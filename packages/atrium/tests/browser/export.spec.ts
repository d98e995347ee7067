import { readFile } from 'node:fs/promises'
import { test } from '@japa/runner'
import db from '@adonisjs/lucid/services/db'
import { emptyAdminTables, makeUser } from '#tests/helpers/admin'
import { Visit } from '#tests/helpers/browser'

async function makeReels() {
  await db.from('reels').delete()
  await db.from('lenders').delete()
  const created = '2026-01-02 03:04:05'
  const [lender] = await db.table('lenders').insert({ name: 'Ealing', created_at: created })
  const reels = ['Rashomon', 'Ran', 'Ikiru'].map((title, index) => ({
    title,
    worldwide_gross: index * 100,
    lender_id: lender,
    created_at: created,
  }))
  await db.table('reels').multiInsert(reels)
}

test.group('The export dialog, in a browser', (group) => {
  group.each.setup(async () => {
    await emptyAdminTables()
    await makeReels()
  })

  test('[D2] the dialog exports chosen columns of the list as a download, and closes', async ({
    assert,
  }) => {
    const visited = await Visit.begin({ as: await makeUser('ada', { isSuperuser: false }) })
    const { page } = visited
    await page.goto('/admin/Reel/?filter.worldwide_gross__gte=100&sort_by=title&sort_order=asc')
    await page.getByRole('link', { name: 'Export' }).click()
    const dialog = page.getByRole('dialog', { name: 'Export Reels' })
    await dialog.waitFor()
    await dialog.getByText('2 records on all pages of the list').waitFor()
    await dialog.getByRole('radio', { name: 'Chosen' }).check()
    const boxes = dialog.locator('input[name="chosen"]:checked')
    await boxes.first().waitFor()
    for (const name of await boxes.evaluateAll((all) => all.map((box: any) => box.value))) {
      if (name !== 'title') await dialog.locator(`input[name="chosen"][value="${name}"]`).uncheck()
    }
    const downloading = page.waitForEvent('download')
    await dialog.getByRole('button', { name: 'Export', exact: true }).click()
    const download = await downloading
    assert.match(download.suggestedFilename(), /^reels-\d{4}-\d\d-\d\d\.csv$/)
    assert.equal(await readFile(await download.path(), 'utf8'), 'Title\r\nIkiru\r\nRan\r\n')
    await dialog.waitFor({ state: 'hidden' })

    /* The ticked record alone, whose selection stays. */
    await page.locator('input[name="ids"]').last().check()
    await page.locator('.bulk-bar').getByRole('button', { name: 'Export' }).click()
    await dialog.getByText('1 selected record', { exact: true }).waitFor()
    const again = page.waitForEvent('download')
    await dialog.getByRole('button', { name: 'Export', exact: true }).click()
    const second = await again
    const file = await readFile(await second.path(), 'utf8')
    assert.match(file, /\r\n.*Ran.*\r\n$/)
    assert.lengthOf(file.split('\r\n'), 3)
    await dialog.waitFor({ state: 'hidden' })
    assert.isTrue(await page.locator('input[name="ids"]').last().isChecked())
    assert.deepEqual(visited.errors, [])
  })

  test('[D2] the buttons stay at the lower edge of the dialog and cover none of its fields', async ({
    assert,
  }) => {
    const { page } = await Visit.begin({ as: await makeUser('ada'), width: 800 })
    await page.goto('/admin/Reel/')
    await page.getByRole('link', { name: 'Export' }).click()
    await page.locator('#list-panel form').waitFor()
    const gaps: any = await page.evaluate(`(() => {
      const dialog = document.getElementById('list-panel')
      const at = (place) => dialog.querySelector(place).getBoundingClientRect()
      const edge = () => dialog.getBoundingClientRect().bottom - at('.panel-actions').bottom
      const before = edge()
      dialog.scrollTop = dialog.scrollHeight
      return { before, after: edge(), above: at('.panel-actions').top - at('.export-options').bottom }
    })()`)
    assert.isAtMost(gaps.before, 1)
    assert.isAtMost(gaps.after, 1)
    assert.isAtLeast(gaps.above, 8)
  })
})
