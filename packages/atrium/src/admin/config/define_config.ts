import { isAbsolute } from 'node:path'
import { Secret } from '@adonisjs/core/helpers'
import app from '@adonisjs/core/services/app'
import type { DriverContract } from '@adonisjs/drive/types'
import type { RedisConnectionConfig } from '@adonisjs/redis/types'
import { ValueError } from '#crud'
import {
  ANY,
  checkEach,
  FUNCTION,
  isList,
  isObject,
  LABEL,
  OBJECT,
  PATH,
  POSITIVE,
  SECONDS,
  TRUTH,
  type Check,
} from '#base/checks'
import { isNetwork } from '#base/http/network'
import { shown, withoutStack } from '#base/errors'
import type { EventIntegration } from '../events/event_integration.js'
import { MCP_CHECK, mcpConfig, type McpConfig, type McpInput } from './mcp_config.js'
import { metricsConfig, type MetricsConfig, type MetricsInput } from './metrics_config.js'
import { checkNavigation, type Navigation } from './navigation_config.js'
import type { ScanFile } from './scan_file.js'
import { ssoConfig, type SsoConfig, type SsoInput } from './sso_config.js'
import { checkUserAttributes, type UserAttributes } from './user_attributes.js'
import { isTimeZone, UTC } from '../time/time_zone.js'

