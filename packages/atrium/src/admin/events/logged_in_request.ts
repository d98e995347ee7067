import type { HttpContext } from '@adonisjs/core/http'

type Logged = number | void

const LOGGED = new WeakMap<HttpContext, Array<Logged | Promise<Logged>>>()

/**
 * Remembers an event of writes as that of a request.
 *
 * @param id  of the event, if the site can read it; its promise while it is being logged
 */
export function noteLogged(ctx: HttpContext | undefined, id: Logged | Promise<Logged>): void {
  if (!ctx) return
  const known = LOGGED.get(ctx)
  if (known) known.push(id)
  else LOGGED.set(ctx, [id])
}

/**
 * Ids of the events of writes that the request has logged, in their order.
 */
export async function loggedInRequest(ctx: HttpContext): Promise<number[]> {
  const ids = await Promise.all(LOGGED.get(ctx) ?? [])
  return ids.filter((id) => typeof id === 'number')
}
