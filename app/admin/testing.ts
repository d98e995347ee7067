/*
 * For the tests of an application: requests as somebody of the admin site, or with an access token.
 * Nothing but tests imports this, as it needs packages that production does not have.
 */
import { randomUUID } from 'node:crypto'
import app from '@adonisjs/core/services/app'
import { ApiRequest } from '@japa/api-client'
import { getActiveTest } from '@japa/runner'
import type { PluginFn } from '@japa/runner/types'
import { AdminSite } from './admin_site.js'
import AdminUser from './models/admin_user.js'

declare module '@japa/api-client' {
  interface ApiRequest {
    /**
     * Sends the request with a new access token. [P10]
     *
     * @param abilities  what it may do, as in `Invoice:read`; everything if left out
     * @param owner      whose it is; the test's own superuser if left out
     */
    withAdminToken(abilities?: string[], owner?: AdminUser): this
    /**
     * Sends the request with the cookies of a new login. [B4]
     *
     * @param user  who signs in; the test's own superuser if left out
     */
    asAdmin(user?: AdminUser): this
  }
}

/** The superuser of each test that asked for one */
const OWN = new WeakMap<object, Promise<AdminUser>>()

/**
 * A plugin of Japa, to stand after `apiClient()` in tests/bootstrap.ts.
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
        request.header('cookie', await adminAuthentication.cookieHeader(user ?? (await ownUser())))
      })
    })
  }
}

/**
 * Makes a user of the admin site, who has no password: `asAdmin(user)` signs them in. Made in a test,
 * they are removed at its end, with their sessions and tokens.
 */
export async function makeAdmin({
  username = `test-${randomUUID()}`,
  isSuperuser = true,
}: { username?: string; isSuperuser?: boolean } = {}): Promise<AdminUser> {
  const user = await AdminUser.create({ username, isSuperuser, hashedPassword: 'none' })
  getActiveTest()?.cleanup(async () => {
    await AdminUser.query().where('id', user.id).delete()
  })
  return user
}

/**
 * The address of a page of the admin site, wherever that is mounted.
 *
 * @param path  below it, as in `/Invoice/`
 */
export async function adminPath(path: string): Promise<string> {
  const site = await app.container.make(AdminSite)
  return site.url(path)
}

function ownUser(): Promise<AdminUser> {
  const test = getActiveTest()
  if (!test) return makeAdmin()
  const user = OWN.get(test) ?? makeAdmin()
  OWN.set(test, user)
  return user
}
