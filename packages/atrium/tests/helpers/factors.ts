/* Second factors of users: an authenticator app whose codes the test knows. */
import { mock } from 'node:test'
import { Secret, TOTP } from 'otpauth'
import type { AdminUser } from '#admin'
import { newSecret } from '#admin/authentication/factors/factors'
import { adminSite } from '#tests/helpers/admin'

const STEP = 30_000

export interface GivenFactor {
  /** In base32 */
  secret: string
  recoveryCodes: string[]
  /** The code of the present step; with `later`, of one so many steps away */
  code(later?: number): string
}

/** Code of a secret's authenticator app. */
export function codeOf(secret: string, later = 0): string {
  const totp = new TOTP({ secret: Secret.fromBase32(secret) })
  return totp.generate({ timestamp: Date.now() + later * STEP })
}

/** Sets an authenticator app up. The code of the step before counts as used, so that the current one is good. */
export async function giveFactor(user: AdminUser): Promise<GivenFactor> {
  const { adminAuthentication } = await adminSite()
  const secret = newSecret()
  const enrol = () =>
    adminAuthentication.factors.enrol(user.id, {
      secret,
      code: codeOf(secret, -1),
      name: 'Authenticator app',
      currentSession: { id: 0 },
    })
  /* The step may have gone by in the meantime. */
  const enrolled = (await enrol()) ?? (await enrol())
  return {
    secret,
    recoveryCodes: enrolled!.codes ?? [],
    code: (later = 0) => codeOf(secret, later),
  }
}

/** Runs work as if it were later. */
export async function inMinutes<Result>(
  minutes: number,
  work: () => Promise<Result>
): Promise<Result> {
  mock.timers.enable({ apis: ['Date'], now: Date.now() + minutes * 60_000 })
  try {
    return await work()
  } finally {
    mock.timers.reset()
  }
}

/** Has the site ask for second factors, until the function is called that it returns. */
export async function requireFactors(mfa: 'optional' | 'superusers' | 'required') {
  const { adminAuthentication } = await adminSite()
  const { config } = adminAuthentication as unknown as { config: { mfa: string } }
  const before = config.mfa
  config.mfa = mfa
  return () => {
    config.mfa = before
  }
}
