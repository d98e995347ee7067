import { test } from '@japa/runner'
import db from '@adonisjs/lucid/services/db'
import { emptyAdminTables, makeUser } from '#tests/helpers/admin'
import { Visit } from '#tests/helpers/browser'
import { Play, Stage } from '#tests/fixtures/stages'

test.group('Lists of referring records, in a browser', () => {
  test('[R4, R16] a form shows the list of referring records, and a record is added from there', async ({
    assert,
  }) => {
    await emptyAdminTables()
    for (const table of ['play_tickets', 'plays', 'stages']) await db.from(table).delete()
    const stage = await Stage.create({ name: 'Globe', town: 'east' })
    await Play.createMany(
      Array.from({ length: 12 }, (_, index) => ({
        title: `Scene ${String(index + 1).padStart(2, '0')}`,
        town: 'east',
        note: 'a note that makes the table wide '.repeat(2),
        secret: 'a text that makes the table wide '.repeat(2),
        stageId: stage.id,
      }))
    )
    const form = `/admin/Stage/update/${stage.id}`
    const visit = await Visit.begin({ as: await makeUser('ada') })
    const { page } = visit
    await page.goto(form)
    const list = page.getByRole('region', { name: 'Plays', exact: true })
    await list.getByText('12 records').waitFor()
    await list.getByRole('link', { name: 'Next' }).click()
    await list.getByText('11–12 of 12').waitFor()
    await list.getByRole('link', { name: 'Title' }).click()
    await list.getByRole('link', { name: 'Scene 01' }).waitFor()
    assert.isTrue(page.url().endsWith(form))

    await list.getByRole('link', { name: 'Add play' }).click()
    await page.waitForURL('**/Play/create_page?**')
    assert.equal(await page.locator('#field-stage_id').inputValue(), String(stage.id))
    await page.locator('#field-title').fill('Epilogue')
    await page.locator('#field-town').fill('east')
    await page.getByRole('button', { name: 'Create' }).click()
    await page.waitForURL(`**${form}#related-plays`)
    await list.getByText('13 records').waitFor()
    assert.include(await page.locator('#flash').innerText(), 'Epilogue')

    await page.goto(`/admin/Stage/view/${stage.id}`)
    await list.getByText('13 records').waitFor()
    for (const width of [360, 1280]) {
      await page.setViewportSize({ width, height: 800 })
      assert.isAtMost(await visit.overflow(), 0, String(width))
    }
    assert.deepEqual(visit.errors, [])
    assert.deepEqual(await visit.accessibilityErrors(), [])
  })
})
