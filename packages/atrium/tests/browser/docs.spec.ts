import app from '@adonisjs/core/services/app'
import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'
import type { Locator, Page } from 'playwright-core'
import { TokenAuthorizer } from '#admin/authentication/access_tokens/api_guard'
import { useTokenAuthorizer } from '#crud'
import { emptyAdminTables, makeUser } from '#tests/helpers/admin'
import { Visit } from '#tests/helpers/browser'
import { get } from '#tests/helpers/http'
import { issueToken } from '#tests/helpers/tokens'

/* Shows few of the hundreds of test models, with the schemas that they need, as Swagger UI would take
 * seconds for all. */
const SHOWN = /^\/api\/(utensils|openapi-wares)\b/

async function visitDocs(options?: Parameters<typeof Visit.begin>[0]) {
  const visit = await Visit.begin(options)
  await visit.page.route('**/api/openapi.json', async (route) => {
    const response = await route.fetch()
    if (!response.ok()) return await route.fulfill({ response })
    const document = await response.json()
    const paths = Object.entries(document.paths).filter(([path]) => SHOWN.test(path))
    const json = withoutUnused({ ...document, paths: Object.fromEntries(paths) })
    await route.fulfill({ response, json })
  })
  return visit
}

/** The document without components that nothing refers to. */
function withoutUnused(document: any) {
  const used = new Set<string>()
  const note = (part: unknown) => {
    for (const [, kind, name] of JSON.stringify(part).matchAll(
      /"#\/components\/(\w+)\/([^"]+)"/g
    )) {
      if (used.has(`${kind}/${name}`)) continue
      used.add(`${kind}/${name}`)
      note(document.components[kind][name])
    }
  }
  note(document.paths)
  const components = Object.entries<object>(document.components).map(([kind, all]) => [
    kind,
    kind === 'securitySchemes'
      ? all
      : Object.fromEntries(Object.entries(all).filter(([name]) => used.has(`${kind}/${name}`))),
  ])
  return { ...document, components: Object.fromEntries(components) }
}

/** Opens an operation: the first one by its link, others in the same page. */
async function open(page: Page, tag: string, id: string) {
  const operation = page.locator(`#operations-${tag}-${id}`)
  if (await operation.count()) await operation.locator('.opblock-summary-control').click()
  else await page.goto(`/docs#/${tag}/${id}`)
  await operation.locator('button.execute').waitFor({ timeout: 30_000 })
  return operation
}

/** Executes the operation and waits for the response. */
async function execute(operation: Locator) {
  await operation.locator('button.execute').click()
  const status = operation.locator('.live-responses-table .response-col_status').last()
  await status.waitFor({ timeout: 30_000 })
  return await status.innerText()
}

test.group('The page of the API, in a browser', (group) => {
  /* Fills the cache of compressed assets, which is filled on first request. */
  group.setup(async () => {
    await get('/docs')
    await get('/api/openapi.json')
  })
  group.each.setup(async () => {
    await emptyAdminTables()
    await db.from('utensils').delete()
    await db.from('openapi_wares').delete()
    const config = app.config.get<object>('crud')
    const before = useTokenAuthorizer(new TokenAuthorizer())
    return async () => {
      app.config.set('crud', config)
      useTokenAuthorizer(before)
      await db.from('utensils').delete()
      await db.from('openapi_wares').delete()
    }
  })

  test('[Q1] the API page can create, read and update a utensil', async ({ assert }) => {
    const visit = await visitDocs()
    const { page } = visit
    const create = await open(page, 'Utensils', 'createUtensil')
    assert.match(await execute(create), /^201/)
    const [utensil] = await db.from('utensils')
    assert.equal(utensil.name, 'Desk lamp')

    const list = await open(page, 'Utensils', 'listUtensils')
    await list.getByPlaceholder('name', { exact: true }).fill('Desk lamp')
    assert.match(await execute(list), /^200/)
    assert.include(await list.locator('.live-responses-table').innerText(), '"total_count": 1')

    const update = await open(page, 'Utensils', 'updateUtensil')
    await update.getByPlaceholder('id', { exact: true }).fill(String(utensil.id))
    await update.locator('textarea').fill('{"price": 35}')
    assert.match(await execute(update), /^200/)
    const [changed] = await db.from('utensils')
    assert.equal(changed.price, 35)
    assert.deepEqual(visit.errors, [])
  })

  test('[Q1, P10] authorizing with a token unlocks protected operations', async ({ assert }) => {
    const { token } = await issueToken(await makeUser('ada'))
    const visit = await visitDocs()
    const { page } = visit
    const create = await open(page, 'Ware', 'createWare')
    await page.getByRole('button', { name: 'Authorize' }).first().click()
    await page.locator('.auth-container input').fill(token)
    await page.locator('.auth-container').getByRole('button', { name: 'Apply' }).click()
    await page.locator('.close-modal').click()

    await create.locator('textarea').fill('{"name": "Drill"}')
    assert.match(await execute(create), /^201/)
    assert.deepEqual(visit.errors, [])
    /* The token must not be stored anywhere. */
    assert.notInclude(await page.evaluate('JSON.stringify({ ...localStorage })'), token)
  })

  test('[Q1] the page prompts for a token if the schema requires one', async ({ assert }) => {
    const { openapi, docs, ...config } = app.config.get<any>('crud')
    app.config.set('crud', {
      ...config,
      openapi: { ...openapi, access: 'token' },
      docs: { ...docs, access: 'token' },
    })
    const { token } = await issueToken(await makeUser('ada'))
    const visit = await visitDocs()
    const { page } = visit
    await page.goto('/docs')
    await page.getByLabel('Token').fill('oat_wrong')
    await page.getByRole('button', { name: 'Show the API' }).click()
    await page.getByText('This token is not valid.').waitFor({ timeout: 30_000 })
    assert.equal(await page.locator('.opblock').count(), 0)

    await page.getByLabel('Token').fill(token)
    await page.getByRole('button', { name: 'Show the API' }).click()
    await page.locator('#operations-Utensils-listUtensils').waitFor({ timeout: 30_000 })
    assert.equal(await page.getByLabel('Token').count(), 0)
    assert.deepEqual(
      visit.errors.filter((error) => !error.includes('401')),
      []
    )
  })

  test('[Q1] the page fits windows of 360 and 1280 pixels, light and dark', async ({ assert }) => {
    const visit = await visitDocs()
    const { page } = visit
    const fits = async () => {
      for (const width of [1280, 360]) {
        await page.setViewportSize({ width, height: 800 })
        assert.equal(await visit.overflow(), 0, String(width))
      }
    }
    await page.emulateMedia({ colorScheme: 'dark' })
    await open(page, 'Utensils', 'createUtensil')
    await fits()
    assert.include(await visit.theme(), 'dark-mode')

    await page.getByRole('button', { name: 'Light', exact: true }).click()
    await page.reload()
    await page.locator('#operations-Utensils-createUtensil').waitFor({ timeout: 30_000 })
    assert.notInclude((await visit.theme()) ?? '', 'dark-mode')
    await fits()
    assert.deepEqual(visit.errors, [])
  })
})
