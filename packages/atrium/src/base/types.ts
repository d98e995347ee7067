/**
 * The possible types of an actor's `user`, under any names. Code that signs users in declares the type of its users, so
 * that a policy needs no cast: `declare module 'adonis-atrium/types' { interface ActorUsers { admin: AdminUser } }`.
 */
export interface ActorUsers {}

/** The possible types of an actor's `session`. */
export interface ActorSessions {}

type OneOf<Types> = [keyof Types] extends [never] ? unknown : Types[keyof Types]

export type ActorUser = OneOf<ActorUsers>
export type ActorSession = OneOf<ActorSessions>

/**
 * The caller of an operation: a signed-in admin user, the owner of an API token, named application code, or an unknown
 * caller.
 */
export type Actor = AdminActor | TokenActor | SystemActor | NoActor

/** The properties that can be read on any kind of actor */
interface AnyActor {
  user?: ActorUser
  token?: ApiToken
  /** Session of a signed-in admin user */
  session?: ActorSession
  /** Name of application code */
  name?: string
}

export interface AdminActor extends AnyActor {
  kind: 'admin'
  user: ActorUser
  token?: undefined
  name?: undefined
}

export interface TokenActor extends AnyActor {
  kind: 'token'
  session?: undefined
  name?: undefined
}

export interface SystemActor extends AnyActor {
  kind: 'system'
  user?: undefined
  token?: undefined
  session?: undefined
  name: string
}

export interface NoActor extends AnyActor {
  kind: 'none'
  user?: undefined
  token?: undefined
  session?: undefined
  name?: undefined
}

/** The origin of a request. */
export interface Origin {
  requestId: string
  ip: string
  userAgent: string | null
  /** Id of the record of the signed-in session, if there is one */
  sessionId?: number
  /** Id of the background job that the work belongs to, if any */
  jobId?: number
  /** Id of the logged event that the work reverts, if any */
  undoes?: number
  /** Name of the action of the application that the work belongs to, if any */
  action?: string
  /** Id of the logged event whose version of a record the work restores, if any */
  restores?: number
  /** Name of the MCP session that the request belongs to, if any */
  mcpSession?: string
  /** The record of the submitted form, if rows of other models are written with it */
  form?: { model: string; id: string }
}

/** Data of a request's API token, without its secret and hash. */
export interface ApiToken {
  id: number
  name: string
  /** Abilities such as `Product:read` */
  abilities: readonly string[]
  /** True if the token cannot write by any path */
  readOnly?: boolean
}

/** An item in the API: JSON values by API name. */
export type Item = Record<string, unknown>
