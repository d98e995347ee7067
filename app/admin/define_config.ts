import { isAbsolute } from 'node:path'
import { ValueError } from '#crud'
import {
  ANY,
  checkEach,
  isObject,
  LABEL,
  OBJECT,
  PATH,
  POSITIVE,
  SECONDS,
  shown,
  TRUTH,
  type Check,
} from '#crud/option_checks'
import { Secret } from '@adonisjs/core/helpers'
import app from '@adonisjs/core/services/app'
import type { EventIntegration } from './events/event_integration.js'

/**
 * The settings of the admin site, as `config/admin.ts` holds them. [B1]
 */
export interface AdminConfig {
  /** The application's key, from which that of the access tokens is derived [B4] */
  appKey: Secret<string>
  /** Where the site lies, as in `/admin`; empty for the root */
  mountPath: string
  /** What the site is called, on every page */
  title: string
  theme: 'dark-theme' | 'light-theme'
  /** Whether cookies are sent over HTTPS only */
  secureCookies: boolean
  /** Folder of Edge files that replace the shipped ones of the same name; absolute path */
  templatesDirectory: string | undefined
  /** Folder that uploaded files are kept in; absolute path. Default: `storage` [B17] */
  storageDirectory: string
  /** Lucid connection of the admin's own tables; undefined: the application's */
  adminConnection: string | undefined
  /** Registered models beside the decorated ones */
  models: Record<string, unknown>
  eventIntegration: EventIntegration | undefined
  sessions: {
    /** Minutes without a request after which a session ends [B7] */
    idleMinutes: number
    /** Hours after which it ends in any case */
    maximumHours: number
    /** Sessions that a user may have at once; the oldest makes room */
    perUser: number
  }
  token: {
    /** Minutes that an access token is good for [B4] */
    minutes: number
  }
  login: {
    /** Failures of one user name from one address ... [B8] */
    attempts: number
    /** ... within so many minutes, until the next is refused */
    withinMinutes: number
    /** Failures of all user names together from one address, within as many minutes */
    attemptsPerAddress: number
    /** Failures of one user name from all addresses, after which its logins get slower */
    quickAttemptsPerName: number
    /** Seconds that a login is held up for that at the most */
    slowestSeconds: number
    /** Logins that may be held up at once in each process; the next one is told to come back */
    slowedAtOnce: number
    /** Passwords that are compared or hashed at the same time; each takes a thread, and 128 MB */
    hashesAtOnce: number
    /** Logins that may wait for that; the next one is told to come back */
    hashesWaiting: number
  }
}

type PartialConfig = Partial<Omit<AdminConfig, 'appKey' | 'sessions' | 'token' | 'login'>> & {
  appKey: Secret<string>
  sessions?: Partial<AdminConfig['sessions']>
  token?: Partial<AdminConfig['token']>
  login?: Partial<AdminConfig['login']>
}

const PLACE = 'config/admin.ts'

const FOLDER: Check = [
  (value) => typeof value === 'string' && isAbsolute(value),
  "an absolute path, as app.makePath('...') gives",
]

const CHECKS: Record<keyof Required<PartialConfig>, Check> = {
  /* Its value is told to nobody. */
  appKey: ANY,
  mountPath: PATH,
  title: LABEL,
  theme: [
    (value) => value === 'dark-theme' || value === 'light-theme',
    "'dark-theme' or 'light-theme'",
  ],
  secureCookies: TRUTH,
  templatesDirectory: FOLDER,
  storageDirectory: FOLDER,
  adminConnection: LABEL,
  models: OBJECT,
  eventIntegration: [
    (value) => typeof value?.log === 'function',
    'databaseEvents(), an object with a function log, or undefined',
  ],
  sessions: OBJECT,
  token: OBJECT,
  login: OBJECT,
}

/* A group is looked at with its defaults, so that one that is undefined is no default either. */
const GROUPS = {
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
 * Fills in the defaults.
 *
 * @throws ValueError  for an unknown option, or one that can't be [P9]
 */
export function defineConfig(config: PartialConfig): AdminConfig {
  checkEach(PLACE, config, CHECKS)
  if (!(config.appKey instanceof Secret)) {
    throw new ValueError(`${PLACE}: appKey is no Secret, and must be env.get('APP_KEY')`)
  }
  checkModels(config.models ?? {})
  const path = (config.mountPath ?? '/admin').replace(/^\/+|\/+$/g, '')
  const filled: AdminConfig = {
    appKey: config.appKey,
    mountPath: path === '' ? '' : `/${path}`,
    title: config.title ?? 'Atrium',
    theme: config.theme ?? 'light-theme',
    secureCookies: config.secureCookies ?? true,
    templatesDirectory: config.templatesDirectory,
    storageDirectory: config.storageDirectory ?? app.makePath('storage'),
    adminConnection: config.adminConnection,
    models: config.models ?? {},
    eventIntegration: config.eventIntegration,
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
