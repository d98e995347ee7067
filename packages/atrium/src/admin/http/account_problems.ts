import { Problem } from '#crud'
import type { Site } from '../views/site.js'

/**
 * The response to a program whose user has to set up a second factor first. [U10]
 */
export function factorProblem(site: Pick<Site, 'text' | 'url'>): Problem {
  const message = site.text('factors.required', { path: site.url('/account/factors/totp') })
  return new Problem(403, message, {
    refusal: 'factor_required',
    errors: [{ field: 'account', rule: 'second_factor_missing', message }],
  })
}

/**
 * The response to a program whose user has to prove again who they are. [U11]
 *
 * @param page  where a script of the site sends the user
 */
export function proofProblem(site: Pick<Site, 'text' | 'url'>, page?: string): Problem {
  const message = site.text('reauthentication.program', { path: site.url('/reauthenticate') })
  return new Problem(403, message, {
    refusal: 'proof_required',
    errors: [{ field: 'password', rule: 'reauthentication_required', message }],
    headers: page === undefined ? {} : { 'hx-redirect': page },
  })
}
