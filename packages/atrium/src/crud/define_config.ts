import app from '@adonisjs/core/services/app'
import type { ApplicationService } from '@adonisjs/core/types'
import type { Access, Dialect } from './types.js'
import { DIALECTS } from './checks.js'
import { ValueError, withoutStack } from '#base/errors'
import {
  checkEach,
  isList,
  OBJECT,
  PATH,
  POSITIVE,
  SECONDS,
  TEXTS,
  TRUTH,
  type Check,
} from '#base/checks'
import { originOf } from '#base/http/served_hosts'

/** True for an origin as browsers send it, such as `https://shop.example.com`, and for `*`. */
function isOrigin(value: unknown): boolean {
  return (
    value === '*' || (typeof value === 'string' && originOf(value) === value && value !== 'null')
  )
}

/** True for an origin on the local machine, with any port. */
function isLocalOrigin(origin: string): boolean {
  return /^https?:\/\/(?:localhost|127\.0\.0\.1|\[::1\])(?::\d+)?$/.test(origin)
}

/** Settings of the generated endpoints, from `config/crud.ts`. */
export interface CrudConfig {
  /** Path prefix of all generated endpoints, such as `/api` */
  prefix: string
  /** Access to endpoints whose model sets no `access` */
  access: Access
  /** True if the configuration sets `access`; false if it depends on the environment */
  isAccessDecided: boolean
  /** True to return 422 for an unknown query parameter */
  strictQuery: boolean
  /** True to return 422 for an unknown field in a body */
  strictBody: boolean
  /** Dialects of other servers that the endpoints also understand, for models that do not set `compat` */
  compat: readonly Dialect[]
  /** Files below `app/models` that are not read, so their models have no endpoints and no admin pages */
  excludedModels: readonly string[]
  /** Names of migrations that `npm start` and `node ace migrate` do not run */
  excludedMigrations: readonly string[]
  pagination: {
    /** Number of items in a list without paging parameters */
    limit: number
    /** Number of items on a page if only `page` is given */
    itemsPerPage: number
    /** Maximum value of `limit` and `itemsPerPage` */
    maximum: number
    /** Maximum number of items that one `include` adds to a response */
    included: number
    /** Maximum number of items of one relation that `include` adds to each record */
    includedPerRecord: number
  }
  /** Pages of other origins that can call the endpoints and read the API schema */
  cors: {
    /** Origins such as `https://shop.example.com`, `'*'` for all, or a function; an empty list allows none */
    origins: readonly string[] | ((origin: string) => boolean)
    /** True to let these pages send cookies, which only an authorizer of the application accepts */
    credentials: boolean
  }
  /** The API schema, served at `openapi.json` below the prefix */
  openapi: {
    enabled: boolean
    /** Access to the schema */
    access: Access
    /** Title of the API. Default: the application's name */
    title: string | null
    /** Version of the API. Default: the application's version */
    version: string | null
  }
  /** The page with the API documentation, on which users can try requests */
  docs: {
    enabled: boolean
    /** Access to the page */
    access: Access
    path: string
  }
  body: {
    /** Maximum size of a body in bytes */
    limit: number
    /** Maximum nesting depth of JSON */
    depth: number
  }
  limits: {
    /** Maximum number of characters in a text whose column has no limit, for models without a custom schema */
    text: number
    /** Maximum number of rows in a list as CSV or NDJSON */
    export: number
    /** Maximum size in bytes of the values of one response */
    response: number
    /** Maximum size in bytes of the values of all responses that a process is reading, writing or sending */
    responses: number
  }
  idempotency: {
    /** Hours for which the response to a create with an `Idempotency-Key` is stored */
    hours: number
  }
  /**
   * Maximum number of requests within a number of seconds, for each token, and for each address without a token; null:
   * no limit
   */
  rateLimit: { requests: number; seconds: number } | null
  /** Times in seconds */
  server: {
    /** Maximum duration of a shutdown; requests can use all but the last three seconds of it */
    graceSeconds: number
    /** Maximum time for a request's headers to arrive */
    headersSeconds: number
    /** Maximum time for a whole request to arrive */
    requestSeconds: number
    /** Maximum time in which a client does not read any of its response */
    writeSeconds: number
    /** Keep-alive time of an idle connection */
    idleSeconds: number
  }
}

