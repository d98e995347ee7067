/*
 * Helpers for an application's tests: requests as an admin user or with an access token. Only tests import this file,
 * as it needs packages that are not installed in production.
 */
import { randomUUID } from 'node:crypto'
import app from '@adonisjs/core/services/app'
import { ApiRequest } from '@japa/api-client'
import { getActiveTest } from '@japa/runner'
import type { PluginFn } from '@japa/runner/types'
import { AdminSite } from './admin_site.js'
import { ValueError, ModelCreated, Problem, RuntimeError } from '#crud'
import AdminRole from './models/admin_role.js'
import AdminUser, { type AdminUserAttributes } from './models/admin_user.js'
import { setRoles } from './permissions/user_roles.js'
import { setImmediate } from 'node:timers/promises'
import emitter from '@adonisjs/core/services/emitter'
import type { LucidModel, LucidRow } from '@adonisjs/lucid/types/model'
import { holdsFiles, isWatched, knownResources, modelFiles } from '#crud/internals'
import { toApi } from '#base/values/to_api'

/** Records that the current test has created, in order of creation; undefined while `removeCreated` is not active */
let created: LucidRow[] | undefined
const HOOKED = new WeakSet<LucidModel>()

/**
 * Returns the body of a request that creates the record: the values of the fields in its create schema, in the format
 * of the API. File columns are left out, as the API does not accept files.
 *
 * @param record  a record that is not stored, such as `make()` of a factory returns
 * @throws RuntimeError  if the model's table is missing
 */
export async function bodyOf(record: LucidRow): Promise<Record<string, unknown>> {
  const model = record.constructor as LucidModel
  const resource = knownResources.of(model)
  await resource.load()
  const body: Record<string, unknown> = {}
  for (const { apiName, column } of resource.createBody.fields) {
    if (!column || holdsFiles(model, column)) continue
    const value = record.$attributes[column.attribute]
    if (value !== undefined) body[apiName] = toApi(column, value)
  }
  return body
}

/**
 * Returns the validation messages of a write that is expected to fail, by API field name.
 *
 * @param write  promise of a write by `LucidCrud` or of `save()` of a record
 * @throws RuntimeError  if the write succeeds; the write's error if it contains no field errors
 */
export async function fieldErrorsOf(write: Promise<unknown>): Promise<Record<string, string>> {
  const errors = await write.then(
    () => undefined,
    (error: unknown) => {
      if (error instanceof Problem && error.errors) return error.errors
      throw error
    }
  )
  if (!errors) throw new RuntimeError('The write was to be refused, and succeeded')
  return Object.fromEntries(errors.map(({ field, message }) => [field, message]))
}

/**
 * Removes the records that a test creates through the API, the admin site, a factory or `create()`. The newest are
 * removed first, so that foreign keys allow it. Use it as a setup hook: `group.each.setup(removeCreated)`.
 *
 * @returns function that removes the records
 */
export async function removeCreated(): Promise<() => Promise<void>> {
  await noteUnwatched()
  const records: LucidRow[] = (created = [])
  const stop = emitter.on(ModelCreated, ({ record }) => void records.push(record))
  return async () => {
    /* Waits for the events, which are emitted after the response. */
    await setImmediate()
    stop()
    created = undefined
    await removeAll(records.toReversed())
  }
}

/** Adds a hook that records creations to models without a decorator, as these models emit no events. */
async function noteUnwatched(): Promise<void> {
  for (const file of await modelFiles(app)) {
    if ('error' in file) continue
    for (const model of file.exported) {
      if (!isModel(model) || isWatched(model) || HOOKED.has(model)) continue
      HOOKED.add(model)
      model.boot()
      model.after('create', (record) => void created?.push(record))
    }
  }
}

function isModel(value: unknown): value is LucidModel {
  return typeof value === 'function' && '$addColumn' in value
}

/** Removes records in several rounds if needed, as a record can refer to a newer one. */
async function removeAll(records: readonly LucidRow[]): Promise<void> {
  let left = records
  while (left.length > 0) {
    const failed: LucidRow[] = []
    let reason: unknown
    for (const record of left) {
      await remove(record).catch((error) => {
        reason = error
        failed.push(record)
      })
    }
    if (failed.length === left.length) throw reason
    left = failed
  }
}

