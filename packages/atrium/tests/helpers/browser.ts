/*
 * Chromium for tests of the user interface: one browser per suite. Tests use the same tabs one after the
 * other, each with cookies and storage of its own.
 */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import app from '@adonisjs/core/services/app'
import { getActiveTestOrFail } from '@japa/runner'
import {
  chromium,
  type Browser,
  type BrowserContext,
  type Locator,
  type Page,
} from 'playwright-core'
import type { AdminUser } from '#admin'
import { cookieIn, cookiesOf } from '#tests/helpers/admin'
import { urlOf } from '#tests/helpers/http'

export type Theme = 'light-theme' | 'dark-theme'

const TESTS_ALL = Boolean(process.env.TEST_ALL)

/** Themes for a test that asks the same of each: both in `npm run test:all`, otherwise the light one alone. */
export const THEMES: Theme[] = TESTS_ALL ? ['light-theme', 'dark-theme'] : ['light-theme']

/** Rules of axe about colours: the half of its time */
const COLOUR_RULES = ['color-contrast', 'link-in-text-block']

/** Another site; its name is not looked up. */
export const ELSEWHERE = 'http://elsewhere.test'

/** Pixels of a window, from top to bottom */
const HEIGHT = 800

/** Features that Playwright disables, whose list this one replaces, and the process reused for the next page */
const DISABLED = [
  'AvoidUnnecessaryBeforeUnloadCheckSync',
  'DestroyProfileOnBrowserClose',
  'HttpsUpgrades',
  'HttpsFirstBalancedModeAutoEnable',
  'MediaRouter',
  'OptimizationHints',
  'PaintHolding',
  'ThirdPartyStoragePartitioning',
  'Translate',
  'AvoidCorsURLLoaderRestartOnRedirect',
  'SpareRendererForSitePerProcess',
  'IsolateOrigins',
  'site-per-process',
]

const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  /* Two processes less for each tab: a fifth of the processor time */
  '--in-process-gpu',
  '--disable-site-isolation-trials',
  `--disable-features=${DISABLED.join(',')}`,
]

let browser: Browser | undefined

/**
 * Starts the browser.
 *
 * @returns a function that closes it
 * @throws Error  if Chromium is not installed
 */
export async function startBrowser(): Promise<() => Promise<void>> {
  const { findChromium } = await import(app.makeURL('scripts/chromium.js').href)
  const executablePath: string | undefined = findChromium()
  if (!executablePath) {
    throw new Error('Chromium was not found: install it, or name it with CHROMIUM_PATH')
  }
  browser = await chromium.launch({ executablePath, args: FLAGS })
  return async () => {
    idleTabs = []
    await browser!.close()
  }
}

interface VisitOptions {
  /** Signed-in user. Default: none */
  as?: AdminUser
  /** Chosen theme. Default: none */
  theme?: Theme
  /** Default: 1280 */
  width?: number
  /** Default: true */
  javaScript?: boolean
  /** True for a tab that no test had before and none gets afterwards: with an empty cache. Default: false */
  fresh?: boolean
}

/** A page in a context of its own. Opening one takes as long as loading three pages. */
interface Tab {
  context: BrowserContext
  page: Page
  javaScript: boolean
  noteViolation: (text: string) => void
}

/** Tabs that no test uses at the moment */
let idleTabs: Tab[] = []

/** A visit to the site, in a page that is closed after the test. */
export class Visit {
  readonly #messages: Array<{ text: string; url: string }> = []
  readonly #refused: string[] = []
  readonly #violations: string[] = []
  readonly #strangers: string[] = []

  private constructor(
    readonly context: BrowserContext,
    readonly page: Page,
    readonly begunTheme: Theme | undefined
  ) {}

  static async begin({ as, theme, width = 1280, ...kind }: VisitOptions = {}) {
    const { fresh = false, javaScript = true } = kind
    const tab = (!fresh && takeIdleTab(javaScript)) || (await openTab(javaScript))
    getActiveTestOrFail().cleanup(async () => {
      if (fresh || !(await empty(tab))) await tab.context.close()
      else idleTabs.push(tab)
    })
    const { context, page } = tab
    const { width: usual, height } = page.viewportSize()!
    if (width !== usual || height !== HEIGHT) await page.setViewportSize({ width, height: HEIGHT })

    const cookies = as ? await cookiesOf(as) : ''
    await context.addCookies([
      ...['access_token', 'session_id']
        .filter(() => as)
        .map((name) => cookie(name, cookieIn(cookies, name))),
      ...(theme ? [cookie('admin_theme', theme)] : []),
    ])
    const visit = new Visit(context, page, theme)
    tab.noteViolation = (text) => visit.#violations.push(text)
    visit.#listen()
    return visit
  }

  /**
   * Complaints of the browser about the page, except for a status of 400 or more of the page
   * itself.
   */
  get errors(): string[] {
    const messages = this.#messages.filter(
      ({ text, url }) =>
        !(text.startsWith('Failed to load resource') && this.#refused.includes(url))
    )
    return [
      ...messages.map(({ text }) => `console: ${text}`),
      ...this.#violations.map((text) => `policy: ${text}`),
      ...this.#strangers.map((url) => `request elsewhere: ${url}`),
    ]
  }

  /** Violations of the Content-Security-Policy */
  get violations(): string[] {
    return this.#violations
  }

  /**
   * Serves a page on another site.
   *
   * @returns its URL
   */
  async serveElsewhere(body: string): Promise<string> {
    await this.context.route(`${ELSEWHERE}/**`, (route) =>
      route.fulfill({ contentType: 'text/html', body: `<!doctype html><title>E</title>${body}` })
    )
    return `${ELSEWHERE}/`
  }

