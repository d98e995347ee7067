import { test } from '@japa/runner'
import db from '@adonisjs/lucid/services/db'
import type { Response } from 'playwright-core'
import { AdminUser } from '#admin'
import { adminSite, emptyAdminTables, leaveModels, makeUser, PASSWORD } from '#tests/helpers/admin'
import { emptyJobTables } from '#tests/helpers/jobs'
import { THEMES, Visit } from '#tests/helpers/browser'
import { urlOf } from '#tests/helpers/http'

/** A page of the site, and the steps to open it. */
interface Place {
  name: string
  status: number
  heading: string
  signedIn?: boolean
  go(visit: Visit): Promise<Response | null>
}

const PLACES: Place[] = [
  {
    name: 'login',
    status: 200,
    heading: 'Log in',
    go: ({ page }) => page.goto('/admin/login'),
  },
  {
    name: 'login after a mistake',
    status: 401,
    heading: 'Log in',
    go: async (visit) => {
      await visit.page.goto('/admin/login')
      return await responseTo(visit, () => visit.signIn('ada', 'wrong'))
    },
  },
  {
    name: 'login after too many mistakes',
    status: 429,
    heading: 'Log in',
    go: async (visit) => {
      await visit.page.goto('/admin/login')
      const form = { username: 'ada', password: 'wrong' }
      for (let tries = 0; tries < 5; tries++) {
        await visit.context.request.post('/admin/login', { form })
      }
      return await responseTo(visit, () => visit.signIn('ada', PASSWORD))
    },
  },
  {
    name: 'the question before logging out',
    status: 200,
    heading: 'Log out?',
    signedIn: true,
    go: async (visit) => {
      const link = `<a href="${urlOf('/admin/logout')}">Go</a>`
      await visit.page.goto(await visit.serveElsewhere(link))
      return await responseTo(visit, () => visit.page.getByText('Go').click())
    },
  },
  {
    name: 'the dashboard',
    status: 200,
    heading: 'Dashboard',
    signedIn: true,
    go: ({ page }) => page.goto('/admin'),
  },
  {
    name: 'the dashboard with all that opens open',
    status: 200,
    heading: 'Dashboard',
    signedIn: true,
    go: async ({ page }) => {
      const response = await page.goto('/admin')
      await page.evaluate(
        `document.querySelectorAll('details').forEach((one) => (one.open = true))`
      )
      return response
    },
  },
  {
    name: 'the jobs',
    status: 200,
    heading: 'Jobs',
    signedIn: true,
    go: async ({ page }) => {
      await addJob('running')
      await addJob('failed')
      return await page.goto('/admin/management/jobs')
    },
  },
  {
    name: 'a job that has failed',
    status: 200,
    heading: 'Delete 12,345 gadgets',
    signedIn: true,
    go: async ({ page }) => await page.goto(`/admin/management/jobs/${await addJob('failed')}`),
  },
  {
    name: '404',
    status: 404,
    heading: 'Page not found',
    signedIn: true,
    go: ({ page }) => page.goto('/admin/nowhere'),
  },
  {
    name: '403',
    status: 403,
    heading: 'Not allowed',
    go: async (visit) => {
      const form = `<form method="post" action="${urlOf('/admin/login')}"><button>Go</button></form>`
      await visit.page.goto(await visit.serveElsewhere(form))
      return await responseTo(visit, () => visit.page.getByText('Go').click())
    },
  },
  {
    name: '500 inside',
    status: 500,
    heading: 'Something went wrong',
    signedIn: true,
    go: async ({ page }) => {
      const mend = await breakText('dashboard.chart.title')
      return await page.goto('/admin').finally(mend)
    },
  },
  {
    name: '500 at the door',
    status: 500,
    heading: 'Something went wrong',
    go: async ({ page }) => {
      const mend = await breakText('login.submit')
      return await page.goto('/admin/login').finally(mend)
    },
  },
]

