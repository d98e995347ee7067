/*
 * A product is made in the browser, as people do it.
 */
import app from '@adonisjs/core/services/app'
import { test } from '@japa/runner'
import { chromium, type Browser } from 'playwright-core'
import { AdminSite } from 'adonis-atrium/admin'
import { adminPath, makeAdmin, removeCreated } from 'adonis-atrium/testing'
import Product from '#models/product'

/* One red pixel */
const PIXEL =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=='

const photo = (name: string) => ({
  name,
  mimeType: 'image/png',
  buffer: Buffer.from(PIXEL, 'base64'),
})

test.group('Products in the browser', (group) => {
  let browser: Browser

  group.setup(async () => {
    const { findChromium } = await import(app.makeURL('scripts/chromium.js').href)
    browser = await chromium.launch({ executablePath: findChromium(), args: ['--no-sandbox'] })
    return () => browser.close()
  })
  group.each.setup(removeCreated)

  /** A page of a logged-in user. */
  async function signedInPage() {
    const site = await app.container.make(AdminSite)
    const header = await site.adminAuthentication.cookieHeader(await makeAdmin())
    const url = `http://${process.env.HOST}:${process.env.PORT}`
    const context = await browser.newContext({ baseURL: url })
    const pairs = header.split('; ').map((pair) => pair.split('='))
    await context.addCookies(pairs.map(([name, value]) => ({ name, value, url })))
    return await context.newPage()
  }

  test('a saved product is shown in the list, with its photos in order', async ({ assert }) => {
    const page = await signedInPage()
    await page.goto(await adminPath('/Product/create_page'))
    await page.getByLabel('Name').fill('Desk lamp')
    await page.getByLabel('Description').fill('Warm light')
    await page.getByLabel('Category').fill('Lamps')
    await page.getByLabel('Price').fill('19.50')
    await page.locator('input[type="file"]').setInputFiles([photo('front.png'), photo('back.png')])
    await page.getByRole('button', { name: 'Move back.png up' }).click()
    await page.getByRole('button', { name: 'Create', exact: true }).click()
    await page.getByText('Desk lamp').first().waitFor()

    const product = await Product.findByOrFail('name', 'Desk lamp')
    assert.equal(Number(product.price), 19.5)
    await page.goto(await adminPath(`/Product/update/${product.id}`))
    assert.deepEqual(await page.locator('.files-name').allInnerTexts(), ['back.png', 'front.png'])
    assert.equal(await page.locator('.files-preview img').count(), 2)
    await page.goto(await adminPath('/Product/?search=lamp'))
    await page.getByRole('link', { name: 'Desk lamp' }).waitFor()
  })
})
