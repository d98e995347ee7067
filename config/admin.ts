import app from '@adonisjs/core/services/app'
import env from '#start/env'
import { databaseEvents, defineConfig, s3Disk } from 'adonis-atrium/admin'

/** Uploaded files in a bucket of S3 */
const s3 = () =>
  s3Disk({
    bucket: env.get('S3_BUCKET')!,
    region: env.get('S3_REGION'),
    endpoint: env.get('S3_ENDPOINT'),
    accessKeyId: env.get('S3_ACCESS_KEY_ID'),
    secretAccessKey: env.get('S3_SECRET_ACCESS_KEY'),
  })

/**
 * The admin site.
 */
export default defineConfig({
  /** Changing the key ends all sessions */
  appKey: env.get('APP_KEY'),

  /** Path of the site; '/' works too */
  mountPath: '/admin',

  title: 'Atrium',

  /** 'light-theme', 'dark-theme' or 'system-theme', as on the device; each viewer can choose another */
  theme: 'light-theme',

  /** As in 'Europe/Berlin'; each viewer may choose another */
  timeZone: 'UTC',

  /** Cookies over HTTPS only. A production server belongs behind HTTPS. */
  secureCookies: app.inProduction,

  /** A folder of Edge files that replace those of the same name in packages/atrium/views/admin */
  templatesDirectory: undefined,

  /** Folder of uploaded files */
  storageDirectory: app.makePath(env.get('STORAGE_DIRECTORY', 'storage')),

  /** Where they are stored instead; another disk of AdonisJS Drive: see docs/files.md */
  disk: env.get('DRIVE_DISK') === 's3' ? s3() : undefined,

  /** Another connection of config/database.ts for the admin's own tables */
  adminConnection: undefined,

  /**
   * The role of new users without a role in the form or in `admin:create --role=NAME`. With
   * 'Everything' they may do all that superusers may with your models; null: none, they see nothing
   */
  defaultRole: 'Everything',

  /**
   * Log of changes, views and sign-ins; undefined: none. Events are stored for `retentionDays`. `logViews:
   * 'records'` leaves the views of lists out, `false` all views.
   */
  eventIntegration: databaseEvents({ retentionDays: 365 }),

  /** Models in addition to those with `@AdminView`: { Name: Model } or { Name: [Model, options] } */
  models: {},

  /**
   * Where failed logins and requests of the API are counted: 'database', with the admin's tables, so that all processes
   * share the counts; 'redis'; 'memory', where each process has its own counts, from its start on
   */
  limiter: env.get('LIMITER_STORE', 'database'),

  /** The Redis server of `limiter` and `jobs.store`, with the options of ioredis. Otherwise nothing connects to it */
  redis: {
    host: env.get('REDIS_HOST', '127.0.0.1'),
    port: env.get('REDIS_PORT', 6379),
    password: env.get('REDIS_PASSWORD'),
  },

  jobs: {
    /** Where background jobs wait: 'database', with the admin's tables, or 'redis' */
    store: env.get('QUEUE_STORE', 'database'),
    /** Works on background jobs in the server's process; else `node ace admin:work` has to */
    worker: env.get('QUEUE_WORKER', true),
    /** Jobs that one process runs at a time */
    concurrency: 2,
    /** Days after which an ended job is removed */
    keptDays: 30,
    /** Maximum jobs of a user that have not ended; the next one is refused */
    perUser: 20,
    /** Minutes after which a job that still runs fails */
    minutes: 60,
  },

  forms: {
    /** Maximum size in MB of a form without files; then 413 */
    textMegabytes: 1,
    /** Maximum size in MB of the files of a form, together; then 413 */
    filesMegabytes: 20,
  },

  imports: {
    /** Maximum rows of a file, in every format, empty ones included */
    rows: 1_048_575,
    /** Rows with errors after which the dry run stops */
    invalidRows: 10_000,
  },

  exports: {
    /** Maximum records of an export in the request; more are a background job, as is every XLSX */
    streamed: 100_000,
    /** Hours for which the file of such a job is stored */
    keptHours: 24,
    /** Maximum size in MB of such a file, which is temporary space of its job; then the job fails */
    fileMegabytes: 2048,
    /** Maximum files of a user, and their size together in MB; the oldest are removed for a new one */
    keptFiles: 20,
    keptMegabytes: 4096,
  },

  /**
   * Users who must have a second factor in addition to the password: 'optional': none; 'superusers'; 'required':
   * everybody. A person without one can do nothing before setting one up
   */
  mfa: 'optional',

  /**
   * Single sign-on by OpenID Connect, as in `{ issuer: 'https://login.example.com', clientId: 'atrium', clientSecret:
   * env.get('SSO_CLIENT_SECRET') }`: see docs/signing-in.md
   */
  sso: undefined,

  /**
   * `/metrics` for Prometheus, as in `{ token: env.get('METRICS_TOKEN'), addresses: ['10.0.0.0/8'] }`: see
   * docs/operations.md
   */
  metrics: undefined,

  /** The MCP server for agents at `/mcp` of the site: see docs/agents.md */
  mcp: false,

  webhooks: {
    /** Allows webhooks to private networks and to this machine */
    allowPrivate: false,
  },

  /** Attributes of users for scopes and defaults of forms, as in `{ branch_id: { type: 'number' } }` */
  userAttributes: {},

  sessions: {
    /** Minutes without a request after which a session ends */
    idleMinutes: 30,
    /** Hours after which a session ends in any case */
    maximumHours: 12,
    /** Maximum sessions of a user */
    perUser: 5,
  },

  login: {
    /**
     * Failed logins of a user name from one address, within a number of minutes, before the next is
     * refused
     */
    attempts: 5,
    withinMinutes: 15,
    /**
     * The same for all user names together. Behind a proxy without TRUST_PROXY, all clients have one
     * address
     */
    attemptsPerAddress: 50,
    /**
     * Failed logins of a user name from all addresses, after which its logins get slower by a second
     * each ...
     */
    quickAttemptsPerName: 20,
    /** ... up to this many. They are never refused for that reason, or anybody could lock a user out */
    slowestSeconds: 15,
    /** Maximum concurrent logins that are slowed down; the next one must try again later */
    slowedAtOnce: 500,
    /** Passwords compared concurrently: each takes 128 MB and a thread, of which Node.js has 4 in all */
    hashesAtOnce: 2,
    /** Maximum logins that wait for a comparison; the next one must try again later */
    hashesWaiting: 20,
  },
})
