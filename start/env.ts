/*
 * The environment variables the application reads, checked once at start. A missing or malformed
 * one stops the start and is named.
 */
import { Env } from '@adonisjs/core/env'
import { checkAppKey } from '#admin/authentication/app_key'

const env = await Env.create(new URL('../', import.meta.url), {
  NODE_ENV: Env.schema.enum(['development', 'production', 'test'] as const),
  HOST: Env.schema.string({ format: 'host' }),
  PORT: Env.schema.number(),
  APP_URL: Env.schema.string({ format: 'url', tld: false }),
  /** Names beside the host of APP_URL that the application is served under, parted by commas */
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

  /** Where login attempts are counted; the others matter to `redis` alone */
  LIMITER_STORE: Env.schema.enum.optional(['database', 'redis', 'memory'] as const),
  REDIS_HOST: Env.schema.string.optional({ format: 'host' }),
  REDIS_PORT: Env.schema.number.optional(),
  REDIS_PASSWORD: Env.schema.secret.optional(),

  DB_CONNECTION: Env.schema.enum(['sqlite', 'better-sqlite3', 'postgres', 'mysql'] as const),
  /** A file for SQLite, else the name of a database */
  DB_DATABASE: Env.schema.string.optional(),
  /** The others matter to PostgreSQL, MySQL and MariaDB alone. A host that begins with / is a socket's */
  DB_HOST: Env.schema.string.optional(),
  DB_PORT: Env.schema.number.optional(),
  DB_USER: Env.schema.string.optional(),
  DB_PASSWORD: Env.schema.secret.optional(),
  /** Whether to speak TLS, and only to a server whose certificate is valid */
  DB_TLS: Env.schema.boolean.optional(),
  DB_POOL: Env.schema.number.optional(),
  /** Whether other users of the machine may have rights on SQLite's files */
  DB_SHARED: Env.schema.boolean.optional(),
  STORAGE_DIRECTORY: Env.schema.string.optional(),
})

if (env.get('NODE_ENV') === 'production') checkAppKey(env.get('APP_KEY').release())

export default env
