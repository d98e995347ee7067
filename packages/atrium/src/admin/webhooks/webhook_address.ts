import { isIPv4, isIPv6, isIP } from 'node:net'
import { NetworkList } from '#base/http/network'

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
