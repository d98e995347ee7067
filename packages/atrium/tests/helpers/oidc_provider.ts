/* An OpenID Connect provider in this process, and a browser that walks through it. */
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import Provider from 'oidc-provider'
import { Secret } from '@adonisjs/core/helpers'
import { Sso } from '#admin/authentication/sso/sso'
import { ssoConfig, type SsoInput } from '#admin/config/sso_config'
import { adminSite, receivedCookies } from '#tests/helpers/admin'
import { get, type HttpResponse } from '#tests/helpers/http'

export const CLIENT_SECRET = 'a-secret-of-the-client-alone'

export interface OidcPerson {
  sub: string
  amr?: string[]
  [claim: string]: unknown
}

/** Who logs in at the provider, and how it responds; to be changed by tests. */
export interface Behaviour {
  person: OidcPerson
  /** Returns an error instead of a login */
  refuses: boolean
  /** Changes the ID token that is sent */
  changeToken?: (idToken: string) => string
}

export class OidcServer {
  readonly behaviour: Behaviour = { person: { sub: 'kim' }, refuses: false }
  /** Sessions that were ended at the provider */
  ended = 0
  #server: Server | undefined

  /**
   * @param site  origin of the site, as `APP_URL` has it
   */
  async start(site: string): Promise<string> {
    const server = createServer()
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    this.#server = server
    const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const provider = this.#provider(issuer, site)
    const reply = provider.callback()
    server.on('request', (request, response) => {
      if (!request.url?.startsWith('/interaction/')) return void reply(request, response)
      const { person, refuses } = this.behaviour
      const result = refuses
        ? { error: 'access_denied' }
        : { login: { accountId: person.sub, amr: person.amr } }
      void provider.interactionFinished(request, response, result)
    })
    return issuer
  }

  async stop(): Promise<void> {
    this.#server?.closeAllConnections()
    await new Promise((resolve) => this.#server?.close(resolve))
  }

  #provider(issuer: string, site: string): Provider {
    const provider = new Provider(issuer, {
      clients: [
        {
          client_id: 'atrium',
          client_secret: CLIENT_SECRET,
          redirect_uris: [`${site}/admin/login/sso/callback`],
          post_logout_redirect_uris: [`${site}/admin/login`],
          require_auth_time: true,
        },
      ],
      claims: { openid: ['sub', 'amr', 'auth_time'], profile: ['preferred_username', 'groups'] },
      cookies: { keys: ['of the test'] },
      pkce: { required: () => true },
      features: {
        devInteractions: { enabled: false },
        rpInitiatedLogout: {
          enabled: true,
          logoutSource: async (ctx, form) => {
            ctx.body = form
          },
        },
      },
      findAccount: async (_ctx, sub) => ({
        accountId: sub,
        claims: async () => ({ ...this.behaviour.person, sub }),
      }),
      loadExistingGrant: async ({ oidc }) => {
        const grant = new oidc.provider.Grant({
          clientId: oidc.client!.clientId,
          accountId: oidc.session!.accountId,
        })
        grant.addOIDCScope('openid profile email')
        await grant.save()
        return grant
      },
    })
    provider.use(async (ctx, next) => {
      await next()
      const { changeToken } = this.behaviour
      const body = ctx.body as { id_token?: string } | undefined
      if (changeToken && ctx.path === '/token' && body?.id_token) {
        ctx.body = { ...body, id_token: changeToken(body.id_token) }
      }
    })
    return provider
  }
}

/** Has the site use the provider, until the function is called that it returns. */
export async function useSso(input: Partial<SsoInput> & { issuer: string }) {
  const site = await adminSite()
  const before = site.sso
  const clientSecret = new Secret(CLIENT_SECRET)
  site.sso = new Sso(site, ssoConfig({ clientId: 'atrium', clientSecret, ...input }))
  return () => {
    site.sso = before
  }
}

/** A browser with cookies of the site, and of the provider. */
export class SsoBrowser {
  readonly #here = new Map<string, string>()
  readonly #there = new Map<string, string>()

  /**
   * @param cookies  `Cookie` header to begin with
   */
  constructor(cookies = '') {
    for (const pair of cookies.split('; ').filter(Boolean)) {
      const [name, value] = pair.split(/=(.*)/s)
      this.#here.set(name, value)
    }
  }

  get cookies(): string {
    return header(this.#here)
  }

  /** Another person sits down at the browser, as far as the provider knows. */
  leaveProvider(): void {
    this.#there.clear()
  }

  /** A page of the site. */
  async visit(path: string, headers: Record<string, string> = {}): Promise<HttpResponse> {
    const response = await get(path, { headers: { cookie: this.cookies, ...headers } })
    for (const [name, { value }] of Object.entries(receivedCookies(response))) {
      if (value === '') this.#here.delete(name)
      else this.#here.set(name, value)
    }
    return response
  }

  /**
   * Goes to the provider and through it.
   *
   * @param change  changes the URL of the request to the provider
   * @returns path and query with which it leads back
   */
  async walk(path = '/admin/login/sso', change?: (url: URL) => void): Promise<string> {
    const { headers } = await this.visit(path)
    const url = new URL(headers.get('location')!, 'http://here.invalid')
    if (url.hostname === 'here.invalid') throw new Error(`Not led to the provider, but to ${url}`)
    change?.(url)
    return await this.#through(url)
  }

  /** All the way: to the provider and back. */
  async logIn(path?: string): Promise<HttpResponse> {
    return await this.visit(await this.walk(path))
  }

  async #through(start: URL): Promise<string> {
    let url = start
    for (let hop = 0; hop < 8; hop++) {
      const response = await fetch(url, {
        redirect: 'manual',
        headers: { cookie: header(this.#there) },
      })
      for (const line of response.headers.getSetCookie()) {
        const [name, value] = line.split(';', 1)[0].split(/=(.*)/s)
        this.#there.set(name, value)
      }
      const location = response.headers.get('location')
      if (!location)
        throw new Error(`The provider says ${response.status}: ${await response.text()}`)
      url = new URL(location, url)
      if (url.pathname.startsWith('/admin/')) return url.pathname + url.search
    }
    throw new Error('The provider does not lead back')
  }
}

function header(cookies: Map<string, string>): string {
  return [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
}
