import { requestSubject } from '#crud/internals'
import type { HttpContext } from '@adonisjs/core/http'
import { networkOf } from '#base/http/network'
import { type Refusal } from '#base/http/refusals'
import type { Resource } from '#crud/internals'
import type { KeyValue } from '#base/columns/key'
import { loggable } from '../../text/plain_text.js'
import { EventType } from '../event_type.js'
import type { RequestEvent } from '../request_event.js'
import { isHiddenRecord } from './hidden_record.js'
import { OncePerMinute } from './once_per_minute.js'
import { refusedCaller, type RefusedCaller } from './refused_caller.js'

const READS = ['GET', 'HEAD', 'OPTIONS']

/* A flood of requests for records that there are not must not become one of queries. */
const MAX_LOOKUPS = 20

/* Length of the column */
const LONGEST_KEY = 512

/**
 * Logs refused requests: as events, and in the application's log, each cause once a minute at most. A cause is a caller, a
 * route and a reason: keys and addresses of pages, which callers choose freely, are none.
 */
export class RefusalLog {
  readonly #once: OncePerMinute
  readonly #lookups = new Set<Promise<void>>()

  constructor(
    private readonly site: { logEvent(ctx: HttpContext, event: RequestEvent): void },
    once = new OncePerMinute()
  ) {
    this.#once = once
  }

  /** Nothing waits for it: the response to a request takes the same time with and without an event. */
  note(ctx: HttpContext, refusal: Refusal): void {
    const caller = refusedCaller(ctx)
    if (isBareVisit(ctx, refusal, caller)) return
    if (refusal.reason !== undefined) return this.#log(ctx, refusal, caller)
    const resource = requestSubject.get(ctx)?.base
    const key = resource && keyIn(ctx, resource)
    if (!resource || !key || this.#lookups.size >= MAX_LOOKUPS) return
    const lookup = this.#logIfHidden(ctx, caller, { resource, key }).finally(() =>
      this.#lookups.delete(lookup)
    )
    this.#lookups.add(lookup)
  }

  /** Waits for the lookups that have begun. */
  async settle(): Promise<void> {
    await Promise.all(this.#lookups)
  }

  /** Forgets which causes were logged within the last minute. */
  forget(): void {
    this.#once.clear()
  }

  async #logIfHidden(
    ctx: HttpContext,
    caller: RefusedCaller,
    { resource, key }: { resource: Resource; key: KeyValue }
  ): Promise<void> {
    const refusal = { status: 404, reason: 'permission' } as const
    if (this.#once.has(causeOf(ctx, refusal, caller))) return
    try {
      if (await isHiddenRecord(resource, key, caller.actor)) this.#log(ctx, refusal, caller)
    } catch (error) {
      ctx.logger.error({ err: error }, 'It is not known if a refused record exists')
    }
  }

  #log(ctx: HttpContext, { status, reason }: Refusal, caller: RefusedCaller): void {
    const kind = `${status} ${reason}`
    if (!this.#once.admits(causeOf(ctx, { status, reason }, caller), kind)) return
    const { request } = ctx
    const resource = requestSubject.get(ctx)?.base
    const what = {
      status,
      reason,
      method: request.method().slice(0, 10),
      route: ctx.route?.pattern ?? '(none)',
    }
    const id = resource && idIn(ctx, resource)
    const { session, token, user, username } = caller
    ctx.logger.warn(
      {
        ...what,
        model: resource?.name,
        key: id && loggable(id),
        user: username,
        token,
        address: request.ip(),
      },
      'Request refused'
    )
    this.site.logEvent(ctx, {
      type: EventType.REFUSED,
      status: 'failure',
      user: user?.(),
      session,
      resourceType: resource?.name,
      resourceId: id,
      details: { ...what, ...(token && { token_name: token }) },
    })
  }
}

/** A visitor without credentials who is asked to log in is not an event, as long as nothing was to be written. */
function isBareVisit(
  { request }: HttpContext,
  { status }: Refusal,
  caller: RefusedCaller
): boolean {
  return status === 401 && !caller.sentCredentials && READS.includes(request.method())
}

function causeOf(ctx: HttpContext, { status, reason }: Refusal, caller: RefusedCaller): string {
  const who = caller.id ?? networkOf(ctx.request.ip())
  const { pattern = '' } = ctx.route ?? {}
  return [who, ctx.request.method().slice(0, 10), pattern, status, reason].join(' ')
}

function keyIn({ params }: HttpContext, { isLoaded, key }: Resource): KeyValue | undefined {
  if (!isLoaded || !key.params.every((name) => name in params)) return undefined
  try {
    return key.fromParams(params)
  } catch {
    return undefined
  }
}

/** Key as in paths */
function idIn(ctx: HttpContext, resource: Resource): string | undefined {
  const key = keyIn(ctx, resource)
  const id = key && resource.key.toPath(key).slice(1)
  return id !== undefined && id.length <= LONGEST_KEY ? id : undefined
}
