import type { IncomingMessage } from 'node:http'
import app from '@adonisjs/core/services/app'
import { listed, ValueError } from '../errors.js'
import { shown } from '../option_checks.js'

interface HostRules {
  /** Where people reach the application, as in `https://shop.example.com` */
  appUrl: string
  /** Names beside that of `appUrl`, as in `www.example.com` or `*.example.com` */
  hosts?: readonly string[]
  /** Whether this machine's own names are served, too */
  allowsLocal: boolean
  /** Whether `X-Forwarded-Host` of a connection from this address is believed */
  trusts?: (address: string, distance: number) => boolean
}

const LOCAL = ['localhost', '127.0.0.1', '[::1]']

/* A name, or a number in brackets, and a port that does not matter: behind a proxy it is another one. */
const HOST = /^(\[[\da-f:.]+\]|[\w.-]+)(?::\d*)?$/i
const ENTRY = /^(\*\.)?[\w-]+(\.[\w-]+)*$|^\[[\da-f:.]+\]$/i

/* Accepted headers that are kept, so that most requests cost one look. */
const MOST_KNOWN = 100

/**
 * Decides by which names the application may be called. A page of another site can have its own name
 * lead to a developer's or an intranet's address (DNS rebinding), and then reads and writes as if it were
 * ours; but its name stays in the `Host` of all it sends.
 */
export class ServedHosts {
  readonly #names: ReadonlySet<string>
  readonly #endings: readonly string[]
  readonly #known = new Set<string>()
  readonly #trusts: NonNullable<HostRules['trusts']>
  readonly #scheme: string
  readonly #allowsLocal: boolean

  /**
   * @throws ValueError  for an entry that is no name
   */
  constructor({ appUrl, hosts = [], allowsLocal, trusts = () => false }: HostRules) {
    const { hostname, protocol } = new URL(appUrl)
    if (!Array.isArray(hosts)) {
      throw new ValueError(
        `config/app.ts: hosts is ${shown(hosts)}, and must be a list of names, as in ['shop.example.com']`
      )
    }
    for (const entry of hosts) {
      if (typeof entry === 'string' && ENTRY.test(entry)) continue
      throw new ValueError(
        `config/app.ts: hosts has ${JSON.stringify(entry)}, and must hold names without scheme and port, as in ${listed(['shop.example.com', '*.example.com', '10.0.0.7'])}`
      )
    }
    const names = hosts.map((entry) => entry.toLowerCase())
    this.#names = new Set([hostname, ...names, ...(allowsLocal ? LOCAL : [])])
    this.#endings = names.filter((name) => name.startsWith('*.')).map((name) => name.slice(1))
    this.#scheme = protocol
    this.#allowsLocal = allowsLocal && !LOCAL.includes(hostname)
    this.#trusts = trusts
  }

  /**
   * Whether a request names nobody but us. One without any `Host` (HTTP/1.0) comes from no browser.
   */
  serves(request: IncomingMessage): boolean {
    const { url = '/' } = request
    /* A first line with a host in it counts for more than the header. */
    const authority = /^[a-z][a-z\d+.-]*:\/\/([^/?#]*)/i.exec(url)?.[1]
    if (authority !== undefined && !this.#isOurs(authority)) return false
    const host = this.#hostOf(request)
    return host === undefined || this.#isOurs(host)
  }

  /**
   * Where a page of ours comes from that was asked for under this host, as its `Origin` says it. Behind
   * a proxy that speaks HTTPS the connection does not tell, but `APP_URL` does.
   *
   * @param host      as `request.host()` has it
   * @param protocol  of the connection, as `request.protocol()` has it
   * @returns null if it is no host
   */
  originOf(host: string | null, protocol: string): string | null {
    const name = HOST.exec(host ?? '')?.[1].toLowerCase()
    if (name === undefined) return null
    const isLocal = this.#allowsLocal && LOCAL.includes(name)
    const scheme = isLocal || protocol === 'https' ? `${protocol}:` : this.#scheme
    return originOf(`${scheme}//${host}`)
  }

  #isOurs(host: string): boolean {
    if (this.#known.has(host)) return true
    const name = HOST.exec(host)?.[1].toLowerCase()
    if (name === undefined) return false
    const isOurs =
      this.#names.has(name) ||
      this.#endings.some((ending) => name.endsWith(ending) && name.length > ending.length)
    if (isOurs && this.#known.size < MOST_KNOWN) this.#known.add(host)
    return isOurs
  }

  /** As AdonisJS's `request.host()` has it: a proxy is believed only where the configuration says so. */
  #hostOf({ headers, socket }: IncomingMessage): string | undefined {
    const forwarded = headers['x-forwarded-host']
    if (forwarded === undefined || !this.#trusts(socket.remoteAddress ?? '', 0)) return headers.host
    return String(forwarded).split(',', 1)[0].trim() || headers.host
  }
}

/** Node.js keeps the first and drops the others; a proxy may go by the last one (RFC 9112, 3.2). */
function hasSeveralHosts({ rawHeaders }: IncomingMessage): boolean {
  let hosts = 0
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]
    if (name.length === 4 && name.toLowerCase() === 'host') hosts++
  }
  return hosts > 1
}

/**
 * The origin of an address, or null where it has none.
 */
export function originOf(address: string): string | null {
  try {
    return new URL(address).origin
  } catch {
    return null
  }
}

let known: { settings: unknown; hosts: ServedHosts } | undefined

/**
 * Those of `config/app.ts`: the host of `appUrl` and the names of `hosts`; outside of production this
 * machine's own names, too.
 */
export function servedHosts(): ServedHosts {
  const settings = app.config.get<AppSettings>('app')
  if (known?.settings !== settings) {
    const { appUrl, hosts, http } = settings
    const rules = { appUrl, hosts, allowsLocal: !app.inProduction, trusts: http?.trustProxy }
    known = { settings, hosts: new ServedHosts(rules) }
  }
  return known!.hosts
}

type AppSettings = {
  appUrl: string
  hosts?: string[]
  http?: { trustProxy?: HostRules['trusts'] }
}

const ANY_HOST: string[] = []

/**
 * Leaves a folder of paths open under whatever name: machines that look after a process call it by its
 * address.
 *
 * @param folder  as in `/health/`
 */
export function serveUnderAnyName(folder: string): void {
  if (!ANY_HOST.includes(folder)) ANY_HOST.push(folder)
}

/**
 * Whether a request may be served at all.
 */
export function isServed(request: IncomingMessage): boolean {
  if (hasSeveralHosts(request)) return false
  return servedHosts().serves(request) || ANY_HOST.some((folder) => request.url!.startsWith(folder))
}
