/*
 * The environment variables of the application, checked once at start. A missing or malformed one stops
 * the start and is named.
 */
import { Env } from '@adonisjs/core/env'
/* Tracing reads the environment before there is an application, without which 'adonis-atrium/admin' cannot be imported. */
import { checkAppKey, checkTrustedProxy } from 'adonis-atrium/server'

const isNotS3 = () => process.env.DRIVE_DISK !== 's3'
const hasNoS3Key = () => !process.env.S3_ACCESS_KEY_ID

const env = await Env.create(new URL('../', import.meta.url), {
  NODE_ENV: Env.schema.enum(['development', 'production', 'test'] as const),
  HOST: Env.schema.string({ format: 'host' }),
  PORT: Env.schema.number(),
  APP_URL: Env.schema.string({ format: 'url', tld: false }),
  /** Host names in addition to that of APP_URL, separated by commas */
  APP_HOSTS: Env.schema.string.optional(),
  /** Address or network of the proxy in front, or `loopback`, `linklocal`, `uniquelocal` */
  TRUST_PROXY: Env.schema.string.optional(),
  APP_KEY: Env.schema.secret(),
  LOG_LEVEL: Env.schema.enum([
    'fatal',
    'error',
    'warn',
    'info',
    'debug',
    'trace',
    'silent',
  ] as const),

  /** Store of the counts of login attempts */
  LIMITER_STORE: Env.schema.enum.optional(['database', 'redis', 'memory'] as const),
  /** Of `redis` as a store alone */
  REDIS_HOST: Env.schema.string.optional({ format: 'host' }),
  REDIS_PORT: Env.schema.number.optional(),
  REDIS_PASSWORD: Env.schema.secret.optional(),

  /** False: without the demo's models, tables and data */
  DEMO: Env.schema.boolean.optional(),

  /** Where background jobs wait: with the admin's tables, or in the Redis above */
  QUEUE_STORE: Env.schema.enum.optional(['database', 'redis'] as const),
  /** False: the server's process works on none, as `node ace queue:work` does */
  QUEUE_WORKER: Env.schema.boolean.optional(),

  DB_CONNECTION: Env.schema.enum(['sqlite', 'better-sqlite3', 'postgres', 'mysql'] as const),
  /** A file for SQLite, else the name of a database */
  DB_DATABASE: Env.schema.string.optional(),
  /**
   * The other variables apply only to PostgreSQL, MySQL and MariaDB. A host that begins with / is a
   * socket
   */
  DB_HOST: Env.schema.string.optional(),
  DB_PORT: Env.schema.number.optional(),
  DB_USER: Env.schema.string.optional(),
  DB_PASSWORD: Env.schema.secret.optional(),
  /** True to connect over TLS, and only to a server with a valid certificate */
  DB_TLS: Env.schema.boolean.optional(),
  DB_POOL: Env.schema.number.optional(),
  /** True to let other users of the machine have rights on SQLite's files */
  DB_SHARED: Env.schema.boolean.optional(),
  /** Of SQLite: after a power cut, `full` has every confirmed write, `normal` all but those of the last moments */
  DB_SYNCHRONOUS: Env.schema.enum.optional(['full', 'normal'] as const),
  /** Where uploaded files are stored: in the folder STORAGE_DIRECTORY, or in a bucket of S3 */
  DRIVE_DISK: Env.schema.enum.optional(['local', 's3'] as const),
  STORAGE_DIRECTORY: Env.schema.string.optional(),
  /** The others matter to `s3` alone */
  S3_BUCKET: Env.schema.string.optionalWhen(isNotS3),
  S3_REGION: Env.schema.string.optional(),
  S3_ENDPOINT: Env.schema.string.optional({ format: 'url', tld: false }),
  S3_ACCESS_KEY_ID: Env.schema.string.optional(),
  S3_SECRET_ACCESS_KEY: Env.schema.secret.optionalWhen(hasNoS3Key),
})

const isProduction = env.get('NODE_ENV') === 'production'
if (isProduction) checkAppKey(env.get('APP_KEY').release())
checkTrustedProxy(env.get('TRUST_PROXY'), isProduction)

export default env