/** Resolved settings of the admin site, from `config/admin.ts`. */
export interface AdminConfig {
  /** The application's key, from which the key of the session tokens is derived */
  appKey: Secret<string>
  /** URL path of the site, such as `/admin`; empty for the root */
  mountPath: string
  /** Title of the site, shown on every page */
  title: string
  /** `system-theme` is light or dark as the viewer's system is. Default: `light-theme` */
  theme: 'dark-theme' | 'light-theme' | 'system-theme'
  /** Order of the sidebar, and links in it */
  navigation: Navigation
  /** Time zone of users who have not chosen one, such as `Europe/Berlin`. Default: UTC */
  timeZone: string
  /** Sends cookies over HTTPS only */
  secureCookies: boolean
  /** Directory of Edge files that replace the default templates of the same name; absolute path */
  templatesDirectory: string | undefined
  /** Folder of uploaded files; absolute path. Default: `storage` */
  storageDirectory: string
  /**
   * Creates the disk of uploaded files, a driver of AdonisJS Drive, as `s3Disk()` does; undefined: `storageDirectory`
   */
  disk: (() => DriverContract | Promise<DriverContract>) | undefined
  /** Lucid connection of the admin site's tables; undefined: the application's connection */
  adminConnection: string | undefined
  /** Name of the role of users who are created without roles; null: none */
  defaultRole: string | null
  /** Models to register in addition to the decorated ones */
  models: Record<string, unknown>
  eventIntegration: EventIntegration | undefined
  /**
   * Store of the counters of failed logins and API requests: the admin site's tables, Redis, or the memory of each
   * process. Default: database
   */
  limiter: 'database' | 'redis' | 'memory'
  /** The Redis server of `limiter` and `jobs.store`. Default: port 6379 of this machine, without a password */
  redis: RedisConnectionConfig
  jobs: {
    /** Store of waiting jobs: the admin site's tables, or Redis. Default: database */
    store: 'database' | 'redis'
    /** Maximum number of concurrent jobs of a process */
    concurrency: number
    /** True if the server's process runs background jobs */
    worker: boolean
    /** Days after which a finished job is removed */
    keptDays: number
    /** Maximum number of unfinished jobs of a user */
    perUser: number
    /** Maximum duration of a run, in minutes; a longer job fails */
    minutes: number
  }
  forms: {
    /** Maximum size of a form without files, in MB; larger ones get 413 */
    textMegabytes: number
    /** Maximum total size of the files of a form, in MB; larger ones get 413 */
    filesMegabytes: number
  }
  imports: {
    /** Maximum number of rows of a file in any format, including empty rows */
    rows: number
    /** Number of rows with errors after which the dry run stops */
    invalidRows: number
  }
  exports: {
    /** Maximum number of records of an export that is streamed; larger exports are background jobs */
    streamed: number
    /** Hours for which the file of an export job is stored */
    keptHours: number
    /** Maximum size of the file of an export job, in MB; a job with a larger file fails */
    fileMegabytes: number
    /** Maximum number of stored export files of a user; a further file replaces the oldest */
    keptFiles: number
    /** Maximum total size of a user's export files, in MB; the newest file is always stored */
    keptMegabytes: number
  }
  /** Scans each uploaded file before it is stored, for example for malware; undefined: no scan */
  scanFile: ScanFile | undefined
  /**
   * Networks and addresses from which the site can be used, such as `10.0.0.0/8` or `2001:db8::/32`; other clients get
   * 403. Default: all
   */
  allowedNetworks: readonly string[] | undefined
  /** Users who must have a second factor: none, superusers, or all. Default: optional */
  mfa: 'optional' | 'superusers' | 'required'
  /** Single sign-on by OpenID Connect; undefined: disabled */
  sso: SsoConfig | undefined
  /** The MCP server at `/mcp` of the site; undefined: disabled */
  mcp: McpConfig | undefined
  webhooks: {
    /** True to allow webhooks to addresses in private networks and of this machine. Default: false */
    allowPrivate: boolean
  }
  /** Access to `/metrics`; undefined: no metrics */
  metrics: MetricsConfig | undefined
  /** User attributes that forms and commands offer, by name */
  userAttributes: UserAttributes
  sessions: {
    /** Idle timeout of a session, in minutes */
    idleMinutes: number
    /** Maximum lifetime of a session, in hours */
    maximumHours: number
    /** Maximum number of sessions per user; a further session ends the oldest */
    perUser: number
  }
  token: {
    /** Lifetime of a session token in minutes */
    minutes: number
  }
  login: {
    /** Failed attempts per user name and address before further attempts are rejected */
    attempts: number
    /** Length of the window, in minutes, in which failed attempts are counted */
    withinMinutes: number
    /** Failed attempts per address, for all user names together, in the same time window */
    attemptsPerAddress: number
    /** Failed attempts per user name, from all addresses, before logins with that name are delayed */
    quickAttemptsPerName: number
    /** Maximum delay of a login in seconds */
    slowestSeconds: number
    /** Maximum number of delayed logins per process; further ones receive 503 */
    slowedAtOnce: number
    /** Maximum number of passwords that are compared or hashed concurrently; each uses a thread and 128 MB */
    hashesAtOnce: number
    /** Maximum number of logins that wait for a comparison; further ones receive 503 */
    hashesWaiting: number
  }
}

type PartialConfig = Partial<
  Omit<
    AdminConfig,
    | 'appKey'
    | 'jobs'
    | 'forms'
    | 'imports'
    | 'exports'
    | 'sso'
    | 'metrics'
    | 'webhooks'
    | 'mcp'
    | 'sessions'
    | 'token'
    | 'login'
  >
> & {
  appKey: Secret<string>
  jobs?: Partial<AdminConfig['jobs']>
  forms?: Partial<AdminConfig['forms']>
  imports?: Partial<AdminConfig['imports']>
  exports?: Partial<AdminConfig['exports']>
  sso?: SsoInput
  metrics?: MetricsInput
  mcp?: McpInput
  webhooks?: Partial<AdminConfig['webhooks']>
  sessions?: Partial<AdminConfig['sessions']>
  token?: Partial<AdminConfig['token']>
  login?: Partial<AdminConfig['login']>
}

/** Default of `imports` */
export const IMPORT_LIMITS = { rows: 1_048_575, invalidRows: 10_000 }

/** Default of `exports` */
export const EXPORT_LIMITS = {
  streamed: 100_000,
  keptHours: 24,
  fileMegabytes: 2048,
  keptFiles: 20,
  keptMegabytes: 4096,
}

