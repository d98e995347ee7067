import type { HttpContext } from '@adonisjs/core/http'
import { safeEqual } from '@adonisjs/core/helpers'
import { NetworkList } from '#base/http/network'
import { listsClient } from '#base/http/served_hosts'
import { Problem } from '#base/errors'
import type { MetricsConfig } from '../config/metrics_config.js'

const BEARER = /^Bearer +(\S+)$/i

/** Decides who can read the metrics: clients with the token, and those with a listed address. [W6] */
export class MetricsAccess {
  readonly #networks: NetworkList

  constructor(private readonly config: MetricsConfig) {
    this.#networks = new NetworkList(config.addresses)
  }

  /**
   * @throws Problem 401  without the token
   * @throws Problem 404  if only addresses are listed, so that other clients do not learn that there are metrics
   */
  check(ctx: HttpContext): void {
    if (listsClient(this.#networks, ctx)) return
    const { token } = this.config
    if (!token) throw new Problem(404, 'Not found')
    const sent = BEARER.exec(ctx.request.header('authorization') ?? '')?.[1]
    if (sent !== undefined && safeEqual(sent, token.release())) return
    throw new Problem(401, 'A valid token is required', {
      headers: { 'www-authenticate': 'Bearer' },
    })
  }
}
