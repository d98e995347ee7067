/* An authenticator of a test: creates passkeys and signs challenges as a browser would, or as an attacker would. */
import { createHash, generateKeyPairSync, randomBytes, sign, type KeyObject } from 'node:crypto'
import type {
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
} from '@simplewebauthn/server'
import { isoCBOR } from '@simplewebauthn/server/helpers'
import { cookiesFrom, sendForm } from '#tests/helpers/admin'
import { call, urlOf, type HttpResponse } from '#tests/helpers/http'

const PRESENT = 0x01
const VERIFIED = 0x04
const HAS_KEY = 0x40

interface Claims {
  origin?: string
  host?: string
  counter?: number
  isVerified?: boolean
  /** Who the passkey says it is of */
  handle?: string
}

export class TestAuthenticator {
  readonly id = randomBytes(32).toString('base64url')
  handle = ''
  counter = 1
  readonly #keys = generateKeyPairSync('ec', { namedCurve: 'P-256' })

  /** The credential that a browser would send, as JSON. */
  create(options: PublicKeyCredentialCreationOptionsJSON, claims: Claims = {}): string {
    this.handle = options.user.id
    const id = Buffer.from(this.id, 'base64url')
    const length = Buffer.from([id.length >> 8, id.length & 255])
    const key = Buffer.concat([Buffer.alloc(16), length, id, publicKeyOf(this.#keys.publicKey)])
    const authData = Buffer.concat([this.#head({ ...claims, flags: HAS_KEY }), key])
    const attestation = new Map<string, unknown>([
      ['fmt', 'none'],
      ['attStmt', new Map()],
      ['authData', new Uint8Array(authData)],
    ])
    return this.#credential({
      clientDataJSON: clientData('webauthn.create', options.challenge, claims).toString(
        'base64url'
      ),
      attestationObject: Buffer.from(isoCBOR.encode(attestation as never)).toString('base64url'),
      transports: ['internal'],
    })
  }

  response(options: PublicKeyCredentialRequestOptionsJSON, claims: Claims = {}): string {
    if (claims.counter === undefined) this.counter++
    const authenticatorData = this.#head(claims)
    const client = clientData('webauthn.get', options.challenge, claims)
    const signed = Buffer.concat([authenticatorData, sha256(client)])
    return this.#credential({
      clientDataJSON: client.toString('base64url'),
      authenticatorData: authenticatorData.toString('base64url'),
      signature: sign('sha256', signed, this.#keys.privateKey).toString('base64url'),
      userHandle: claims.handle ?? this.handle,
    })
  }

  #head({
    host = 'localhost',
    counter,
    isVerified = true,
    flags = 0,
  }: Claims & { flags?: number }) {
    const count = Buffer.alloc(4)
    count.writeUInt32BE(counter ?? this.counter)
    const all = flags | PRESENT | (isVerified ? VERIFIED : 0)
    return Buffer.concat([sha256(host), Buffer.from([all]), count])
  }

  #credential(response: Record<string, unknown>): string {
    const { id } = this
    const type = 'public-key'
    return JSON.stringify({ id, rawId: id, type, response, clientExtensionResults: {} })
  }
}

interface Requested {
  options: any
  /** With the challenge's */
  cookie: string
}

/** Asks for the options of a passkey, as the page's script does. */
export async function optionsOf(
  path: string,
  cookie = ''
): Promise<Requested & { response: HttpResponse }> {
  const response = await call('POST', `${path}/options`, {
    headers: { cookie, accept: 'application/json' },
  })
  const given = cookiesFrom(response)
  return { response, options: response.body, cookie: [cookie, given].filter(Boolean).join('; ') }
}

/** Gives the user of a session a passkey. */
export async function givePasskey(cookie: string, name = 'Laptop'): Promise<TestAuthenticator> {
  const path = '/admin/account/factors/passkeys'
  const requested = await optionsOf(path, cookie)
  const passkey = new TestAuthenticator()
  const sent = { passkey: passkey.create(requested.options), name }
  const response = await sendForm(path, sent, { cookie: requested.cookie })
  if (response.status >= 400) throw new Error(`${response.status} ${response.text}`)
  return passkey
}

function clientData(type: string, challenge: string, { origin = urlOf('') }: Claims): Buffer {
  return Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false }))
}

function publicKeyOf(key: KeyObject): Buffer {
  const { x, y } = key.export({ format: 'jwk' })
  const cose = new Map<number, unknown>([
    [1, 2],
    [3, -7],
    [-1, 1],
    [-2, new Uint8Array(Buffer.from(x!, 'base64url'))],
    [-3, new Uint8Array(Buffer.from(y!, 'base64url'))],
  ])
  return Buffer.from(isoCBOR.encode(cose as never))
}

function sha256(data: Buffer | string): Buffer {
  return createHash('sha256').update(data).digest()
}