const PLACE = 'config/admin.ts'

const FOLDER: Check = [
  (value) => typeof value === 'string' && isAbsolute(value),
  "an absolute path, as app.makePath('...') gives",
]

const CHECKS: Record<keyof Required<PartialConfig>, Check> = {
  /* Accepts any value here, because an invalid key must not appear in an error message. */
  appKey: ANY,
  mountPath: PATH,
  title: LABEL,
  theme: [
    (value) => ['dark-theme', 'light-theme', 'system-theme'].includes(value as string),
    "'dark-theme' or 'light-theme', or 'system-theme' for that of the device",
  ],
  navigation: OBJECT,
  timeZone: [isTimeZone, "the name of a time zone, as in 'Europe/Berlin', or 'UTC'"],
  secureCookies: TRUTH,
  templatesDirectory: FOLDER,
  storageDirectory: FOLDER,
  disk: FUNCTION,
  adminConnection: LABEL,
  defaultRole: [(value) => value === null || LABEL[0](value), "a role's name, or null for none"],
  mfa: [
    (value) => value === 'optional' || value === 'superusers' || value === 'required',
    "'optional', 'superusers' or 'required'",
  ],
  allowedNetworks: [
    (value) => isList(value, isNetwork) && [...value].length > 0,
    "a list of networks and addresses, as in ['10.0.0.0/8', '2001:db8::/32']; leave it out for all",
  ],
  sso: OBJECT,
  metrics: OBJECT,
  webhooks: OBJECT,
  mcp: MCP_CHECK,
  userAttributes: OBJECT,
  scanFile: FUNCTION,
  limiter: [
    (value) => ['database', 'redis', 'memory'].includes(value),
    "'database', 'redis' or 'memory'",
  ],
  redis: OBJECT,
  models: OBJECT,
  eventIntegration: [
    (value) => typeof value?.log === 'function',
    'databaseEvents(), an object with a function log, or undefined',
  ],
  jobs: OBJECT,
  forms: OBJECT,
  imports: OBJECT,
  exports: OBJECT,
  sessions: OBJECT,
  token: OBJECT,
  login: OBJECT,
}

/* Each group is checked after the defaults are applied, so that an undefined setting counts as missing. */
const GROUPS = {
  jobs: {
    store: [
      (value) => value === 'database' || value === 'redis',
      "'database' or 'redis'",
    ] satisfies Check,
    concurrency: POSITIVE,
    worker: TRUTH,
    keptDays: POSITIVE,
    perUser: POSITIVE,
    minutes: POSITIVE,
  },
  webhooks: { allowPrivate: TRUTH },
  forms: { textMegabytes: POSITIVE, filesMegabytes: POSITIVE },
  imports: { rows: POSITIVE, invalidRows: POSITIVE },
  exports: {
    streamed: POSITIVE,
    keptHours: POSITIVE,
    fileMegabytes: POSITIVE,
    keptFiles: POSITIVE,
    keptMegabytes: POSITIVE,
  },
  sessions: { idleMinutes: POSITIVE, maximumHours: POSITIVE, perUser: POSITIVE },
  token: { minutes: POSITIVE },
  login: {
    attempts: POSITIVE,
    withinMinutes: POSITIVE,
    attemptsPerAddress: POSITIVE,
    quickAttemptsPerName: POSITIVE,
    slowestSeconds: SECONDS,
    slowedAtOnce: POSITIVE,
    hashesAtOnce: POSITIVE,
    hashesWaiting: POSITIVE,
  },
}

/**
 * Returns the settings of the admin site, for `config/admin.ts`.
 *
 * @param config  `appKey`, and the options that differ from the defaults
 * @returns all settings
 * @throws ValueError  for an unknown option or an invalid value
 */
