/*
 * Prints what an application finds in its libraries and in its process, as JSON: every member of prototypes,
 * singletons and globals, by a name, with the code of functions. Run with `none`, `engine` or `clone`: without the engine,
 * with its providers, with that of the clone in addition.
 */
import 'reflect-metadata'
import { createRequire } from 'node:module'
import { Ignitor } from '@adonisjs/core'
import BodyParserMiddleware from '@adonisjs/core/bodyparser_middleware'
import { defineConfig as defineEncryption, drivers } from '@adonisjs/core/encryption'
import { defineConfig as defineHash, drivers as hashers } from '@adonisjs/core/hash'
import {
  defineConfig as defineHttp,
  HttpContext,
  HttpRequest,
  HttpResponse,
} from '@adonisjs/core/http'
import { defineConfig as defineLogger } from '@adonisjs/core/logger'
import { Secret } from '@adonisjs/core/helpers'
import { defineConfig as defineDatabase } from '@adonisjs/lucid'
import { MigrationRunner } from '@adonisjs/lucid/migration'
import { BaseModel } from '@adonisjs/lucid/orm'
import { defineConfig as defineSession, stores } from '@adonisjs/session'
import { LimiterManager } from '@adonisjs/limiter'
import { QueueManager } from '@boringnode/queue'
import vine, { VineArray, VineNumber, VineObject, VineString } from '@vinejs/vine'
import edge, { Template } from 'edge.js'

const kind = process.argv[2]
const load = createRequire(import.meta.url)
const ROOT = new URL('../../../../', import.meta.url)
const key = 'a-key-of-the-tests-0123456789-abcdefgh'

const knex = load('knex')
const parts: Record<string, string> = {
  'knex Client': 'knex/lib/client',
  'knex Transaction': 'knex/lib/execution/transaction',
  'knex SQLite client': 'knex/lib/dialects/sqlite3',
  'knex PostgreSQL client': 'knex/lib/dialects/postgres',
  'knex MySQL client': 'knex/lib/dialects/mysql2',
}

function membersOf(target: object): Record<string, string> {
  const members: Record<string, string> = {}
  for (const name of Reflect.ownKeys(target)) {
    const { value, get, set } = Object.getOwnPropertyDescriptor(target, name)!
    members[String(name)] = get || set ? `${get} ${set}` : textOf(value)
  }
  return members
}

function textOf(value: unknown): string {
  if (typeof value === 'function') return Function.prototype.toString.call(value)
  if (typeof value !== 'object' || value === null) return String(value)
  return Object.getPrototypeOf(value)?.constructor?.name ?? 'object'
}

async function inventory(container: { make(name: any): Promise<any> }) {
  const targets: Record<string, object> = {
    'globalThis': globalThis,
    'Object.prototype': Object.prototype,
    'Array.prototype': Array.prototype,
    'String.prototype': String.prototype,
    'Promise.prototype': Promise.prototype,
    'Date.prototype': Date.prototype,
    'process': process,
    'BaseModel': BaseModel,
    'BaseModel.prototype': BaseModel.prototype,
    'MigrationRunner.prototype': MigrationRunner.prototype,
    'HttpContext.prototype': HttpContext.prototype,
    'HttpRequest.prototype': HttpRequest.prototype,
    'HttpResponse.prototype': HttpResponse.prototype,
    'BodyParserMiddleware.prototype': BodyParserMiddleware.prototype,
    'edge': edge,
    'edge.globals': edge.globals,
    'edge.globals.html': edge.globals.html,
    'edge.tags': edge.tags,
    'edge.loader': edge.loader,
    'edge.compiler': edge.compiler,
    'edge.asyncCompiler': edge.asyncCompiler,
    'Template.prototype': Template.prototype,
    'vine': vine,
    'VineArray.prototype': VineArray.prototype,
    'VineNumber.prototype': VineNumber.prototype,
    'VineObject.prototype': VineObject.prototype,
    'VineString.prototype': VineString.prototype,
    'LimiterManager.prototype': LimiterManager.prototype,
    'knex QueryBuilder': knex.QueryBuilder ?? knex,
    'tarn Pool.prototype': load('tarn').Pool.prototype,
    'pg.types': load('pg').types,
    'router': await container.make('router'),
    'server': await container.make('server'),
    'database': await container.make('lucid.db'),
  }
  for (const [name, path] of Object.entries(parts)) {
    const found = load(path)
    targets[name] = (found.default ?? found).prototype
  }
  const router = await container.make('router')
  const emitter = await container.make('emitter')
  const found = Object.fromEntries(
    Object.entries(targets).map(([name, target]) => [name, membersOf(target)])
  )
  delete found.process.pid
  delete found.process.ppid
  found.settings = {
    'routes': JSON.stringify(router.toJSON()),
    'router.prototype': JSON.stringify(membersOf(Object.getPrototypeOf(router))),
    'events': String([...emitter.eventsListeners.keys()]),
    'umask': String(process.umask()),
    'TZ': String(process.env.TZ),
    'signals': JSON.stringify(
      process.eventNames().map((name) => [String(name), process.listenerCount(name as never)])
    ),
    'naming strategy': BaseModel.namingStrategy.constructor.name,
    'queue manager is used': String(QueueManager.isInitialized()),
  }
  return found
}

const isWith = kind !== 'none'
const own = {
  none: [],
  engine: ['adonis-atrium/provider'],
  clone: ['adonis-atrium/provider', 'adonis-atrium/server_provider'],
}[kind]!

process.env.NODE_ENV = 'test'
const ignitor = new Ignitor(ROOT, { importer: (path) => import(path) })
const app = ignitor.createApp('test')
app.rcContents({
  directories: {
    models: 'tests/no-such-folder',
    views: 'resources/views',
    admin_pages: 'tests/no-such-folder',
    admin_cards: 'tests/no-such-folder',
  },
  providers: [
    '@adonisjs/core/providers/app_provider',
    '@adonisjs/core/providers/hash_provider',
    '@adonisjs/core/providers/vinejs_provider',
    '@adonisjs/core/providers/edge_provider',
    '@adonisjs/lucid/database_provider',
    '@adonisjs/session/session_provider',
    ...own,
  ].map((path) => ({ file: () => import(path), environment: ['test'] })),
})
const admin = isWith ? await import('#admin/config/define_config') : undefined
const crud = isWith ? await import('#crud/define_config') : undefined
app.useConfig({
  app: { appUrl: 'http://localhost:3333', http: defineHttp({}) },
  bodyparser: {},
  logger: defineLogger({ default: 'app', loggers: { app: { enabled: false } } } as never),
  encryption: defineEncryption({
    default: 'gcm',
    list: { gcm: drivers.aes256gcm({ id: 'gcm', keys: [key] }) },
  }),
  hash: defineHash({ default: 'scrypt', list: { scrypt: hashers.scrypt({}) } }),
  session: defineSession({
    cookieName: 'session',
    store: 'cookie',
    stores: { cookie: stores.cookie() },
  } as never),
  database: defineDatabase({
    connection: 'memory',
    connections: {
      memory: { client: 'sqlite3', connection: { filename: ':memory:' }, useNullAsDefault: true },
    },
  }),
  ...(admin && { admin: admin.defineConfig({ appKey: new Secret(key) }) }),
  ...(crud && { crud: crud.defineConfig() }),
})
await app.init()
await app.boot()
await app.start(async () => {})
const found = await inventory(app.container as never)
process.stdout.write(JSON.stringify(found), () => process.exit(0))
