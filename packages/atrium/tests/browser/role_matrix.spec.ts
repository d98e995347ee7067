import { test } from '@japa/runner'
import { type AdminRole, type AdminUser, type PermissionsDocument } from '#admin'
import { adminSite, emptyAdminTables, leaveModels, makeUser } from '#tests/helpers/admin'
import { getsFocus, THEMES, type Theme, Visit } from '#tests/helpers/browser'
import { makeRole, restoreRoles } from '#tests/helpers/roles'

const CLERK: PermissionsDocument = {
  'Reel': { actions: ['view', 'update', 'wave'], hidden: ['gone'], scopes: ['own'] },
  'Gone': { actions: ['*'] },
  '*': { actions: ['view'] },
}
const FORTY = 40

/** The models of the site where their number does not matter */
const FEW = ['Reel', 'Utensil', 'Lender']

test.group('The page of a role, in a browser', (group) => {
  let root: AdminUser
  let clerk: AdminRole

  group.each.setup(async () => {
    await emptyAdminTables()
    await restoreRoles()
    root = await makeUser('root')
    clerk = await makeRole('Clerk', CLERK, 'At the counter')
    return () => restoreRoles()
  })

  const address = () => `/admin/AdminRole/update/${clerk.id}`
  const stored = async () => {
    await clerk.refresh()
    return clerk.permissions
  }
  const reel = (visit: Visit) =>
    visit.page.getByRole('group', { name: 'Reels', exact: true }).last()
  const save = async ({ page }: Visit) => {
    await page.getByRole('button', { name: 'Save changes' }).click()
    await page.waitForURL(/AdminRole\/$/)
  }

  test(
    '[U6] the matrix of 40 models is accessible and fits every screen, with its heading in view: {$self}'
  )
    .with(THEMES)
    .run(async ({ assert, cleanup }, theme) => {
      const { models } = await adminSite()
      cleanup(await leaveModels(...FEW, ...[...models.keys()].slice(0, FORTY + 10)))
      const visit = await Visit.begin({ as: root, theme })
      const { page } = visit
      await page.goto(address())
      const rows = await page.locator('.matrix-row').count()
      assert.isAbove(rows, FORTY)
      if (theme === 'light-theme') {
        await page.evaluate('scrollTo(0, 1200)')
        const box = await page.locator('.matrix-head').boundingBox()
        assert.approximately(box!.y, 52, 2)
      }
      await reel(visit).locator('summary').click()
      await reel(visit).getByRole('group', { name: 'US gross', exact: true }).waitFor()
      /* axe takes long on so many boxes: each screen in one theme */
      const widths = theme === 'light-theme' ? [360, 1280] : [1280, 360]
      for (const width of widths) {
        await page.setViewportSize({ width, height: 740 })
        await page.evaluate('scrollTo(0, 0)')
        assert.equal(await visit.overflow(), 0, String(width))
      }
      assert.deepEqual(visit.errors, [])
      assert.deepEqual(await visit.accessibilityErrors(), [])
    })
    .timeout(180_000)

  test('[U6] without JavaScript a role is edited with checkboxes alone', async ({
    assert,
    cleanup,
  }) => {
    cleanup(await leaveModels(...FEW))
    const visit = await Visit.begin({ as: root, javaScript: false })
    const row = reel(visit)
    await visit.page.goto(address())
    await row.getByLabel('Delete', { exact: true }).check()
    await row.locator('summary').click()
    await row.getByRole('button', { name: 'Show fields & records' }).click()
    await row.getByLabel('Delete', { exact: true }).and(visit.page.locator(':checked')).waitFor()
    const field = row.getByRole('group', { name: 'US gross', exact: true })
    await field.getByLabel('Hidden').check()
    await row.getByRole('group', { name: 'Title', exact: true }).getByLabel('Read-only').check()
    await row.getByLabel('wave').uncheck()
    await save(visit)
    assert.deepEqual(await stored(), {
      ...CLERK,
      Reel: {
        actions: ['view', 'update', 'delete'],
        hidden: ['gone', 'us_gross'],
        readonly: ['title'],
        scopes: ['own'],
      },
    })
  })

  test('[U6] one checkbox selects all actions of a model, and a model can follow “All models” again', async ({
    assert,
    cleanup,
  }) => {
    cleanup(await leaveModels(...FEW))
    const visit = await Visit.begin({ as: root })
    const row = reel(visit)
    await visit.page.goto(address())
    await row.getByLabel('All', { exact: true }).check()
    assert.isTrue(await row.getByLabel('Delete', { exact: true }).isChecked())
    await row.getByLabel('Delete', { exact: true }).uncheck()
    assert.isFalse(await row.getByLabel('All', { exact: true }).isChecked())

    const utensil = visit.page.getByRole('group', { name: 'Utensils', exact: true })
    assert.isTrue(await utensil.getByText('As in “All other models”').isVisible())
    await utensil.getByLabel('Create', { exact: true }).check()
    assert.isTrue(await utensil.getByLabel('Own', { exact: true }).isChecked())
    assert.isFalse(await utensil.getByText('As in “All other models”').isVisible())
    await utensil.getByLabel('Own', { exact: true }).uncheck()
    assert.isTrue(await utensil.getByText('As in “All other models”').isVisible())

    await row.getByLabel('Own', { exact: true }).uncheck()
    await save(visit)
    const { Reel, ...others } = CLERK
    assert.deepEqual(await stored(), others)
    assert.deepEqual(visit.errors, [])
  })

  test('[U6] a collapsed row preserves its permissions and follows the checkboxes next to it', async ({
    assert,
    cleanup,
  }) => {
    cleanup(await leaveModels(...FEW))
    const visit = await Visit.begin({ as: root })
    const row = reel(visit)
    await visit.page.route('**/AdminRole/permissions?*', (route) => route.abort())
    await visit.page.goto(address())
    await row.getByLabel('All', { exact: true }).check()
    await row.getByLabel('Delete', { exact: true }).uncheck()
    await save(visit)
    const { Reel } = await stored()
    const actions = ['view', 'create', 'update', 'purge', 'export', 'import', 'wave']
    assert.includeMembers([...Reel.actions], actions)
    assert.deepEqual([Reel.hidden, Reel.scopes], [CLERK.Reel.hidden, CLERK.Reel.scopes])

    /* Where loading fails, the button does it. */
    await visit.page.goto(address())
    await row.getByLabel('Delete', { exact: true }).check()
    await row.locator('summary').click()
    await row.getByRole('button', { name: 'Show fields & records' }).click()
    await row.getByRole('group', { name: 'US gross', exact: true }).waitFor()
    assert.isTrue(await row.getByLabel('Delete', { exact: true }).isChecked())
  })

  test('[U6] the keyboard can use all checkboxes and expand collapsed rows', async ({
    assert,
    cleanup,
  }) => {
    cleanup(await leaveModels(...FEW))
    const visit = await Visit.begin({ as: root })
    const { page } = visit
    await page.goto(address())
    const row = reel(visit)
    await row.getByLabel('Import', { exact: true }).focus()
    await page.keyboard.press('Space')
    assert.isTrue(await row.getByLabel('Import', { exact: true }).isChecked())
    await row.locator('summary').focus()
    await page.keyboard.press('Enter')
    await row.getByLabel('wave').waitFor()
    await page.keyboard.press('Tab')
    const [first] = await row.locator('.matrix-states input:checked').all()
    assert.isTrue(await getsFocus(first))
    await page.keyboard.press('ArrowRight')
    const name = await first.getAttribute('name')
    assert.equal(await row.locator(`[name="${name}"]:checked`).getAttribute('value'), 'readonly')
  })

  test(
    '[U6] every page names the role that the user views the site as, until the user stops: {$self}'
  )
    .with(['light-theme', 'dark-theme'] as Theme[])
    .run(async ({ assert, cleanup }, theme) => {
      cleanup(await leaveModels(...FEW))
      const visit = await Visit.begin({ as: root, theme, javaScript: theme === 'light-theme' })
      const { page } = visit
      await page.goto(address())
      await page.getByRole('button', { name: 'View as this role' }).click()
      await page.getByText('You see the site as the role Clerk').waitFor()
      await page.goto('/admin/Reel/')
      await page.getByText('You see the site as the role Clerk').waitFor()
      if (theme === 'light-theme') {
        for (const width of [1280, 360]) {
          await page.setViewportSize({ width, height: 740 })
          assert.equal(await visit.overflow(), 0)
        }
      }
      await page.getByRole('button', { name: 'Stop' }).click()
      await page.getByRole('heading', { name: 'Clerk' }).waitFor()
      assert.equal(await page.getByText('You see the site as').count(), 0)
    })

  test('[U6] the roles of a user are selected by checkboxes, with a search if there are many', async ({
    assert,
    cleanup,
  }) => {
    cleanup(await leaveModels(...FEW))
    for (let i = 0; i < 12; i++) await makeRole(`Role ${i}`, {}, `For ${i}`)
    const visit = await Visit.begin({ as: root })
    const { page } = visit
    await page.goto(`/admin/AdminUser/update/${root.id}`)
    const roles = page.getByRole('group', { name: 'Roles' })
    await roles.getByLabel('Find a role').fill('at the counter')
    assert.equal(await roles.locator('.roles-choice:visible').count(), 1)
    await roles.getByLabel('Clerk').check()
    assert.equal(await visit.overflow(), 0)
    assert.deepEqual(await visit.accessibilityErrors(), [])
    await page.getByRole('button', { name: 'Save changes' }).click()
    await page.waitForURL(/AdminUser\/$/)
    await root.load('roles')
    assert.sameMembers(
      root.roles.map(({ name }) => name),
      ['Clerk', 'Everything']
    )
  })
})
