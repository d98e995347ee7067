import { isIPv4, isIPv6 } from 'node:net'

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
