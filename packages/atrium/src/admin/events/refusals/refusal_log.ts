import type { HttpContext } from '@adonisjs/core/http'
import type { Actor } from '#crud'
import { Records, type Resource, requestSubject } from '#crud/internals'
import type { KeyValue } from '#base/columns/key'
import { networkOf } from '#base/http/network'
import type { Refusal } from '#base/http/send_problem'
import { tokenGuardOf } from '../../authentication/access_tokens/api_guard.js'
import { adminActor } from '../../identity/admin_actor.js'
import { guardOf } from '../../identity/admin_guard.js'
import type AdminSession from '../../models/admin_session.js'
import type AdminUser from '../../models/admin_user.js'
import { loggable } from '../../text/plain_text.js'
import { EventType } from '../event_integration.js'
import type { RequestEvent } from '../request_event.js'

/** Returns true if a record exists, deleted or not, that scopes or roles hide from the actor. */
async function isHiddenRecord(resource: Resource, key: KeyValue, actor: Actor): Promise<boolean> {
  const seen = await resource.for(actor)
  if (!seen.scope) return false
  const client = resource.client()
  if (!(await resource.reader.attributes(client, key))) return false
  return (await new Records(seen).itemOf(key, client, { actor })) === null
}

const MINUTE = 60_000
const MAX_CAUSES = 500

/**
 * Admits each cause once a minute. Memory is bounded: after the maximum number of causes within a minute, further
 * causes are admitted once per kind, so that many different causes cannot fill the log or hide other kinds.
 */
export class OncePerMinute {
  /* Time at which each cause is admitted again, earliest first */
  readonly #until = new Map<string, number>()

  constructor(private readonly maxCauses = MAX_CAUSES) {}

  /** Number of remembered causes */
  get size(): number {
    return this.#until.size
  }

  /**
   * Returns true if the cause is admitted, and remembers it.
   *
   * @param kind  category of the cause, one of a small number
   * @returns false if the cause was admitted within the last minute; above the maximum number of causes, if the kind
   *   was
   */
  admits(cause: string, kind: string, now = Date.now()): boolean {
    this.#forgetOld(now)
    if (this.#until.has(cause)) return false
    const counted = this.#until.size < this.maxCauses ? cause : `any ${kind}`
    if (this.#until.has(counted)) return false
    this.#until.set(counted, now + MINUTE)
    return true
  }

  /** Returns true if the cause was admitted within the last minute. */
  has(cause: string, now = Date.now()): boolean {
    return (this.#until.get(cause) ?? 0) > now
  }

  clear(): void {
    this.#until.clear()
  }

  #forgetOld(now: number): void {
    for (const [cause, until] of this.#until) {
      if (until > now) return
      this.#until.delete(cause)
    }
  }
}

/** Sender of a rejected request, as far as known. */
interface RefusedCaller {
  /** Id of the user or the token, for comparison; null if only the address is known */
  id: string | null
  username?: string
  user?: () => AdminUser
  session?: Pick<AdminSession, 'id'>
  /** Name of the access token */
  token?: string
  /** Actor for checking permissions */
  actor: Actor
  /** True if the request has a session or a token, even an invalid one */
  sentCredentials: boolean
}

function refusedCaller(ctx: HttpContext): RefusedCaller {
  return signedInCaller(ctx) ?? tokenCaller(ctx) ?? anonymousCaller(ctx)
}

function signedInCaller(ctx: HttpContext): RefusedCaller | null {
  const guard = guardOf(ctx)
  const found = guard.signedIn ?? guard.lackingFactor
  if (!found) return null
  const { owner, session } = found
  return {
    id: `user:${owner.id}`,
    username: owner.username,
    user: () => owner.user,
    session,
    actor: guard.signedIn ? adminActor(ctx) : { kind: 'none' },
    sentCredentials: true,
  }
}

function tokenCaller(ctx: HttpContext): RefusedCaller | null {
  const user = tokenGuardOf(ctx).user
  if (!user) return null
  const { identifier, name, abilities } = user.currentAccessToken
  const token = { id: Number(identifier), name: name!, abilities }
  return {
    id: `token:${identifier}`,
    username: user.username,
    user: () => user,
    token: token.name,
    actor: { kind: 'token', user, token },
    sentCredentials: true,
  }
}

function anonymousCaller({ request }: HttpContext): RefusedCaller {
  const session = request.plainCookie('session_id', { encoded: false })
  const sentCredentials = Boolean(session) || request.header('authorization') !== undefined
  return { id: null, actor: { kind: 'none' }, sentCredentials }
}

const READS = ['GET', 'HEAD', 'OPTIONS']

/*
 * Maximum number of concurrent lookups, so that a flood of requests for missing records does not become a flood of
 * queries.
 */
const MAX_LOOKUPS = 20

/* Maximum length of a key in the event log */
const LONGEST_KEY = 512

/**
 * Logs rejected requests, as events and in the application's log, each cause at most once a minute. A cause is a
 * combination of caller, route and reason. Record keys and page URLs are not part of it, because callers can choose
 * them freely.
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

  /** Logs a rejected request without waiting, so that the response takes the same time with and without an event. */
  note(ctx: HttpContext, refusal: Refusal): void {
    const caller = refusedCaller(ctx)
    if (isAnonymousVisit(ctx, refusal, caller)) return
    if (refusal.reason !== undefined) return this.#log(ctx, refusal, caller)
    const resource = requestSubject.get(ctx)?.base
    const key = resource && keyIn(ctx, resource)
    if (!resource || !key || this.#lookups.size >= MAX_LOOKUPS) return
    const lookup = this.#logIfHidden(ctx, caller, { resource, key }).finally(() =>
      this.#lookups.delete(lookup)
    )
    this.#lookups.add(lookup)
  }

  /** Waits for the pending lookups. */
  async settle(): Promise<void> {
    await Promise.all(this.#lookups)
  }

  /** Forgets the causes that were logged within the last minute. */
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

/**
 * Returns true for a read request without credentials that is redirected to the login, which is not logged as an event.
 */
function isAnonymousVisit(
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

/** Returns the key of the request's record as in URL paths. */
function idIn(ctx: HttpContext, resource: Resource): string | undefined {
  const key = keyIn(ctx, resource)
  const id = key && resource.key.toPath(key).slice(1)
  return id !== undefined && id.length <= LONGEST_KEY ? id : undefined
}
