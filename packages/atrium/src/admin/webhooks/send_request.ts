import { lookup as resolve, type LookupAddress } from 'node:dns'
import { Agent as HttpAgent, request as httpRequest } from 'node:http'
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https'
import { isIP, type LookupFunction, isIPv4, isIPv6 } from 'node:net'
import { NetworkList } from '#base/http/network'

/* Timeout of a request in milliseconds, from the resolution of the name to the end of the response */
const TIMEOUT = 10_000

/* Maximum bytes of a response that are read; the connection is closed after them. */
const MOST_BYTES = 64 * 1024

/* Maximum characters of the response that are stored */
const STORED = 1000

const MOST_SOCKETS = 50
const IDLE = 15_000

/** Thrown if the host has a private address. */
class PrivateAddress extends Error {
  constructor() {
    super('The host has a private address')
  }
}

interface SentRequest {
  status: number | null
  /** Beginning of the response's body */
  response: string | null
  /** Reason of a failure without a response; null if there is one */
  error: string | null
  /** Milliseconds */
  duration: number
}

export interface SendOptions {
  allowPrivate: boolean
  timeout?: number
  /** Replacement of the name resolution, for tests */
  resolveName?: typeof resolve
}

/** Sends the messages of webhooks, and keeps connections open for the next one. */
export class RequestSender {
  readonly #agents: Record<string, HttpAgent>
  readonly #lookup: LookupFunction

  constructor(private readonly options: SendOptions) {
    const settings = { keepAlive: true, maxSockets: MOST_SOCKETS, timeout: IDLE }
    this.#lookup = checkedLookup(options)
    this.#agents = { 'http:': new HttpAgent(settings), 'https:': new HttpsAgent(settings) }
  }

  /**
   * Sends a message. Redirects are not followed: they count as failures. Never rejects.
   *
   * @param headers  headers in addition to the usual ones
   */
  async send(address: string, headers: Record<string, string>, body: string): Promise<SentRequest> {
    const begun = performance.now()
    const took = () => Math.round(performance.now() - begun)
    try {
      const { hostname } = new URL(address)
      /* IP addresses are not resolved, so they are checked here. */
      const host = hostname.replace(/^\[|\]$/g, '')
      if (!this.options.allowPrivate && isIP(host) !== 0 && isPrivateAddress(host)) {
        throw new PrivateAddress()
      }
      const { status, response } = await this.#request(address, headers, body)
      return { status, response, error: null, duration: took() }
    } catch (error) {
      return { status: null, response: null, error: reasonOf(error), duration: took() }
    }
  }

