import type { HttpContext } from '@adonisjs/core/http'
import { sendProblem } from '#base/http/send_problem'
import { toProblem } from '#base/http/to_problem'

/** A part of the engine with addresses of its own: the endpoints, or the admin site. [K4] */
export interface MountedPart {
  /**
   * @param path  of a request that matches none of the engine's routes
   * @returns  the address of the part that the path lies below, as in `/api`; undefined if it lies below none
   */
  placeOf(path: string): string | undefined
  /**
   * Responds to an error of the part's routes, or to an unknown path below its address.
   *
   * @returns false if the error is another part's
   */
  handleError(error: unknown, ctx: HttpContext): Promise<boolean>
}

const PARTS: MountedPart[] = []

/** Adds a part, whose addresses are then served by the mount middleware. */
export function mountPart(part: MountedPart): void {
  PARTS.push(part)
}

/** The address that a path without a route lies below; undefined for a path of the application. */
export function placeOf(path: string): string | undefined {
  for (const part of PARTS) {
    const place = part.placeOf(path)
    if (place !== undefined) return place
  }
  return undefined
}

/** Responds to an error below the addresses of the engine. Never throws. */
export async function respondToError(error: unknown, ctx: HttpContext): Promise<void> {
  const { response } = ctx.response
  if (response.headersSent) {
    /* Lets the client see that the response is not complete. */
    if (!response.writableEnded) response.destroy()
    return
  }
  try {
    for (const part of PARTS) if (await part.handleError(error, ctx)) return
    sendProblem(ctx, toProblem(error))
  } catch (failure) {
    ctx.logger.error({ err: failure }, 'The page or problem of an error could not be made')
    sendProblem(ctx, toProblem(failure))
  }
}
