import { get } from 'node:http'
import type { AddressInfo } from 'node:net'
import app from '@adonisjs/core/services/app'
import { EndpointCreator, LucidCrud } from '#crud'
import { crudConfig } from '#crud/settings'
import { LIVE } from './probes.js'

/* Who starts it waits for nothing here, and what takes longer is no use to the first request. */
const PATIENCE = 2000

/**
 * Does once what the first requests would wait for: the server asks itself whether it lives, and for an
 * item that is not there, which opens a connection for reading. No code of the application's own is
 * asked but for its middleware of all requests. That it fails is nobody's concern: whatever is wrong,
 * requests will tell.
 *
 * @param isStopping  whether the databases are being closed
 */
export async function warmUp(
  address: AddressInfo,
  endpoints: Iterable<EndpointCreator>,
  isStopping: () => boolean = () => false
): Promise<void> {
  try {
    await ask(address, LIVE)
    const path = placeOfNothing(endpoints)
    if (path && !isStopping()) await ask(address, path)
  } catch {
    /* Then the first request does it. */
  }
}

function ask({ address, port }: AddressInfo, path: string): Promise<void> {
  const host = { '0.0.0.0': '127.0.0.1', '::': '::1' }[address] ?? address
  return new Promise((resolve, reject) => {
    /* Called by its address alone, the server would not answer but for its health. */
    const headers = { host: new URL(app.config.get<string>('app.appUrl')).host }
    const options = { host, port, path, headers, agent: false, timeout: PATIENCE }
    const request = get(options, (response) => {
      response.on('error', reject).on('end', resolve).resume()
    })
    request.on('timeout', () => request.destroy()).on('error', reject)
  })
}

/** Where requests are counted, this one is not to be. */
function placeOfNothing(endpoints: Iterable<EndpointCreator>): string | undefined {
  if (crudConfig().rateLimit) return undefined
  for (const one of endpoints) {
    const read = one.routes.find(({ name, isCustom }) => name === 'read' && !isCustom)
    if (read && !read.middleware && isPlain(one)) {
      return read.path.replace(one.resource.key.pattern, '/0')
    }
  }
  return undefined
}

/** That there is no item 0 is found out by a look at an index. */
function isPlain(endpoints: EndpointCreator): boolean {
  const { isLoaded, key, policy, scope } = endpoints.resource
  const isShipped =
    endpoints.constructor === EndpointCreator && endpoints.crud.constructor === LucidCrud
  const isOpen = !policy && !scope && endpoints.accessOf('read') === 'public'
  return (
    isShipped &&
    isOpen &&
    !endpoints.hasOwnSession &&
    isLoaded &&
    !key.isComposite &&
    key.columns[0].autoIncrement
  )
}
