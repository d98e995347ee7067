import type { Secret } from '@adonisjs/core/helpers'
import type { ApplicationService } from '@adonisjs/core/types'
import { AdminSite, isGuessable } from '#admin'
import { LOOPBACK } from '#base/http/served_hosts'

/** Settings that can be unsafe in production. */
interface ProductionSettings {
  appUrl: string
  appKey: string
  /** Name of the store that counts login attempts */
  limiterStore: string
  /** Lists of client addresses by the name of their option */
  networks: Record<string, readonly string[]>
  /** Returns true if a proxy with this address is trusted */
  trusts: (address: string) => boolean
  /** Connections by name; only those in use */
  connections: Record<string, DatabaseAddress>
}

interface DatabaseAddress {
  /** Undefined for a database file */
  host?: string
  hasTls: boolean
}

/** Returns the address of a connection in `config/database.ts`. */
export function addressOf({ connection }: { connection?: unknown } = {}): DatabaseAddress {
  const { host, ssl } = (connection ?? {}) as { host?: string; ssl?: unknown }
  return { host, hasTls: Boolean(ssl) }
}

/** Returns the settings of the application. */
export async function settingsOf({
  config,
  container,
}: ApplicationService): Promise<ProductionSettings> {
  const { dbConfig } = await container.make(AdminSite)
  const names = [dbConfig.applicationConnection, dbConfig.adminConnection]
  return {
    appUrl: config.get('app.appUrl'),
    appKey: config.get<Secret<string>>('admin.appKey').release(),
    limiterStore: config.get('admin.limiter'),
    networks: {
      'metrics.addresses': config.get('admin.metrics.addresses', []),
      'allowedNetworks': config.get('admin.allowedNetworks') ?? [],
    },
    trusts: (address) => config.get<Trusts>('app.http.trustProxy', () => false)(address, 0),
    connections: Object.fromEntries(
      names.map((name) => [name, addressOf(config.get(`database.connections.${name}`))])
    ),
  }
}

type Trusts = (address: string, distance: number) => boolean

const OWN_HOST = /^(localhost|127(\.\d+){3}|::1|\[::1\]|\/.*)$/

/** Returns warnings about unsafe settings of a production server, with instructions. No warning contains a secret. */
export function productionWarnings(settings: ProductionSettings): string[] {
  const { appKey, appUrl, connections, limiterStore, networks, trusts } = settings
  const warnings: string[] = []
  if (new URL(appUrl).protocol === 'http:') {
    warnings.push(
      `APP_URL (appUrl of config/app.ts) is ${appUrl}: passwords and cookies are sent without encryption. Put the server behind a proxy with HTTPS, and let APP_URL begin with https://`
    )
  }
  if (limiterStore === 'memory') {
    warnings.push(
      'limiter of config/admin.ts (LIMITER_STORE in a clone) is memory: each process counts login attempts alone, from its start on. With more than one process set it to database or redis'
    )
  }
  if (isGuessable(appKey)) {
    warnings.push(
      `APP_KEY can be guessed, as it consists of words or repeats itself. Make one with: node -p "crypto.randomBytes(32).toString('base64url')"`
    )
  }
  for (const [option, list] of Object.entries(networks)) {
    const own = list.find((entry) => {
      const [address] = entry.split('/')
      return LOOPBACK.has(address) && !trusts(address)
    })
    if (own === undefined) continue
    warnings.push(
      `${option} of config/admin.ts has ${own}, an address of this machine, and no proxy there is trusted: every client of a proxy that adds no headers has it. Set TRUST_PROXY (trustProxy of config/app.ts) to loopback, or remove ${own}`
    )
  }
  for (const [name, { hasTls, host }] of Object.entries(connections)) {
    if (host === undefined || hasTls || OWN_HOST.test(host)) continue
    warnings.push(
      `The database ${name} is on another host (${host}), and ssl of its connection in config/database.ts is not set: data and password are sent without encryption. Set it (in a clone: DB_TLS=true)`
    )
  }
  return warnings
}
