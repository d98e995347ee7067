import { join } from 'node:path'
import { test } from '@japa/runner'
import app from '@adonisjs/core/services/app'
import type { AdminUser } from '#admin'
import { rm } from 'node:fs/promises'
import { emptyAdminTables, makeUser } from '#tests/helpers/admin'
import { THEMES, Visit } from '#tests/helpers/browser'
import { firstLoad, KB } from '#tests/helpers/first_load'
import { Souvenir } from '#tests/fixtures/widgets'

/* One red pixel */
const PIXEL = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==',
  'base64'
)

test.group('Further widgets, in a browser', (group) => {
  let ada: AdminUser

  group.each.setup(async () => {
    await emptyAdminTables()
    await Souvenir.query().delete()
    ada = await makeUser('ada')
    const folder = join(app.config.get<string>('admin.storageDirectory'), 'Souvenir')
    return () => rm(folder, { recursive: true, force: true })
  })

  test('[K9.6] a form with every widget, and one of 40 columns, stay within the limits of the first load', async ({
    assert,
  }) => {
    for (const name of ['Souvenir', 'WideForm']) {
      const visit = await Visit.begin({ as: ada, fresh: true })
      const { requests, bytes } = await firstLoad(visit.page, `/admin/${name}/create_page`)
      assert.isAtMost(requests, 8, name)
      assert.isAtMost(bytes, 75 * KB, name)
      assert.deepEqual(visit.errors, [])
    }
  })

  test('[R13] buttons and keyboard shortcuts format the selected Markdown text', async ({
    assert,
  }) => {
    const visit = await Visit.begin({ as: ada })
    const { page } = visit
    await page.goto('/admin/Souvenir/create_page')
    const field = page.locator('.markdown-field').first()
    const area = field.locator('textarea')
    await area.fill('one\ntwo')
    await area.press('ControlOrMeta+a')
    await field.getByRole('button', { name: 'List' }).click()
    assert.equal(await area.inputValue(), '- one\n- two')
    await area.fill('word')
    await area.press('ControlOrMeta+a')
    await area.press('Control+b')
    assert.equal(await area.inputValue(), '**word**')
    await field.getByRole('button', { name: 'Link' }).click()
    assert.equal(await area.inputValue(), '**[word](https://)**')
    assert.deepEqual(visit.errors, [])
  })

  test('[R13] tags are chips, a slug follows its source, and Markdown and images have a preview', async ({
    assert,
  }) => {
    const visit = await Visit.begin({ as: ada })
    const { page } = visit
    await page.goto('/admin/Souvenir/create_page')
    const slug = page.locator('#field-slug')
    const slugIs = (value: string) =>
      page.waitForFunction(
        (wanted) => (globalThis as any).document.getElementById('field-slug').value === wanted,
        value
      )

    await page.locator('#field-title').fill('Große Tasse')
    await slugIs('grosse-tasse')
    await slug.fill('by-hand')
    await page.locator('#field-title').fill('Mug')

    const tags = page.locator('#field-tags')
    const chips = page.locator('.form-field', { has: tags }).locator('.tag')
    await tags.pressSequentially('red,')
    await tags.pressSequentially('two words')
    await tags.press('Enter')
    await tags.pressSequentially('red,green,')
    assert.deepEqual(await chips.allInnerTexts(), ['red', 'two words', 'green'])
    await tags.press('Backspace')
    await page.getByRole('button', { name: 'Remove red' }).press('Enter')
    assert.deepEqual(await chips.allInnerTexts(), ['two words'])
    assert.equal(
      await page.evaluate('document.activeElement.getAttribute("aria-label")'),
      'Remove two words'
    )

    await page.locator('#field-body').fill('# Hi\n\n<img src=x onerror=alert(1)>')
    await page.getByRole('button', { name: 'Preview' }).click()
    const preview = page.getByRole('region', { name: 'Preview of Body' })
    await preview.locator('h2').waitFor()
    await page.locator('#field-body').fill('**more**')
    await preview.locator('strong').waitFor()
    assert.equal(await preview.locator('h2, img').count(), 0)

    await page.getByLabel('Choose Colour').fill('#aa0011')
    assert.equal(await page.locator('#field-colour').inputValue(), '#aa0011')
    await page
      .locator('#field-photo')
      .setInputFiles({ name: 'red.png', mimeType: 'image/png', buffer: PIXEL })
    await page.getByRole('img', { name: 'The chosen image' }).waitFor()
    assert.deepEqual(await visit.accessibilityErrors(), [])

    await page.getByRole('button', { name: 'Create' }).click()
    await page.waitForURL(/Souvenir\/(\?.*)?$/)
    const mug = await Souvenir.firstOrFail()
    assert.equal(mug.slug, 'by-hand')
    assert.deepEqual(typeof mug.tags === 'string' ? JSON.parse(mug.tags) : mug.tags, ['two words'])
    assert.equal(mug.body, '**more**')
    assert.equal(mug.colour, '#aa0011')

    await page.goto('/admin/Souvenir/?columns=title,price,tags,colour,photo,body')
    const image = page.getByRole('img', { name: 'Image: Photo' })
    await page.waitForFunction(
      () => (globalThis as any).document.querySelector('.value-image').naturalWidth === 1
    )
    assert.equal(await image.count(), 1)
    assert.deepEqual(visit.errors, [])
  })

  const widths = { 'light-theme': 360, 'dark-theme': 1280 }
  for (const theme of THEMES) {
    const width = widths[theme]
    test(`[R13] the widgets fit their form with ${theme} at ${width} px`, async ({ assert }) => {
      const { id } = await Souvenir.create({
        title: 'Mug',
        slug: 'mug',
        price: 1234.5,
        tags: JSON.stringify(['red', 'a rather long tag that takes its place', 'blue', 'green']),
        body: '# Title\n\n> quoted\n\n```\ncode\n```\n\n| a | b |\n|---|---|\n| 1 | 2 |',
        colour: '#11aa77',
      } as Partial<Souvenir>)
      const visit = await Visit.begin({ as: ada, theme, width })
      const { page } = visit
      await page.goto(`/admin/Souvenir/update/${id}`)
      await page.locator('.tag').first().waitFor()
      await page.getByRole('button', { name: 'Preview' }).click()
      await page.locator('.markdown-preview pre').waitFor()
      assert.equal(await visit.overflow(), 0)
      assert.deepEqual(await visit.accessibilityErrors(), [])
      assert.deepEqual(visit.violations, [])
      await page.goto(`/admin/Souvenir/view/${id}`)
      assert.equal(await visit.overflow(), 0)
      assert.deepEqual(await visit.accessibilityErrors(), [])
    })
  }
})
