import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from '@japa/runner'
import app from '@adonisjs/core/services/app'
import type { AdminUser } from '#admin'
import { emptyAdminTables, makeUser } from '#tests/helpers/admin'
import { Visit } from '#tests/helpers/browser'
import { PNG } from '#tests/helpers/images'
import { Album } from '#tests/fixtures/files'

const file = (name: string, buffer = Buffer.from(name)) => ({ name, mimeType: '', buffer })
const png = (name: string) => ({ name, mimeType: 'image/png', buffer: PNG })

test.group('Lists of files, in a browser', (group) => {
  let ada: AdminUser

  group.each.setup(async () => {
    await emptyAdminTables()
    await Album.query().delete()
    ada = await makeUser('ada')
    const folder = app.config.get<string>('admin.storageDirectory')
    return async () => {
      for (const name of ['Album', '.owners', '.uploads']) {
        await rm(join(folder, name), { recursive: true, force: true })
      }
    }
  })

  test('[files] files are uploaded one by one, and a refused file does not affect the others', async ({
    assert,
  }) => {
    const visit = await Visit.begin({ as: ada })
    const { page } = visit
    await page.goto('/admin/Album/create_page')
    await page.locator('#field-title').fill('Trip')
    const field = page.locator('.form-field', { has: page.locator('#field-photos') })
    const items = field.locator('.files-item')
    const names = () => field.locator('.files-name').allInnerTexts()
    await page
      .locator('#field-photos')
      .setInputFiles([png('a.png'), file('big.txt', Buffer.alloc(2000, 97)), file('b.txt')])
    await field.getByText('The file is larger than 1 KB.').waitFor()
    await page
      .locator('#field-photos')
      .setInputFiles([file('page.html', Buffer.from('<p>')), png('c.png')])
    await field.getByText('Invalid file extension html').waitFor()
    await items.nth(0).locator('canvas').waitFor()
    await field.getByRole('button', { name: 'Remove big.txt' }).click()
    await field.getByRole('button', { name: 'Remove page.html' }).click()
    assert.deepEqual(await names(), ['a.png', 'b.txt', 'c.png'])

    await field.getByRole('button', { name: 'Move c.png up' }).press('Enter')
    assert.deepEqual(await names(), ['a.png', 'c.png', 'b.txt'])
    assert.equal(
      await field.locator('.files > [role="status"]').innerText(),
      'c.png is at position 2'
    )
    const [handle, first] = [items.nth(2).locator('.files-handle'), items.nth(0)]
    await handle.hover()
    await page.mouse.down()
    const box = await first.boundingBox()
    await page.mouse.move(box!.x + 10, box!.y + 4, { steps: 4 })
    await page.mouse.up()
    assert.deepEqual(await names(), ['b.txt', 'a.png', 'c.png'])
    await page.getByRole('button', { name: 'Create' }).click()
    await page.waitForURL(/Album\/?(\?|$)/)

    const { id, photos } = await Album.firstOrFail()
    const keys = typeof photos === 'string' ? JSON.parse(photos) : photos
    assert.lengthOf(keys, 3)
    await page.goto(`/admin/Album/update/${id}`)
    assert.deepEqual(await names(), ['b.txt', 'a.png', 'c.png'])
    await field.getByRole('button', { name: 'Remove a.png' }).click()
    await field.getByRole('button', { name: 'Keep, a.png' }).click()
    await field.getByRole('button', { name: 'Remove b.txt' }).click()
    await page.getByRole('button', { name: 'Save changes' }).click()
    await page.waitForURL(/Album\/?(\?|$)/)
    const { photos: now } = await Album.firstOrFail()
    assert.deepEqual(typeof now === 'string' ? JSON.parse(now) : now, keys.slice(1))
    /* The browser reports the file that was refused. */
    const others = visit.errors.filter((error) => !error.includes('status of 422'))
    assert.deepEqual(others, [])
  })
})
