import { BlockList, isIP } from 'node:net'
import { ValueError } from '#base/errors'

const NAMES = ['loopback', 'linklocal', 'uniquelocal']

/* Words that other servers interpret as all addresses */
const ALL_ADDRESSES = ['*', 'all', 'any', 'true']

/* Shortest prefix lengths that are accepted in production, because larger networks do not consist only of proxies */
const SHORTEST_PREFIX = { 4: 8, 6: 16 }

/* IPv4 addresses mapped to IPv6, ::ffff:0:0/96 */
const MAPPED = new BlockList()
MAPPED.addSubnet('::ffff:0:0', 96, 'ipv6')

/**
 * Checks TRUST_PROXY: an address, a network such as `10.0.0.0/8`, or one of three names.
 *
 * @param isProduction  true to refuse networks that are so large that they contain callers, who could then choose their
 *   address
 * @param text  value of the variable; undefined or empty: no proxy is trusted
 * @throws ValueError  for any other text
 */
export function checkTrustedProxy(text: string | undefined, isProduction: boolean): void {
  if (!text || NAMES.includes(text)) return
  if (ALL_ADDRESSES.includes(text.toLowerCase())) throw trustsEverybody(text)
  const [address, end, ...rest] = text.split('/')
  const family = isIP(address) as 0 | 4 | 6
  const prefix = end === undefined ? 128 : prefixOf(end)
  const longest = family === 4 ? 32 : 128
  const isNetwork = prefix !== null && (end === undefined || prefix <= longest)
  if (family === 0 || !isNetwork || rest.length > 0) throw unreadable(text)
  const isMapped = family === 6 && isMappedAddress(address)
  const shortest = isMapped ? 96 + SHORTEST_PREFIX[4] : SHORTEST_PREFIX[family]
  if (prefix === 0 || (isProduction && prefix < shortest)) throw trustsEverybody(text)
}

/** Returns the length of a prefix, given as a number or as a mask such as `255.0.0.0`; null for anything else. */
function prefixOf(text: string): number | null {
  if (/^\d{1,3}$/.test(text)) return Number(text)
  if (isIP(text) !== 4) return null
  const bits = text
    .split('.')
    .map((part) => Number(part).toString(2).padStart(8, '0'))
    .join('')
  return /^1*0*$/.test(bits) ? bits.replaceAll('0', '').length : null
}

function isMappedAddress(address: string): boolean {
  const [plain] = address.split('%', 1)
  return MAPPED.check(plain, 'ipv6')
}

function unreadable(text: string): ValueError {
  return new ValueError(
    `TRUST_PROXY is "${text}", and must be the address of the proxy, its network as in 10.0.0.0/8, or ${NAMES.join(', ')}`
  )
}

function trustsEverybody(text: string): ValueError {
  return new ValueError(
    `TRUST_PROXY is "${text}", which trusts everybody: callers could choose the address that login attempts count for. Name the address or network of the proxy, as in 10.0.0.0/8 or loopback`
  )
}
