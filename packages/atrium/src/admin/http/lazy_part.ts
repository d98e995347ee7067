import type { HttpContext } from '@adonisjs/core/http'
import { setTimeout as pause } from 'node:timers/promises'

const lazyParts = new Set<() => Promise<unknown>>()

/* Milliseconds between loading two modules, in which waiting requests are handled */
const PAUSE = 20

/**
 * Returns a function that creates a part of the site on the first call, and loads the modules of that part only then.
 *
 * @param load  loads the module, such as `() => import('./account_controller.js')`
 * @param make  creates the part from the module
 */
export function lazyPart<Module, Part>(
  load: () => Promise<Module>,
  make: (module: Module) => Part | Promise<Part>
): () => Promise<Part> {
  let part: Promise<Part> | undefined
  lazyParts.add(load)
  return () => (part ??= load().then(make))
}

/** Names of the methods that handle requests */
export type HandlerName<Page> = {
  [Name in keyof Page]: Page[Name] extends (ctx: HttpContext) => unknown ? Name : never
}[keyof Page]

/**
 * Returns handlers of requests by a controller that is loaded for the first request.
 *
 * @returns a function that returns the handler for a method, such as `account('show')`
 */
export function controller<Module, Page>(
  load: () => Promise<Module>,
  make: (module: Module) => Page
) {
  const open = lazyPart(load, make)
  return (name: HandlerName<Page>) => async (ctx: HttpContext) =>
    await handleBy((await open()) as Page, name, ctx)
}

/** Calls a method of a controller. */
export function handleBy<Page>(page: Page, name: HandlerName<Page>, ctx: HttpContext): unknown {
  return (page as Record<HandlerName<Page>, (ctx: HttpContext) => unknown>)[name](ctx)
}

/**
 * Loads the remaining parts of the site, one after the other.
 *
 * @param isStopping  returns true if the process is ending
 */
export async function loadLazyParts(isStopping: () => boolean): Promise<void> {
  for (const load of lazyParts) {
    if (isStopping()) return
    await load()
    await pause(PAUSE)
  }
}
