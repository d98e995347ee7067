import type { HttpContext } from '@adonisjs/core/http'
import { setTimeout as pause } from 'node:timers/promises'

const rooms = new Set<() => Promise<unknown>>()

/* Milliseconds between two rooms, for the requests that came in the meantime */
const PAUSE = 20

/**
 * A part of the site whose modules are loaded when something first asks for it. [K9]
 *
 * @param load  as in `() => import('./account_controller.js')`
 * @param make  makes it of the module
 */
export function room<Module, Part>(
  load: () => Promise<Module>,
  make: (module: Module) => Part | Promise<Part>
): () => Promise<Part> {
  let part: Promise<Part> | undefined
  rooms.add(load)
  return () => (part ??= load().then(make))
}

/** Names of the methods that handle a request */
export type HandlerName<Page> = {
  [Name in keyof Page]: Page[Name] extends (ctx: HttpContext) => unknown ? Name : never
}[keyof Page]

/**
 * Handlers of requests by a controller that is loaded for the first of them.
 *
 * @returns the handler of a method, as in `account('show')`
 */
export function controller<Module, Page>(
  load: () => Promise<Module>,
  make: (module: Module) => Page
) {
  const open = room(load, make)
  return (name: HandlerName<Page>) => async (ctx: HttpContext) =>
    await handleBy((await open()) as Page, name, ctx)
}

/** Calls the method of a controller. */
export function handleBy<Page>(page: Page, name: HandlerName<Page>, ctx: HttpContext): unknown {
  return (page as Record<HandlerName<Page>, (ctx: HttpContext) => unknown>)[name](ctx)
}

/**
 * Loads the rooms that are not loaded yet, one after the other.
 *
 * @param isStopping  true if the process is ending
 */
export async function loadRooms(isStopping: () => boolean): Promise<void> {
  for (const load of rooms) {
    if (isStopping()) return
    await load()
    await pause(PAUSE)
  }
}
