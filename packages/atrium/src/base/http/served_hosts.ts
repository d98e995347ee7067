import type { IncomingMessage } from 'node:http'
import type { HttpContext } from '@adonisjs/core/http'
import app from '@adonisjs/core/services/app'
import { listed, shown, ValueError } from '../errors.js'
import { NetworkList } from './network.js'
import { settingsOf } from '../settings.js'

interface HostRules {
  /** Public address of the application, such as `https://shop.example.com` */
  appUrl: string
  /** Further host names, such as `www.example.com` or `*.example.com` */
  hosts?: readonly string[]
  /** True to also serve the names of this machine */
  allowsLocal: boolean
  /** Returns true if `X-Forwarded-Host` of a connection from this address is trusted */
  trusts?: (address: string, distance: number) => boolean
}

const LOCAL = ['localhost', '127.0.0.1', '[::1]']

/* A name, or an address in brackets, and a port, which is ignored because it differs behind a proxy. */
const HOST = /^(\[[\da-f:.]+\]|[\w.-]+)(?::\d*)?$/i
const ENTRY = /^(\*\.)?[\w-]+(\.[\w-]+)*$|^\[[\da-f:.]+\]$/i

/* Maximum number of accepted headers in the cache, with which most requests need only one lookup. */
const MOST_KNOWN = 100

/**
 * Decides which host names the application serves. A page of another site can make its host name resolve to the address
 * of a developer's machine or an intranet server (DNS rebinding). Its requests then count as same-origin, but still
 * contain its host name in the `Host` header.
 */
export class ServedHosts {
  readonly #names: ReadonlySet<string>
  readonly #endings: readonly string[]
  readonly #known = new Set<string>()
  readonly #trusts: NonNullable<HostRules['trusts']>
  readonly #scheme: string
  readonly #allowsLocal: boolean

  /** @throws ValueError  for an invalid host name */
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
   * True if all hosts in a request are served. A request without `Host` (HTTP/1.0) is served, because it does not come
   * from a browser.
   */
  serves(request: IncomingMessage): boolean {
    const { url = '/' } = request
    /* A host in the request line overrides the header. */
    const authority = /^[a-z][a-z\d+.-]*:\/\/([^/?#]*)/i.exec(url)?.[1]
    if (authority !== undefined && !this.#isOurs(authority)) return false
    const host = this.#hostOf(request)
    return host === undefined || this.#isOurs(host)
  }

  /**
   * Returns the origin of this site's pages under a host, as browsers send it in `Origin`. Behind a proxy that
   * terminates HTTPS, the scheme of `APP_URL` is used, because the connection does not have it.
   *
   * @param host      host from `request.host()`
   * @param protocol  protocol of the connection, from `request.protocol()`
   * @returns null for a host that is not served
   */
  originOf(host: string | null, protocol: string): string | null {
    const name = HOST.exec(host ?? '')?.[1].toLowerCase()
    if (name === undefined) return null
    const isLocal = this.#allowsLocal && LOCAL.includes(name)
    const scheme = isLocal || protocol === 'https' ? `${protocol}:` : this.#scheme
    return originOf(`${scheme}//${host}`)
  }

  /** True if the forwarding headers of the request come from a trusted proxy. */
  trusts({ socket }: IncomingMessage): boolean {
    return this.#trusts(socket.remoteAddress ?? '', 0)
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

  /**
   * Returns the same host as AdonisJS's `request.host()`: proxy headers are used only if the configuration trusts the
   * proxy.
   */
  #hostOf(request: IncomingMessage): string | undefined {
    const { headers } = request
    const forwarded = headers['x-forwarded-host']
    if (forwarded === undefined || !this.trusts(request)) return headers.host
    return String(forwarded).split(',', 1)[0].trim() || headers.host
  }
}

/**
 * True if a request has several `Host` headers. Node.js uses the first one, but a proxy can use the last one (RFC 9112,
 * 3.2).
 */
function hasSeveralHosts({ rawHeaders }: IncomingMessage): boolean {
  let hosts = 0
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]
    if (name.length === 4 && name.toLowerCase() === 'host') hosts++
  }
  return hosts > 1
}

/** Returns the origin of a URL; null if it has none. */
export function originOf(address: string): string | null {
  try {
    return new URL(address).origin
  } catch {
    return null
  }
}

let known: { settings: unknown; hosts: ServedHosts } | undefined

/**
 * Returns the hosts of `config/app.ts`: the host of `appUrl` and the names in `hosts`; outside production also the
 * names of this machine.
 */
export function servedHosts(): ServedHosts {
  const settings = settingsOf<AppSettings>('app')!
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

/** Addresses of this machine */
export const LOOPBACK = new NetworkList(['127.0.0.0/8', '::1'])

/* Headers that proxies add */
const FORWARDING = [
  ...['forwarded', 'via', 'x-real-ip'],
  ...['x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto'],
]

/**
 * Returns true if a list has the address of the client. If an untrusted proxy has forwarded the request, the client's
 * address is unknown, and the result is false.
 */
export function listsClient(list: NetworkList, { request }: HttpContext): boolean {
  return list.has(request.ip()) && !isForwarded(request.request)
}

/** True if the request has passed a proxy that is not trusted. */
function isForwarded(request: IncomingMessage): boolean {
  const isPassedOn = FORWARDING.some((name) => request.headers[name] !== undefined)
  return isPassedOn && !servedHosts().trusts(request)
}

const ANY_HOST: string[] = []

/**
 * Serves the paths of a folder under any host name, because monitoring calls a process by its address.
 *
 * @param folder  folder such as `/health/`
 */
export function serveUnderAnyName(folder: string): void {
  if (!ANY_HOST.includes(folder)) ANY_HOST.push(folder)
}

/** True if a request is allowed to be served. */
export function isServed(request: IncomingMessage): boolean {
  if (hasSeveralHosts(request)) return false
  return servedHosts().serves(request) || ANY_HOST.some((folder) => request.url!.startsWith(folder))
}
