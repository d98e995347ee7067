import { randomBytes, randomUUID } from 'node:crypto'

/** Kinds of keys that the engine generates */
export const KEY_KINDS = ['uuid7', 'uuid4', 'ulid'] as const

export type KeyKind = (typeof KEY_KINDS)[number]

/** Crockford's base-32 alphabet */
const DIGITS = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
const RANDOM_BITS = { uuid7: 74n, ulid: 80n }

type OrderedKind = keyof typeof RANDOM_BITS

const LAST: Record<OrderedKind, { time: number; random: bigint }> = {
  uuid7: { time: 0, random: 0n },
  ulid: { time: 0, random: 0n },
}

/** Generates a key. Keys of `uuid7` (RFC 9562) and `ulid` begin with the time, and increase within a process. */
export function newKey(kind: KeyKind): string {
  if (kind === 'uuid4') return randomUUID()
  const { time, random } = nextOf(kind)
  return kind === 'ulid' ? ulid(time, random) : uuid7(time, random)
}

/** Returns the parts of the next key. Among keys of the same millisecond, each is the previous one plus one. */
function nextOf(kind: OrderedKind) {
  const last = LAST[kind]
  const now = Date.now()
  const bits = RANDOM_BITS[kind]
  const isOverflow = last.random + 1n >= 1n << bits
  if (now > last.time) LAST[kind] = { time: now, random: randomOf(bits) }
  else if (isOverflow) LAST[kind] = { time: last.time + 1, random: randomOf(bits) }
  else LAST[kind] = { time: last.time, random: last.random + 1n }
  return LAST[kind]
}

function randomOf(bits: bigint): bigint {
  return BigInt(`0x${randomBytes(10).toString('hex')}`) & ((1n << bits) - 1n)
}

function uuid7(time: number, random: bigint): string {
  const high = random >> 62n
  const low = random & ((1n << 62n) - 1n)
  const bits = (BigInt(time) << 80n) | (7n << 76n) | (high << 64n) | (2n << 62n) | low
  const hex = bits.toString(16).padStart(32, '0')
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}

function ulid(time: number, random: bigint): string {
  let rest = (BigInt(time) << 80n) | random
  let text = ''
  for (let index = 0; index < 26; index++) {
    text = DIGITS[Number(rest & 31n)] + text
    rest >>= 5n
  }
  return text
}