/** Deletes the row of a record, even a soft-deleted one, without running hooks. */
async function remove(record: LucidRow): Promise<void> {
  const model = record.constructor as LucidModel
  const query = model.query().client.from(model.table)
  for (const [attribute, { columnName, isPrimary }] of model.$columnsDefinitions) {
    if (isPrimary) query.where(columnName, record.$attributes[attribute])
  }
  await query.delete()
}

declare module '@japa/api-client' {
  interface ApiRequest {
    /**
     * Sends the request with a new access token.
     *
     * @param abilities  abilities of the token, as in `Invoice:read`. Default: all
     * @param owner      owner of the token. Default: the test's own superuser
     */
    withAdminToken(abilities?: string[], owner?: AdminUser): this
    /**
     * Sends the request with the cookies of a new login.
     *
     * @param user  the user to sign in. Default: the test's own superuser
     */
    asAdmin(user?: AdminUser): this
  }
}

/** Superuser of each test that needed one, by test */
const OWN = new WeakMap<object, Promise<AdminUser>>()

/**
 * Returns the Japa plugin that adds `withAdminToken` and `asAdmin` to requests of tests. Register it after
 * `apiClient()` in tests/bootstrap.ts.
 */
export function adminApiClient(): PluginFn {
  return () => {
    ApiRequest.macro(
      'withAdminToken',
      function (this: ApiRequest, abilities: string[] = ['*'], owner?: AdminUser) {
        return this.setup(async (request) => {
          const { accessTokens } = await app.container.make(AdminSite)
          const token = { name: 'test', abilities, expiresAt: null }
          const { value } = await accessTokens.issue(owner ?? (await ownUser()), token)
          request.header('authorization', `Bearer ${value.release()}`)
        })
      }
    )
    ApiRequest.macro('asAdmin', function (this: ApiRequest, user?: AdminUser) {
      return this.setup(async (request) => {
        const { adminAuthentication } = await app.container.make(AdminSite)
        const cookies = await adminAuthentication.cookiesOf(user ?? (await ownUser()))
        /*
         * In the cookie jar: a `Cookie` header would be replaced by the cookies of other plugins, and `cookie()`
         * signs values.
         */
        for (const [name, value] of Object.entries(cookies))
          request.cookiesJar[name] = { name, value }
      })
    })
  }
}

/**
 * Creates an admin user without a password; `asAdmin(user)` logs the user in. If a test creates the user, the user is
 * removed at the end of the test, with all sessions and tokens.
 *
 * @param options.roles  names of roles; default: the default role
 * @throws ValueError  if a role does not exist
 */
export async function makeAdmin({
  username = `test-${randomUUID().slice(-12)}`,
  isSuperuser = true,
  roles,
  attributes = {},
}: {
  username?: string
  isSuperuser?: boolean
  roles?: readonly string[]
  attributes?: AdminUserAttributes
} = {}): Promise<AdminUser> {
  const user = await AdminUser.create({ username, isSuperuser, attributes, hashedPassword: 'none' })
  const roleIds = roles ? await idsOf(roles) : await defaultRoleIds()
  await AdminUser.transaction((client) => setRoles(user.id, roleIds, client))
  getActiveTest()?.cleanup(async () => {
    await AdminUser.query().where('id', user.id).delete()
  })
  return user
}

/**
 * Returns the URL of a page of the admin site, below the path at which the site is mounted.
 *
 * @param path  path in the site, such as `/Invoice/`
 */
export async function adminPath(path: string): Promise<string> {
  const site = await app.container.make(AdminSite)
  return site.url(path)
}

async function idsOf(names: readonly string[]): Promise<number[]> {
  const roles = await AdminRole.query().whereIn('name', [...names])
  return names.map((name) => {
    const role = roles.find((one) => one.name === name)
    if (role) return role.id
    throw new ValueError(`Unknown role ${JSON.stringify(name)}`)
  })
}

async function defaultRoleIds(): Promise<number[]> {
  const { adminUserService } = await app.container.make(AdminSite)
  return await adminUserService.defaultRole.ids()
}

function ownUser(): Promise<AdminUser> {
  const test = getActiveTest()
  if (!test) return makeAdmin()
  const user = OWN.get(test) ?? makeAdmin()
  OWN.set(test, user)
  return user
}