type DocsMode = Access | 'off'

type Groups =
  'cors' | 'pagination' | 'body' | 'limits' | 'idempotency' | 'server' | 'openapi' | 'docs'
type PartialConfig = Partial<Omit<CrudConfig, Groups | 'access' | 'isAccessDecided'>> & {
  /** null: each model decides; a model without `access` is public in development only */
  access?: Access | null
  pagination?: Partial<CrudConfig['pagination']>
  cors?: Partial<CrudConfig['cors']>
  openapi?: Partial<CrudConfig['openapi']>
  /**
   * Access to the API schema and the documentation page; null: public in development, token required in production. An
   * object contains the options of earlier versions for the page only
   */
  docs?: DocsMode | null | Partial<CrudConfig['docs']>
  /** Path of the documentation page */
  docsPath?: string
  body?: Partial<CrudConfig['body']>
  limits?: Partial<CrudConfig['limits']>
  idempotency?: Partial<CrudConfig['idempotency']>
  server?: Partial<CrudConfig['server']>
}

const PLACE = 'config/crud.ts'

const ACCESS: Check = [(value) => value === 'public' || value === 'token', "'public' or 'token'"]
const NAME: Check = [
  (value) => typeof value === 'string' || value === null || value === undefined,
  'a string or null',
]

const ORIGINS: Check = [
  (value) => typeof value === 'function' || isList(value, isOrigin),
  "a list of origins without a path, as in ['https://shop.example.com'], or a function",
]

const MODES: unknown[] = ['public', 'token', 'off']

const CHECKS: Record<keyof Required<PartialConfig>, Check> = {
  prefix: PATH,
  access: [(value) => value === null || ACCESS[0](value), `${ACCESS[1]}, or null`],
  strictQuery: TRUTH,
  strictBody: TRUTH,
  compat: DIALECTS,
  excludedModels: TEXTS,
  excludedMigrations: TEXTS,
  pagination: OBJECT,
  cors: OBJECT,
  openapi: OBJECT,
  docs: [
    (value) => value === null || MODES.includes(value) || OBJECT[0](value),
    "'public', 'token', 'off' or null",
  ],
  docsPath: PATH,
  body: OBJECT,
  limits: OBJECT,
  idempotency: OBJECT,
  rateLimit: [
    (value) => value === null || OBJECT[0](value),
    'null, or as in { requests: 100, seconds: 60 }',
  ],
  server: OBJECT,
}

/* A group is checked together with its defaults, so that an explicit undefined is an error. */
const GROUPS: { [Group in Groups | 'rateLimit']: Record<string, Check> } = {
  pagination: {
    limit: POSITIVE,
    itemsPerPage: POSITIVE,
    maximum: POSITIVE,
    included: POSITIVE,
    includedPerRecord: POSITIVE,
  },
  body: { limit: POSITIVE, depth: POSITIVE },
  limits: { text: POSITIVE, export: POSITIVE, response: POSITIVE, responses: POSITIVE },
  idempotency: { hours: POSITIVE },
  rateLimit: { requests: POSITIVE, seconds: POSITIVE },
  server: {
    graceSeconds: SECONDS,
    headersSeconds: SECONDS,
    requestSeconds: SECONDS,
    writeSeconds: SECONDS,
    idleSeconds: SECONDS,
  },
  cors: { origins: ORIGINS, credentials: TRUTH },
  openapi: { enabled: TRUTH, access: ACCESS, title: NAME, version: NAME },
  docs: { enabled: TRUTH, access: ACCESS, path: PATH },
}

/**
 * Returns the settings of the endpoints, for `config/crud.ts`.
 *
 * @param config  the options that differ from the defaults
 * @returns all settings
 * @throws ValueError  for an unknown option or an invalid value
 */
