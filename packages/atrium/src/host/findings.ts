import { relative } from 'node:path'
import { fsReadAll } from '@adonisjs/core/helpers'
import { BaseModel } from '@adonisjs/lucid/orm'
import type { ApplicationService } from '@adonisjs/core/types'
import { AdminSite, AdminUser, DatabaseCheck, roleErrors, unreadFiles } from '#admin'
import { ConfigurationError, crudConfig, resources } from '#crud'
import { accessWarnings, modelFiles, requireMount } from '#crud/internals'
import { engineFile } from '#base/engine_file'
import { isDecorated } from '#base/stored_options'
import { migrationNamesOf, migrationsOf } from './migrate_databases.js'
import { productionWarnings, settingsOf } from './production_warnings.js'
import type { Database } from '@adonisjs/lucid/database'

/** Queries for the offset of a session's time zone from UTC in seconds, by Knex's client name */
const OFFSETS: Record<string, string> = {
  pg: 'select extract(timezone from now())::int as seconds',
  mysql2: 'select timestampdiff(second, utc_timestamp(), now()) as seconds',
}

/**
 * Returns warnings about connection settings with which values that are read differ from the stored ones, or foreign
 * keys have no effect. Connections of `adonis-atrium/database` have correct settings.
 */
export async function connectionWarnings(db: Database, name: string): Promise<string[]> {
  const { client } = db.getRawConnection(name)!.config
  const place = `The connection ${name} of config/database.ts`
  const warnings: string[] = []
  if (OFFSETS[client]) {
    const result = await db.connection(name).rawQuery(OFFSETS[client])
    const [{ seconds }] = client === 'pg' ? result.rows : result[0]
    if (Number(seconds) !== 0) {
      warnings.push(
        `${place}: the time zone of its sessions is not UTC, so times in columns with a time zone are read and written wrong. Set UTC in pool.afterCreate or on the server`
      )
    }
  }
  if (client.includes('sqlite')) {
    const [{ foreign_keys: enforced }] = await db.connection(name).rawQuery('pragma foreign_keys')
    if (!enforced) {
      warnings.push(
        `${place}: foreign keys are not enforced, so rows that refer to a deleted row stay. Run PRAGMA foreign_keys = ON in pool.afterCreate`
      )
    }
  }
  return warnings
}

/** Returns the time zone of the process if it is not UTC; undefined for UTC all year */
export function otherZone(): string | undefined {
  const year = new Date().getFullYear()
  const isUtc = [0, 6].every((month) => new Date(year, month).getTimezoneOffset() === 0)
  return isUtc ? undefined : new Intl.DateTimeFormat().resolvedOptions().timeZone
}

/** An error or a questionable setting in an installation. */
export interface Finding {
  /** A note is about a setting that can be intended */
  severity: 'error' | 'warning' | 'note'
  /** Description of the finding, and how to fix it */
  text: string
}

/**
 * Returns all errors and questionable settings in the installation.
 *
 * @param production  true to check the settings as those of a production server
 */
export async function findingsOf(app: ApplicationService, production: boolean): Promise<Finding[]> {
  const site = await app.container.make(AdminSite)
  const databases = await ofDatabases(app, site)
  /* Skipped without tables: errors of models and users would only be consequences of the missing tables. */
  const isMigrated = databases.length === 0
  const findings = [
    ...databases,
    ...(await ofMiddleware(app)),
    ...(isMigrated ? await ofTables(site) : []),
    ...(isMigrated ? await ofValues(app, site) : []),
    ...(await ofModels(app, site)),
    ...(production ? await ofProduction(app) : []),
    ...(await ofSettings(app, site)),
  ]
  return findings.toSorted((one, other) => rank(one) - rank(other))
}

const SEVERITIES = ['error', 'warning', 'note']

const rank = ({ severity }: Finding) => SEVERITIES.indexOf(severity)

async function ofDatabases(app: ApplicationService, { dbConfig }: AdminSite): Promise<Finding[]> {
  const db = await app.container.make('lucid.db')
  const names = new Set([dbConfig.applicationConnection, dbConfig.adminConnection])
  const findings: Finding[] = []
  for (const name of names) {
    const check = new DatabaseCheck(db, name, () => migrationsOf(db, app, name))
    const { message, status } = await check.run()
    if (status === 'ok') continue
    findings.push(
      error(`The database ${name} of config/database.ts: ${message}. Run node ace migrate`)
    )
  }
  return findings
}

