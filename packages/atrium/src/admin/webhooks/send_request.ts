import { lookup as resolve, type LookupAddress } from 'node:dns'
import { Agent as HttpAgent, request as httpRequest } from 'node:http'
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https'
import { isIP, type LookupFunction } from 'node:net'
import { isPrivateAddress } from './webhook_address.js'

/* Timeout of a request in milliseconds, from the resolution of the name to the end of the response */
const TIMEOUT = 10_000

/* Maximum bytes of a response that are read; the connection is closed after them. */
const MOST_BYTES = 64 * 1024

/* Maximum characters of the response that are stored */
const STORED = 1000

const MOST_SOCKETS = 50
const IDLE = 15_000

/** Thrown if the host has a private address. */
export class PrivateAddress extends Error {
  constructor() {
    super('The host has a private address')
  }
}

export interface SentRequest {
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