export function defineConfig<const Attributes extends UserAttributes = {}>(
  config: PartialConfig & { userAttributes?: Attributes }
): Omit<AdminConfig, 'userAttributes'> & { userAttributes: Attributes } {
  return withoutStack(() => checkedConfig(config))
}

function checkedConfig<const Attributes extends UserAttributes = {}>(
  config: PartialConfig & { userAttributes?: Attributes }
): Omit<AdminConfig, 'userAttributes'> & { userAttributes: Attributes } {
  checkEach(PLACE, config, CHECKS)
  if (!(config.appKey instanceof Secret)) {
    throw new ValueError(`${PLACE}: appKey is not a Secret, and must be env.get('APP_KEY')`)
  }
  checkModels(config.models ?? {})
  checkNavigation(PLACE, config.navigation ?? {})
  checkUserAttributes(PLACE, config.userAttributes ?? {})
  const path = (config.mountPath ?? '/admin').replace(/^\/+|\/+$/g, '')
  const filled: Omit<AdminConfig, 'userAttributes'> & { userAttributes: Attributes } = {
    appKey: config.appKey,
    mountPath: path === '' ? '' : `/${path}`,
    title: config.title ?? 'Atrium',
    theme: config.theme ?? 'light-theme',
    navigation: config.navigation ?? {},
    timeZone: config.timeZone ?? UTC,
    secureCookies: config.secureCookies ?? true,
    templatesDirectory: config.templatesDirectory,
    storageDirectory: config.storageDirectory ?? app.makePath('storage'),
    disk: config.disk,
    adminConnection: config.adminConnection,
    defaultRole: config.defaultRole === undefined ? 'Everything' : config.defaultRole,
    models: config.models ?? {},
    eventIntegration: config.eventIntegration,
    allowedNetworks: config.allowedNetworks && [...config.allowedNetworks],
    mfa: config.mfa ?? 'optional',
    scanFile: config.scanFile,
    userAttributes: config.userAttributes ?? ({} as Attributes),
    sso: config.sso && ssoConfig(config.sso),
    metrics: config.metrics && metricsConfig(config.metrics),
    mcp: mcpConfig(config.mcp),
    webhooks: { allowPrivate: false, ...config.webhooks },
    limiter: config.limiter ?? 'database',
    redis: config.redis ?? {},
    jobs: {
      store: 'database',
      concurrency: 2,
      worker: true,
      keptDays: 30,
      perUser: 20,
      minutes: 60,
      ...config.jobs,
    },
    forms: { textMegabytes: 1, filesMegabytes: 20, ...config.forms },
    imports: { ...IMPORT_LIMITS, ...config.imports },
    exports: { ...EXPORT_LIMITS, ...config.exports },
    sessions: { idleMinutes: 30, maximumHours: 12, perUser: 5, ...config.sessions },
    token: { minutes: 30, ...config.token },
    login: {
      attempts: 5,
      withinMinutes: 15,
      attemptsPerAddress: 50,
      quickAttemptsPerName: 20,
      slowestSeconds: 15,
      slowedAtOnce: 500,
      hashesAtOnce: 2,
      hashesWaiting: 20,
      ...config.login,
    },
  }

  for (const [group, checks] of Object.entries(GROUPS)) {
    checkEach(PLACE, filled[group as keyof typeof GROUPS], checks, { group })
  }
  return filled
}

function checkModels(models: Record<string, unknown>) {
  for (const [name, entry] of Object.entries(models)) {
    const [model, options, ...rest] = Array.isArray(entry) ? entry : [entry, {}]
    if (typeof model === 'function' && isObject(options) && rest.length === 0) continue
    throw new ValueError(
      `${PLACE}: models.${name} is ${shown(entry)}, and must be a model, or a model and its options, as in [Product, { label: 'Goods' }]`
    )
  }
}

/** A site with limits of exports and imports */
export interface WithLimits {
  readonly exports: AdminConfig['exports']
  readonly imports: AdminConfig['imports']
}