/** Returns warnings about settings with which dates, times and numbers differ from the stored values */
async function ofValues(app: ApplicationService, { dbConfig }: AdminSite): Promise<Finding[]> {
  const db = await app.container.make('lucid.db')
  const names = [...new Set([dbConfig.applicationConnection, dbConfig.adminConnection])]
  const found = await Promise.all(names.map((name) => connectionWarnings(db, name)))
  const zone = otherZone()
  const ofProcess = zone
    ? [
        `The time zone of the process is ${zone}, in which Lucid stores times on SQLite and MySQL. The engine reads them as UTC: set TZ=UTC in .env`,
      ]
    : []
  return [...ofProcess, ...found.flat()].map(warning)
}

async function ofMiddleware(app: ApplicationService): Promise<Finding[]> {
  const server = await app.container.make('server')
  return await failuresOf(() => requireMount(server.getMiddlewareList()))
}

async function ofTables(site: AdminSite): Promise<Finding[]> {
  const findings = await failuresOf(() => resources.load())
  findings.push(...(await roleErrors(site)))
  if (!(await AdminUser.query().first())) {
    findings.push(note('No admin user exists. Make one with: node ace admin:create'))
  }
  return findings
}

/** Returns errors of decorated models about which the boot only warned, and models without a decorator */
async function ofModels(app: ApplicationService, site: AdminSite): Promise<Finding[]> {
  const used = new Set<unknown>([
    ...resources.endpoints().map(({ resource }) => resource.model),
    ...[...site.models.values()].map(({ model }) => model),
  ])
  const files = await modelFiles(app)
  const unused = files.flatMap((file) => {
    if ('error' in file) return []
    return file.exported
      .filter((one) => isModel(one) && !used.has(one) && !isDecorated(one as object))
      .map((one) =>
        note(
          `${(one as typeof BaseModel).name} (${app.relativePath(file.path)}) has neither endpoints nor pages. @Crud() and @AdminView() above its class give it both`
        )
      )
  })
  resources.areErrorsShown = true
  return [...resources.errors.map(({ message }) => error(message)), ...unused]
}

const isModel = (one: unknown) =>
  typeof one === 'function' && one.prototype instanceof BaseModel && Object.hasOwn(one, 'table')

async function ofProduction(app: ApplicationService): Promise<Finding[]> {
  const texts = [
    ...productionWarnings(await settingsOf(app)),
    ...accessWarnings(resources.endpoints()).map(({ text }) => text),
  ]
  return texts.map(warning)
}

/** Returns warnings about settings that have no effect */
async function ofSettings(app: ApplicationService, site: AdminSite): Promise<Finding[]> {
  const { excludedMigrations, excludedModels } = crudConfig()
  const models = await filesBelow(app.modelsPath())
  const db = await app.container.make('lucid.db')
  const migrations = await migrationNamesOf(db, app, site.dbConfig.applicationConnection)
  const nameless = (path: string) => path.replace(/\.[jt]s$/, '')
  const unknown = [
    ...missing(
      'excludedModels',
      excludedModels.map(nameless),
      models.map(nameless),
      'a file below app/models'
    ),
    ...missing('excludedMigrations', excludedMigrations, migrations, 'a migration'),
  ]
  return [
    ...unreadFiles(app).map((file) =>
      warning(
        `${file} is not read: nothing uses its package. CHANGELOG.md says where its settings are now`
      )
    ),
    ...unknown,
    ...(await ofTemplates(site)),
  ]
}

function missing(option: string, named: readonly string[], known: readonly string[], what: string) {
  const names = named.filter((name) => !known.includes(name))
  return names.map((name) =>
    warning(
      `config/crud.ts: ${option} names ${name}, which is not ${what}. Remove it, or correct its name`
    )
  )
}

async function ofTemplates({ templatesDirectory }: AdminSite): Promise<Finding[]> {
  if (!templatesDirectory) return []
  const shipped = await filesBelow(engineFile('views/admin'))
  const own = await filesBelow(templatesDirectory)
  return own
    .filter((path) => path.endsWith('.edge') && !shipped.includes(path))
    .map((path) =>
      note(
        `${path} in templatesDirectory of config/admin.ts replaces no template of the site, as there is none of its name`
      )
    )
}

async function filesBelow(folder: string): Promise<string[]> {
  const paths = await fsReadAll(folder, { ignoreMissingRoot: true, pathType: 'absolute' })
  return paths.map((path) => relative(folder, path).replaceAll('\\', '/'))
}

async function failuresOf(work: () => Promise<unknown>): Promise<Finding[]> {
  try {
    await work()
    return []
  } catch (failure) {
    const errors = failure instanceof ConfigurationError ? failure.errors : [failure as Error]
    return errors.map(({ message }) => error(message))
  }
}

const error = (text: string): Finding => ({ severity: 'error', text })
const warning = (text: string): Finding => ({ severity: 'warning', text })
const note = (text: string): Finding => ({ severity: 'note', text })
