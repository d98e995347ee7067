import app from '@adonisjs/core/services/app'
import env from '#start/env'
import { databaseEvents, defineConfig } from '#admin'

/**
 * The admin site.
 */
export default defineConfig({
  /** Another key ends all sessions' tokens */
  appKey: env.get('APP_KEY'),

  /** Where the site lies; '/' works too */
  mountPath: '/admin',

  title: 'Atrium',

  /** 'light-theme' or 'dark-theme'; each viewer may choose another */
  theme: 'light-theme',

  /** Cookies over HTTPS only. A production server belongs behind HTTPS. */
  secureCookies: app.inProduction,

  /** A folder whose Edge files replace those of resources/views/admin of the same name */
  templatesDirectory: undefined,

  /** Where uploaded files are kept */
  storageDirectory: app.makePath(env.get('STORAGE_DIRECTORY', 'storage')),

  /** Another connection of config/database.ts for the admin's own tables */
  adminConnection: undefined,

  /**
   * Where it is logged who changed, viewed and signed in to what; undefined: nowhere. Events are kept
   * for so many days, names that were typed in failed logins for fewer. `logViews: false` leaves the
   * views out.
   */
  eventIntegration: databaseEvents({ retentionDays: 365, typedNameDays: 30 }),

  /** Models beside those with `@AdminView`: { Name: Model } or { Name: [Model, options] } */
  models: {},

  sessions: {
    /** Minutes without a request after which a session ends */
    idleMinutes: 30,
    /** Hours after which it ends in any case */
    maximumHours: 12,
    /** Sessions a user may have at once */
    perUser: 5,
  },

  login: {
    /** Failures of a user name from one address within so many minutes, until the next is refused */
    attempts: 5,
    withinMinutes: 15,
    /** The same for all user names together. Behind a proxy, all are one address without TRUST_PROXY */
    attemptsPerAddress: 50,
    /** Failures of a user name from all addresses, after which its logins get slower, second by second ... */
    quickAttemptsPerName: 20,
    /** ... to so many. It is never refused for that, or anybody could lock anybody out */
    slowestSeconds: 15,
    /** Logins that may be held up so at once; the next one is told to come back */
    slowedAtOnce: 500,
    /** Passwords compared at once: each takes 128 MB and a thread, of which Node.js has 4 for all */
    hashesAtOnce: 2,
    /** Logins that may wait for that; the next one is told to come back */
    hashesWaiting: 20,
  },
})
