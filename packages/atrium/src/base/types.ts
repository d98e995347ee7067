/**
 * The possible types of an actor's `user`, under any names. The code that signs users in declares its
 * own, so that a policy needs no cast: `declare module 'adonis-atrium/types' { interface ActorUsers { admin:
 * AdminUser } }`. [P14]
 */
export interface ActorUsers {}

/** The possible types of an actor's `session`. */
export interface ActorSessions {}

type OneOf<Types> = [keyof Types] extends [never] ? unknown : Types[keyof Types]

export type ActorUser = OneOf<ActorUsers>
export type ActorSession = OneOf<ActorSessions>

/**
 * The caller of an operation: a signed-in admin user, the owner of an API token, own code with a name,
 * or an unknown caller. [P14]
 */
export type Actor = AdminActor | TokenActor | SystemActor | NoActor

/** The properties that can be read on any kind of actor */
interface AnyActor {
  user?: ActorUser
  token?: ApiToken
  /** The session of a signed-in admin user */
  session?: ActorSession
  /** The name of own code */
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
  /** The id of the signed-in session's record, if there is one */
  sessionId?: number
  /** The id of the background job that the work is part of, if it is */
  jobId?: number
  /** The id of the logged event that the work takes back, if it does */
  undoes?: number
  /** The id of the logged event whose version of a record the work restores, if it does */
  restores?: number
  /** The record whose form the work is, if rows of other models are written with it */
  form?: { model: string; id: string }
}

/** The data of a request's API token: without its secret and hash. [P10] */
export interface ApiToken {
  id: number
  name: string
  /** As in `Product:read` */
  abilities: readonly string[]
}

/** An item in the API: JSON values by API name. */
export type Item = Record<string, unknown>
