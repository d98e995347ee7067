import { isIP } from 'node:net'
import { isPrivateAddress } from './private_addresses.js'

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
