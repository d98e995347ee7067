import { test } from '@japa/runner'
import { timeLimits } from '#admin/search/site_search'
import { Recording, Studio } from '#tests/fixtures/references'
import { emptyAdminTables, makeUser } from '#tests/helpers/admin'
import { THEMES, Visit } from '#tests/helpers/browser'

/** A machine under load must not change what is found. */
function waitLong() {
  const before = { ...timeLimits }
  Object.assign(timeLimits, { contained: 30_000, model: 30_000 })
  return () => void Object.assign(timeLimits, before)
}

test.group('The palette, in a browser', (group) => {
  group.setup(() => waitLong())
  group.each.setup(async () => {
    await emptyAdminTables()
    await Recording.query().delete()
    await Studio.query().delete()
    await Studio.createMany([{ name: 'Oberabbey' }, { name: 'Abbey Road' }, { name: 'Hansa' }])
  })

  test('[L12] Ctrl+K, some characters and Enter open a record; Escape closes the palette', async ({
    assert,
  }) => {
    const begun = await Visit.begin({ as: await makeUser('jo') })
    const { page } = begun
    await page.goto('/admin')
    await page.keyboard.press('Control+K')
    const palette = page.getByRole('dialog', { name: 'Search pages and records' })
    await palette.getByRole('link', { name: 'Dashboard', exact: true }).waitFor()
    await page.keyboard.press('Escape')
    assert.isFalse(await palette.isVisible())

    await page.keyboard.press('Control+K')
    await page.keyboard.type('abb')
    await palette.getByRole('link', { name: 'Oberabbey', exact: true }).waitFor()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('ArrowDown')
    assert.equal(await page.evaluate(`document.activeElement.textContent.trim()`), 'Abbey Road')
    await page.keyboard.press('ArrowUp')
    await page.keyboard.press('ArrowUp')
    await page.keyboard.press('End')
    await page.keyboard.type('ey r')
    await page.keyboard.press('Enter')
    const { id } = await Studio.findByOrFail('name', 'Abbey Road')
    await page.waitForURL(`**/admin/Studio/update/${id}`)
    assert.deepEqual(begun.errors, [])
  })

  test('[L12.8] the palette shows matching pages and earlier results before the server responds', async ({
    assert,
  }) => {
    const begun = await Visit.begin({ as: await makeUser('jo') })
    const { page } = begun
    await page.goto('/admin')
    await page.keyboard.press('Control+K')
    const palette = page.getByRole('dialog', { name: 'Search pages and records' })
    await page.keyboard.type('abbey')
    await palette.getByRole('link', { name: 'Oberabbey', exact: true }).waitFor()

    let respond = () => {}
    const held = new Promise<void>((resolve) => (respond = resolve))
    await page.route('**/admin/search?**', async (route) => {
      await held
      await route.continue()
    })
    const studios = palette.getByRole('link', { name: 'Studios', exact: true })
    const oberabbey = palette.getByRole('link', { name: 'Oberabbey', exact: true })
    await palette.getByRole('searchbox').fill('stud')
    await oberabbey.waitFor({ state: 'hidden' })
    assert.equal(await studios.count(), 1)
    await palette.getByRole('searchbox').fill('oberab')
    await studios.waitFor({ state: 'hidden' })
    assert.equal(await oberabbey.count(), 1)
    await page.keyboard.press('ArrowDown')
    respond()
    await studios.waitFor()
    assert.equal(await page.evaluate(`document.activeElement.textContent.trim()`), 'Oberabbey')
    assert.deepEqual(begun.errors, [])
  })

  test(
    '[L12] in the {$self}, the wide palette and its narrow page are accessible, and neither overflows a narrow screen'
  )
    .with(THEMES)
    .run(async ({ assert }, theme) => {
      const begun = await Visit.begin({ as: await makeUser('jo'), theme })
      const { page } = begun
      await page.goto('/admin')
      await page.getByRole('link', { name: 'Search' }).click()
      await page.keyboard.type('abbey')
      await page.getByRole('link', { name: 'Oberabbey', exact: true }).waitFor()
      assert.deepEqual(await begun.accessibilityErrors(), [])
      await page.setViewportSize({ width: 360, height: 740 })
      assert.equal(await begun.overflow(), 0)
      await page.goto('/admin/search?q=abbey')
      assert.equal(await begun.overflow(), 0)
      assert.deepEqual(await begun.accessibilityErrors(), [])
      assert.deepEqual(begun.errors, [])
    })
})
