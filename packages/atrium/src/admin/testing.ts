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
import { ValueError } from '#crud'
import AdminRole from './models/admin_role.js'
import AdminUser from './models/admin_user.js'
import type { AdminUserAttributes } from './models/admin_user_attributes.js'
import { setRoles } from './permissions/user_roles.js'

export { bodyOf, fieldErrorsOf, removeCreated } from './testing_records.js'

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
