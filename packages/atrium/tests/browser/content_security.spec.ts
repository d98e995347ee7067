import { test } from '@japa/runner'
import { emptyAdminTables, makeUser } from '#tests/helpers/admin'
import { ELSEWHERE, Visit } from '#tests/helpers/browser'
import { urlOf } from '#tests/helpers/http'

test.group('Content security, in a browser', (group) => {
  group.each.setup(() => emptyAdminTables())

  test('[B10] injected markup runs no script, applies no style and loads no resource', async ({
    assert,
  }) => {
    const visit = await Visit.begin({ as: await makeUser('ada') })
    const { page } = visit
    await page.route('**/admin', async (route) => {
      const response = await route.fetch()
      const body = await response.text()
      const markup = `
        <script>window.hasRun = 'inline'</script>
        <script src="${ELSEWHERE}/script.js"></script>
        <img src="data:," onerror="window.hasRun = 'handler'">
        <p id="styled" style="color: rgb(1, 2, 3)">Styled</p>
        <img src="${ELSEWHERE}/image.png">`
      await route.fulfill({ response, body: body.replace('</main>', `${markup}</main>`) })
    })
    await page.goto('/admin', { waitUntil: 'networkidle' })
    await page.evaluate(`
      const link = document.createElement('a')
      link.href = 'javascript:window.hasRun="link"'
      document.body.append(link)
      link.click()
    `)
    /* Evaluating text is refused too; the test's console may do it, the page may not. */
    await page.evaluate(`setTimeout("window.hasRun = 'eval'", 0)`)
    await page.waitForTimeout(50)

    assert.isUndefined(await page.evaluate('window.hasRun'))
    const colour = await page.locator('#styled').evaluate('(one) => getComputedStyle(one).color')
    assert.notEqual(colour, 'rgb(1, 2, 3)')
    assert.includeMembers(visit.violations, [
      'script-src-elem inline',
      `script-src-elem ${ELSEWHERE}/script.js`,
      'script-src-attr inline',
      'style-src-attr inline',
      `img-src ${ELSEWHERE}/image.png`,
      'script-src eval',
    ])
  })

  test("[B10] a page of another site can't embed a page of the site in a frame", async ({
    assert,
  }) => {
    const visit = await Visit.begin({ as: await makeUser('ada') })
    const { page } = visit
    const elsewhere = await visit.serveElsewhere(`<iframe src="${urlOf('/admin')}"></iframe>`)
    await page.goto(elsewhere, { waitUntil: 'networkidle' })
    assert.equal(page.frames()[1].url(), 'chrome-error://chromewebdata/')
  })

  test('[B10] an external link sends no referrer', async ({ assert }) => {
    const visit = await Visit.begin({ as: await makeUser('ada') })
    const { page } = visit
    const elsewhere = await visit.serveElsewhere('Elsewhere')
    await page.goto('/admin/nowhere')
    const requested = page.waitForRequest(elsewhere)
    await page.evaluate(`location.href = '${elsewhere}'`)
    const request = await requested
    const headers = await request.allHeaders()
    assert.isUndefined(headers.referer)
  })
})