export function defineConfig(config: PartialConfig = {}): CrudConfig {
  return withoutStack(() => checkedConfig(config))
}

function checkedConfig(config: PartialConfig): CrudConfig {
  checkEach(PLACE, config, CHECKS)
  const docs = typeof config.docs === 'object' && config.docs ? config.docs : {}
  checkEach(PLACE, docs.path === undefined ? {} : { path: docs.path }, GROUPS.docs, {
    group: 'docs',
  })
  const mode = docsMode(config.docs)
  const filled: CrudConfig = {
    prefix: normalisePrefix(config.prefix ?? '/api'),
    access: config.access ?? accessByDefault(),
    isAccessDecided: config.access !== undefined && config.access !== null,
    strictQuery: config.strictQuery ?? false,
    strictBody: config.strictBody ?? false,
    compat: config.compat ?? [],
    excludedModels: config.excludedModels ?? [],
    excludedMigrations: config.excludedMigrations ?? [],
    pagination: {
      limit: 100,
      itemsPerPage: 10,
      maximum: 1000,
      included: 10_000,
      includedPerRecord: 100,
      ...config.pagination,
    },
    body: { limit: 1024 * 1024, depth: 32, ...config.body },
    limits: {
      text: 100_000,
      export: 100_000,
      response: 32 * 1024 * 1024,
      responses: 96 * 1024 * 1024,
      ...config.limits,
    },
    idempotency: { hours: 24, ...config.idempotency },
    rateLimit: config.rateLimit
      ? /* NaN makes the check report an omitted value. */
        Object.assign({ requests: Number.NaN, seconds: Number.NaN }, config.rateLimit)
      : null,
    server: {
      graceSeconds: 8,
      headersSeconds: 20,
      requestSeconds: 120,
      writeSeconds: 30,
      idleSeconds: 65,
      ...config.server,
    },
    cors: {
      origins: (app as ApplicationService | undefined)?.inDev ? isLocalOrigin : [],
      credentials: false,
      ...config.cors,
    },
    openapi: { ...mode, title: null, version: null, ...config.openapi },
    docs: {
      ...mode,
      ...docs,
      path: normalisePrefix(docs.path ?? config.docsPath ?? '/docs'),
    },
  }

  for (const [group, checks] of Object.entries(GROUPS)) {
    checkEach(PLACE, filled[group as keyof typeof GROUPS] ?? {}, checks, { group })
  }
  filled.cors.origins = listedOrigins(filled.cors)
  if (filled.docs.path === '') {
    const name = docs.path === undefined ? 'docsPath' : 'docs.path'
    throw new ValueError(`config/crud.ts: ${name} is the root, and must be a path as in '/docs'`)
  }
  return filled
}

/**
 * Returns the origins as a list, or the function that decides.
 *
 * @throws ValueError  for `*` together with credentials, which browsers refuse
 */
function listedOrigins({
  origins,
  credentials,
}: CrudConfig['cors']): CrudConfig['cors']['origins'] {
  if (typeof origins === 'function') return origins
  const list = [...origins]
  if (!credentials || !list.includes('*')) return list
  throw new ValueError(
    "config/crud.ts: cors.origins has '*', which can't be combined with cors.credentials; name the origins"
  )
}

function docsMode(docs: PartialConfig['docs']): { enabled: boolean; access: Access } {
  if (docs === 'off') return { enabled: false, access: 'token' }
  const access = typeof docs === 'string' ? docs : null
  return { enabled: true, access: access ?? accessByDefault() }
}

/** Normalizes a prefix: "/api/", "api" and "/api" are the same path; "/" and "" are the root. */
function normalisePrefix(prefix: string): string {
  const path = prefix.replace(/^\/+|\/+$/g, '')
  return path === '' ? '' : `/${path}`
}

/** Returns the default access: a token in production, otherwise public, also for tools without an application. */
function accessByDefault(): Access {
  return (app as ApplicationService | undefined)?.inProduction ? 'token' : 'public'
}