  async signIn(username: string, password: string): Promise<void> {
    await this.page.getByLabel('User name').fill(username)
    await this.page.getByLabel('Password').fill(password)
    await this.page.getByRole('button', { name: 'Log in', exact: true }).click()
  }

  async theme(): Promise<string | null> {
    return await this.page.locator('html').getAttribute('class')
  }

  /** Pixels by which the page overflows the window to the right, once transitions to another width have ended. */
  async overflow(): Promise<number> {
    const overflow = 'document.documentElement.scrollWidth - document.documentElement.clientWidth'
    const isNone = `${overflow} <= 0`
    await this.page.waitForFunction(isNone, undefined, { timeout: 2000 }).catch(() => {})
    return await this.page.evaluate(overflow)
  }

  /**
   * Violations that axe-core finds, each with its elements. In a visit that began in the dark theme these
   * are the rules about colours alone, and only in continuous integration: the light theme has the same
   * elements in the same places, and must be visited, too. Call it last: axe itself tries actions that the
   * policy forbids.
   *
   * @param options.resized  true if the page was judged before with another width: it is judged again in
   *   continuous integration only. A list and a form are judged with each width everywhere. Default: false
   */
  async accessibilityErrors({ resized = false } = {}): Promise<string[]> {
    const isDark = this.begunTheme === 'dark-theme'
    if (!TESTS_ALL && (isDark || resized)) return []
    const options = {
      resultTypes: ['violations'],
      /* Media rules and selectors of the elements are not requested, as they take long. */
      preload: false,
      selectors: false,
      ...(isDark ? { runOnly: COLOUR_RULES } : { rules: { 'target-size': { enabled: true } } }),
    }
    if (!(await this.page.evaluate('"axe" in window'))) {
      /*
       * Not by the page's own method, which takes thrice as long for so much code. The session must end: it
       * would undo emulateMedia() when the page changes.
       */
      const session = await this.context.newCDPSession(this.page)
      await session.send('Runtime.evaluate', { expression: `${axe()};0` })
      await session.detach()
    }
    const found: Array<{ id: string; help: string; targets: string[] }> = await this.page.evaluate(`
      axe.run(document, ${JSON.stringify(options)}).then(({ violations }) =>
        violations.map(({ id, help, nodes }) => ({ id, help, targets: nodes.map((node) => node.html) })))
    `)
    return found.map(({ id, help, targets }) => `${id}: ${help}: ${targets.join(' | ')}`)
  }

  #listen() {
    this.page.on('console', (message) => {
      if (['error', 'warning'].includes(message.type())) {
        this.#messages.push({ text: message.text(), url: message.location().url })
      }
    })
    this.page.on('pageerror', ({ message }) => this.#messages.push({ text: message, url: '' }))
    this.page.on('request', (request) => {
      const url = request.url()
      const isOurs = [urlOf('/'), `${ELSEWHERE}/`, 'data:'].some((start) => url.startsWith(start))
      if (!isOurs) this.#strangers.push(url)
    })
    this.page.on('response', (response) => {
      if (response.request().isNavigationRequest() && response.status() >= 400) {
        this.#refused.push(response.url())
      }
    })
  }
}

/**
 * Returns true if the element gets the focus, which the browser sets some time after the page has
 * loaded.
 */
export async function getsFocus(element: Locator): Promise<boolean> {
  const hasFocus = (one: any) => one === one.ownerDocument.activeElement
  return await element
    .page()
    .waitForFunction(hasFocus, await element.elementHandle(), { timeout: 5000 })
    .then(
      () => true,
      () => false
    )
}

function takeIdleTab(javaScript: boolean): Tab | undefined {
  const tab = idleTabs.find((one) => one.javaScript === javaScript)
  idleTabs = idleTabs.filter((one) => one !== tab)
  return tab
}

async function openTab(javaScript: boolean): Promise<Tab> {
  const context = await browser!.newContext({
    baseURL: urlOf('/'),
    viewport: { width: 1280, height: HEIGHT },
    javaScriptEnabled: javaScript,
    reducedMotion: 'reduce',
  })
  context.setDefaultTimeout(10_000)
  const page = await context.newPage()
  const tab: Tab = { context, page, javaScript, noteViolation: () => {} }
  await context.exposeFunction('noteViolation', (text: string) => tab.noteViolation(text))
  await context.addInitScript(`
    addEventListener('securitypolicyviolation', (event) =>
      noteViolation(event.violatedDirective + ' ' + event.blockedURI))
  `)
  return tab
}

/**
 * Removes what a test has left in a tab, except for cached assets.
 *
 * @returns false if the tab can't be used again
 */
async function empty({ context, page }: Tab): Promise<boolean> {
  const { origin } = new URL(urlOf('/'))
  try {
    page.removeAllListeners()
    await context.unrouteAll({ behavior: 'ignoreErrors' })
    await page.unrouteAll({ behavior: 'ignoreErrors' })
    if (context.pages().length > 1 || !page.url().startsWith(`${origin}/`)) return false
    await page.evaluate('localStorage.clear(); sessionStorage.clear()')
    await page.goto('about:blank')
    await context.clearCookies()
    await page.emulateMedia({ media: null, colorScheme: null, reducedMotion: 'reduce' })
    return true
  } catch {
    return false
  }
}

function cookie(name: string, value: string) {
  return { name, value, domain: process.env.HOST!, path: '/admin', httpOnly: true }
}

let axeSource: string | undefined

function axe(): string {
  axeSource ??= readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
  return axeSource
}
