import { Secret } from '@adonisjs/core/helpers'
import { ValueError } from '#crud'
import { ANY, checkEach, isList, LABEL, type Check } from '#base/checks'
import { isNetwork } from '#base/http/network'

/** Access to `/metrics`. A request needs the token or one of the addresses. */
export interface MetricsConfig {
  /** Token of the header `Authorization: Bearer` */
  token: Secret<string> | undefined
  /** Addresses and networks of clients, such as `10.0.0.0/8`. Behind a trusted proxy, those of the proxy's clients */
  addresses: readonly string[]
}

export interface MetricsInput {
  token?: Secret<string> | string
  addresses?: readonly string[]
}

const PLACE = 'config/admin.ts'

const CHECKS: Record<keyof MetricsInput, Check> = {
  /* Checked separately, because the message of an error contains the value. */
  token: ANY,
  addresses: [
    (value) => isList(value, isNetwork),
    "a list of addresses and networks, as in ['127.0.0.1', '10.0.0.0/8']",
  ],
}

/**
 * Returns the settings of `/metrics`.
 *
 * @throws ValueError  for an unknown option or an invalid value, or if no client could read the metrics
 */
export function metricsConfig(input: MetricsInput): MetricsConfig {
  checkEach(PLACE, input, CHECKS, { group: 'metrics', mayBeUndefined: true })
  const { token, addresses = [] } = input
  if (token !== undefined && !LABEL[0](textOf(token))) {
    throw new ValueError(`${PLACE}: metrics.token is empty or no text, and must be a Secret`)
  }
  if (token === undefined && [...addresses].length === 0) {
    throw new ValueError(
      `${PLACE}: metrics has no token and no addresses, so no client could read them; set one of them, or metrics to undefined`
    )
  }
  return { token: token === undefined ? undefined : new Secret(textOf(token)), addresses }
}

function textOf(token: Secret<string> | string): string {
  return token instanceof Secret ? token.release() : token
}
