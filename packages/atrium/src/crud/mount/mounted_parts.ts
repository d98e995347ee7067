import { Qs, type HttpContext, ExceptionHandler } from '@adonisjs/core/http'
import { sendProblem, toProblem } from '#base/http/send_problem'
import app from '@adonisjs/core/services/app'
import { prefixOf } from '../endpoints/generated_routes.js'
import { toReport } from '../http/handle_problem.js'
import { schemaPath } from '../openapi/schema_route.js'
import { crudConfig } from '../settings.js'

/**
 * Parses and writes query strings of the engine's URLs, independently of the application's settings: commas in values
 * have no special meaning.
 */
export const queryStrings = new Qs({
  parse: { depth: 5, parameterLimit: 1000, allowSparse: false, arrayLimit: 20, comma: false },
  stringify: { encode: true, encodeValuesOnly: false, arrayFormat: 'indices', skipNulls: false },
})

/** A part of the engine with its own URL paths: the endpoints, or the admin site. */
interface MountedPart {
  /**
   * @param path  path of a request that matches no route of the engine
   * @returns the prefix of this part that contains the path, such as `/api`; undefined if there is none
   */
  prefixOf(path: string): string | undefined
  /**
   * Responds to an error of the part's routes, or to an unknown path below its prefix.
   *
   * @returns false if the error belongs to another part
   */
  handleError(error: unknown, ctx: HttpContext): Promise<boolean>
}

const PARTS: MountedPart[] = []

/** Adds a part whose paths are then served by the mount middleware. */
export function mountPart(part: MountedPart): void {
  PARTS.push(part)
}

/** Returns the prefix that contains a path without a route; undefined for a path of the application. */
export function mountedPrefixOf(path: string): string | undefined {
  for (const part of PARTS) {
    const prefix = part.prefixOf(path)
    if (prefix !== undefined) return prefix
  }
  return undefined
}

/**
 * True for a path or pattern of the endpoints or the API schema. False for the documentation page, and below the mount
 * path of the admin site, also if these are below the prefix of the endpoints.
 */
export function isOfEndpoints(path: string): boolean {
  if (path === schemaPath()) return true
  const prefix = prefixOf(path)?.length
  const { path: docs } = crudConfig().docs
  if (prefix === undefined || path === docs || path.startsWith(`${docs}/`)) return false
  return PARTS.every((part) => (part.prefixOf(path)?.length ?? 0) <= prefix)
}

/** Responds to an error below the prefixes of the engine. Never throws. */
export async function respondToError(error: unknown, ctx: HttpContext): Promise<void> {
  const { response } = ctx.response
  if (response.headersSent) {
    /* Closes the connection, so that the client detects the incomplete response. */
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

let making: Promise<ExceptionHandler> | undefined

/**
 * Passes an error to the application's exception handler, which can write it to a log or a service. Never throws.
 */
export async function reportError(error: unknown, ctx: HttpContext): Promise<void> {
  try {
    making ??= makeHandler(ctx)
    const handler = await making
    await handler.report(toReport(error, ctx), ctx)
  } catch (failure) {
    ctx.logger.error({ err: failure }, 'The exception handler could not report the next error')
    ctx.logger.error({ err: error }, 'An error that was not reported')
  }
}

async function makeHandler({ logger }: HttpContext): Promise<ExceptionHandler> {
  const path = app.relativePath(app.exceptionsPath('handler.js'))
  try {
    const { default: Handler } = await app.import(`./${path}`)
    return await app.container.make(Handler as new () => ExceptionHandler)
  } catch (error) {
    logger.warn({ err: error }, `Errors of the engine are logged only, as ${path} cannot be used`)
    return new ExceptionHandler()
  }
}

const KNOWN = new Map<string, number>()

/**
 * True if the first pattern begins with more fixed segments than the second one: `/api/products/:id` is more specific
 * than `/api/*`, and `/admin/login` is more specific than `/:page`.
 *
 * @param pattern  pattern in the router's notation, such as `/api/products/:id`
 */
export function isMoreSpecific(pattern: string, other: string): boolean {
  return fixedSegments(pattern) > fixedSegments(other)
}

/** Returns the number of fixed segments at the start of a pattern. Cached, because the number of patterns is fixed. */
function fixedSegments(pattern: string): number {
  let fixed = KNOWN.get(pattern)
  if (fixed === undefined) {
    const segments = pattern.split('/').filter((segment) => segment !== '')
    const open = segments.findIndex((segment) => /^[:*]/.test(segment))
    fixed = open === -1 ? segments.length : open
    KNOWN.set(pattern, fixed)
  }
  return fixed
}