/** Pages that an address alone opens */
const OPENED: Array<[name: string, path: string, heading: string]> = [
  ['the account', '/admin/account', 'Your account'],
  ['the event log', '/admin/management/events', 'Events'],
  ['the state of the site', '/admin/management/health', 'Health'],
  ['a new role', '/admin/AdminRole/create_page', 'New role'],
  ['the access tokens', '/admin/AdminAccessToken/', 'Access tokens'],
  ['the results of a search', '/admin/search?q=abbey', 'Search'],
  ['the edit of selected records', '/admin/Gadget/bulk-edit?all=1&query=&count=1', 'Edit 1 gadget'],
]
for (const [name, path, heading] of OPENED) {
  const go: Place['go'] = async ({ page }) => {
    if (path.includes('bulk-edit')) {
      await db.from('bulk_gadgets').delete()
      await db.table('bulk_gadgets').insert({ name: 'Lamp' })
    }
    return await page.goto(path)
  }
  PLACES.push({ name, status: 200, heading, signedIn: true, go })
}

async function addJob(state: 'running' | 'failed'): Promise<number> {
  const { jobs } = await adminSite()
  const [user] = await AdminUser.all()
  const payload = { task: '/form_bulk_delete', value: 'delete', query: '', count: 12345 }
  const origin = { requestId: 'r', ip: '::1', userAgent: null, sessionId: null }
  const job = { kind: 'bulk', model: 'Gadget', total: 12345, user, payload, origin }
  const { id } = await jobs.store.create(job)
  const begun = await jobs.store.begin(id, false)
  await jobs.store.noteDone(begun!, { done: 4000 })
  if (state === 'failed') await jobs.store.end(begun!, 'failed', { error: 'Stuck '.repeat(60) })
  return id
}

test.group('Every page, in a browser', (group) => {
  group.setup(() => leaveModels('Gadget', 'Reel'))
  group.each.setup(async () => {
    await emptyAdminTables()
    await emptyJobTables()
  })

  test(
    '[B10] the page {name} is accessible, fits every screen and loads nothing external in the {theme}'
  )
    .with(PLACES.flatMap((place) => THEMES.map((theme) => ({ ...place, theme }))))
    .run(async ({ assert }, { go, status, heading, signedIn, theme }) => {
      const user = await makeUser('ada')
      const visit = await Visit.begin({ as: signedIn ? user : undefined, theme })
      const { page } = visit
      const response = await go(visit)
      assert.equal(response?.status(), status)
      assert.equal(await page.getByRole('heading', { level: 1 }).innerText(), heading)
      assert.match(await page.title(), /^[^·]+ · Atrium$/)
      assert.include(await visit.theme(), theme)

      const headers = await response!.allHeaders()
      const policy = headers['content-security-policy']
      assert.include(policy, "default-src 'self'")
      assert.include(policy, "frame-ancestors 'none'")
      assert.notInclude(policy, 'unsafe-inline')
      assert.notInclude(policy, 'unsafe-eval')
      assert.equal(headers['x-content-type-options'], 'nosniff')
      assert.equal(headers['referrer-policy'], 'same-origin')
      assert.equal(headers['cache-control'], 'no-store')
      assert.deepEqual(visit.errors, [])

      assert.equal(await visit.overflow(), 0)
      assert.deepEqual(await visit.accessibilityErrors(), [])
      await page.setViewportSize({ width: 360, height: 740 })
      assert.equal(await visit.overflow(), 0)
      /* The width changes the layout but not the colours. */
      if (theme === 'light-theme')
        assert.deepEqual(await visit.accessibilityErrors({ resized: true }), [])
    })
})

/** Response that the page shows after an action. */
async function responseTo({ page }: Visit, act: () => Promise<void>): Promise<Response> {
  const responded = page.waitForResponse(
    (response) => response.request().isNavigationRequest() && response.status() !== 303
  )
  await act()
  const response = await responded
  await page.waitForLoadState()
  return response
}

/**
 * Makes pages that contain this text fail.
 *
 * @returns a function that restores them
 */
async function breakText(broken: string): Promise<() => void> {
  const site = await adminSite()
  const text = site.text.bind(site)
  site.text = (key, data) => {
    if (key === broken) throw new Error('Broken for a test')
    return text(key, data)
  }
  return () => {
    Reflect.deleteProperty(site, 'text')
  }
}
