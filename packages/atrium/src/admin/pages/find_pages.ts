import type { ApplicationService } from '@adonisjs/core/types'
import { ValueError, runAs } from '#crud'
import { importFiles, type ApplicationFile, unreadableErrors } from '#base/application_files'
import { FUNCTION, LABEL, type Check, isObject } from '#base/checks'
import { shown } from '#base/errors'
import { isBelowMount } from '../http/site_paths.js'
import { AdminPage, permissionOfPage } from '../views/admin_page.js'
import { DRAWING } from '../views/view_checks.js'
import type { Site } from '../views/site.js'
import { adminActor } from '../identity/admin_actor.js'
import { WithheldPage } from '../http/errors.js'
import { signInGuard } from '../http/guards.js'
import { readBody } from '../http/read_body.js'
import { siteRoutes, type RoutedSite } from '../http/site_routes.js'
import type { HttpContext } from '@adonisjs/core/http'

/** The parts of the site that pages of the application need */
interface PageSite extends Site, RoutedSite {
  readonly pages: Map<string, AdminPage>
}

/**
 * Adds the route of a page of the application. For users whose roles do not allow the page, it responds like an unknown
 * URL.
 */
function addPageRoute(site: PageSite, page: AdminPage): void {
  siteRoutes(site, [signInGuard, readBody], ({ get }) => {
    get(`/${page.path}`, `page:${page.path}`, async (ctx) => {
      const { permissions } = site
      if (!(await permissions.mayOpen(adminActor(ctx), 'pages', permissionOfPage(page)))) {
        throw new WithheldPage()
      }
      return await showPage(site, page, ctx)
    })
  })
}

/** Folders with classes of the application, by their names in `directories` of adonisrc.ts */
type ClassFolder = 'admin_pages' | 'admin_cards'

/** Constructor of a class without parameters */
export type ClassOf<Instance> = new () => Instance

/**
 * Finds the classes that extend a base class among the exports of the files in a folder, `app/admin_pages` or
 * `app/admin_cards`.
 *
 * @returns the classes, each once, and the errors of files that could not be imported
 */
export async function findClasses<Instance>(
  app: ApplicationService,
  folder: ClassFolder,
  base: { readonly prototype: object }
): Promise<{ classes: Array<ClassOf<Instance>>; errors: Error[] }> {
  const { [folder]: path = `app/${folder}` } = app.rcFile.directories as Record<string, string>
  const files = await importFiles(app.makePath(path))
  const unreadable = files.filter((file) => 'error' in file)
  return {
    classes: [...new Set(files.flatMap((file) => classesIn<Instance>(file, base)))],
    errors: unreadableErrors(unreadable, (one) => app.relativePath(one)),
  }
}

function classesIn<Instance>(
  file: ApplicationFile,
  base: { readonly prototype: object }
): Array<ClassOf<Instance>> {
  if ('error' in file) return []
  return file.exported.filter(
    (one): one is ClassOf<Instance> =>
      typeof one === 'function' && Object.hasOwn(one, 'prototype') && isBelow(one.prototype, base)
  )
}

function isBelow(prototype: object | undefined, base: { readonly prototype: object }): boolean {
  return prototype !== undefined && Object.prototype.isPrototypeOf.call(base.prototype, prototype)
}

/**
 * Adds the pages of `app/admin_pages` to the site. Call it when all other routes of the site are registered.
 *
 * @returns errors of files and pages; these pages are left out
 */
export async function addPages(app: ApplicationService, site: PageSite): Promise<Error[]> {
  const { classes, errors } = await findClasses<AdminPage>(app, 'admin_pages', AdminPage)
  for (const Page of classes) {
    try {
      addPage(site, Page)
    } catch (error) {
      errors.push(error as Error)
    }
  }
  return errors
}

/**
 * Adds a page to the site, and its route.
 *
 * @throws ValueError  for an invalid member, or a path that another page, a model or a route of the site has
 */
export function addPage(site: PageSite, Page: ClassOf<AdminPage>): AdminPage {
  const page = new Page()
  const place = `The page ${Page.name}`
  checkMembers(place, page, CHECKS)
  checkPath(place, site, page.path)
  if (!site.templates.has(page.template)) {
    throw new ValueError(
      `${place} has the template ${shown(page.template)}, which does not exist in resources/views`
    )
  }
  site.pages.set(page.path, page)
  addPageRoute(site, page)
  return page
}

const PATH: Check = [
  (value) => typeof value === 'string' && /^[A-Za-z0-9_-]+(\/[A-Za-z0-9_-]+)*$/.test(value),
  "names of letters, digits, - and _ with / between them, as in 'reports/tides'",
]

const CHECKS: Readonly<Record<string, Check>> = {
  path: PATH,
  label: LABEL,
  template: LABEL,
  icon: optional(DRAWING),
  group: optional(LABEL),
  permission: optional(LABEL),
  data: FUNCTION,
}

/** Returns a check that also accepts undefined. */
export function optional([isRight, wanted]: Check): Check {
  return [(value) => value === undefined || isRight(value), wanted]
}

/**
 * Checks the members of an instance.
 *
 * @throws ValueError  for the first invalid one
 */
export function checkMembers(
  place: string,
  instance: object,
  checks: Readonly<Record<string, Check>>
): void {
  for (const [name, [isRight, wanted]] of Object.entries(checks)) {
    const value = (instance as Record<string, unknown>)[name]
    if (isRight(value)) continue
    throw new ValueError(`${place}: ${name} is ${shown(value)}, and must be ${wanted}`)
  }
}

function checkPath(place: string, site: PageSite, path: string): void {
  const url = site.url(`/${path}`)
  const other = site.pages.get(path)
  if (other) {
    throw new ValueError(
      `${place} and ${other.constructor.name} have the same path '${path}'; give one of them another one`
    )
  }
  const [first] = path.split('/')
  if (site.models.has(first)) {
    throw new ValueError(
      `${place} has the path '${path}', which is below the pages of the model ${first}; give it another one`
    )
  }
  if (site.router.serves(url) || !isBelowMount(site, url)) {
    throw new ValueError(
      `${place} has the path '${path}', and ${url} is an address of the engine itself; give it another one`
    )
  }
}

/**
 * Renders a page of the application: its template within the layout of the site, below the heading, unless the template
 * has a layout or a heading of its own.
 */
async function showPage(site: Site, page: AdminPage, ctx: HttpContext): Promise<string> {
  const given = await runAs(adminActor(ctx), async () => await page.data(ctx))
  const { path, label, template } = page
  const data = { ...(isObject(given) ? given : {}), page: { path, label, template } }
  delete (data as { site?: unknown }).site
  const { hasLayout, hasHeading } = site.templates.shapeOf(template)
  if (hasLayout) return await site.renderPage(ctx, 'pages/application', data, template)
  return await site.render(ctx, 'pages/application', { ...data, pageHasHeading: hasHeading })
}
