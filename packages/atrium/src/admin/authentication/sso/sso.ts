import type { SsoConfig } from './sso_config.js'
import { SsoIdentities, SsoPeople, type PeopleSite } from './sso_people.js'
import { SsoProvider } from './sso_provider.js'

interface Site extends PeopleSite {
  absoluteUrl(path: string): string
  url(path: string): string
}

/**
 * Single sign-on of the site: the provider, and who its people are here. [U15]
 */
export class Sso {
  readonly provider: SsoProvider
  readonly identities = new SsoIdentities()
  readonly people: SsoPeople

  constructor(
    private readonly site: Site,
    readonly config: SsoConfig
  ) {
    this.provider = new SsoProvider(config)
    this.people = new SsoPeople(site, config, this.identities)
  }

  /** Address that the provider leads back to; to be registered there. Never that of a request's host. */
  get callbackUrl(): string {
    return this.site.absoluteUrl('/login/sso/callback')
  }

  /** Address that the provider leads to after a logout; to be registered there */
  get loggedOutUrl(): string {
    return this.site.absoluteUrl('/login')
  }

  /** Address in the site that leads to the provider. */
  url(query: Record<string, string | null | undefined> = {}): string {
    const given = Object.entries(query).filter(([, value]) => value)
    const text = new URLSearchParams(given as Array<[string, string]>).toString()
    return this.site.url('/login/sso') + (text && `?${text}`)
  }
}
