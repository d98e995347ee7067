import encryption from '@adonisjs/core/services/encryption'

const PURPOSE = 'undo'

/** Seals a value of `toStored`, so that only `fromStored` can read it. */
export function seal(value: unknown): unknown {
  return { sealed: encryption.encrypt(JSON.stringify(value), { purpose: PURPOSE }) }
}

/** True if `fromStored` can read the value. It cannot read values that were sealed with another application key. */
export function isReadable(value: unknown): boolean {
  const sealed = sealedIn(value)
  return sealed === undefined || encryption.decrypt(sealed, PURPOSE) !== null
}

function sealedIn(value: unknown): string | undefined {
  const { sealed } = (value ?? {}) as { sealed?: unknown }
  return typeof sealed === 'string' ? sealed : undefined
}

/** Returns a stored value as JSON; bytes have a special form. */
export function toStored(value: unknown): unknown {
  if (value === undefined || value === null) return null
  if (value instanceof Uint8Array) return { bytes: Buffer.from(value).toString('base64') }
  if (typeof value === 'bigint') return String(value)
  return typeof value === 'number' && !Number.isFinite(value) ? String(value) : value
}

/** Returns the value in the form that the driver accepts. */
export function fromStored(value: unknown): unknown {
  const sealed = sealedIn(value)
  if (sealed !== undefined) {
    return fromStored(JSON.parse(encryption.decrypt<string>(sealed, PURPOSE)!))
  }
  const { bytes } = (value ?? {}) as { bytes?: unknown }
  return typeof bytes === 'string' ? Buffer.from(bytes, 'base64') : (value ?? null)
}

export function isSameStored(one: unknown, other: unknown): boolean {
  return JSON.stringify(toStored(one)) === JSON.stringify(toStored(other))
}
