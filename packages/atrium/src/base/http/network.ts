import { BlockList, isIP, isIPv4, isIPv6 } from 'node:net'

/**
 * Returns the network that counts as one client for the rate limit. An IPv6 client usually has 2^64 addresses, so its
 * /64 network is used; all invalid addresses count as one client.
 *
 * @param address  address of a client, such as `192.0.2.1` or `2001:db8::1`
 */
export function networkOf(address: string): string {
  const plain = address.replace(/^::ffff:(?=[\d.]+$)/i, '')
  if (isIPv4(plain)) return plain
  if (!isIPv6(plain)) return 'unknown'
  const [start, end = ''] = plain.split('%', 1)[0].split('::')
  const groups = start.split(':').filter(Boolean)
  const last = end.split(':').filter(Boolean)
  const missing = plain.includes('::') ? 8 - groups.length - last.length : 0
  return [...groups, ...Array(missing).fill('0'), ...last]
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':')
}

const MAPPED = /^::ffff:(?=[\d.]+$)/i

/** A list of addresses and networks, such as `10.0.0.0/8`, that an address can be looked up in. */
export class NetworkList {
  readonly #list = new BlockList()

  /** @param networks  addresses and networks that `isNetwork` accepts */
  constructor(networks: Iterable<string>) {
    for (const network of networks) {
      const [address, length] = network.split('/')
      const family = isIPv4(address) ? 'ipv4' : 'ipv6'
      if (length === undefined) this.#list.addAddress(address, family)
      else this.#list.addSubnet(address, Number(length), family)
    }
  }

  /** Returns true if the list contains an address; an IPv4 address can be mapped to IPv6. */
  has(address: string): boolean {
    const plain = address.replace(MAPPED, '').split('%', 1)[0]
    const family = isIP(plain)
    return family !== 0 && this.#list.check(plain, family === 4 ? 'ipv4' : 'ipv6')
  }
}

/** True for an IPv4 or IPv6 address, or a network such as `10.0.0.0/8` or `2001:db8::/32`. */
export function isNetwork(text: unknown): text is string {
  if (typeof text !== 'string') return false
  const [address, length, ...rest] = text.split('/')
  const family = isIP(address)
  if (family === 0 || address.includes('%') || rest.length > 0) return false
  return (
    length === undefined ||
    (/^\d{1,3}$/.test(length) && Number(length) <= (family === 4 ? 32 : 128))
  )
}
