import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from '@japa/runner'
import app from '@adonisjs/core/services/app'
import db from '@adonisjs/lucid/services/db'
import type { AdminUser } from '#admin'
import { emptyAdminTables, makeUser } from '#tests/helpers/admin'
import { Visit } from '#tests/helpers/browser'
import { PNG } from '#tests/helpers/images'
import { Gallery, Picture } from '#tests/fixtures/files'

const file = (name: string, buffer = Buffer.from(name)) => ({ name, mimeType: '', buffer })
const png = (name: string) => ({ name, mimeType: 'image/png', buffer: PNG })

test.group('Files in rows of a form, in a browser', (group) => {
  let ada: AdminUser

  group.each.setup(async () => {
    await emptyAdminTables()
    for (const table of ['gallery_pictures', 'gallery_signs', 'galleries']) {
      await db.from(table).delete()
    }
    ada = await makeUser('ada')
    const folder = app.config.get<string>('admin.storageDirectory')
    return async () => {
      for (const name of ['Picture', '.owners', '.uploads']) {
        await rm(join(folder, name), { recursive: true, force: true })
      }
    }
  })

  test('[R2, files] chosen and dropped files become rows with a preview or an error, which can be removed and moved', async ({
    assert,
  }) => {
    const visit = await Visit.begin({ as: ada })
    const { page } = visit
    await page.goto('/admin/Gallery/create_page')
    await page.locator('#field-title').fill('Trip')
    const inline = page.locator('#inline-pictures')
    const rows = inline.locator('.inline-row')
    await inline
      .locator('[data-inline-files]')
      .setInputFiles([png('a.png'), file('big.txt', Buffer.alloc(2000, 97)), file('b.txt')])
    await rows.nth(1).getByText('The file is larger than 1 KB.').waitFor()
    await rows.nth(0).locator('canvas').waitFor()
    assert.equal(await rows.count(), 3)
    await rows.nth(1).getByRole('button', { name: 'Remove, 2' }).click()

    const dropped = await page.evaluateHandle(`(() => {
      const data = new DataTransfer()
      for (const name of ['c.txt', 'd.txt']) data.items.add(new File([name], name))
      return data
    })()`)
    await inline.dispatchEvent('drop', { dataTransfer: dropped })
    await rows.nth(4).getByText('d.txt', { exact: true }).waitFor()
    await rows.nth(4).getByRole('button', { name: 'Move row 5 up' }).click()
    await page.getByLabel('Caption, row 1').fill('First')
    await page.getByRole('button', { name: 'Create' }).click()
    await page.waitForURL(/Gallery\/?(\?|$)/)

    const { id } = await Gallery.firstOrFail()
    await page.goto(`/admin/Gallery/update/${id}`)
    const names = () => inline.locator('.files-name').allInnerTexts()
    assert.deepEqual(await names(), ['a.png', 'b.txt', 'd.txt', 'c.txt'])
    const [{ caption, image }] = await Picture.query().orderBy('position')
    assert.equal(caption, 'First')

    /* A new file replaces the one of the row. */
    await rows.nth(0).getByRole('button', { name: 'Remove a.png' }).click()
    await rows.nth(0).locator('input[type="file"]').setInputFiles(png('new.png'))
    await page.getByRole('button', { name: 'Save changes' }).click()
    await page.waitForURL(/Gallery\/?(\?|$)/)
    const [first] = await Picture.query().orderBy('position')
    assert.notEqual(first.image, image)
    assert.deepEqual(visit.errors, [])
  })
})