  /** Closes the connections that are not in use. */
  close(): void {
    for (const agent of Object.values(this.#agents)) agent.destroy()
  }

  #request(address: string, headers: Record<string, string>, body: string) {
    const { promise, ...end } = Promise.withResolvers<{ status: number; response: string }>()
    const url = new URL(address)
    const isSecure = url.protocol === 'https:'
    const signal = AbortSignal.timeout(this.options.timeout ?? TIMEOUT)
    const sent = (isSecure ? httpsRequest : httpRequest)(url, {
      method: 'POST',
      agent: this.#agents[url.protocol],
      lookup: this.#lookup,
      signal,
      headers: {
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(body),
        'user-agent': 'Atrium-Webhooks',
        'accept': '*/*',
        ...headers,
      },
    })
    sent.on('error', end.reject)
    /*
     * `close` is the last event, and the only event if the receiver switches to another protocol (101).
     */
    sent.on('close', () => end.reject(Object.assign(new Error('closed'), { code: 'ECONNRESET' })))
    sent.on('response', (response) => {
      const { statusCode: status = 0 } = response
      const pieces: Buffer[] = []
      let bytes = 0
      const finish = () => end.resolve({ status, response: textOf(Buffer.concat(pieces)) })
      response.on('data', (piece: Buffer) => {
        pieces.push(piece)
        bytes += piece.length
        if (bytes < MOST_BYTES) return
        finish()
        response.destroy()
      })
      response.on('end', finish)
      response.on('error', end.reject)
    })
    sent.end(body)
    return promise
  }
}

/**
 * Returns a function that resolves names, and fails if one of the addresses is private. The connection is made to the
 * addresses that were checked, so a different result of a second query has no effect.
 */
function checkedLookup(settings: SendOptions): LookupFunction {
  return (hostname, options, callback) => {
    const { allowPrivate, resolveName = resolve } = settings
    resolveName(hostname, { ...options, all: true }, (error, found) => {
      const addresses = found as unknown as LookupAddress[]
      if (error) return callback(error, '')
      if (!allowPrivate && addresses.some(({ address }) => isPrivateAddress(address))) {
        return callback(new PrivateAddress(), '')
      }
      if (options.all) return callback(null, addresses)
      callback(null, addresses[0].address, addresses[0].family)
    })
  }
}

/* Control characters are refused by some databases, and could hide text on the page. */
// eslint-disable-next-line no-control-regex
const CONTROLS = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/g

function textOf(body: Buffer): string {
  const text = body.toString('utf8').replace(CONTROLS, '\u{fffd}')
  return text.slice(0, STORED).toWellFormed()
}

const REASONS: Record<string, string> = {
  ECONNREFUSED: 'The connection was refused',
  ECONNRESET: 'The connection was closed before a response',
  ENOTFOUND: 'The name of the host does not exist',
  EAI_AGAIN: 'The name of the host could not be resolved',
  EHOSTUNREACH: 'The host cannot be reached',
  ENETUNREACH: 'The network cannot be reached',
  ETIMEDOUT: 'The connection timed out',
  ABORT_ERR: 'No response within the time limit',
  HPE_INVALID_CONSTANT: 'The response is not HTTP',
}

function reasonOf(error: unknown): string {
  if (error instanceof PrivateAddress) return error.message
  const { code, name } = error as { code?: string; name?: string }
  if (name === 'TimeoutError' || name === 'AbortError') return REASONS.ABORT_ERR
  if (code && code in REASONS) return REASONS[code]
  return code ? `The request failed (${code})` : 'The request failed'
}

/*
 * Networks that are not on the internet: private, shared, loopback, link-local (with metadata), documentation,
 * multicast, and the platform address of Azure
 */
const PRIVATE_4 = new NetworkList([
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '168.63.129.16',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
])

/*
 * Addresses of the IPv6 internet, and networks in it that lead elsewhere: Teredo, documentation, 6to4, segment routing
 */
const GLOBAL_6 = new NetworkList(['2000::/3'])
const SPECIAL_6 = new NetworkList(['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20'])

/* Prefix of NAT64, whose last 32 bits are an IPv4 address */
const NAT64 = new NetworkList(['64:ff9b::/96'])

/**
 * Returns true for an address that is not on the public internet: private, loopback, link-local, metadata and special
 * networks, in any notation of IPv4 and IPv6. Anything else than an address counts as private.
 */
export function isPrivateAddress(text: string): boolean {
  const address = text.replace(/^\[|\]$/g, '')
  if (isIPv4(address)) return PRIVATE_4.has(address)
  if (!isIPv6(address)) return true
  if (address.includes('%')) return true
  const embedded = embeddedAddress(address)
  if (embedded !== null) return PRIVATE_4.has(embedded)
  return !GLOBAL_6.has(address) || SPECIAL_6.has(address)
}

/** Returns the IPv4 address in one that is mapped to IPv6 or translated by NAT64; null for other addresses. */
function embeddedAddress(address: string): string | null {
  /* The host of a URL has the shortest hexadecimal notation, whatever was typed. */
  const plain = new URL(`http://[${address}]`).hostname.slice(1, -1)
  if (!MAPPED_IPV6.test(plain) && !NAT64.has(plain)) return null
  const groups = plain.split(':')
  const [high, low] = groups.slice(-2).map((group) => Number.parseInt(group || '0', 16))
  return [high >> 8, high & 255, low >> 8, low & 255].join('.')
}

const MAPPED_IPV6 = /^::ffff:[\da-f]*:[\da-f]*$/

const LONGEST = 2000

/**
 * Returns why a webhook cannot have an address. Names are resolved before each request, not here.
 *
 * @param allowsPrivate  `webhooks.allowPrivate` of config/admin.ts
 * @returns null for a valid address
 */
export function addressError(text: string, allowsPrivate: boolean): string | null {
  if (!URL.canParse(text) || text.length > LONGEST || /[\s\p{C}]/u.test(text)) {
    return 'The address must be a URL, as in https://example.com/hooks'
  }
  const { protocol, username, password, hostname, hash } = new URL(text)
  if (protocol !== 'https:' && protocol !== 'http:') {
    return 'The address must begin with https:// or http://'
  }
  if (username || password) {
    return 'The address must not contain a user name or password, as it is shown in pages and logs'
  }
  if (hash) return 'The address must not contain a fragment (#)'
  if (!allowsPrivate && isPrivateHost(hostname)) {
    return 'The address is in a private network. Set webhooks.allowPrivate in config/admin.ts to allow it'
  }
  return null
}

/** Returns true for a host that is a private address, or a name of this machine. */
function isPrivateHost(hostname: string): boolean {
  const host = hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '')
  if (isIP(host) !== 0) return isPrivateAddress(host)
  return host === 'localhost' || host.endsWith('.localhost')
}
